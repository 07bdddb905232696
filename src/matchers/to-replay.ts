import { openLibrary } from "../baseline/library.ts";
import { checkAll } from "../check-all/check-all.ts";
import type { Check } from "../check/check.ts";
import { storedCase } from "../check/find-case.ts";
import { type CheckRules, underRules } from "../redact/check-rules.ts";
import { answerNone, answerOf, explained, settleChecks } from "./check-in-session.ts";
import type { MatcherCall } from "./baseline-matcher.ts";
import type { MatcherAnswer } from "./context.ts";
import type { WholeRunOptions } from "../kernel/step/whole-run.ts";
import { type CaseFilter, filterCases } from "./filter-cases.ts";
import { isStep } from "../kernel/step/define-step.ts";
import { wrongReceived } from "./received.ts";

/** Options of `toReplay`: which cases, and by which rules they were recorded. */
export interface ReplayOptions extends CaseFilter, CheckRules, WholeRunOptions {}

/**
 * Replays every stored baseline of the step beside this test file from its recorded calls and fails unless output,
 * events and commands come out byte-identical. Never updates a baseline.
 *
 * @example
 * await expect(extractReceipt).toReplay();
 */
export async function toReplay(call: MatcherCall<ReplayOptions>): Promise<MatcherAnswer> {
  return underRules(call.options ?? {}, async () => replayAll(call));
}

async function replayAll({
  received,
  options = {},
  session,
  utils,
}: MatcherCall<ReplayOptions>): Promise<MatcherAnswer> {
  if (!isStep(received)) throw wrongReceived("toReplay", "a step or a workflow", received);
  const { root, mode } = session;
  const cases = filterCases(openLibrary(root, session.staged).each(received.name), options);
  const world = { root, answers: { kind: "recorded", given: false }, exact: true } as const;
  const checks: Check[] = [];
  const replayed = checkAll(cases, async (stored) => explained(session, storedCase(received, stored), world), {
    concurrency: 1,
  });
  for await (const check of replayed) checks.push(check);
  if (checks.length === 0) return answerNone({ step: received.name, root, mode, options });
  const settled = await settleChecks(checks, session);
  return answerOf({ subject: received.name, how: "replay", settled, mode, updatable: false, utils });
}
