import { processEnvironment, readVariable } from "../../kernel/environment.ts";
import { basename } from "node:path";
import { importSequentially } from "../../kernel/import-sequentially.ts";
import { isCi, keepsPending, updateMode } from "../../kernel/write-policy.ts";
import type { Check, Findings } from "../../check/check.ts";
import type { BaselineUpdate } from "../../baseline/baseline.ts";
import type { StagedUpdates } from "../../baseline/staged-updates.ts";
import type { LookUpPolicy } from "../../updates/policy.ts";
import type { MatcherContext, SnapshotState } from "../matcher-context.ts";
import type { RunInSession, TestSession, TestToRerun } from "../test-session.ts";
import { type LiveUsage, type LoggedCheck, type TestFileLog, hasRunLog } from "../../explain/append-run-log.ts";
import { NO_FINDINGS } from "../../explain/report-case.ts";
import { reportUsage } from "../../explain/tally.ts";
import { quote } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import type * as stageModule from "../../updates/stage-attempt.ts";
import { type Attempt, startAttempt } from "./attempt.ts";
import { loadCheckEntry } from "../lazy/load-check-entry.ts";
import { StagedByTest } from "./staged-by-test.ts";
import { type FileConfig, followFileConfig } from "./file-config.ts";
import { FileLog } from "./file-log.ts";
import { type WatchFailure, endedWithin, noteMatcherEnd, rejectionsReported } from "./matcher-ends.ts";
import { reportMissingReporter } from "./missing-reporter.ts";
import { TestRounds, count, isSnapshotState, rootOf } from "./snapshot-state.ts";

/** The test that runs, as a runner knows it. */
export interface RunningTest {
  /** Object or text that is the same for all attempts of one test. */
  readonly key: unknown;
  /** Titles of the test, joined by spaces. */
  readonly name: string;
  /** The id the runner counts by. */
  readonly id: string;
  /** Name of its project, if the runner has several. */
  readonly project?: string | undefined;
  /** Number of its attempt, if the runner calls no hook between the attempts of some tests. */
  readonly attempt?: number | undefined;
  /** True for `test.fails` (Vitest) and `test.failing` (Jest): it must fail to count as passed. */
  readonly expectsFailure?: boolean;
  /** True if the runner runs the test again if this attempt fails. */
  readonly hasRetry?: boolean;
}

/** State of `expect.getState()` that veritest uses. Its snapshot state has private fields, so it is only `object`. */
export interface ExpectState {
  readonly testPath?: string | undefined;
  readonly currentTestName?: string | undefined;
  readonly snapshotState?: object | undefined;
}

/** All attempts of the test files a worker runs, and what they left. */
export interface Session {
  /** Begins a test file: applies its configuration to this process. */
  begin(testPath: string): Promise<void>;
  readonly run: RunInSession;
  /** Ends a test's attempt: fails on a matcher that wasn't awaited, and stages the attempt's updates for the run. */
  endAttempt(key: unknown, passed: boolean): Promise<void>;
  /**
   * Ends the attempts that haven't ended: Jest runs no `afterEach` for concurrent tests. Passes on what was traced,
   * because a worker may end with its last file.
   */
  endRest(passed: (key: unknown) => boolean): Promise<void>;
  /** Marks what tests staged that did not pass in the end, though an attempt did: a later repetition or hook failed. */
  judge(passed: (key: unknown) => boolean): Promise<void>;
  /** Takes the log of a test file that ended; `state` gives the directory of its baselines if no matcher did. */
  takeLog(testPath: string, state: object | undefined): TestFileLog | undefined;
}

/** Functions of the worker that a session uses. */
export interface SessionOptions {
  /**
   * Returns the round of the test that an ending attempt belongs to. A second attempt in the same round is a retry.
   * Default: one round for all attempts.
   */
  readonly roundOf?: (key: unknown) => unknown;
  /** The process's own unless given. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Milliseconds to wait for matchers that their test didn't wait for. */
  readonly grace?: number;
  /** Absent for Jest, which fails a test that doesn't handle a failure. */
  readonly ifLost?: WatchFailure;
}

/** Symbol of OpenTelemetry's registry: it is looked up here, so that a test file without it loads no further module. */
const OTEL = Symbol.for("opentelemetry.js.api.1");

/** An input that a test checks by a baseline without a name. */
interface Claim {
  readonly inputHash: string;
  readonly test: unknown;
  readonly attempt: Attempt;
}

/** Creates a session. `runningTest` returns the runner's test for a matcher call; undefined outside of one. */
export function createSession(
  runningTest: (context: MatcherContext) => RunningTest | undefined,
  { roundOf = () => undefined, environment = processEnvironment(), grace = GRACE, ifLost }: SessionOptions = {},
): Session {
  const attempts = new Map<unknown, Attempt>();
  const [ledger, rounds, log] = [new StagedByTest(roundOf), new TestRounds(roundOf), new FileLog()];
  const known = { environment, claims: new Map<string, Claim>(), failures: new Map<string, Attempt>(), used: log.used };
  const useConfig = followFileConfig(environment);
  let location: TestLocation | undefined;

  const run: RunInSession = async (context, matcher, work) => {
    const test = runningTest(context);
    // The same for all tests of a file: working it out for each was a thirtieth of a passing test.
    const last = location;
    location = locationOf(context, last);
    if (location !== last) reportMissingReporter(environment);
    if (test === undefined || location === undefined) throw outsideTest(matcher);
    const { testPath } = location;
    const apply = (): ReturnType<typeof useConfig> => useConfig(testPath);
    const isRetry = (attempts.get(test.key)?.number ?? test.attempt) !== test.attempt;
    const config = isRetry ? endAttempt(test.key, false).then(apply, apply) : apply();
    const attempt = attempts.get(test.key) ?? startAttempt(firstsOf(test, testPath, ledger.updates));
    attempts.set(test.key, attempt);
    const facts = { ...known, location, test };
    const start = (applied: FileConfig): ReturnType<typeof work> => {
      if (!applied.ok) throw new Error(applied.error);
      return work(sessionOf(attempt, facts));
    };
    // Registered before anything is awaited: an unawaited matcher must be known at its test's end.
    const unfinished = config instanceof Promise ? config.then(start) : Promise.resolve(start(config));
    attempt.unfinished.set(unfinished, matcher);
    return noteMatcherEnd(unfinished, attempt, ifLost);
  };

  const endAttempt = async (key: unknown, passed: boolean): Promise<void> => {
    const attempt = attempts.get(key);
    if (attempt === undefined) return;
    attempts.delete(key);
    const round = location === undefined ? 0 : rounds.note(key, attempt, location.state);
    const { staged, problem } = await finish(attempt, { passed, earlier: ledger.earlier(key), environment, grace });
    ledger.note(key, staged, passed);
    if (passed && problem === undefined && staged.length > 0) ledger.keep(written(attempt));
    await log.add(attempt, round, !passed || problem !== undefined);
    if (problem !== undefined) throw errorAt(problem, attempt.lost[0]?.error);
  };

  return {
    begin: async (testPath) => void (await useConfig(testPath)),
    run,
    endAttempt,
    async endRest(passed) {
      // Every attempt is ended, whatever the first one reports: an error of one must not lose another.
      const ended = await Promise.allSettled([...attempts.keys()].map((key) => endAttempt(key, passed(key))));
      if (location !== undefined) rounds.countLast(location.state);
      const problems = ended.flatMap((end) => (end.status === "rejected" ? [messageOf(end.reason)] : []));
      if (OTEL in globalThis && location !== undefined) await (await loadCheckEntry()).flushTelemetry();
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
    judge: async (passed) => failAll(ledger.ofFailed(passed), environment),
    takeLog(testPath, state) {
      const ended = { ...log.take(), staged: ledger.take() };
      const root = isSnapshotState(state) ? rootOf(state) : undefined;
      return root === undefined ? undefined : { testPath, root, ...ended };
    },
  };
}

/** Returns an error at the location of another one. veritest's own frames say nothing about the test. */
function errorAt(message: string, other: unknown): Error {
  const frames = String(Reflect.get(Object(other), "stack")).match(/^ +at .*$/gm) ?? [];
  return Object.assign(new Error(message), { stack: [`Error: ${message}`, ...frames].join("\n") });
}

function outsideTest(matcher: string): Error {
  return new Error(`${matcher} must be called inside a test: baselines belong to the test that checks them.`);
}

/** Directories of a test file and its baselines. */
interface TestLocation {
  readonly state: SnapshotState;
  readonly root: string;
  readonly testPath: string;
  readonly testFile: string;
}

/** Returns the location of a matcher's call, which is the `last` one if the file is the same. */
function locationOf(
  { snapshotState, testPath }: MatcherContext,
  last: TestLocation | undefined,
): TestLocation | undefined {
  if (snapshotState === undefined || testPath === undefined) return undefined;
  if (last?.state === snapshotState && last.testPath === testPath) return last;
  const root = rootOf(snapshotState);
  return root === undefined
    ? undefined
    : { state: snapshotState, root, testPath, testFile: basename(testPath).normalize("NFC") };
}

/** Returns the name of the first test for a key whose failure the runner shows. It may be the one of this attempt. */
function firstName(failures: Map<string, Attempt>, key: string, attempt: Attempt): string {
  const other = failures.get(key);
  const first = other?.hasFailed === true && !other.hasRetry ? other : attempt;
  failures.set(key, first);
  return first.testName;
}

/** Parts of a test's session besides its attempt. */
interface SessionParts {
  readonly location: TestLocation;
  readonly test: RunningTest;
  readonly environment: NodeJS.ProcessEnv;
  /** By the path of their baseline. */
  readonly claims: Map<string, Claim>;
  /** Attempt of the first test that failed with a group of changes, by its test file and group. */
  readonly failures: Map<string, Attempt>;
  /** Paths of the baselines that tests of the file have checked. */
  readonly used: Set<string>;
}

function sessionOf(
  attempt: Attempt,
  { location: { state, ...paths }, test, environment, claims, failures, used }: SessionParts,
): TestSession {
  return {
    // As the runner's own snapshots: a test that must fail writes nothing, so that it goes on failing.
    mode: test.expectsFailure === true ? "none" : updateMode(state),
    ...paths,
    testName: test.name,
    staged: attempt.staged,
    emptySteps: attempt.emptySteps,
    get keepsPending() {
      return test.expectsFailure !== true && keepsPending(updateMode(state) !== "none", environment);
    },
    get isCi() {
      return isCi(environment);
    },
    get projectMode() {
      return readVariable(environment, "VERITEST_PROJECT_MODE");
    },
    claimCase(path, inputHash) {
      const other = claims.get(path);
      // A test that runs again may generate another secret.
      const isOther = other !== undefined && other.inputHash !== inputHash;
      if (isOther && (other.test !== test.key || other.attempt === attempt)) return false;
      claims.set(path, { inputHash, test: test.key, attempt });
      return true;
    },
    firstOfGroup: (group) => firstName(failures, `${paths.testPath}\n${group}`, attempt),
    isUsed: (path) => used.has(path),
    stage(staged) {
      const { update, intent } = staged;
      if (intent === "write") attempt.staged.set(update.path, update);
      attempt.changes.set(`${intent} ${update.path}`, staged);
    },
    note(check, remarks, rerun) {
      used.add(check.path);
      const { trials, grid } = check.findings;
      const isClean = check.verdict.kind === "clean";
      const isToWrite = check.update?.state === "toWrite";
      const hasFindings =
        (!isClean || remarks.length > 0 || trials !== undefined || grid !== undefined) && hasRunLog(environment);
      attempt.checks.push(
        loggedCheck(check, { test: test.name, remarks, rerun, findings: hasFindings ? findingsOf(check) : undefined }),
      );
      supersede(attempt, check.path, isClean || isToWrite ? undefined : test.id);
      if (isClean && !isToWrite) count(state, "matched", test.id);
    },
    noteLive: (findings) => void attempt.live.push(liveUsage(findings)),
    traceCheck: async (name, check) => runCheck(attempt, name, check),
    noteClean:
      OTEL in globalThis
        ? undefined
        : (path) => {
            used.add(path);
            supersede(attempt, path, undefined);
            attempt.checks.push(() => ({ test: test.name, path, outcome: "clean" }));
            count(state, "matched", test.id);
          },
  };
}

/**
 * Drops what earlier checks of a path left in the same attempt, because only its last one counts: `expect.poll` and
 * `vi.waitFor` check until one passes.
 */
function supersede({ unmatched, changes }: Attempt, path: string, failedIn: string | undefined): void {
  if (failedIn !== undefined) unmatched.set(path, failedIn);
  // Nearly always there is no earlier one.
  else if (unmatched.delete(path)) changes.delete(`review ${path}`);
}

/** First facts of a test's attempt. */
function firstsOf(
  { name, project, attempt: number, expectsFailure = false, hasRetry }: RunningTest,
  testPath: string,
  staged: StagedUpdates,
): Parameters<typeof startAttempt>[0] {
  return { testName: name, testPath, project, number, expectsFailure, hasRetry, staged };
}

/** Runs a check, in a span if there is a tracer. While it runs, the attempt knows what it waits for. */
async function runCheck(attempt: Attempt, name: string, check: () => Check | Promise<Check>): Promise<Check> {
  attempt.running.set(check, name);
  try {
    return await (OTEL in globalThis ? (await loadCheckEntry()).inCheckSpan(name, check) : check());
  } finally {
    attempt.running.delete(check);
  }
}

function written({ changes }: Attempt): BaselineUpdate[] {
  return [...changes.values()].filter(({ intent }) => intent === "write").map(({ update }) => update);
}

/** Result of an attempt, and its time limit. */
interface AttemptEnd {
  readonly grace: number;
  readonly passed: boolean;
  readonly earlier: ReadonlySet<string>;
  readonly environment: NodeJS.ProcessEnv;
}

/** Waits for checks that weren't awaited, which fails the test. Then stores all updates: pending ones, if it failed. */
async function finish(attempt: Attempt, end: AttemptEnd): Promise<stageModule.StageResult> {
  if (attempt.hasFailed) await rejectionsReported();
  // The runner shows no failure of a test that must fail, or polls until it passes.
  attempt.hasFailed = !end.passed && !attempt.expectsFailure;
  const unawaited = [...attempt.unfinished.values(), ...(end.passed ? attempt.lost.map(({ matcher }) => matcher) : [])];
  if (unawaited.length === 0) return storeUpdates(attempt, end);
  const problem = end.passed
    ? notAwaited(attempt.testName, unawaited)
    : stillRunning(attempt.testName, unawaited, [...attempt.running.values()]);
  await endedWithin(end.grace, attempt.unfinished.keys());
  await rejectionsReported();
  const { staged } = await storeUpdates(attempt, { ...end, passed: false });
  return { staged, problem };
}

/** Less than the time limit of a hook (5 s in Jest, 10 s in Vitest), whose error would hide ours. */
const GRACE = 4000;

/** Loads the code that stores updates; most test files of most runs change nothing. */
async function loadUpdates(): Promise<typeof stageModule> {
  return importSequentially(async () => import("../../updates/stage-attempt.ts"));
}

/**
 * Stages the updates of an attempt, or applies them without a run. An attempt without updates, and not after one that
 * had some, costs nothing.
 */
async function storeUpdates(
  { changes, testName, testPath, project }: Attempt,
  { passed, earlier, environment }: Omit<AttemptEnd, "grace">,
): Promise<stageModule.StageResult> {
  if (changes.size === 0 && earlier.size === 0) return { staged: [], problem: undefined };
  const { storeAttempt } = await loadUpdates();
  const ended = { changes: [...changes.values()], testPath, test: testName, project, passed, earlier };
  let lookUp: LookUpPolicy | undefined;
  return storeAttempt(ended, environment, async (directory) => {
    if (lookUp === undefined) {
      const { createPolicyLookup } = await importSequentially(async () => import("../../config/load-config.ts"));
      lookUp = createPolicyLookup();
    }
    return lookUp(directory);
  });
}

/** Marks changes as those of failed tests. */
async function failAll(keys: ReadonlySet<string>, environment: NodeJS.ProcessEnv): Promise<void> {
  if (keys.size === 0) return;
  const { markStagedFailed } = await loadUpdates();
  markStagedFailed(keys, environment);
}

interface Noted {
  readonly test: string;
  readonly remarks: readonly string[];
  readonly rerun: TestToRerun | undefined;
  /** Findings for a report; undefined if there are none, or no report. Never rejects. */
  readonly findings: Promise<LoggedFindings> | undefined;
}

type LoggedFindings = Pick<LoggedCheck, "findings" | "newCase">;

/**
 * Returns the function that makes the log entry of a check, without keeping the check: checking all cases has
 * thousands. A change that wasn't staged because its test failed doesn't count as a capture.
 */
function loggedCheck(
  {
    path,
    verdict: { kind },
    update,
    findings: { source, ms, liveCalls, costs, matchedRules, unmatchedRules, projectIgnores, isSecondResult },
  }: Check,
  { test, remarks, rerun, findings }: Noted,
): (isPending: boolean) => LoggedCheck | Promise<LoggedCheck> {
  const isToWrite = update?.state === "toWrite";
  const outcome = kind === "missing" ? "captured" : "updated";
  const log = (isPending: boolean, reported: LoggedFindings): LoggedCheck => {
    const state = isPending ? "pending" : outcome;
    return {
      test,
      path,
      outcome: isToWrite ? state : kind,
      ...(isToWrite ? { verdict: kind } : {}),
      ...(typeof update?.state === "object" ? { isRefused: true as const } : {}),
      // A test that passes expects the other result.
      isSecondResult: isPending ? isSecondResult : undefined,
      source,
      ...(remarks.length === 0 ? {} : { remarks }),
      ...rerun,
      matchedRules,
      unmatchedRules,
      projectIgnores,
      ...reported,
      ...liveUsage({ ms, liveCalls, costs }),
    };
  };
  return findings === undefined
    ? (isPending) => log(isPending, {})
    : async (isPending) => log(isPending, await findings);
}

/** Returns the duration of a run, and its live calls, for the log. */
function liveUsage({ ms, liveCalls = 0, costs }: Pick<Findings, "ms" | "liveCalls" | "costs">): LiveUsage {
  return {
    ...(ms === undefined ? {} : { ms: Math.round(ms * 10) / 10 }),
    ...(liveCalls === 0 ? {} : { liveCalls }),
    ...(costs === undefined ? {} : { usage: reportUsage(costs) }),
  };
}

/** Returns the findings of a check, if any: most checks of most runs are clean. */
async function findingsOf(check: Check): Promise<LoggedFindings> {
  try {
    const { loggedFindings } = await importSequentially(async () => import("./project-findings.ts"));
    return loggedFindings(check);
  } catch (thrown) {
    const problem = `Internal error while building the report: ${messageOf(thrown)}`;
    return { findings: { ...NO_FINDINGS, problem } };
  }
}

/** The test failed, for example by its timeout, so a missing await isn't the reason. */
function stillRunning(testName: string, matchers: readonly string[], steps: readonly string[]): string {
  const pendingSteps = steps.length === 0 ? "" : `. It was waiting for ${[...new Set(steps)].map(quote).join(", ")}`;
  return (
    `The test ${quote(testName)} ended before ${[...new Set(matchers)].join(" and ")} ` +
    `finished${pendingSteps}. If it timed out, raise its timeout: test(name, { timeout: 60_000 }, run) in Vitest, ` +
    "test(name, run, 60_000) in Jest."
  );
}

function notAwaited(testName: string, matchers: readonly string[]): string {
  const calls = [...new Set(matchers)].map((matcher) => `await expect(…).${matcher}(…)`).join(", ");
  return `The test "${testName}" didn't await a result, which was lost. Add await: ${calls}.`;
}
