export { type ArbitraryOptions, arbitraryOf } from "./extras/properties/arbitrary-of.ts";
