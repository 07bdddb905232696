// The table of the matchers that need no baseline, a line each: registration and the types of both runners follow from
// it. One module, which set-up files load at the first call: see AT_FIRST_CALL in scripts/build/lazy-parts.ts.
// `export *`, because an editor shows the comment of a matcher then.
export * from "./command-matchers.ts";
export * from "./result-matchers.ts";
export * from "./to-stay-within.ts";
export { toCall, toCallInOrder, toFollowTrajectory } from "./trajectory-matchers.ts";
export * from "./value-matchers.ts";
