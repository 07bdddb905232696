// The matchers that answer at once. One module, which Vitest's set-up file loads at the first call: see LAZY in
// tsup.config.ts.
export { toBeOk } from "./to-be-ok.ts";
export { toBlockOn } from "./to-block-on.ts";
export { toCommand } from "./to-command.ts";
export { toEmitEvent } from "./to-emit-event.ts";
export { toEqualByKey } from "./to-equal-by-key.ts";
export { toFailWith } from "./to-fail-with.ts";
export { toHaveValidCommands } from "./to-have-valid-commands.ts";
export { toInvoke } from "./to-invoke.ts";
export { toStayWithin } from "./to-stay-within.ts";
