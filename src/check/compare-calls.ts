import type * as callsPart from "../record/calls/calls-part.ts";
import type { CallsDiff } from "../record/calls/diff-calls.ts";
import type { CallRole, RoleRules } from "../kernel/call-role.ts";
import { importInTurn } from "../kernel/import-in-turn.ts";
import { type AdapterCall, requestIdentity } from "../record/adapter-call.ts";
import { CallIndex } from "../record/replay/call-index.ts";
import { type RecordingMiss, isMiss } from "../record/replay/recording-miss.ts";
import { recordingRules } from "../record/recording-rules.ts";
import { sameSecrets } from "../redact/comparable.ts";
import { projectSettings } from "../redact/current-redactor.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import type { World } from "./check.ts";
import type { RecordedCosts } from "./costs.ts";

/** What says how calls count: the step, and what is demanded of the check. */
export type CallRules = Pick<World, "calls" | "compare">;

/**
 * How the calls of a run differ from the recorded ones; undefined where they are not compared: where the step, the
 * check or the project says so, and where the recording holds none although the run asked a model, so that nobody
 * knows what was asked then.
 */
export async function compareCalls(
  recorded: readonly AdapterCall[],
  made: readonly AdapterCall[],
  { step, world }: { readonly step: Partial<Pick<AnyStep, "calls" | "compare" | "roles">>; readonly world: CallRules },
): Promise<CallsDiff | undefined> {
  const scope = world.calls ?? step.calls ?? projectSettings().calls ?? "all";
  if (scope === "none") return undefined;
  const [before, after] = [recorded.filter(isCall), made.filter(isCall)];
  if (sameCalls(before, after)) return SAME;
  const { diffCalls, roleJudge } = await loadCalls();
  const roleOf = roleJudge(...rolesOf(step));
  if (recorded.length === 0 && after.some((call) => roleOf(call) === "model")) return undefined;
  return diffCalls(before, after, { roleOf, scope, compare: world.compare ?? step.compare });
}

/** Tells whether two runs asked for the same, in the same order and with the same secrets. */
export function sameCalls(before: readonly AdapterCall[], after: readonly AdapterCall[]): boolean {
  if (before.length !== after.length) return false;
  // Served calls are the recorded ones themselves: most checks end here.
  if (after.every((call, index) => call === before[index])) return true;
  const rules = recordingRules();
  return after.every(({ adapter, request }, index) => {
    const known = before[index];
    if (known?.adapter !== adapter) return false;
    // By identity: each recording numbers its own secrets. By today's rules: it may be recorded by others.
    const recorded = rules.request(adapter, known.request);
    return requestIdentity(adapter, request) === requestIdentity(adapter, recorded) && sameSecrets(recorded, request);
  });
}

/**
 * Where requests must be the recorded ones: the first that a replay, which CI makes of it, would have no answer for.
 * Undefined where they need not be, or each has one.
 */
export function strictMiss(
  recorded: readonly AdapterCall[],
  live: readonly AdapterCall[],
  { strictRequests = projectSettings().strictRequests }: Pick<World, "strictRequests">,
): RecordingMiss | undefined {
  if (!strictRequests) return undefined;
  const index = new CallIndex(recorded);
  return live
    .filter(isCall)
    .map(({ adapter, request }) => index.take(adapter, request))
    .find(isMiss);
}

/** The judge of a step's roles where roles are declared for it: what tools say of themselves is known without one. */
export async function declaredRoles(
  step: AnyStep,
): Promise<((call: Pick<AdapterCall, "adapter" | "request">) => CallRole) | undefined> {
  const rules = rolesOf(step);
  if (rules.every((one) => Object.keys(one).length === 0)) return undefined;
  const { roleJudge } = await loadCalls();
  return roleJudge(...rules);
}

/** What the calls of a run cost. */
export async function costsOfCalls(calls: readonly AdapterCall[], step: AnyStep): Promise<RecordedCosts> {
  const { recordedCosts } = await loadCalls();
  return recordedCosts(calls, ...rolesOf(step));
}

/** What is declared of roles, the step's own word first. */
export function rolesOf(step: Partial<Pick<AnyStep, "roles">>): readonly RoleRules[] {
  return [step.roles ?? {}, projectSettings().roles];
}

const SAME: CallsDiff = { equal: true, entries: [], changes: [], rows: [], tolerated: [] };

async function loadCalls(): Promise<typeof callsPart> {
  return importInTurn(async () => import("../record/calls/calls-part.ts"));
}

function isCall({ returns }: AdapterCall): boolean {
  return returns !== "property";
}
