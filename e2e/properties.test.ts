import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { majors, newest, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/** The mean of an order, which has none of an empty one. */
const orders = (ofNothing: string): string => `
import { defineStep } from "veritest";
import { z } from "zod";

const Line = z.object({ item: z.string(), cents: z.number().int().min(0).max(999) });
export const mean = defineStep({
  name: "mean",
  input: z.object({ lines: z.array(Line) }),
  output: z.object({ cents: z.number() }),
  run: ({ lines }) => ({
    output: { cents: lines.length === 0 ? ${ofNothing} : lines.reduce((sum, { cents }) => sum + cents, 0) / lines.length },
  }),
});
`;
const FAULTY = orders("lines[0].cents");
const RIGHT = orders("0");

const TESTS = testFile(`
import { arbitraryOf } from "veritest/properties";
import { mean } from "./orders.js";
test("its properties pass", async () => {
  await expect(mean).toSatisfyProperties({ orderFree: ["lines"], inputs: arbitraryOf(mean.inputSchema), properties: {
    "the mean is no greater than the greatest": ({ lines }, { cents }) =>
      lines.length === 0 || cents <= Math.max(...lines.map((line) => line.cents)),
  } });
});
`);

const COUNTEREXAMPLE = "__baselines__/orders.test.js/mean-breaks-answers";

describe.each(sampled(majors))("$name: a step with properties", (runner) => {
  test("a counterexample is shown, pending, tried first once accepted, and kept when the step is fixed", async () => {
    const project = createProject(runner);
    project.write({ "orders.js": FAULTY, "orders.test.js": TESTS });
    const first = await project.run();
    expect(first.exitCode).toBe(1);
    const [head = "", ...rest] = (first.failures["its properties pass"] ?? "").split("\n");
    expect(head).toMatch(/^mean: 1 of 8 properties fails \(100 runs, seed \d+\)$/);
    expect(rest.slice(0, 4)).toEqual([
      "",
      "  answers  the step must not throw or hang; it returns errors with fail(code, message)",
      "    found    it threw: Cannot read properties of undefined (reading 'cents')",
      '    input    {"lines":[]}',
    ]);
    expect(project.baselines()).toEqual([]);

    expect(await project.cli(["accept", "--all"])).toMatchObject({ exitCode: 0 });
    expect(project.cases()).toEqual([expect.stringContaining(COUNTEREXAMPLE)]);
    const known = await project.run([], { env: { CI: "1" } });
    expect(known.failures["its properties pass"]).toContain("again    known: a stored counterexample");
    expect(await project.cli(["check"])).toMatchObject({ exitCode: 0 });

    project.write({ "orders.js": RIGHT });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {}, summary: "Baselines  1 clean" });
    expect(project.cases()).toHaveLength(1);
  });

  test("CI finds the same counterexample each time and writes nothing; -u stores it", async () => {
    const project = createProject(runner);
    project.write({ "orders.js": FAULTY, "orders.test.js": TESTS });
    const runs = [await project.run([], { env: { CI: "1" } }), await project.run([], { env: { CI: "1" } })];
    const told = runs.map(({ failures }) => failures["its properties pass"]);
    expect(told[0]).toContain("(100 runs, seed 1)");
    expect(told[0]).toBe(told[1]);
    expect(project.baselines()).toEqual([]);
    expect(await project.run(["-u"])).toMatchObject({ exitCode: 0, failures: {} });
    expect(project.cases()).toEqual([expect.stringContaining(COUNTEREXAMPLE)]);
  });

  test("the step survives injected faults of its recording or the fault is named, without a connection or a real delay", async () => {
    const project = createProject(runner);
    const step = (onError: string): string => `
import { defineStep, fail } from "veritest";
import { z } from "zod";
export const label = defineStep({
  name: "label",
  input: z.object({ text: z.string() }),
  output: z.object({ label: z.string() }),
  run: async ({ text }, { adapters: { llm } }) => {
    const late = new Promise((resolve) => setTimeout(resolve, 60_000).unref());
    const said = await Promise.race([llm.complete(text).catch((error) => ({ error })), late]);
    if (said === undefined) return fail("timeout", "Too late.");
    if (said.error) ${onError}
    return { output: { label: String(said) } };
  },
});
`;
    const tests = testFile(`
import { label } from "./label.js";
test("captured", async () => {
  await expect(label).toMatchBaseline({ input: { text: "a" }, adapters: { llm: { complete: async () => "spam" } }, name: "one" });
});
test("survives", async () => { await expect(label).toSurviveFaults(); });
`);
    project.write({ "label.js": step('return fail("model", "No answer.");'), "label.test.js": tests });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    expect(project.cases()).toEqual(["__baselines__/label.test.js/label-under-faults-one", "__baselines__/label/one"]);
    expect(await project.run([], { env: { CI: "1" } })).toMatchObject({ exitCode: 0, failures: {} });
    project.write({ "label.js": step("throw said.error;") });
    const { failures } = await project.run([], { env: { CI: "1" } });
    expect((failures["survives"] ?? "").split("\n").slice(3, 6)).toEqual([
      "    llm.complete#1  error-429  model → execution_failed: 429 Rate limit reached",
      "    llm.complete#1  error-500  model → execution_failed: 500 The server had an error",
      "    llm.complete#1  error-network  model → execution_failed: fetch failed",
    ]);
  });
});

describe.each(newest)("$name: a step with properties", (runner) => {
  test("veritest properties searches until its time is up and leaves one pending counterexample for each property", async () => {
    const project = createProject(runner);
    project.write({ "orders.js": FAULTY, "orders.test.js": TESTS });
    const night = await project.cli(["properties", "--minutes", "0.03", "--runs", "50"]);
    expect(night.stdout).toMatch(
      /^1 property fails, found in \d+ rounds?:\n {2}mean fails answers {2}__baselines__\/orders\.test\.js\/mean-breaks-answers-\S+\.json\n\nIt is pending: npx veritest review\n$/,
    );
    expect(night.exitCode).toBe(1);
    expect(project.baselines()).toEqual([]);
    expect(await project.cli(["accept", "--all"])).toMatchObject({ exitCode: 0 });
    expect((await project.run([], { env: { CI: "1" } })).failures["its properties pass"]).toContain("again    known");

    project.write({ "orders.js": RIGHT });
    expect(await project.cli(["properties", "--minutes", "0.02"])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^All properties passed in \d+ rounds?\.\n$/),
    });

    project.write({ "orders.test.js": `${TESTS}\ntest("fails by itself", () => expect(1).toBe(2));` });
    const failing = await project.cli(["properties", "--minutes", "0.02"]);
    expect(failing.stdout).toMatch(/^Some tests fail for a reason other than a property\. Fix these tests first\./);
    expect(failing.exitCode).toBe(1);
  });

  test("shards find what one run finds", async () => {
    const project = createProject(runner);
    const test = (title: string): string =>
      testFile(`
import { mean } from "./orders.js";
test("${title}", async () => { await expect({ ...mean, name: "${title}" }).toSatisfyProperties(); });
`);
    project.write({
      "orders.js": FAULTY,
      "a.test.js": test("one"),
      "b.test.js": test("two"),
      "c.test.js": test("three"),
    });
    const env = { CI: "1" };
    const whole = await project.run([], { env });
    expect(Object.keys(whole.failures).toSorted()).toEqual(["one", "three", "two"]);
    const shards = [await project.run(["--shard=1/2"], { env }), await project.run(["--shard=2/2"], { env })];
    expect(Object.assign({}, ...shards.map(({ failures }) => failures))).toEqual(whole.failures);
  });
});
