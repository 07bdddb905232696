import { type CheckContext, checkWithoutUpdate } from "../check/check.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Result, ok } from "../kernel/result.ts";
import { quote } from "../kernel/text.ts";
import { messageOf } from "../kernel/error-message.ts";
import { someBaseline } from "../baseline/baseline-files.ts";
import type { StoredCase } from "../baseline/baseline-library.ts";
import { parseBaseline } from "../baseline/parse-baseline.ts";
import { isLaidOut, verifySerialized } from "../baseline/serialize-baseline.ts";
import { type AdapterMode, responsePlan } from "../check/run/adapter-mode.ts";
import { hasRecorderCall } from "../check/run/adapter-source.ts";
import { explainCheck } from "../check/cause/find-cause.ts";
import { checkCase } from "../check/check-case.ts";
import { inCheckSpan } from "../check/check-span.ts";
import { type TrialPlan, checkTrials } from "../check/check-trials.ts";
import { caseOfStored } from "../check/find-case.ts";
import { type ConfiguredStep, makeAdapters } from "../config/load-steps.ts";
import { readText } from "../kernel/files/read.ts";
import type { BaseAdapters } from "../kernel/step/context.ts";
import { kernelError } from "../kernel/step/fail.ts";
import { failedCheck } from "./check-with-timeout.ts";
import type { CheckStored } from "./check-stored.ts";
import type { BaselineTarget } from "./find-targets.ts";

/**
 * Creates the check of whether the current steps decide the same. The error is one sentence if the adapters of a step
 * can't be created.
 */
export async function recomputeCheck(
  steps: readonly ConfiguredStep[],
  {
    mode,
    trials,
    harmless,
  }: { readonly mode: AdapterMode; readonly trials: TrialPlan | undefined } & Pick<CheckContext, "harmless">,
): Promise<Result<CheckStored, string>> {
  const adaptersByStep = await adaptersOf(steps, mode);
  if (!adaptersByStep.ok) return adaptersByStep;
  return ok(async ({ target: { configured, root }, stored, input }) => {
    const { step } = configured;
    const adapters = adaptersByStep.value.get(step.name) ?? (usesRecorders(stored.baseline) ? {} : undefined);
    if (mode === "live" && adapters === undefined && makesCalls(stored.baseline))
      return failedCheck(stored, kernelError("no_adapters", noAdapters(step.name)));
    // Without adapters all calls of the step are replayed, and an unrecorded request is reported.
    const context = { root, responses: responsePlan(mode, adapters), harmless };
    const prepared = { ...caseOfStored(step, stored), input };
    return inCheckSpan(prepared.step.name, async () =>
      trials === undefined ? checkCase(prepared, context, explainCheck) : checkTrials(prepared, context, trials),
    );
  });
}

const REPLAY = { responses: { kind: "recorded", hasAdapters: false }, isByteExact: true } as const;

/**
 * Creates the check of whether the current steps write the same bytes with the recorded responses. With `verify`, first
 * checks each file: its hashes, and whether it would be written as it is.
 */
export function replayCheck({ verify }: { readonly verify: boolean }): CheckStored {
  return async ({ target: { configured, root }, stored }) => {
    const problem = verify ? fileProblem(stored) : undefined;
    if (problem === undefined) {
      const prepared = caseOfStored(configured.step, stored);
      return inCheckSpan(prepared.step.name, async () => checkCase(prepared, { ...REPLAY, root }, explainCheck));
    }
    return checkWithoutUpdate(stored, { kind: "broken", problem });
  };
}

/** Creates the current adapters of each step, by its name. */
async function adaptersOf(
  steps: readonly ConfiguredStep[],
  mode: AdapterMode,
): Promise<Result<ReadonlyMap<string, BaseAdapters>, string>> {
  const made = new Map<string, BaseAdapters>();
  if (mode === "replay") return ok(made);
  for (const configured of steps) {
    const { name } = configured.step;
    if (made.has(name)) continue;
    const adapters = await makeAdapters(configured);
    if (!adapters.ok) return adapters;
    if (adapters.value !== undefined) made.set(name, adapters.value);
  }
  return ok(made);
}

/** Returns whether a step whose baselines have calls has no live adapters. */
export function lacksAdapters(target: BaselineTarget): boolean {
  return target.configured.adapters === undefined && callsAdapters(target);
}

/** Decides by the first baseline, so that the command can refuse before it runs anything. */
function callsAdapters({ directory, only }: BaselineTarget): boolean {
  // Stored runs may not have a file.
  if (!existsSync(only ?? directory)) return false;
  const path = only ?? join(directory, someBaseline(directory) ?? "");
  return makesCalls(parseBaseline(readText(path) ?? "", path));
}

function makesCalls(baseline: StoredCase["baseline"]): boolean {
  return baseline.ok && baseline.value.kind === "step" && baseline.value.calls.length > 0 && !usesRecorders(baseline);
}

/** Returns true for a case whose live run needs no adapters. */
function usesRecorders(baseline: StoredCase["baseline"]): boolean {
  return baseline.ok && baseline.value.kind === "step" && hasRecorderCall(baseline.value.calls);
}

/** Returns the message for a live run of a step without configured adapters. */
export function noAdapters(step: string): string {
  return (
    `Live responses are requested, but the configuration gives step ${quote(step)} no adapters. ` +
    "Give it some: steps: () => [{ step, adapters }]"
  );
}

const RESTORE =
  "It was probably edited by hand or damaged in a merge. Restore the file with npx veritest repair " +
  "--restore, or delete it and capture the case again.";

/**
 * Returns a problem of the file that doesn't depend on its step; undefined for an unreadable file, which the replay
 * reports.
 */
function fileProblem({ baseline, file, text }: StoredCase): string | undefined {
  if (!baseline.ok) return undefined;
  // A checkout may change line endings.
  const own = text.replaceAll("\r\n", "\n");
  try {
    const damage = verifySerialized(own);
    if (damage !== undefined) return `Cannot use ${file}: ${damage}. ${RESTORE}`;
    return isLaidOut(own)
      ? undefined
      : `Cannot use ${file}: it isn't in the format that this version of veritest writes. ${RESTORE}`;
  } catch (thrown) {
    return `Cannot use ${file}: ${messageOf(thrown)}. ${RESTORE}`;
  }
}
