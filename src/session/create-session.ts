import { basename } from "node:path";
import type { Proposal } from "../baseline/proposal.ts";
import type { MatcherContext, SnapshotState } from "../matchers/context.ts";
import type { RunInSession, TestSession } from "../matchers/session.ts";
import type { LoggedCheck, TestFileLog } from "../reporter/run-log.ts";
import { commitProposals } from "../settle/commit-proposals.ts";
import { type Attempt, startAttempt } from "./attempt.ts";
import { count, isSnapshotState, rootOf, updateMode } from "./update-mode.ts";

/** The test that runs, as a runner knows it. */
export interface RunningTest {
  /** One object or text per test: what tells its attempts from another test's. */
  readonly key: unknown;
  /** The test's titles joined by blanks. */
  readonly name: string;
  /** The id the runner counts by. */
  readonly id: string;
}

/** What `expect.getState()` answers, as far as it is used here. Its snapshot state has private fields, so it is only `object`. */
export interface ExpectState {
  readonly testPath?: string | undefined;
  readonly currentTestName?: string | undefined;
  readonly snapshotState?: object | undefined;
}

/** All attempts of the test files a worker runs, and what they left. */
export interface Session {
  readonly run: RunInSession;
  /** Ends a test's attempt: fails on a matcher that was not awaited, commits what was staged if the test passed. */
  endAttempt(key: unknown, passed: boolean): Promise<void>;
  /** Ends the attempts nothing else ended: Jest runs no `afterEach` for concurrent tests. */
  endRest(passed: (key: unknown) => boolean): Promise<void>;
  /** Takes the log of a test file that ended; `state` tells where its baselines lie if no matcher did. */
  takeLog(testPath: string, state: object | undefined): TestFileLog | undefined;
}

/** Makes a session. `runningTest` asks the runner which test a matcher call belongs to; undefined outside of one. */
export function createSession(runningTest: (context: MatcherContext) => RunningTest | undefined): Session {
  const attempts = new Map<unknown, Attempt>();
  let logged: LoggedCheck[] = [];

  const run: RunInSession = async (context, matcher, work) => {
    const test = runningTest(context);
    const { snapshotState, testPath } = context;
    const root = snapshotState === undefined ? undefined : rootOf(snapshotState);
    if (test === undefined || snapshotState === undefined || root === undefined || testPath === undefined) {
      throw new Error(`${matcher} must be called inside a test: baselines belong to the test that checks them.`);
    }
    const attempt = attempts.get(test.key) ?? startAttempt(test.name);
    attempts.set(test.key, attempt);
    const session = sessionOf(attempt, { root, test, state: snapshotState, testFile: basename(testPath) });
    const unfinished = Promise.resolve(work(session));
    attempt.unfinished.set(unfinished, matcher);
    return unfinished.finally(() => attempt.unfinished.delete(unfinished));
  };

  const endAttempt = async (key: unknown, passed: boolean): Promise<void> => {
    const attempt = attempts.get(key);
    if (attempt === undefined) return;
    attempts.delete(key);
    const unawaited = [...attempt.unfinished.values()];
    await Promise.allSettled(attempt.unfinished.keys());
    const held = !passed || unawaited.length > 0;
    logged.push(...outcomes(attempt, held));
    if (unawaited.length > 0) throw new Error(notAwaited(attempt.testName, unawaited));
    if (passed) commit([...attempt.staged.values()]);
  };

  return {
    run,
    endAttempt,
    async endRest(passed) {
      for (const key of [...attempts.keys()]) await endAttempt(key, passed(key));
    },
    takeLog(testPath, state) {
      const checks = logged;
      logged = [];
      const root = isSnapshotState(state) ? rootOf(state) : undefined;
      return root === undefined ? undefined : { testPath, root, checks };
    },
  };
}

function sessionOf(
  attempt: Attempt,
  place: { readonly root: string; readonly test: RunningTest; readonly state: SnapshotState; readonly testFile: string },
): TestSession {
  const { root, test, state, testFile } = place;
  return {
    mode: updateMode(state),
    root,
    testFile,
    testName: test.name,
    staged: attempt.staged,
    stage: (proposal) => void attempt.staged.set(proposal.path, proposal),
    note({ path }, outcome) {
      attempt.checks.push({ path, outcome });
      if (outcome === "clean") count(state, "matched", test.id);
      else if (outcome !== "captured" && outcome !== "updated") count(state, "unmatched", test.id);
    },
  };
}

function commit(proposals: readonly Proposal[]): void {
  if (proposals.length === 0) return;
  const commitment = commitProposals(proposals);
  if (commitment.kind === "refused") throw new Error(commitment.problem);
}

/** What a test's checks came to: a change that its failing test did not get written is no capture. */
function outcomes({ testName, checks }: Attempt, held: boolean): LoggedCheck[] {
  return checks.map(({ path, outcome }) => {
    const unwritten = held && (outcome === "captured" || outcome === "updated");
    return { test: testName, path, outcome: unwritten ? "held" : outcome };
  });
}

function notAwaited(testName: string, matchers: readonly string[]): string {
  const calls = [...new Set(matchers)].map((matcher) => `await expect(…).${matcher}(…)`).join(", ");
  return `The test "${testName}" ended before ${matchers.length === 1 ? "a matcher it called" : "matchers it called"} did, so its result was lost. Write: ${calls}.`;
}
