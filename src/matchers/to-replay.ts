import { refuseUnknownOptions } from "../kernel/did-you-mean.ts";
import { openLibrary } from "../baseline/baseline-library.ts";
import { checkAll } from "../check-all/check-all.ts";
import type { Check } from "../check/check.ts";
import { caseOfStored } from "../check/find-case.ts";
import { CHECK_RULES, type CheckRules, withCheckRules } from "../redact/check-rules.ts";
import { noBaselinesResult, matcherResultOf, checkAndExplain, stageUpdates } from "./check-in-session.ts";
import type { MatcherCall } from "./baseline-matcher.ts";
import type { MatcherResult } from "./matcher-context.ts";
import type { WorkflowStepOptions } from "../kernel/step/whole-run.ts";
import { CASE_FILTER, type CaseFilter, filterCases } from "./filter-cases.ts";
import { isStep } from "../kernel/step/define-step.ts";
import { wrongReceived } from "./received.ts";

/** Options for `toReplay`: which cases, and by which rules they were recorded. */
export interface ReplayOptions extends CaseFilter, CheckRules, WorkflowStepOptions {}

/**
 * Replays each baseline of the step next to this test file from its recorded calls. Fails if the output, an event or a
 * command isn't identical byte by byte. Never updates a baseline.
 *
 * @example
 * await expect(extractReceipt).toReplay();
 */
export async function toReplay(call: MatcherCall<ReplayOptions>): Promise<MatcherResult> {
  refuseUnknownOptions("toReplay", call.options ?? {}, Object.keys(OPTIONS));
  return withCheckRules(call.options ?? {}, async () => replayAll(call));
}

const OPTIONS: Readonly<Record<keyof ReplayOptions, true>> = {
  ...CASE_FILTER,
  ...CHECK_RULES,
  start: true,
  resolve: true,
  runsBy: true,
};

async function replayAll({
  received,
  options = {},
  session,
  utils,
}: MatcherCall<ReplayOptions>): Promise<MatcherResult> {
  if (!isStep(received)) throw wrongReceived("toReplay", "a step or a workflow", received);
  const { root, mode } = session;
  const cases = filterCases(openLibrary(root, session.staged).each(received.name), options);
  const context = { root, responses: { kind: "recorded", hasAdapters: false }, isByteExact: true } as const;
  const checks: Check[] = [];
  const replayed = checkAll(
    cases,
    async (stored) => checkAndExplain(session, caseOfStored(received, stored), context),
    {
      concurrency: 1,
    },
  );
  for await (const check of replayed) checks.push(check);
  if (checks.length === 0) return noBaselinesResult(session, { step: received.name, options });
  const applied = await stageUpdates(checks, session);
  return matcherResultOf({
    subject: received.name,
    how: "replay",
    checks: applied,
    mode,
    updatable: false,
    session,
    utils,
  });
}
