import type { RoleRules } from "../../kernel/call-role.ts";
import { SkippedWrites } from "../interceptors/skipped-writes.ts";
import { skippingWrites } from "../interceptors/recording-scope.ts";
import { type Recording, withReplay } from "../with-replay.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import type { AdapterCall } from "../adapter-call.ts";
import { type ModelCallUsage, modelCallUsages } from "../model-usage.ts";
import { createRoleResolver } from "./role.ts";

// What only checks need whose calls differ, whose step declares roles, or that record a step to look at its calls: one
// module, so that the bundler makes one file that most runs never load.
export { diffCalls } from "./diff-calls.ts";
export { createRoleResolver } from "./role.ts";

/** Runs a step and records its calls; no write runs, since nobody asked for that by name. */
export async function recordSkippingWrites(
  step: AnyStep,
  input: unknown,
  { adapters = {}, roles }: { readonly adapters?: BaseAdapters | undefined; readonly roles?: RoleRules | undefined },
): Promise<Recording> {
  const declared = { ...step.roles, ...roles };
  const held = new SkippedWrites([], Object.keys(declared).length === 0 ? undefined : createRoleResolver(declared));
  return skippingWrites(held, async () => withReplay(step, input, { adapters }));
}

/** What recorded calls cost: the questions they put to models, and how many calls went elsewhere. */
export function costsOfRecording(
  calls: readonly AdapterCall[],
  ...roles: readonly RoleRules[]
): { readonly questions: readonly ModelCallUsage[]; readonly toolCalls: number } {
  const roleOf = createRoleResolver(...roles);
  const questions = modelCallUsages(calls, (call) => roleOf(call) === "model");
  return {
    questions,
    toolCalls: calls.filter((call) => call.returns !== "property" && roleOf(call) !== "model").length,
  };
}
