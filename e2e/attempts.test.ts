import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { jestRunners, runners, sampled, versions, vitestRunners } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const CLAIMS = "__baselines__/extract-claims";
/** Writes what passing tests propose beside failing ones. */
const SCOPE_TEST = { "veritest.config.mjs": 'export default { transaction: { scope: "test" } };\n' };
const MATCH = "await expect(extractClaims).toMatchBaseline({ input: { text: name }, adapters: { llm } });";

describe.each(versions)("$name", (runner) => {
  test("a test that fails leaves no baseline and no update, under -u neither", async () => {
    const project = createProject(runner);
    project.write({
      "claims.test.js": testFile(`
test("fails later", async () => {
  const name = "a b3";
  ${MATCH}
  await expect({ total: process.env.CHANGED ? 2 : 1 }).toMatchBaseline({ name: "total" });
  expect(process.env.FAIL).toBe(undefined);
});
describe("hooks", () => {
  afterEach(() => { if (process.env.FAIL) throw new Error("the hook fails"); });
  test("fails in a hook", async () => { const name = "c d3"; ${MATCH} });
});
`),
      "hook.test.js": testFile(`
afterEach(() => { if (process.env.FAIL) throw new Error("the hook fails"); });
test("fails in the file's hook", async () => { const name = "e f3"; ${MATCH} });
`),
    });
    const before = project.tree();
    const failed = await project.run([], { env: { FAIL: "1" } });
    expect(Object.keys(failed.failures).toSorted()).toEqual([
      "fails in the file's hook",
      "fails later",
      "hooks fails in a hook",
    ]);
    expect(failed.summary).toMatchInlineSnapshot(`
      "Baselines  4 pending
                 g-6e0bb5  3 × extract-claims  missing
                 g-bb0d7e  1 × claims.test.j…-22eb4df6.json  missing
                 pending: 2 test files failed: claims.test.js, hook.test.js (transaction.scope is "run").
                 4 changes are pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(project.tree()).toEqual(before);

    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    const captured = project.tree();
    const update = await project.run(["-u"], { env: { FAIL: "1", CHANGED: "field" } });
    expect(update.exitCode).toBe(1);
    expect(update.summary).toMatchInlineSnapshot(`
      "Baselines  4 pending
                 g-f2863d  3 × extract-claims  claims.*.confidence: 0.9 → 0.7 (code)
                 g-6fe505  1 × claims.test.js  total: 1 → 2
                 pending: 2 test files failed: claims.test.js, hook.test.js (transaction.scope is "run").
                 4 changes are pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(project.tree()).toEqual(captured);
  });

  // One run has all these files: each start of a runner takes a second.
  test("retried tests, concurrent ones, those of one title and those without await each leave their own baselines", async () => {
    const project = createProject(runner);
    const flaky = `async () => {
  attempt += 1;
  await expect({ attempt: process.env.LATE === "1" ? attempt : 4 }).toMatchBaseline({ name: "every attempt" });
  await expect({ attempt }).toMatchBaseline({ name: "attempt " + attempt });
  expect(attempt).not.toBe(1);
  expect(attempt).not.toBe(3);
}`;
    const [retry, call] =
      runner.kind === "vitest"
        ? ["", `test("flaky", { retry: 3 }, ${flaky});`]
        : ['import { jest } from "runner";\njest.retryTimes(3);\n', `test("flaky", ${flaky});`];
    const local =
      runner.kind === "vitest"
        ? 'test.concurrent("local " + name, async ({ expect }) => { await pause(); await expect(extractClaims).toMatchBaseline({ input: { text: "local " + name }, adapters: { llm } }); });'
        : "";
    project.write({
      ...SCOPE_TEST,
      "flaky.test.js": testFile(`${retry}
let attempt = 0;
describe("hooks", () => {
  afterEach(() => { if (attempt === 2) throw new Error("the hook fails"); });
  ${call}
});`),
      "same.test.js": testFile(`
test.each(process.env.LATE ? [1, 2] : [2])("same title", async (v) => { await expect({ v }).toMatchBaseline({ name: "x" }); });
`),
      "concurrent.test.js": testFile(`
const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
describe("many", () => {
  for (const name of ["a", "b", "c", "d"]) {
    test.concurrent("global " + name, async () => { ${MATCH} await pause(); await expect({ name }).toMatchBaseline({ name }); });
    ${local}
  }
  test.concurrent("fails", async () => { const name = "fails"; ${MATCH} await pause(); throw new Error("on purpose"); });
});
`),
      "forgotten.test.js": testFile(`
test("forgets", () => { const name = "forgotten"; ${MATCH.replace("await ", "")} });
test("forgets two", () => { expect(countWords).toMatchBaseline({ input: { text: "a" } }); const name = "forgotten"; ${MATCH.replace("await ", "")} });
test("remembers", async () => { const name = "remembered"; ${MATCH} });
`),
    });
    const first = await project.run();
    expect(first).toMatchObject({ exitCode: 1, statuses: { "hooks flaky": "passed", "same title": "passed" } });
    const { "many fails": _onPurpose, ...forgotten } = first.failures;
    expect(forgotten).toMatchInlineSnapshot(`
      {
        "forgets": "The test "forgets" didn't await a result, which was lost. Add await: await expect(…).toMatchBaseline(…).",
        "forgets two": "The test "forgets two" didn't await a result, which was lost. Add await: await expect(…).toMatchBaseline(…).",
      }
    `);
    const steps = ["a", "b", "c", "d"].flatMap((name) => [
      `${CLAIMS}/many-global-${name}`,
      ...(runner.kind === "vitest" ? [`${CLAIMS}/many-local-${name}`] : []),
    ]);
    const values = ["concurrent.test.js/a", "concurrent.test.js/b", "concurrent.test.js/c", "concurrent.test.js/d"];
    const others = ["flaky.test.js/attempt-4", "flaky.test.js/every-attempt", "same.test.js/x"];
    const expected = [
      ...[...values, ...others].map((path) => `__baselines__/${path}`),
      ...steps,
      `${CLAIMS}/remembers`,
    ];
    expect(project.cases()).toEqual(expected.toSorted());
    const captured = project.tree();
    // A value that matches in the last attempt alone, and a failure that a test of the same title doesn't hide.
    const late = await project.run([], { env: { LATE: "1", CI: "1" } });
    expect(late).toMatchObject({ exitCode: 1, statuses: { "hooks flaky": "passed" } });
    expect(Object.keys(late.failures).toSorted()).toEqual(["forgets", "forgets two", "many fails", "same title"]);
    expect(late.summary.split("\n")[0]).toMatch(
      new RegExp(`^Baselines  ${expected.length - 1} clean, .*1 value_changed$`),
    );
    expect(project.tree()).toEqual(captured);
  });

  test("a matcher that isn't awaited fails its test also if it fails before the test ends", async () => {
    const project = createProject(runner);
    project.write({
      "late.test.js": testFile(`
const pause = () => new Promise((resolve) => setTimeout(resolve, 300));
test("misused", async () => { expect(countWords).toRecomputeClean({ nmaes: [] }); await pause(); });
test("fails", async () => { expect(countWords).toRecomputeClean(); await pause(); });
test("handled", async () => { await expect(countWords).toRecomputeClean().catch(() => {}); await pause(); });
`),
    });
    const ran = await project.run();
    expect(ran.exitCode).toBe(1);
    expect(ran.statuses).toStrictEqual({ misused: "failed", fails: "failed", handled: "passed" });
    const lost = (title: string): string =>
      `The test "${title}" didn't await a result, which was lost. Add await: await expect(…).toRecomputeClean(…).`;
    if (runner.kind === "vitest")
      expect(ran.failures).toStrictEqual({ misused: lost("misused"), fails: lost("fails") });
  });
});

describe.each(sampled(runners))("$name", (runner) => {
  test("test.each and tests of one case have one baseline for each case", async () => {
    const project = createProject(runner);
    project.write({
      "each.test.js": testFile(`
test.each([["a"], ["b"], ["a"]])("each %s", async (name) => { ${MATCH} });
test("the same again", async () => { const name = "a"; ${MATCH} ${MATCH} });
test("the same by name", async () => {
  await expect({ n: 1 }).toMatchBaseline({ name: "same" });
  await expect({ n: 1 }).toMatchBaseline({ name: "same" });
});
`),
    });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    expect(project.cases()).toEqual(["__baselines__/each.test.js/same", `${CLAIMS}/each-a`, `${CLAIMS}/each-b`]);

    project.write({
      "answers.test.js": testFile(`
test("two answers for one case", async () => {
  await expect({ n: 1 }).toMatchBaseline({ name: "two answers" });
  await expect({ n: 2 }).toMatchBaseline({ name: "two answers" });
});
`),
    });
    const before = project.tree();
    for (const args of [[], ["-u"]]) {
      const { failures } = await project.run(args);
      expect(failures).toMatchInlineSnapshot(`
        {
          "two answers for one case": "two answers: 1 of 1 baseline changed (value)

          __baselines__/answers.test.js/two-answers-5f2c19b9.json  value_changed
            n: 1 → 2

        Not accepted: one case had two results in one run. Make the step deterministic, or give each case its own name.",
        }
      `);
      expect(project.tree()).toEqual(before);
    }
  });

  test(".resolves waits, and .not is refused", async () => {
    const project = createProject(runner);
    project.write({
      "forms.test.js": testFile(`
test("resolves", async () => { await expect(Promise.resolve({ n: 1 })).resolves.toMatchBaseline({ name: "resolved" }); });
test("not", async () => { await expect({ n: 1 }).not.toMatchBaseline({ name: "not" }); });
`),
    });
    const { failures, statuses } = await project.run();
    expect([statuses["resolves"], failures]).toEqual([
      "passed",
      { not: expect.stringMatching(/^toMatchBaseline can't be used with \.not: /) },
    ]);
    expect(project.cases()).toEqual([]);
    expect(await project.run(["-t", "resolves"])).toMatchObject({ exitCode: 0, failures: {} });
    expect(project.cases()).toEqual(["__baselines__/forms.test.js/resolved"]);
  });
});

describe.each(jestRunners)("$name", (runner) => {
  test("a retried concurrent test leaves the passing attempt's baselines and no others", async () => {
    const project = createProject(runner);
    project.write({
      "flaky.test.js": testFile(`
import { jest } from "runner";
jest.retryTimes(2);
let attempt = 0;
const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
test.concurrent("retried", async () => {
  attempt += 1;
  await expect({ attempt }).toMatchBaseline({ name: "attempt " + attempt });
  await pause();
  expect(attempt).not.toBe(1);
});
test.concurrent("steady", async () => { await pause(); await expect({ n: 1 }).toMatchBaseline({ name: "steady" }); });
`),
      ...SCOPE_TEST,
    });
    const { statuses } = await project.run();
    // Jest 29 runs a concurrent test once, and a retry fails again.
    expect(statuses).toEqual({ retried: runner.name === "jest-29" ? "failed" : "passed", steady: "passed" });
    const retried = runner.name === "jest-29" ? [] : ["__baselines__/flaky.test.js/attempt-2"];
    expect(project.cases()).toEqual([...retried, "__baselines__/flaky.test.js/steady"]);
  });

  test("a concurrent test that must fail writes nothing, and one beside it writes its own", async () => {
    const project = createProject(runner);
    const failing = (order: string): string => `
test.concurrent.failing("must fail", async () => { await pause(); await expect({ v: 2 }).toMatchBaseline({ name: "of failing ${order}" }); throw new Error("x"); });
`;
    const normal = (order: string): string => `
test.concurrent("normal", async () => { await pause(); await expect({ v: 1 }).toMatchBaseline({ name: "of normal ${order}" }); });
`;
    const pause = "const pause = () => new Promise((resolve) => setTimeout(resolve, 30));\n";
    project.write({
      "first.test.js": testFile(pause + failing("first") + normal("second")),
      "last.test.js": testFile(pause + normal("first") + failing("second")),
    });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    expect(project.cases()).toEqual([
      "__baselines__/first.test.js/of-normal-second",
      "__baselines__/last.test.js/of-normal-first",
    ]);
  });
});

describe.each(vitestRunners)("$name", (runner) => {
  test("a repetition with another value fails, and nothing of its test is written, also if each test commits its own updates", async () => {
    const project = createProject(runner);
    project.write({
      "repeats.test.js": testFile(`
let round = 0;
test("varies", { repeats: 2 }, async () => { round += 1; await expect({ n: process.env.N, round }).toMatchBaseline({ name: "varies" }); });
let again = 0;
test("fails later", { repeats: 1 }, async () => { again += 1; expect(again).toBe(1); await expect({ n: process.env.N }).toMatchBaseline({ name: "once" }); });
`),
    });
    const before = project.tree();
    const first = await project.run();
    expect(first.failures["varies"]?.split("\n\n    at ")[0]).toMatchInlineSnapshot(`
      "varies: 1 of 1 baseline changed (value)

        __baselines__/repeats.test.js/varies-9e3ce1e6.json  value_changed
          round: 1 → 2

      Not accepted: one case had two results in one run. Make the step deterministic, or give each case its own name.

      varies: 1 of 1 baseline changed (value)

        __baselines__/repeats.test.js/varies-9e3ce1e6.json  value_changed
          round: 1 → 3

      Not accepted: one case had two results in one run. Make the step deterministic, or give each case its own name."
    `);
    expect(first.statuses).toEqual({ varies: "failed", "fails later": "failed" });
    expect(first.exitCode).toBe(1);
    expect(first.summary).toMatchInlineSnapshot(`
      "Baselines  1 pending, 1 value_changed
                 –         1 × repeats.test.js  round: 1 → 2
                 g-e7752c  1 × repeats.test.…-2d4e8133.json  missing
                 pending: 1 test file failed: repeats.test.js (transaction.scope is "run").
                 1 change is pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(project.tree()).toEqual(before);
    project.write(SCOPE_TEST);
    const perTest = await project.run(["-u"], { env: { N: "1" } });
    expect(perTest).toMatchObject({ exitCode: 1, statuses: { varies: "failed", "fails later": "failed" } });
    expect(perTest.summary).toMatchInlineSnapshot(`
      "Baselines  1 pending, 1 value_changed
                 –         1 × repeats.test.js  round: 1 → 2
                 g-e7752c  1 × repeats.test.…-2d4e8133.json  missing
                 pending: Their tests failed, in repeats.test.js (transaction.scope is "test").
                 1 change is pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(project.cases()).toEqual([]);
  });

  test.each([
    "list",
    "parallel",
  ])("with sequence.hooks %s a hook that fails after ours holds its test's baselines", async (hooks) => {
    const project = createProject(runner);
    project.write({
      ...SCOPE_TEST,
      "vitest.config.js": `import { veritest } from "veritest/plugin";\nimport { defineConfig } from "vitest/config";\nexport default defineConfig({ plugins: [veritest()], test: { sequence: { hooks: "${hooks}" } } });\n`,
      "hooks.test.js": testFile(`
describe("with a hook", () => {
  afterEach(async () => { await new Promise((resolve) => setTimeout(resolve, 30)); throw new Error("the hook fails"); });
  test("held", async () => { const name = "held"; ${MATCH} });
});
test("written", async () => { const name = "written"; ${MATCH} });
`),
    });
    const first = await project.run();
    expect(first).toMatchObject({ exitCode: 1, statuses: { "with a hook held": "failed", written: "passed" } });
    expect(first.summary).toMatchInlineSnapshot(`
      "Baselines  1 captured, 1 pending
                 g-6e0bb5  1 × extract-claim…-afd14222.json  missing
                 captured: read and commit
                   __baselines__/extract-claims/written-943ca14c.json
                 pending: Their tests failed, in hooks.test.js (transaction.scope is "test").
                 1 change is pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(project.cases()).toEqual([`${CLAIMS}/written`]);
  });

  test("repeats leave one baseline, expect.soft goes on after a change, expect.poll waits for a match", async () => {
    const project = createProject(runner);
    project.write({
      "forms.test.js": testFile(`
test("repeated", { repeats: 2 }, async () => { const name = "again"; ${MATCH} });
test("soft", async () => {
  await expect.soft({ n: process.env.N }).toMatchBaseline({ name: "soft" });
  await expect.soft({ n: process.env.N, more: true }).toMatchBaseline({ name: "soft too" });
});
test("poll", async () => {
  let n = process.env.N ? 0 : 2;
  await expect.poll(() => ({ n: n++ }), { interval: 10 }).toMatchBaseline({ name: "polled" });
});
`),
    });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    expect(project.cases()).toEqual([
      `${CLAIMS}/repeated`,
      "__baselines__/forms.test.js/polled",
      "__baselines__/forms.test.js/soft",
      "__baselines__/forms.test.js/soft-too",
    ]);
    const captured = project.tree();
    const changed = await project.run([], { env: { N: "1" } });
    expect(changed.failures).toMatchInlineSnapshot(`
      {
        "soft": "soft: 1 of 1 baseline changed (value)

        __baselines__/forms.test.js/soft-eb8fd7bf.json  value_changed
        + n: "1"

      Review the changes. Accept them with -u, or accept exactly these with: npx veritest review

      soft too: 1 of 1 baseline changed (value)

        __baselines__/forms.test.js/soft-too-666092cb.json  value_changed
        + n: "1"

      Review the changes. Accept them with -u, or accept exactly these with: npx veritest review",
      }
    `);
    expect(changed.statuses["poll"]).toBe("passed");
    expect(project.tree()).toEqual(captured);
  });
});
