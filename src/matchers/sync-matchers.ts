// The table of the matchers that need no baseline, a line each: registration and the types of both runners follow from
// it. One module, which set-up files load at the first call: see AT_FIRST_CALL in scripts/build/lazy-parts.ts.
export { toBlockOn, toCommand, toHaveValidCommands, toInvoke } from "./command-matchers.ts";
export { toBeOk, toEmitEvent, toFailWith } from "./result-matchers.ts";
export { toCall, toCallInOrder, toFollowTrajectory } from "./trajectory-matchers.ts";
export { toStayWithin } from "./to-stay-within.ts";
export * from "./value-matchers.ts";
