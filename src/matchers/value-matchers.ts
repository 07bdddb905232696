// Matchers of any value that answer at once, a line each: `expect` of every type has them.
export * from "./to-equal-by-key.ts";
