import type * as callsPart from "../record/calls/calls-entry.ts";
import type { CallRole, RoleRules } from "../kernel/call-role.ts";
import { importSequentially } from "../kernel/import-sequentially.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { projectSettings } from "../redact/project-settings.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";

/** Returns the declared roles, the step's own first. */
export function roleRulesOf(step: Partial<Pick<AnyStep, "roles">>): readonly RoleRules[] {
  return [step.roles ?? {}, projectSettings().roles];
}

/** Returns a function for the declared roles of calls; undefined if neither the step nor the project declares any. */
export async function declaredRoleResolver(
  step: AnyStep,
): Promise<((call: Pick<AdapterCall, "adapter" | "request">) => CallRole | undefined) | undefined> {
  const rules = roleRulesOf(step);
  if (rules.every((each) => Object.keys(each).length === 0)) return undefined;
  const { createDeclaredRoles } = await loadCalls();
  return createDeclaredRoles(...rules);
}

/** Returns whether each name in the step's order matches one of these calls: `order "llm"`. */
export async function orderMatches(
  calls: readonly AdapterCall[],
  { order }: Pick<AnyStep, "order">,
): Promise<readonly (readonly [rule: string, isMatched: boolean])[]> {
  if (order === undefined) return [];
  const matches = (await loadCalls()).nameMatches(calls, order);
  return matches.map(([name, isMatched]) => [`order ${JSON.stringify(name)}`, isMatched]);
}

/** Returns the error of a call that a run made too early by the step's order. */
export async function orderError(
  calls: readonly AdapterCall[],
  { order }: Pick<AnyStep, "order">,
): Promise<StepError | undefined> {
  if (order === undefined) return undefined;
  const problem = (await loadCalls()).orderProblem(calls, order);
  return problem === undefined ? undefined : kernelError("out_of_order", problem);
}

/** Loads the code for calls. Most runs never need it. */
export async function loadCalls(): Promise<typeof callsPart> {
  return importSequentially(async () => import("../record/calls/calls-entry.ts"));
}
