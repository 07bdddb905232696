export { type ArbitraryOptions, arbitraryOf } from "./laws/arbitrary-of.ts";
