import "veritest/jest";

// `@types/jest` declares `expect` as a global, which a module cannot re-export under its own name.
const globalExpect = expect;
export { globalExpect as expect };
