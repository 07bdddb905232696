// The matchers that answer at once. One module, which Vitest's set-up file loads at the first call: see AT_FIRST_CALL
// in scripts/build/lazy-parts.ts.
export { toBlockOn, toCommand, toHaveValidCommands, toInvoke } from "../command-matchers.ts";
export { toBeOk, toEmitEvent, toFailWith } from "../result-matchers.ts";
export { toCall, toCallInOrder, toFollowTrajectory } from "../trajectory-matchers.ts";
export { toEqualByKey } from "../to-equal-by-key.ts";
export { toStayWithin } from "../to-stay-within.ts";
