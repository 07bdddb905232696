import { printed } from "../../kernel/printed.ts";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test, vi } from "vitest";
import { Crash } from "../../../test-support/crash.ts";
import { callOf, putStep } from "../../../test-support/put-step.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";
import { type BaselineUpdate, identityOf } from "../../baseline/baseline.ts";
import { createValueBaseline } from "../../baseline/create-baseline.ts";
import { caseFileName, caseHash } from "../../baseline/baseline-paths.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { encode } from "../../record/encode/encode.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { readReceipts } from "../../updates/receipts/receipts.ts";
import { projectPaths } from "../../kernel/files/project-paths.ts";
import { readPending } from "../../updates/pending/pending-store.ts";
import { readUpload } from "../../updates/upload/upload.ts";
import { stageAttempt, storeAttempt } from "../../updates/stage-attempt.ts";
import { announcedRun } from "../../updates/test-run.ts";
import { createPolicyLookup } from "../../config/load-config.ts";
import { NO_FINDINGS } from "../../explain/report-case.ts";
import { type LoggedCheck, appendRunLog } from "../../explain/append-run-log.ts";
import { RunDirector, type RunEnd, type RunReport } from "./run-director.ts";

/** In the name of a file, it's a part of a path, which stays. */
const GITHUB_TOKEN = ["ghp_", "a1B2c3D4e5F6g7H8i9", "J0k1L2m3N4o5P6q7R8"].join("");
const SECRET = ["sk-ant-api03-", "x7Kq".repeat(24), "AA"].join("");

interface Staged {
  readonly label?: string;
  readonly file?: string;
  readonly test?: string;
  readonly passed?: boolean;
  readonly intent?: "write" | "review";
}

/** A project outside of git whose tests are played by calls. */
class Project {
  readonly root = temporaryProject("director");
  readonly baselines = join(this.root, "__baselines__");
  readonly environment: NodeJS.ProcessEnv = { VERITEST_ACTOR: "human", XDG_STATE_HOME: join(this.root, ".home") };
  readonly places = projectPaths(this.root, this.environment);
  readonly #staged = new Map<string, string[]>();

  async begin(): Promise<RunDirector> {
    const director = new RunDirector(this.root, this.environment);
    await director.begin();
    return director;
  }

  configure(text: string): void {
    writeFileSync(join(this.root, "veritest.config.mjs"), `export default ${text};`);
  }

  proposal(name: string, value: unknown): BaselineUpdate {
    const baseline = createValueBaseline(value, { test: "a.test.ts", name });
    const path = join(this.baselines, "a.test.ts", caseFileName(name, caseHash(identityOf(baseline))));
    const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    return {
      kind: before === undefined ? "add" : "update",
      root: this.baselines,
      path,
      group: "a.test.ts",
      before,
      after: serializeBaseline(baseline),
    };
  }

  /** A test that ends and asks for one baseline. */
  stage(name: string, value: unknown, { label = "", test: title = name, ...staged }: Staged = {}): void {
    const plain = this.proposal(name, value);
    const update =
      label === "" ? plain : { ...plain, after: plain.after?.replace('"labels": []', `"labels": ["${label}"]`) };
    this.stageUpdate(update, title, staged);
  }

  stageUpdate(
    update: BaselineUpdate,
    title: string,
    { file = "a.test.ts", passed = true, intent = "write" }: Pick<Staged, "file" | "passed" | "intent"> = {},
  ): void {
    const verdict = update.kind === "add" ? "missing" : "value_changed";
    const testPath = join(this.root, file);
    const run = announcedRun(this.environment);
    if (run === undefined) throw new Error("no run was announced");
    const settled = stageAttempt(
      { changes: [{ update, intent, verdict, shown: [] }], testPath, test: title, passed, earlier: new Set() },
      run,
    );
    expect(settled.problem).toBeUndefined();
    this.#staged.set(testPath, [...new Set([...(this.#staged.get(testPath) ?? []), ...settled.staged])]);
    appendRunLog(this.environment, {
      testPath,
      root: this.baselines,
      checks: [
        { test: title, path: update.path, outcome: passed && intent === "write" ? "captured" : "value_changed" },
      ],
      staged: settled.staged,
    });
  }

  /** Logs checks without an update of `a.test.ts`. Returns that file as one that passed. */
  log(...checks: readonly LoggedCheck[]): RunEnd["files"][number] {
    const testPath = join(this.root, "a.test.ts");
    appendRunLog(this.environment, { testPath, root: this.baselines, checks, staged: [] });
    return { testPath, failed: false, allPassed: true };
  }

  /** Ends the run: every file that staged something passed, unless named. */
  async end(
    director: RunDirector,
    { failed = [], ...end }: Partial<RunEnd> & { readonly failed?: readonly string[] } = {},
  ): Promise<RunReport> {
    const files = [...new Set([...this.#staged.keys(), ...failed.map((file) => join(this.root, file))])].map(
      (testPath) => {
        const bad = failed.some((file) => join(this.root, file) === testPath);
        return { testPath, failed: bad, allPassed: !bad };
      },
    );
    this.#staged.clear();
    const report = await director.end({
      files,
      problems: [],
      complete: false,
      update: false,
      runner: undefined,
      ...end,
    });
    // In one line again: how far it is wrapped depends on the root.
    const text = printed(report.lines)
      .replaceAll(/\n {17}(?=\S)/g, " ")
      .replaceAll(`${this.root}/`, "");
    return { ...report, lines: text.split("\n").filter((line) => line !== "") };
  }

  /** The values of the baselines on disk, by the beginning of their files' names. */
  stored(): Record<string, unknown> {
    const directory = join(this.baselines, "a.test.ts");
    if (!existsSync(directory)) return {};
    const names = readdirSync(directory);
    return Object.fromEntries(
      names.map((name) => [
        name.replace(/-[0-9a-f]{8}\.json$/, ""),
        Reflect.get(JSON.parse(readFileSync(join(directory, name), "utf8")), "value"),
      ]),
    );
  }

  pending(): string[] {
    return readPending(this.places.state).changes.map(
      ({ target, intent }) =>
        `${intent} ${
          target
            .replace(/-[0-9a-f]{8}\.json$/, "")
            .split("/")
            .at(-1) ?? ""
        }`,
    );
  }

  /** What is left of runs and transactions, which should be nothing. */
  litter(): string[] {
    const list = (directory: string): string[] => (existsSync(directory) ? readdirSync(directory) : []);
    return [
      ...list(join(this.places.state, "tx")),
      ...list(join(this.places.state, "stage")),
      ...list(this.baselines).filter((name) => name.startsWith(".")),
    ];
  }

  receipts(): string[] {
    return readReceipts(this.places.notes).values.map(({ kind }) => kind);
  }
}

const WAITS = "npx veritest review";
const PAGE = "             To see the changes as a page, run again with VERITEST_REPORT=html";

test("a passing run writes the staged updates as one transaction with one receipt", async () => {
  const project = new Project();
  const director = await project.begin();
  project.stage("one", 1);
  project.stage("two", 2, { file: `${GITHUB_TOKEN}.test.ts` });
  expect(project.stored()).toStrictEqual({});
  const report = await project.end(director);
  expect([report.failed, project.stored(), project.pending(), project.litter()]).toStrictEqual([
    false,
    { one: 1, two: 2 },
    [],
    [],
  ]);
  expect(report.lines[0]).toBe("  Baselines  2 captured");
  expect(project.receipts()).toStrictEqual(["commit"]);
  director.close();
});

test("a run in which another test failed writes nothing, holds everything, and says how to apply it", async () => {
  const project = new Project();
  const director = await project.begin();
  project.stage("one", 1);
  project.stage("two", 2, { file: "b.test.ts", passed: false });
  const report = await project.end(director, { failed: ["b.test.ts"] });
  expect([report.failed, project.stored(), project.pending(), project.litter()]).toStrictEqual([
    true,
    {},
    ["write one", "write two"],
    [],
  ]);
  expect(report.lines.slice(-3)).toStrictEqual([
    '             pending: 1 test file failed: b.test.ts (transaction.scope is "run").',
    `             2 changes are pending: ${WAITS}`,
    PAGE,
  ]);
});

test("in CI that uploads its state directory the summary says how to apply what is in it", async () => {
  const project = new Project();
  const uploaded = join(project.places.root, "uploaded");
  Object.assign(project.environment, { CI: "true", VERITEST_ACTOR: "ci", VERITEST_STATE_DIR: uploaded });
  const director = await project.begin();
  project.stage("one", 1, { passed: false, intent: "review" });
  const report = await project.end(director, { failed: ["a.test.ts"] });
  const upload = readUpload(uploaded, project.places);
  expect([
    ...report.lines.slice(-3, -1),
    upload.ok ? upload.value.map(({ intent, test }) => `${intent} ${test}`) : upload.error,
  ]).toStrictEqual([
    "             1 change is pending in CI's state directory. Download it, then",
    "             npx veritest review --from veritest-state.zip",
    ["review one"],
  ]);
});

test.each<[string, string, Record<string, unknown>]>([
  ["run", "a failing file holds back the others", {}],
  ["file", "files that passed are written", { good: 1 }],
  ["test", "tests that passed are written", { good: 1, sibling: 2 }],
])("with scope %s %s", async (scope, _what, stored) => {
  const project = new Project();
  project.configure(`{ transaction: { scope: "${scope}" } }`);
  const director = await project.begin();
  project.stage("good", 1);
  project.stage("sibling", 2, { file: "b.test.ts" });
  project.stage("bad", 3, { file: "b.test.ts", passed: false });
  const report = await project.end(director, { failed: ["b.test.ts"] });
  expect([report.failed, project.stored()]).toStrictEqual([true, stored]);
});

test.each<[string, Partial<RunEnd>, string]>([
  ["was interrupted", { problems: ["The run was interrupted."] }, "The run was interrupted."],
  ["left errors unhandled", { problems: ["2 errors were not handled."] }, "2 errors were not handled."],
])("a run that %s writes no baseline", async (_what, end, reason) => {
  const project = new Project();
  const director = await project.begin();
  project.stage("one", 1);
  const report = await project.end(director, end);
  expect([report.failed, project.stored(), project.pending()]).toStrictEqual([true, {}, ["write one"]]);
  expect(report.lines.at(-3)).toBe(`             pending: ${reason}`);
});

test("two tests with different results for one case keep the run's updates pending, and are named", async () => {
  const project = new Project();
  const director = await project.begin();
  project.stage("one", 1, { test: "first" });
  project.stage("one", 2, { test: "second", file: "b.test.ts" });
  const report = await project.end(director);
  expect([report.failed, project.stored()]).toStrictEqual([true, {}]);
  expect(report.lines.at(-3)).toMatch(
    /^ {13}pending: __baselines__\/a\.test\.ts\/one-[0-9a-f]{8}\.json has different results from "first" and "second"\.$/,
  );
});

test("keeps updates pending if a test passes twice with two results, but not if it failed first", async () => {
  for (const [first, failed] of [
    [true, true],
    [false, false],
  ] as const) {
    const project = new Project();
    const director = await project.begin();
    project.stage("one", 1, { passed: first });
    project.stage("one", 2);
    const report = await project.end(director);
    expect([report.failed, project.stored()]).toStrictEqual([failed, failed ? {} : { one: 2 }]);
  }
});

test("doesn't write updates of a worker that died, because its test file never ended", async () => {
  const project = new Project();
  const director = await project.begin();
  project.stage("one", 1);
  const [log] = readdirSync(project.environment["VERITEST_RUN_LOG"] ?? "");
  writeFileSync(join(project.environment["VERITEST_RUN_LOG"] ?? "", log ?? ""), "");
  const report = await project.end(director);
  expect([report.failed, project.stored(), project.pending()]).toStrictEqual([true, {}, ["write one"]]);
  expect(report.lines.at(-3)).toBe(
    "             pending: a.test.ts has pending updates, but its worker crashed before it finished. Run the tests again.",
  );
});

test("changes of a failing test are pending until their baseline is clean again", async () => {
  const project = new Project();
  const first = await project.begin();
  project.stage("one", 1);
  await project.end(first);
  const second = await project.begin();
  project.stage("one", 2, { passed: false, intent: "review" });
  const report = await project.end(second, { failed: ["a.test.ts"] });
  expect([report.failed, project.pending(), report.lines.at(-2)]).toStrictEqual([
    false,
    ["review one"],
    `             1 change is pending: ${WAITS}`,
  ]);
  const third = await project.begin();
  project.log({ test: "one", path: project.proposal("one", 1).path, outcome: "clean" });
  const last = await project.end(third);
  expect([project.pending(), last.lines]).toStrictEqual([
    [],
    ["  Baselines  1 clean", "             1 pending change dropped: clean again"],
  ]);
});

type Results = readonly Pick<LoggedCheck, "test" | "outcome" | "isSecondResult">[];
const SECOND = { test: "two", outcome: "value_changed", isSecondResult: true } as const;

test.each<[string, Results, readonly string[]]>([
  ["a second test of the case has another result", [SECOND], []],
  ["a second check of its test has another result", [{ ...SECOND, test: "one" }], []],
  ["it's equal after a retry", [SECOND, { test: "two", outcome: "clean" }], ["write one"]],
  ["another test of the case fails otherwise", [{ test: "two", outcome: "request_changed" }], ["write one"]],
])("a new case of a failed run is pending, unless a second test gives it another result: %s", async (_what, results, pending) => {
  const project = new Project();
  // A run before it left the case pending, too.
  const first = await project.begin();
  project.stage("one", 2);
  await project.end(first, { failed: ["b.test.ts"] });
  expect(project.pending()).toStrictEqual(["write one"]);
  const second = await project.begin();
  project.stage("one", 1);
  const { path } = project.proposal("one", 1);
  project.log(...results.map((result) => ({ ...result, path })));
  const report = await project.end(second, { failed: ["a.test.ts"] });
  expect([project.stored(), project.pending()]).toStrictEqual([{}, pending]);
  expect(report.lines.filter((line) => printed([line]).includes("dropped"))).toStrictEqual(
    pending.length > 0 ? [] : [REFUSED],
  );
});

const REFUSED = "             1 pending change dropped: refused later";

// The change is of live responses.
test.each<[string, Pick<LoggedCheck, "outcome" | "source" | "isRefused">, string | undefined, readonly string[]]>([
  ["breaks the schema", { outcome: "schema_violation", source: "live" }, undefined, [REFUSED]],
  ["fails with the step's own code", { outcome: "failed", source: "live" }, "no_answer", [REFUSED]],
  ["fails with the step's own code on recorded responses", { outcome: "failed", source: "recorded" }, "no_answer", []],
  ["can't store its result", { outcome: "value_changed", source: "live", isRefused: true }, undefined, [REFUSED]],
  ["throws live, perhaps because of a service", { outcome: "failed", source: "live" }, "execution_failed", []],
])("drops a pending change if a later run %s", async (_what, check, code, dropped) => {
  const project = new Project();
  const first = await project.begin();
  project.stage("one", 2, { passed: false, intent: "review" });
  await project.end(first, { failed: ["a.test.ts"] });
  expect(project.pending()).toStrictEqual(["review one"]);
  const later = await project.begin();
  const error = code === undefined ? null : { code, message: "no" };
  const { path } = project.proposal("one", 1);
  project.log({ test: "one", path, ...check, findings: { ...NO_FINDINGS, error } });
  const report = await project.end(later, { failed: ["a.test.ts"] });
  expect([
    project.pending(),
    report.lines.filter((line) => printed([line]).slice(0, -1).includes("dropped")),
  ]).toStrictEqual([dropped.length > 0 ? [] : ["review one"], dropped]);
});

test.each<[string, string, NodeJS.ProcessEnv, boolean, string]>([
  ["CI", "{}", { VERITEST_ACTOR: "ci" }, false, "CI never writes baselines (VERITEST_ACTOR)."],
  [
    "an agent that may only propose",
    '{ policy: { agents: "propose-only" } }',
    { VERITEST_ACTOR: "agent" },
    false,
    'An agent can\'t accept changes here (VERITEST_ACTOR; policy.agents is "propose-only").',
  ],
  ["a given reason", "{ policy: { requireReason: true } }", { VERITEST_REASON: "new prompt" }, true, ""],
  [
    "too large a baseline",
    "{ policy: { maxBytes: 10 } }",
    {},
    false,
    "__baselines__/a.test.ts/one-…json would be 207 B, and policy.maxBytes is 10 B. " +
      "Reduce its input or its output.",
  ],
  [
    "a check that fails",
    '{ policy: { verify: [{ name: "lint", run: [process.execPath, "-e", "console.log(1 + 1); process.exit(3)"] }] } }',
    {},
    false,
    'policy.verify "lint" ended with 3. Its output: 2',
  ],
  [
    "a check that passes and prints two megabytes",
    '{ policy: { verify: [{ name: "lint", run: [process.execPath, "-e", "console.log(\'x\'.repeat(2e6))"] }] } }',
    {},
    true,
    "",
  ],
  [
    "a check that passes",
    '{ policy: { verify: [{ name: "lint", run: [process.execPath, "-e", "0"] }] } }',
    {},
    true,
    "",
  ],
  ["an approval", "{ policy: { approve: (changes) => changes.length === 1 } }", {}, true, ""],
  [
    "a refused approval",
    "{ policy: { approve: async ([{ target }], { actor, root }) => `${actor} ${typeof root}` } }",
    {},
    false,
    "policy.approve refused: human string",
  ],
  [
    "an approval that throws",
    '{ policy: { approve() { throw new Error("no mood"); } } }',
    {},
    false,
    "policy.approve threw: no mood",
  ],
])("applies the policy: %s", async (_what, config, environment, written, reason) => {
  const project = new Project();
  project.configure(config);
  Object.assign(project.environment, environment);
  const director = await project.begin();
  project.stage("one", 1);
  const report = await project.end(director);
  expect([report.failed, project.stored()]).toStrictEqual([!written, written ? { one: 1 } : {}]);
  if (!written)
    expect(
      printed(report.lines.slice(-3, -2))
        .trimEnd()
        .replace(/one-[0-9a-f]{8}\./, "one-…"),
    ).toBe(`             pending: ${reason}`);
});

test("redacts a secret before it writes", async () => {
  const project = new Project();
  const director = await project.begin();
  project.stage("one", { key: SECRET });
  expect((await project.end(director)).failed).toBe(false);
  expect(JSON.stringify(project.stored())).toMatch(/^{"one":{"key":"«redacted:anthropic-key#\d+»"}}$/);
});

test("refuses a secret in a label, which isn't redacted, and doesn't print it", async () => {
  const project = new Project();
  const director = await project.begin();
  project.stage("one", 1, { label: SECRET });
  const report = await project.end(director);
  expect([report.failed, project.stored()]).toStrictEqual([true, {}]);
  expect(printed(report.lines)).toContain("would contain a secret");
  expect(printed(report.lines)).not.toContain("x7Kqx7Kq");
});

test("updates beyond policy.maxUpdates are pending; additions are not counted", async () => {
  const project = new Project();
  project.configure("{ policy: { maxUpdates: 0 } }");
  const first = await project.begin();
  project.stage("one", 1);
  expect((await project.end(first)).failed).toBe(false);
  const second = await project.begin();
  project.stage("one", 2);
  const report = await project.end(second);
  expect([report.failed, project.stored()]).toStrictEqual([true, { one: 1 }]);
  expect(report.lines.at(-3)).toBe(
    "             pending: 1 baselines would be updated or removed, but policy.maxUpdates is 0.",
  );
});

test("an invalid configuration fails the run, which writes nothing and keeps the staged updates", async () => {
  const project = new Project();
  project.configure("{ polcy: {} }");
  const director = await project.begin();
  project.stage("one", 1);
  const report = await project.end(director);
  expect([report.failed, project.stored()]).toStrictEqual([true, {}]);
  expect(report.lines.at(-1)).toBe(
    '             veritest.config.mjs: the default export: Unrecognized key: "polcy" (did you mean "policy"?).',
  );
});

test("an invalid configuration doesn't prevent a report that a variable requests, which has the error", async () => {
  const project = new Project();
  project.configure("{ polcy: {} }");
  project.environment["VERITEST_REPORT"] = "json";
  const report = await project.end(await project.begin());
  expect(report.failed).toBe(true);
  const run: unknown = JSON.parse(readFileSync(join(project.root, "veritest-report/run.json"), "utf8"));
  const problem = `${project.root}/veritest.config.mjs: the default export: Unrecognized key: "polcy" (did you mean "policy"?).`;
  expect(run).toMatchObject({ status: "error", problems: [problem] });
});

test("doesn't overwrite a baseline edited while the tests ran, and writes no other file either", async () => {
  const project = new Project();
  const first = await project.begin();
  project.stage("one", 1);
  await project.end(first);
  const second = await project.begin();
  project.stage("one", 2);
  project.stage("two", 2);
  writeFileSync(project.proposal("one", 1).path, "edited by hand");
  const report = await project.end(second);
  expect(report.failed).toBe(true);
  expect(readFileSync(project.proposal("one", 1).path, "utf8")).toBe("edited by hand");
  expect(report.lines.at(-3)).toMatch(
    /one-[0-9a-f]{8}\.json changed since it was compared\. No file was written\. Run the test again\.$/,
  );
});

test("-u removes obsolete baselines in the same transaction, in complete runs only", async () => {
  const project = new Project();
  const first = await project.begin();
  project.stage("one", 1);
  project.stage("two", 2);
  await project.end(first);
  const { path } = project.proposal("one", 1);
  for (const [end, head, stored] of [
    [{ complete: true }, "  Baselines  1 clean, 1 obsolete", { one: 1, two: 2 }],
    [{ update: true }, "  Baselines  1 clean", { one: 1, two: 2 }],
    [{ complete: true, update: true, mayLackProjects: true }, "  Baselines  1 clean", { one: 1, two: 2 }],
    [{ complete: true, update: true }, "  Baselines  1 clean, 1 obsolete, removed", { one: 1 }],
    [{ complete: true, update: true }, "  Baselines  1 clean", { one: 1 }],
  ] as const) {
    const director = await project.begin();
    const files = [project.log({ test: "one", path, outcome: "clean" })];
    const report = await project.end(director, { ...end, files });
    expect([report.failed, report.lines[0], project.stored()]).toStrictEqual([false, head, stored]);
  }
});

test("-u keeps the case that has the responses which a new one lacks after an outage", async () => {
  const project = new Project();
  const { root, baselines } = project;
  const put = (label: string, text: string, call: AdapterCall): string =>
    join(root, putStep(root, { step: "ask", label, input: { text }, output: { said: text }, calls: [call] }));
  const earlier = put("opening", "one", callOf("one", "ONE"));
  const gone = put("closing", "last", callOf("last", "LAST"));
  const before = readFileSync(earlier, "utf8");
  const { response: _response, ...request } = callOf("two", "");
  const error = encode(Object.assign(new Error("overloaded"), { status: 503 }));
  for (const [call, failed, head] of [
    [{ ...request, error }, true, "  Baselines  1 input_changed, 1 obsolete, removed"],
    [callOf("two", "TWO"), false, "  Baselines  1 captured, 1 obsolete, removed"],
  ] as const) {
    const path = put("opening", "two", call);
    const after = readFileSync(path, "utf8");
    rmSync(path);
    const director = await project.begin();
    project.stageUpdate({ kind: "add", root: baselines, path, group: "ask", before: undefined, after }, "opening");
    const report = await project.end(director, { complete: true, update: true });
    expect([report.failed, report.lines[0]]).toStrictEqual([failed, head]);
    expect([earlier, gone, path].map((each) => existsSync(each))).toStrictEqual([failed, false, !failed]);
    if (!failed) continue;
    expect(readFileSync(earlier, "utf8")).toBe(before);
    expect(printed(report.lines)).toContain(
      "1 request to a model failed (503), and the step handled the error. The baseline of the earlier input has a " +
        "response. Run the test again when the model responds.",
    );
  }
  expect(project.pending()).toStrictEqual([]);
});

test("a failed run names the command for a moved test whose folder has other test files", async () => {
  const project = new Project();
  const [left, testPath] = [join(project.root, "stays.test.ts"), join(project.root, "moved", "moved.test.ts")];
  const old = join(project.root, putStep(project.root, { step: "extract", name: "monday", input: {} }));
  const next = join(project.root, "moved", relative(project.root, old));
  mkdirSync(dirname(testPath));
  for (const file of [left, testPath]) writeFileSync(file, "");
  const director = await project.begin();
  const log = { staged: [], testPath: left, root: project.baselines, checks: [] };
  appendRunLog(project.environment, log);
  const checks: LoggedCheck[] = [{ test: "monday", path: next, outcome: "missing" }];
  appendRunLog(project.environment, { ...log, testPath, root: join(project.root, "moved", "__baselines__"), checks });
  const files = [
    { testPath: left, failed: false, allPassed: true },
    { testPath, failed: true, allPassed: false },
  ];
  const { lines } = await project.end(director, { files });
  expect(printed(lines)).toContain("the test was moved, but its baselines weren't. Run: mkdir -p ");
  expect(printed(lines)).not.toContain("obsolete");
});

test.each<[string, NodeJS.ProcessEnv, boolean]>([
  ["in CI is left as it is, and fails the run", { CI: "true" }, false],
  ["is completed where a person runs the tests", { VERITEST_ACTOR: "human" }, true],
])("an interrupted commit %s", async (_what, environment, completed) => {
  const crash = new Crash().applyFirst();
  const { root, state } = crash.places;
  // A package.json of others above the temporary folder is not its project.
  writeFileSync(join(root, "package.json"), "{}");
  const director = new RunDirector(root, { ...environment, XDG_STATE_HOME: join(root, ".home") });
  await director.begin();
  const end = { files: [], problems: [], complete: false, update: false, runner: undefined };
  const { lines, failed } = await director.end(end);
  director.close();
  const cutOff =
    "A run was interrupted while it wrote baselines, and CI never writes them. Some may be old and some new. On the machine of that run, run: npx veritest doctor. Its record is in";
  expect(failed).toBe(!completed);
  expect(printed(lines)).toContain(
    completed ? "A run was killed while it wrote baselines. Its commit was completed (t)." : `${cutOff} ${state}.`,
  );
  expect(crash.texts()).toStrictEqual(
    completed ? { "a.json": "new", "b.json": "new" } : { ".tx-t-1": "new", "a.json": "new", "b.json": "old" },
  );
});

test("updates of a killed run are pending from the next run on", async () => {
  const project = new Project();
  await project.begin();
  project.stage("one", 1);
  const run = JSON.parse(project.environment["VERITEST_WORKER_RUN"] ?? "");
  writeFileSync(
    join(project.places.state, "stage", run.id, "OWNER"),
    JSON.stringify({ ...run.owner, startTicks: "1" }),
  );
  const report = await project.end(await project.begin());
  expect([project.stored(), project.pending(), project.litter()]).toStrictEqual([{}, ["write one"], []]);
  expect(report.lines).toContain("             A run was interrupted: its 1 change is pending.");
});

test("re-runs of a watch apply their updates one by one", async () => {
  const project = new Project();
  const director = await project.begin();
  project.stage("one", 1);
  expect((await project.end(director)).lines[0]).toBe("  Baselines  1 captured");
  project.stage("one", 2, { passed: false, intent: "review" });
  expect((await project.end(director, { failed: ["a.test.ts"] })).lines[0]).toBe("  Baselines  1 value_changed");
  project.stage("one", 3);
  expect((await project.end(director)).failed).toBe(false);
  expect([project.stored(), project.pending()]).toStrictEqual([{ one: 3 }, []]);
});

test("keeps updates pending if a test file that staged some isn't among those that ended", async () => {
  const project = new Project();
  const director = await project.begin();
  project.stage("one", 1, { file: "ghost.test.ts" });
  const report = await project.end(director, { files: [] });
  expect([report.failed, project.stored(), project.pending()]).toStrictEqual([true, {}, ["write one"]]);
  expect(report.lines.at(-3)).toBe(
    "             pending: ghost.test.ts has pending updates, but the runner didn't report that it finished. Run the tests again.",
  );
});

test("keeps updates that are staged while the gates run for a later run", async () => {
  const project = new Project();
  project.configure("{ policy: { approve: async () => { await globalThis.duringApproval(); return true; } } }");
  const director = await project.begin();
  project.stage("one", 1);
  Reflect.set(globalThis, "duringApproval", () => project.stage("late", 2));
  await project.end(director);
  Reflect.deleteProperty(globalThis, "duringApproval");
  expect([project.stored(), readdirSync(join(project.places.state, "stage")).length]).toStrictEqual([{ one: 1 }, 1]);
});

test("keeps the pending change of a test that fakes the date", async () => {
  const project = new Project();
  const director = await project.begin();
  vi.useFakeTimers({ now: new Date("2001-01-01") });
  project.stage("one", 1, { passed: false });
  vi.useRealTimers();
  await project.end(director, { failed: ["a.test.ts"] });
  await project.end(await project.begin());
  expect(
    readPending(project.places.state).changes.map(({ at }) => Date.now() - Date.parse(at) < 3_600_000),
  ).toStrictEqual([true]);
});

/** The problem of a test that ends in a worker to which no run was announced. */
async function endAlone(project: Project, update: BaselineUpdate): Promise<string | undefined> {
  const attempt = {
    changes: [{ update, intent: "write", verdict: "missing", shown: [] }],
    testPath: join(project.root, "a.test.ts"),
    test: "t",
    passed: true,
    earlier: new Set<string>(),
  } as const;
  const { problem } = await storeAttempt(attempt, { ...project.environment }, createPolicyLookup());
  return problem;
}

test.each([
  [{ protect: ["a.*"] }, "policy.protect protects a.test.ts. A person has to accept the changes: npx veritest review"],
  [{ forbid: ["missing"] }, "policy.forbid forbids missing."],
  [
    { maxUpdates: 3, verify: [{ name: "types", run: ["tsc"] }] },
    "policy.maxUpdates and policy.verify apply to a complete run, so they need veritest's reporter. To add it, run: npx veritest init",
  ],
])("without a director each test checks the policy %j", async (policy, problem) => {
  const project = new Project();
  project.configure(JSON.stringify({ policy }));
  expect(await endAlone(project, project.proposal("one", 1))).toBe(
    `${problem} No file was written, and the result is pending. To review it, run: npx veritest review`,
  );
  expect([project.stored(), readPending(project.places.state).changes.length]).toStrictEqual([{}, 1]);
});

test("without a director a test writes what the policy allows, or nothing if the config is invalid", async () => {
  const project = new Project();
  project.configure('{ policy: { protect: ["other"] } }');
  expect(await endAlone(project, project.proposal("one", 1))).toBeUndefined();
  const [receipt] = readReceipts(project.places.notes).values;
  expect(receipt?.gates.map(({ name, ok }) => `${name} ${String(ok)}`)).toStrictEqual([
    "test true",
    "actor true",
    "reason true",
    "max-updates true",
    "protect true",
    "forbid true",
    "size true",
    "secrets true",
    "git true",
  ]);
  const other = new Project();
  other.configure("{ policy: { protekt: [] } }");
  const problem = await endAlone(other, other.proposal("two", 1));
  expect(problem?.replace(other.root, "<root>")).toBe(
    '<root>/veritest.config.mjs: policy: Unrecognized key: "protekt" (did you mean "protect"?). No file was written, and the result is ' +
      "pending. To review it, run: npx veritest review",
  );
  expect([project.stored(), other.stored()]).toStrictEqual([{ one: 1 }, {}]);
});

test("without a director a change that can't be written is pending", async () => {
  const project = new Project();
  mkdirSync(project.baselines, { recursive: true });
  writeFileSync(join(project.baselines, "file"), "");
  expect(
    await endAlone(project, { ...project.proposal("two", 1), path: join(project.baselines, "file", "two.json") }),
  ).toMatch(/two\.json/);
  expect(readPending(project.places.state).changes).toHaveLength(1);
});

test("a run without baselines writes and prints nothing", async () => {
  const project = new Project();
  const director = await project.begin();
  expect(await project.end(director)).toStrictEqual({ lines: [], failed: false });
  director.close();
  expect([
    readdirSync(project.root),
    project.environment["VERITEST_WORKER_RUN"],
    project.environment["VERITEST_RUN_LOG"],
  ]).toStrictEqual([["package.json"], undefined, undefined]);
});

test("reports an invalid .git as the reason of a failed run", async () => {
  const project = new Project();
  writeFileSync(join(project.root, ".git"), "nonsense");
  const director = await project.begin();
  const report = await project.end(director);
  expect(report.failed).toBe(true);
  expect(report.lines.at(-1)).toBe(
    `             Cannot find git's directory: .git has no line "gitdir: …". Fix it, or set VERITEST_STATE_DIR.`,
  );
  mkdirSync(project.baselines);
});

test("what cannot be tidied up after a commit is reported, and neither unsays it nor fails the run", async () => {
  const project = new Project();
  const director = await project.begin();
  project.stage("one", 1);
  const odd = join(project.places.state, "pending", "aaaaaaaaaaaa.json");
  mkdirSync(odd, { recursive: true });
  const report = await project.end(director);
  expect([report.failed, project.stored(), project.receipts(), project.litter()]).toStrictEqual([
    false,
    { one: 1 },
    ["commit"],
    [],
  ]);
  const [head, , , tidied, ...more] = report.lines;
  expect([head, more]).toStrictEqual(["  Baselines  1 captured", []]);
  expect(tidied).toContain("Written baselines are still listed as pending: Cannot read ");
});

test.each([
  ["{ telemetry: { captureContent: true } }", {}, "1"],
  ["{ telemetry: { captureContent: true } }", { VERITEST_CAPTURE_CONTENT: "0" }, "0"],
  ["{ telemetry: { captureContent: false } }", {}, undefined],
  ["{}", {}, undefined],
])("the configuration %s sets for workers if spans have content (%o before: %s)", async (text, before, after) => {
  const project = new Project();
  project.configure(text);
  Object.assign(project.environment, before);
  await project.begin();
  expect(project.environment["VERITEST_CAPTURE_CONTENT"]).toBe(after);
});

test("an invalid flag fails the run with one line", async () => {
  const project = new Project();
  project.environment["VERITEST_CAPTURE_CONTENT"] = "yes";
  const report = await project.end(await project.begin());
  expect([report.failed, report.lines]).toStrictEqual([
    true,
    ["  Baselines  none checked", '             VERITEST_CAPTURE_CONTENT must be 1 or 0, got "yes".'],
  ]);
});

test.each<[string, NodeJS.ProcessEnv, boolean]>([
  ["fail", { CI: "1" }, true],
  ["fail", {}, false],
  ["report", { CI: "1" }, false],
])('obsolete: "%s" with the environment %j fails the run: %s', async (obsolete, environment, failed) => {
  const project = new Project();
  const capture = await project.begin();
  project.stage("one", 1);
  await project.end(capture);
  project.configure(JSON.stringify({ obsolete }));
  Object.assign(project.environment, environment);
  const director = await project.begin();
  const report = await project.end(director, { complete: true, files: [project.log()] });
  expect([report.failed, report.lines.at(failed ? -1 : -2)]).toStrictEqual([
    failed,
    failed
      ? '             1 obsolete baseline found, and veritest.config.mjs sets obsolete: "fail". To remove obsolete baselines, run with -u on your machine.'
      : expect.stringMatching(/obsolete: no test uses it; remove with -u, or delete it$/),
  ]);
});

test("an unknown mode fails the run, which writes nothing", async () => {
  const project = new Project();
  project.environment["VERITEST_MODE"] = "recorded";
  const director = await project.begin();
  project.stage("one", 1);
  const report = await project.end(director);
  expect([report.failed, project.stored(), project.pending()]).toStrictEqual([true, {}, ["write one"]]);
  expect(printed(report.lines)).toContain('VERITEST_MODE must be replay, live or auto, got "recorded".');
  director.close();
});

test.each<[string, (project: Project) => void, string]>([
  [
    "an unknown value of a variable",
    (project) => void (project.environment["VERITEST_MODE"] = "recorded"),
    'VERITEST_MODE must be replay, live or auto, got "recorded".',
  ],
  [
    "an interrupted commit",
    (project) => {
      const left = join(project.places.state, "tx", "abc-1-2");
      mkdirSync(left, { recursive: true });
      writeFileSync(join(left, "PREPARED"), "{");
    },
    "Cannot recover: .veritest/tx/abc-1-2/PREPARED is damaged. Compare the baselines with git, then delete .veritest/tx/abc-1-2.",
  ],
  [
    "an obsolete baseline where the configuration refuses it",
    (project) => {
      mkdirSync(join(project.baselines, "a.test.ts"), { recursive: true });
      writeFileSync(join(project.baselines, "a.test.ts", "one-12345678.json"), "{}");
      project.configure('{ obsolete: "fail" }');
      project.environment["CI"] = "1";
    },
    '1 obsolete baseline found, and veritest.config.mjs sets obsolete: "fail". To remove obsolete baselines, run with -u on your machine.',
  ],
])("%s is a problem of the report, which doesn't say that the run passed", async (_what, prepare, problem) => {
  const project = new Project();
  prepare(project);
  project.environment["VERITEST_REPORT"] = "json";
  const director = await project.begin();
  const { failed, lines } = await project.end(director, { complete: true, files: [project.log()] });
  expect(lines).toContain(`             ${problem}`);
  const text = readFileSync(join(project.root, "veritest-report", "run.json"), "utf8");
  expect([failed, JSON.parse(text.replaceAll(`${project.root}/`, ""))]).toStrictEqual([
    true,
    expect.objectContaining({ status: "error", problems: [problem] }),
  ]);
});

test("workers get the mode of the configuration, or none", async () => {
  const project = new Project();
  project.environment["VERITEST_PROJECT_MODE"] = "live";
  const director = await project.begin();
  expect(project.environment["VERITEST_PROJECT_MODE"]).toBe(undefined);
  director.close();
  project.configure('{ mode: "auto" }');
  const configured = await project.begin();
  expect(project.environment["VERITEST_PROJECT_MODE"]).toBe("auto");
  configured.close();
});
