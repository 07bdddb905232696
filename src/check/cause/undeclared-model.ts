import { containsProse, createDeclaredRoles } from "../../record/calls/infer-role.ts";
import type { CallRole, RoleRules } from "../../kernel/call-role.ts";
import { exactPattern, isModelCall } from "../../record/model-call.ts";
import { type AdapterCall, adapterSegments } from "../../record/adapter-call.ts";
import type { Evidence } from "./cause.ts";
import { isModelName } from "./names-model.ts";
import { type OfflineChange, withoutCall } from "./stubbed-calls.ts";

/** Roles of the calls of a case. */
export interface CallRoles {
  readonly roleOf: (call: OfflineChange["call"]) => CallRole;
  /** True if neither a rule, its adapter nor its form shows the role of a call. */
  readonly isUndeclared: (call: OfflineChange["call"]) => boolean;
}

/** Returns the test of {@link CallRoles.isUndeclared} for the calls of a case and the rules of roles. */
export function undeclaredCalls(
  rules: readonly RoleRules[],
  calls: readonly AdapterCall[],
): (call: OfflineChange["call"]) => boolean {
  const declaredRole = createDeclaredRoles(...rules);
  const withRole = new Set(calls.flatMap(({ role, adapter }) => (role === undefined ? [] : [adapter])));
  const isKnown = (call: OfflineChange["call"]): boolean =>
    withRole.has(call.adapter) || isTool(call) || isModelCall(call);
  return (call) => (call.role ?? declaredRole(call)) === undefined && !isKnown(call);
}

/** Returns true for the tools of `recordTools` and of an adapter with that name: these aren't models. */
function isTool({ adapter }: OfflineChange["call"]): boolean {
  return adapterSegments(adapter)[0] === "tools";
}

/**
 * Returns the evidence of requests to tools that the current code changed on the recorded responses: its result follows
 * from them.
 */
export function toolRequestEvidence(
  changed: readonly OfflineChange[],
  isUndeclared: (call: OfflineChange["call"]) => boolean,
): Evidence {
  const modelCall = changed.find(({ call }) => isUndeclared(call) && containsProse(call.request));
  const prose = modelCall && (exactPattern(modelCall.call) ?? modelCall.adapter);
  return { kind: "code", entries: [], calls: changed.map(withoutCall), ...(prose !== undefined && { prose }) };
}

/** Returns true for a call of a model, or of an undeclared adapter that takes prose or is named after a model. */
export function mayBeModel(call: AdapterCall, { roleOf, isUndeclared }: CallRoles): boolean {
  if (roleOf(call) === "model") return true;
  return isUndeclared(call) && (containsProse(call.request) || adapterSegments(call.adapter).some(isModelName));
}
