import type { AdapterCall } from "../record/adapter-call.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import { modelOutageText } from "./outages/lost-model-responses.ts";
import { type Findings, ruleFindings } from "./check.ts";
import type { ExecutedCase } from "./run/execute-case.ts";
import { callUsage } from "./run/call-usage.ts";
import { orderMatches } from "./step-call-rules.ts";
import { liveCosts } from "./run/costs.ts";
import type { AdapterSource } from "./run/adapter-source.ts";
import { isFailedCall } from "./outages/failure-of-check.ts";
import { networkAccessOf } from "./run/network-access.ts";
import { ignoreMatches, onlyMatched, projectIgnores, ruleMatches, rulesByMatch } from "./compare/unmatched-rules.ts";

/** Returns the details of a run besides its verdict. */
export async function findingsOfRun({
  stepCase,
  context,
  artifacts,
  source,
  usesStoredInput,
  baseline,
  result,
}: ExecutedCase): Promise<Findings> {
  const skippedWrites = source.skippedWrites?.proposed ?? 0;
  const calls = source.calls();
  const liveCalls = calls.filter(({ adapter }) => source.mixed?.isLive(adapter) ?? true);
  const recorded = source.mixed === undefined ? undefined : await callUsage(source, stepCase.step);
  const otherHeaders = source.otherHeaders();
  const findings = {
    source: source.kind,
    ...networkAccessOf(source),
    ...(source.kind === "live" && !result.ok && hasFailedCall(source) && { hasFailedCall: true as const }),
    ...(source.kind === "live" &&
      liveCosts({ artifacts, events: result.ok ? result.value.events : [] }, liveCalls, {
        skippedWrites,
        replayed: recorded?.replayed,
      })),
    ...(result.ok && calls.length > 0 && projectIgnores()),
    ...(otherHeaders.length > 0 && { otherHeaders }),
    ...(skippedWrites > 0 && { skippedWrites }),
    ...(source.kind === "live" && result.ok && baseline === undefined && (await handledOutage(calls, stepCase.step))),
    ...(source.isScripted && { scripted: { changedRequests: source.changedRequests() } }),
  };
  const [compare, keyBy] = [context.compare ?? stepCase.step.compare, stepCase.step.keyBy];
  const now = result.ok ? result.value.outcome : undefined;
  const allCalls = [...(baseline?.calls ?? []), ...calls];
  const ignores = ignoreMatches();
  const matches = [
    ...(await orderMatches(allCalls, stepCase.step)),
    ...ruleMatches(
      { compare, keyBy },
      {
        outputs: [baseline?.output, now?.output],
        events: [baseline?.events, now?.events],
        calls: allCalls,
      },
    ),
  ];
  // A run that failed didn't make all its calls.
  if (!result.ok)
    return {
      ...findings,
      ...(baseline !== undefined && ruleFindings(compare, keyBy)),
      ...onlyMatched([...ignores, ...matches]),
    };
  // A path that a new case lacks isn't reported before a later run also lacks it.
  if (baseline === undefined)
    return { ...findings, ...rulesByMatch([...ignores, ...matches.filter(([, isMatched]) => isMatched)]) };
  const rules = { ...ruleFindings(compare, keyBy), ...rulesByMatch([...ignores, ...matches]) };
  // A run with an unrecorded request may not have reached its later calls.
  const uncalled = !usesStoredInput || source.unrecorded().length > 0 ? [] : source.uncalled();
  return { ...findings, ...rules, ...(uncalled.length === 0 ? {} : { uncalled }) };
}

async function handledOutage(calls: readonly AdapterCall[], step: AnyStep): Promise<Pick<Findings, "handledOutage">> {
  const outage = calls.length === 0 ? undefined : await modelOutageText(calls, step);
  return outage === undefined ? {} : { handledOutage: outage };
}

/** Returns true if a call failed, or could not be recorded: one that is still pending has no response. */
function hasFailedCall(source: AdapterSource): boolean {
  return source.problems().length > 0 || source.calls().some(isFailedCall);
}
