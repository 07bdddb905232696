import { openLibrary } from "../baseline/library.ts";
import { checkReplay } from "../check/check-replay.ts";
import { checkAll } from "./check-all.ts";
import type { AsyncMatcher, MatcherContext } from "./context.ts";
import { type CaseFilter, filterCases } from "./filter-cases.ts";
import { isStep, wrongReceived } from "./received.ts";
import type { RunInSession } from "./session.ts";
import { settleCheck } from "./settle-check.ts";
import { noCases } from "./to-recompute-clean.ts";
import { explainFailures, explainNot } from "./words.ts";

/**
 * Replays every stored baseline of the step beside this test file from its recorded calls and fails unless output,
 * events and commands come out byte-identical. Never updates a baseline.
 *
 * @example
 * await expect(extractReceipt).toReplay();
 */
export function toReplay(runInSession: RunInSession): AsyncMatcher<CaseFilter> {
  return async function (this: MatcherContext, received, options = {}) {
    if (this.isNot === true) throw new Error(explainNot("toReplay"));
    if (!isStep(received)) throw wrongReceived("toReplay", "a step made by defineStep", received);
    return runInSession(this, "toReplay", async (session) => {
      const { root, mode } = session;
      const cases = filterCases(openLibrary(root, session.staged).all(received.name), options);
      if (cases.length === 0) return noCases(received.name, { root, mode, options });
      const checks = await checkAll(cases, 1, (stored) => checkReplay(received, stored));
      const settled = checks.map((check) => settleCheck(check, session));
      const report = { subject: received.name, how: "replay", settled, mode, updatable: false, utils: this.utils };
      return { pass: settled.every(({ pass }) => pass), message: () => explainFailures(report) };
    });
  };
}
