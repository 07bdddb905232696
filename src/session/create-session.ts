import { basename } from "node:path";
import type { MatcherContext, SnapshotState } from "../matchers/context.ts";
import type { RunInSession, TestSession } from "../matchers/session.ts";
import type { LoggedCheck, TestFileLog } from "../reporter/append-run-log.ts";
import { messageOf } from "../step/step-error.ts";
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
    const settled = passed && unawaited.length === 0 ? await commitProblem(attempt) : undefined;
    const problem = unawaited.length > 0 ? notAwaited(attempt.testName, unawaited) : settled;
    logged.push(...outcomes(attempt, !passed || problem !== undefined));
    if (problem !== undefined) throw new Error(problem);
  };

  return {
    run,
    endAttempt,
    async endRest(passed) {
      // Every attempt is ended, whatever the first one says: none may be lost for another's sake.
      const ended = await Promise.allSettled([...attempts.keys()].map((key) => endAttempt(key, passed(key))));
      const problems = ended.flatMap((end) => (end.status === "rejected" ? [messageOf(end.reason)] : []));
      if (problems.length > 0) throw new Error(problems.join("\n"));
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

/** Writes what a test staged; one sentence where that is impossible. */
async function commitProblem({ staged }: Attempt): Promise<string | undefined> {
  if (staged.size === 0) return undefined;
  try {
    // Loaded when there is something to write: most test files of most runs write nothing.
    const { commitProposals } = await import("../settle/commit-proposals.ts");
    const commitment = commitProposals([...staged.values()]);
    return commitment.kind === "refused" ? commitment.problem : undefined;
  } catch (thrown) {
    return `The baselines of this test could not be written: ${messageOf(thrown)}`;
  }
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
