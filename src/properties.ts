export { type ArbitraryOptions, arbitraryOf } from "./extras/properties/generate/arbitrary-of.ts";
