// The matchers that answer at once. One module, which Vitest's set-up file loads at the first call: see AT_FIRST_CALL in
// scripts/build/late-parts.ts.
export { toBeOk } from "../matchers/to-be-ok.ts";
export { toBlockOn } from "../matchers/to-block-on.ts";
export { toCommand } from "../matchers/to-command.ts";
export { toEmitEvent } from "../matchers/to-emit-event.ts";
export { toEqualByKey } from "../matchers/to-equal-by-key.ts";
export { toFailWith } from "../matchers/to-fail-with.ts";
export { toHaveValidCommands } from "../matchers/to-have-valid-commands.ts";
export { toInvoke } from "../matchers/to-invoke.ts";
export { toStayWithin } from "../matchers/to-stay-within.ts";
