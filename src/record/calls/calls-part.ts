import type { RoleRules } from "../../kernel/call-role.ts";
import { HeldWrites } from "../interceptors/held-writes.ts";
import { withEffects } from "../interceptors/recording-scope.ts";
import { type Recording, withReplay } from "../with-replay.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import type { AdapterCall } from "../adapter-call.ts";
import { type ModelQuestion, modelQuestions } from "../model-usage.ts";
import { roleJudge } from "./role.ts";

// What only checks need whose calls differ, whose step declares roles, or that record a step to look at its calls: one
// module, so that the bundler makes one file that most runs never load.
export { diffCalls } from "./diff-calls.ts";
export { roleJudge } from "./role.ts";

/** Runs a step and records its calls; no write runs, since nobody asked for that by name. */
export async function recordHeld(
  step: AnyStep,
  input: unknown,
  { adapters = {}, roles }: { readonly adapters?: BaseAdapters | undefined; readonly roles?: RoleRules | undefined },
): Promise<Recording> {
  const declared = { ...step.roles, ...roles };
  const held = new HeldWrites([], Object.keys(declared).length === 0 ? undefined : roleJudge(declared));
  return withEffects(held, async () => withReplay(step, input, { adapters }));
}

/** What recorded calls cost: the questions they put to models, and how many calls went elsewhere. */
export function recordedCosts(
  calls: readonly AdapterCall[],
  ...roles: readonly RoleRules[]
): { readonly questions: readonly ModelQuestion[]; readonly toolCalls: number } {
  const roleOf = roleJudge(...roles);
  const questions = modelQuestions(calls, (call) => roleOf(call) === "model");
  return {
    questions,
    toolCalls: calls.filter((call) => call.returns !== "property" && roleOf(call) !== "model").length,
  };
}
