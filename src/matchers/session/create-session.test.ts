import type { Check } from "../../check/check.ts";
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createValueBaseline } from "../../baseline/create-baseline.ts";
import { openLibrary } from "../../baseline/baseline-library.ts";
import { checkValue } from "../../check/check-value.ts";
import { isPassing } from "../../check/update/stage-update.ts";
import type { MatcherContext, SnapshotState } from "../matcher-context.ts";
import type { TestSession } from "../test-session.ts";
import { stageUpdates } from "../check-in-session.ts";
import { type Session, type SessionOptions, createSession } from "./create-session.ts";
import { isSnapshotState, rootOf } from "./snapshot-state.ts";

interface Harness {
  readonly session: Session;
  readonly directory: string;
  readonly root: string;
  readonly testPath: string;
  readonly state: SnapshotState;
  /** Runs a matcher's work within the test of that name. */
  within<T>(name: string, work: (session: TestSession) => T | Promise<T>, matcher?: string): Promise<T>;
  /** Checks a value against its baseline as `toMatchBaseline({ name })` does; true when it passes. */
  match(name: string, value: unknown, caseName?: string): Promise<boolean>;
  stored(): string[];
}

function harness(
  mode: "all" | "new" | "none" = "new",
  counters: Partial<SnapshotState> = {},
  {
    expectsFailure = false,
    hasRetry,
    attempt,
    ...more
  }: {
    readonly expectsFailure?: boolean;
    readonly hasRetry?: () => boolean;
    readonly attempt?: () => number;
  } & Pick<SessionOptions, "grace" | "roundOf"> = {},
): Harness {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-session-")));
  const state: SnapshotState = {
    snapshotPath: join(directory, "__snapshots__", "a.test.ts.snap"),
    snapshotUpdateState: mode,
    matched: 0,
    unmatched: 0,
    ...counters,
  };
  const testPath = join(directory, "a.test.ts");
  const root = join(directory, "__baselines__");
  const session = createSession(
    ({ currentTestName: name }) =>
      name === undefined
        ? undefined
        : {
            key: name,
            name,
            id: `id of ${name}`,
            attempt: attempt?.(),
            expectsFailure,
            hasRetry: hasRetry?.() === true,
          },
    {
      environment: { VERITEST_ACTOR: "human", XDG_STATE_HOME: join(directory, ".home") },
      ...more,
    },
  );
  const within: Harness["within"] = (name, work, matcher = "toMatchBaseline") => {
    const context: MatcherContext = {
      currentTestName: name,
      testPath,
      snapshotState: state,
      utils: {},
      equals: Object.is,
    };
    return session.run(context, matcher, work);
  };
  return {
    session,
    directory,
    root,
    testPath,
    state,
    within,
    match: (name, value, caseName = name) =>
      within(name, (running) => {
        const question = { test: running.testFile, details: { name: caseName }, keyBy: {} };
        const check = checkValue(value, question, openLibrary(running.root, running.staged));
        return stageUpdates([check], running).then((settled) => settled.every(isPassing));
      }),
    stored: () => {
      const files = existsSync(root)
        ? readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"))
        : [];
      return files.toSorted().map(
        (name) =>
          `${name
            .split(/[\\/]/)
            .at(-1)
            ?.replace(/-[0-9a-f]{8}\.json$/, "")}: ${String(JSON.parse(readFileSync(join(root, name), "utf8")).value)}`,
      );
    },
  };
}

function outcomesOf({ session, testPath, state }: Harness): string[] {
  return (session.takeLog(testPath, state)?.checks ?? []).map((check) => `${check.test}: ${check.outcome}`);
}

test("a matcher in a test gets the mode, the directory of baselines, the file and the test's name", async () => {
  const { within, root } = harness("all");
  expect(
    await within("group test", ({ mode, root: of, testFile, testName }) => ({ mode, of, testFile, testName })),
  ).toStrictEqual({
    mode: "all",
    of: root,
    testFile: "a.test.ts",
    testName: "group test",
  });
});

test.each<[string, Partial<MatcherContext>]>([
  ["test", { testPath: "/a.test.ts", snapshotState: { snapshotPath: "/a.snap", matched: 0, unmatched: 0 } }],
  ["snapshot state", { testPath: "/a.test.ts", currentTestName: "t" }],
  ["snapshot path", { testPath: "/a.test.ts", currentTestName: "t", snapshotState: { matched: 0, unmatched: 0 } }],
  ["test file", { currentTestName: "t", snapshotState: { snapshotPath: "/a.snap", matched: 0, unmatched: 0 } }],
])("refuses a matcher without a %s", async (_what, context) => {
  const { session } = harness();
  await expect(session.run({ utils: {}, equals: Object.is, ...context }, "toReplay", () => 1)).rejects.toThrow(
    new Error("toReplay must be called inside a test: baselines belong to the test that checks them."),
  );
});

test("writes updates of a test that passed", async () => {
  const running = harness();
  expect(await running.match("t", 1)).toBe(true);
  expect(running.stored()).toStrictEqual([]);
  await running.session.endAttempt("t", true);
  expect(running.stored()).toStrictEqual(["t: 1"]);
  expect(outcomesOf(running)).toStrictEqual(["t: captured"]);
});

test("what a failing attempt staged is dropped and reported as pending; a retry starts afresh and leaves one baseline", async () => {
  const running = harness();
  await running.match("t", 1);
  await running.session.endAttempt("t", false);
  expect(running.stored()).toStrictEqual([]);
  expect(await running.match("t", 2)).toBe(true);
  await running.session.endAttempt("t", true);
  expect(running.stored()).toStrictEqual(["t: 2"]);
  expect(outcomesOf(running)).toStrictEqual(["t: pending", "t: captured"]);
});

test("a test uses its own staged baseline: an equal result is clean, another isn't", async () => {
  const running = harness("all");
  expect([await running.match("t", 1), await running.match("t", 1), await running.match("t", 2)]).toStrictEqual([
    true,
    true,
    false,
  ]);
  await running.session.endAttempt("t", true);
  expect(running.stored()).toStrictEqual(["t: 1"]);
  expect(outcomesOf(running)).toStrictEqual(["t: captured", "t: clean", "t: value_changed"]);
});

test("concurrent attempts don't see or overwrite each other's updates", async () => {
  const running = harness();
  expect(await Promise.all([running.match("a", 1, "shared"), running.match("b", 2, "shared")])).toStrictEqual([
    true,
    true,
  ]);
  await running.session.endAttempt("a", true);
  await expect(running.session.endAttempt("b", true)).rejects.toThrow(
    /shared-[0-9a-f]{8}\.json was captured by another test with a different result\. No file was written\. Give each case its own name: toMatchBaseline\({ name: "…" }\)\.$/,
  );
  expect(running.stored()).toStrictEqual(["shared: 1"]);
  expect(outcomesOf(running)).toStrictEqual(["a: captured", "b: pending"]);
});

test("writes an update with -u only; otherwise the change fails and is reported", async () => {
  for (const [mode, passes, stored, outcome] of [
    ["all", true, "t: 2", "t: updated"],
    ["new", false, "t: 1", "t: value_changed"],
    ["none", false, "t: 1", "t: value_changed"],
  ] as const) {
    const running = harness(mode);
    const before = createValueBaseline(1, { test: "a.test.ts", name: "t" });
    const update = checkValue(
      1,
      { test: "a.test.ts", details: { name: before.name }, keyBy: {} },
      openLibrary(running.root),
    ).update?.propose();
    if (update === undefined) throw new Error("nothing was proposed");
    await running.within("before", ({ stage }) => stage({ update, intent: "write", verdict: "missing", shown: [] }));
    await running.session.endAttempt("before", true);
    expect(await running.match("t", 2)).toBe(passes);
    await running.session.endAttempt("t", true);
    expect([running.stored(), outcomesOf(running)]).toStrictEqual([[stored], [outcome]]);
  }
});

test("mode none writes nothing, and a missing baseline fails", async () => {
  const running = harness("none");
  expect(await running.match("t", 1)).toBe(false);
  await running.session.endAttempt("t", true);
  expect([running.stored(), outcomesOf(running)]).toStrictEqual([[], ["t: missing"]]);
});

test("a matcher that wasn't awaited fails its test by name, and writes nothing", async () => {
  const running = harness();
  await running.match("a test", 1, "awaited");
  const lost = running.within("a test", async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return running.match("a test", 2, "unawaited");
  });
  await expect(running.session.endAttempt("a test", true)).rejects.toThrow(
    new Error(
      'The test "a test" didn\'t await a result, which was lost. Add await: await expect(…).toMatchBaseline(…).',
    ),
  );
  await lost;
  expect(running.stored()).toStrictEqual([]);
  expect(outcomesOf(running)).toStrictEqual(["a test: pending"]);
});

test("names several matchers that weren't awaited once each", async () => {
  const { session, within } = harness();
  const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  for (const matcher of ["toReplay", "toRecomputeClean", "toReplay"]) void within("t", later, matcher);
  await expect(session.endAttempt("t", true)).rejects.toThrow(
    new Error(
      'The test "t" didn\'t await a result, which was lost. Add await: await expect(…).toReplay(…), await expect(…).toRecomputeClean(…).',
    ),
  );
});

test("a test that fails while its matchers run isn't advised to await them: it names the steps they waited for", async () => {
  const { session, within } = harness();
  const check = async (): Promise<Check> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { file: "a", path: "a", verdict: { kind: "clean" }, findings: {}, update: undefined };
  };
  for (const name of ["decide", "route", "decide"])
    void within("t", async (test) => test.traceCheck(name, async () => check()));
  await expect(session.endAttempt("t", false)).rejects.toThrow(
    new Error(
      'The test "t" ended before toMatchBaseline finished. It was waiting for "decide", "route". If it timed out, raise its ' +
        "timeout: test(name, { timeout: 60_000 }, run) in Vitest, test(name, run, 60_000) in Jest.",
    ),
  );
});

test.each([
  [
    false,
    'The test "t" ended before toMatchBaseline finished. It was waiting for "decide". If it timed out, raise its timeout: ',
  ],
  [true, 'The test "t" didn\'t await a result, which was lost. Add await: await expect(…).toMatchBaseline('],
])("doesn't wait until the hook's timeout for a test (passed: %s) whose step never ends", async (passed, message) => {
  const { session, within } = harness("new", {}, { grace: 20 });
  void within("t", async (test) => test.traceCheck("decide", () => new Promise(() => {})));
  await expect(session.endAttempt("t", passed)).rejects.toThrow(message);
});

test("a failed matcher that was awaited is finished", async () => {
  const { session, within } = harness();
  await expect(within("t", () => Promise.reject(new Error("no")))).rejects.toThrow(new Error("no"));
  await session.endAttempt("t", false);
});

test("ends an attempt without checks silently", async () => {
  const running = harness();
  await running.session.endAttempt("unknown", true);
  expect(outcomesOf(running)).toStrictEqual([]);
});

test("ends remaining attempts together, each by its result", async () => {
  const running = harness();
  for (const name of ["passed", "failed", "also passed"]) await running.match(name, 1);
  await running.session.endRest((key) => key !== "failed");
  expect(running.stored()).toStrictEqual(["also-passed: 1", "passed: 1"]);
  expect(outcomesOf(running).toSorted()).toStrictEqual([
    "also passed: captured",
    "failed: pending",
    "passed: captured",
  ]);
});

test("one refused attempt doesn't lose the others", async () => {
  const running = harness();
  await running.match("a", 1, "shared");
  await running.match("b", 2, "shared");
  await running.match("c", 3);
  await expect(running.session.endRest(() => true)).rejects.toThrow(/captured by another test/);
  expect(running.stored()).toStrictEqual(["c: 3", "shared: 1"]);
});

test("takes a log once, with the directory of baselines even without matchers", async () => {
  const running = harness();
  const { session, testPath, state, root } = running;
  await running.match("t", 1);
  await session.endAttempt("t", true);
  expect(session.takeLog(testPath, state)).toMatchObject({
    testPath,
    root,
    checks: [{ test: "t", outcome: "captured" }],
  });
  expect(session.takeLog(testPath, state)).toStrictEqual({ testPath, root, checks: [], staged: [] });
  expect(session.takeLog(testPath, undefined)).toBeUndefined();
  expect(session.takeLog(testPath, { matched: 0 })).toBeUndefined();
});

test("counts matched and unmatched baselines in the runner's counters, numbers or objects", async () => {
  const numbers = harness();
  const counted: string[] = [];
  const increment = (which: string) => ({ increment: (id: string) => void counted.push(`${which} ${id}`) });
  const objects = harness("new", { matched: increment("matched"), unmatched: increment("unmatched") });
  for (const running of [numbers, objects]) {
    await running.match("t", 1);
    await running.session.endAttempt("t", true);
    await running.match("t", 1);
    await running.match("t", 2);
    await running.session.endAttempt("t", false);
    await running.session.endRest(() => false);
  }
  expect([numbers.state.matched, numbers.state.unmatched]).toStrictEqual([1, 1]);
  expect(counted).toStrictEqual(["matched id of t", "unmatched id of t"]);
});

test("a root that cannot be written fails the test with a sentence, and its outcome is pending", async () => {
  const running = harness();
  const path = join(running.directory, "outside.json");
  const outside = {
    kind: "add",
    root: running.root,
    path,
    group: "a.test.ts",
    before: undefined,
    after: "{}",
  } as const;
  await running.within("t", ({ stage, note }) => {
    stage({ update: outside, intent: "write", verdict: "missing", shown: [] });
    const update = { propose: () => outside, state: "toWrite" } as const;
    note({ file: "outside.json", path, verdict: { kind: "missing" }, findings: {}, update }, []);
  });
  await expect(running.session.endAttempt("t", true)).rejects.toThrow(
    new Error(`Refused to change ${path}: it is outside ${running.root}.`),
  );
  expect(outcomesOf(running)).toStrictEqual(["t: pending"]);
});

test("reads the directory of baselines from the snapshot path, under either name", () => {
  const counters = { matched: 0, unmatched: 0 };
  expect(rootOf({ ...counters, _snapshotPath: join("/a", "__snapshots__", "b.snap") })).toBe(
    join("/a", "__baselines__"),
  );
  expect(rootOf(counters)).toBeUndefined();
});

test.each([
  [{ matched: 0, snapshotPath: "/a" }, true],
  [{ matched: 0, _snapshotPath: "/a" }, true],
  [{ matched: 0 }, false],
  [{ snapshotPath: "/a" }, false],
  [null, false],
  ["state", false],
])("recognizes a snapshot state: %j", (state, expected) => {
  expect(isSnapshotState(state)).toBe(expected);
});

test("counts and logs an unchanged value, unless a trace needs its check", async () => {
  const running = harness();
  await running.within("a", ({ noteClean }) => noteClean?.("/a.json"));
  await running.session.endAttempt("a", true);
  expect([running.state.matched, outcomesOf(running)]).toStrictEqual([1, ["a: clean"]]);
  const api = Symbol.for("opentelemetry.js.api.1");
  Reflect.set(globalThis, api, {});
  try {
    expect(await running.within("b", ({ noteClean }) => noteClean)).toBeUndefined();
  } finally {
    Reflect.deleteProperty(globalThis, api);
  }
});

test("exports spans once a file's checks are over, even if a test of it fails", async () => {
  const api = Symbol.for("opentelemetry.js.api.1");
  const seen: string[] = [];
  const running = harness();
  const forceFlush = async (): Promise<void> => void seen.push(`flushed with ${running.stored().join()}`);
  Reflect.set(globalThis, api, { trace: { forceFlush } });
  try {
    await running.session.endRest(() => true);
    expect(seen).toEqual([]);
    await running.match("late", 1);
    const unawaited = running.within("open", async () => new Promise<void>((resolve) => setTimeout(resolve, 20)));
    await expect(running.session.endRest(() => true)).rejects.toThrow("toMatchBaseline");
    await unawaited;
    expect(seen).toEqual(["flushed with late: 1"]);
  } finally {
    Reflect.deleteProperty(globalThis, api);
  }
});

test("one input of a test file claims a case; a repeated test may claim it with another one", async () => {
  const { session, within } = harness();
  const claim = async (test: string, hash: string): Promise<boolean> =>
    within(test, (running) => running.claimCase("/a.json", hash));
  expect([await claim("one", "h1"), await claim("one", "h1"), await claim("one", "h2")]).toStrictEqual([
    true,
    true,
    false,
  ]);
  await session.endAttempt("one", false);
  expect([await claim("one", "h2"), await claim("two", "h2"), await claim("two", "h1")]).toStrictEqual([
    true,
    true,
    false,
  ]);
});

test("counts the last of several checks of a baseline in an attempt", async () => {
  const first = harness();
  await first.match("job", 4);
  await first.session.endAttempt("job", true);
  expect([await first.match("job", 3), await first.match("job", 2), await first.match("job", 4)]).toStrictEqual([
    false,
    false,
    true,
  ]);
  await first.session.endAttempt("job", true);
  expect([first.stored(), first.state.unmatched, pendingOf(first)]).toStrictEqual([["job: 4"], 0, 0]);

  expect([await first.match("job", 4), await first.match("job", 5)]).toStrictEqual([true, false]);
  await first.session.endAttempt("job", false);
  await first.session.endRest(() => false);
  expect([first.state.unmatched, pendingOf(first)]).toStrictEqual([1, 1]);
});

test("counts a failed check of a test's last attempt, and not one of an attempt that was retried", async () => {
  const { match, session, state } = harness();
  await match("job", 4);
  await session.endAttempt("job", true);
  for (const value of [2, 3, 4]) {
    await match("job", value);
    await session.endAttempt("job", value === 4);
  }
  await session.endRest(() => true);
  expect(state.unmatched).toBe(0);
  for (const value of [2, 3]) {
    await match("job", value);
    await session.endAttempt("job", false);
  }
  await session.endRest(() => false);
  expect(state.unmatched).toBe(1);
});

test.each(["all", "new"] as const)("a test that must fail compares, and writes nothing, in mode %s", async (mode) => {
  const { session, match, stored, state, testPath } = harness(mode, {}, { expectsFailure: true });
  expect(await match("bug", 9)).toBe(false);
  await session.endAttempt("bug", true);
  expect([stored(), state.unmatched]).toStrictEqual([[], 0]);
  const log = session.takeLog(testPath, state);
  expect([log?.checks, log?.unreported?.length]).toStrictEqual([[], 1]);
});

/** Fails a matcher in a test. Returns the name of the test that its failure refers to. */
async function failedIn(within: Harness["within"], name: string): Promise<string | undefined> {
  let first: string | undefined;
  const failure = within(name, async ({ firstOfGroup }) => {
    first = firstOfGroup?.("group");
    throw new Error("changed");
  });
  await expect(failure).rejects.toThrow("changed");
  return first;
}

test("a failure refers to the first test with its change only if the runner shows that one's failure", async () => {
  const { session, within } = harness();
  const firstFor = async (name: string): Promise<string | undefined> => failedIn(within, name);
  expect(await firstFor("must fail or polls")).toBe("must fail or polls");
  await session.endAttempt("must fail or polls", true);
  expect(await firstFor("fails")).toBe("fails");
  await session.endAttempt("fails", false);
  expect(await firstFor("fails too")).toBe("fails");
});

test("a failure doesn't refer to a test that must fail, also if the runner counts it as failed until its end", async () => {
  const { session, within } = harness("new", {}, { expectsFailure: true });
  for (const name of ["one", "two"]) {
    expect(await failedIn(within, name)).toBe(name);
    await session.endAttempt(name, false);
  }
});

test("a failure doesn't refer to an attempt that the runner repeats, which may pass", async () => {
  let hasRetry = true;
  const { session, within } = harness("new", {}, { hasRetry: () => hasRetry });
  const firstFor = async (name: string): Promise<string | undefined> => {
    const first = await failedIn(within, name);
    await session.endAttempt(name, false);
    return first;
  };
  expect(await firstFor("flaky")).toBe("flaky");
  expect(await firstFor("fails")).toBe("fails");
  hasRetry = false;
  expect(await firstFor("fails")).toBe("fails");
  expect(await firstFor("fails too")).toBe("fails");
});

function pendingOf({ directory }: Harness): number {
  const pending = join(directory, ".veritest", "pending");
  return existsSync(pending) ? readdirSync(pending).filter((name) => name.endsWith(".json")).length : 0;
}

test("the checks of a retry have the round of its first attempt, and those of other tests and repetitions another", async () => {
  let repetition = 0;
  const running = harness("new", {}, { roundOf: (key) => (key === "repeated" ? repetition : undefined) });
  const attempt = async (name: string, passed: boolean): Promise<void> => {
    await running.match(name, 1, "shared");
    await running.session.endAttempt(name, passed);
  };
  await attempt("retried", false);
  await attempt("other", true);
  await attempt("retried", true);
  await attempt("repeated", true);
  repetition = 1;
  await attempt("repeated", true);
  const checks = running.session.takeLog(running.testPath, running.state)?.checks ?? [];
  expect(checks.map(({ test: name, round }) => `${name}: ${round}`)).toStrictEqual([
    "retried: 1",
    "other: 2",
    "retried: 1",
    "repeated: 3",
    "repeated: 4",
  ]);
});

test("a matcher of a test's next attempt ends the one before it as failed, if the runner calls no hook between them", async () => {
  let number = 1;
  const running = harness("new", {}, { attempt: () => number });
  await running.match("t", 1, "first attempt");
  await running.match("t", 2, "every attempt");
  number = 2;
  // Matchers of one attempt may run in parallel.
  await Promise.all([running.match("t", 2, "every attempt"), running.match("t", 3, "second attempt")]);
  await running.session.endRest(() => true);
  expect(running.stored()).toStrictEqual(["every-attempt: 2", "second-attempt: 3"]);
  expect(outcomesOf(running)).toStrictEqual(["t: pending", "t: pending", "t: captured", "t: captured"]);
});

test("a matcher that an earlier attempt didn't wait for fails no later one", async () => {
  let number = 1;
  const running = harness("new", {}, { attempt: () => number, grace: 10 });
  const left = running.within("t", async () => new Promise(() => undefined));
  void left.catch(() => undefined);
  number = 2;
  expect(await running.match("t", 1)).toBe(true);
  await running.session.endRest(() => true);
  expect(running.stored()).toStrictEqual(["t: 1"]);
});
