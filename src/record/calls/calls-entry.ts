import type { RoleRules } from "../../kernel/call-role.ts";
import { SkippedWrites } from "../interceptors/skipped-writes.ts";
import { skippingWrites } from "../interceptors/recording-scope.ts";
import { type Recording, withReplay } from "../with-replay.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { type AdapterCall, isMethodCall } from "../adapter-call.ts";
import { type ModelCallUsage, modelCallUsages } from "../model-usage.ts";
import { createDeclaredRoles, createRoleResolver } from "./infer-role.ts";

// Code that only checks with changed calls need, steps that declare roles, and recordings made to read a step's calls:
// one module, so that the bundler makes one file that most runs never load.
export { orderProblem, nameMatches } from "./call-order.ts";
export { diffCalls } from "./diff-calls.ts";
export { createDeclaredRoles, createRoleResolver } from "./infer-role.ts";

/** Runs a step and records its calls; writes are skipped, since the caller didn't name any to run. */
export async function recordSkippingWrites(
  step: AnyStep,
  input: unknown,
  { adapters = {}, roles }: { readonly adapters?: BaseAdapters | undefined; readonly roles?: RoleRules | undefined },
): Promise<Recording> {
  const declared = { ...step.roles, ...roles };
  const skipped = new SkippedWrites([], createDeclaredRoles(declared));
  return skippingWrites(skipped, async () => withReplay(step, input, { adapters }));
}

/** Costs of recorded calls: the model calls, and the number of other calls. */
export function costsOfRecording(
  calls: readonly AdapterCall[],
  ...roles: readonly RoleRules[]
): { readonly modelCalls: readonly ModelCallUsage[]; readonly toolCalls: number } {
  const roleOf = createRoleResolver(...roles);
  const modelCalls = modelCallUsages(calls, (call) => roleOf(call) === "model");
  return {
    modelCalls,
    toolCalls: calls.filter((call) => isMethodCall(call) && roleOf(call) !== "model").length,
  };
}
