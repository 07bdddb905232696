import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { anyRunner, newest } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

function wordsTest(first: string, second: string): string {
  const check = (text: string): string => `await expect(countWords).toMatchBaseline({ input: { text: "${text}" } });`;
  return testFile(`test("words", async () => { ${check(first)} ${check(second)} });`);
}

/** Tests, by title, of a step that returns an empty text while its model is down. */
function askTests(texts: Readonly<Record<string, string>>): string {
  const tests = Object.entries(texts).map(
    ([title, text]) =>
      `test("${title}", async () => { await expect(ask).toMatchBaseline({ input: { text: "${text}" }, adapters }); });`,
  );
  return testFile(`
import { defineStep } from "veritest";
import { z } from "zod";
const complete = async ({ prompt }) => {
  if (process.env.DOWN) throw Object.assign(new Error("overloaded"), { status: 503 });
  return prompt.toUpperCase();
};
const adapters = { llm: { complete } };
const ask = defineStep({
  name: "ask",
  input: z.object({ text: z.string() }),
  output: z.object({ said: z.string() }),
  run: async ({ text }, { adapters }) => ({
    output: { said: await adapters.llm.complete({ prompt: text, temperature: 0 }).catch(() => "") },
  }),
});
${tests.join("\n")}
`);
}

describe.each(newest)("$name", (runner) => {
  test("another input with another result fails the run, is pending, and replaces the old case", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": wordsTest("a b", "same"), "b.test.js": testFile('test("other", () => {});') });
    await project.capture();
    const captured = project.baselines();
    expect(captured).toHaveLength(2);
    project.write({ "a.test.js": wordsTest("a b c", "same") });

    const ci = await project.run([], { env: { CI: "1" } });
    expect(ci.exitCode).not.toBe(0);
    expect(Object.values(ci.failures)[0]).toMatch(/ {4}input changed \(text\)\n {4}output\.count: 2 → 3\n/);
    expect(ci.summary).toMatch(/^Baselines {2}1 input_changed$/m);
    expect(ci.summary).toMatch(
      /\w+\.json {2}input changed \(text\); output\.count: 2 → 3 \(compared with words-\w+\.json, which is now obsolete\)$/m,
    );
    expect(project.baselines()).toEqual(captured);

    // A run of one file is as strict as one of all.
    for (const args of [["a.test"], []]) {
      const local = await project.run(args);
      expect(local).toMatchObject({ exitCode: 1, failures: {} });
      expect(local.summary).toMatch(/^Baselines {2}1 clean, 1 input_changed$/m);
      expect(local.summary).toMatch(/words-[0-9a-f]{8}\.json: input changed \(text\); output\.count: 2 → 3$/m);
      expect(local.summary).toContain("1 change is pending: npx veritest review");
      expect(project.baselines()).toEqual(captured);
    }

    // -u can't know that no other test uses the earlier baseline.
    for (const args of [
      ["a.test", "-u"],
      ["-t", "words", "-u"],
    ]) {
      const partial = await project.run(args);
      expect(partial).toMatchObject({ exitCode: 1, failures: {} });
      expect(partial.summary).toMatch(
        /-u replaces the baseline of an earlier input only if all tests run\s+and pass\.\n[^]*To accept the new input: npx veritest accept [0-9a-f]{12}$/m,
      );
      expect(project.baselines()).toEqual(captured);
    }
    await project.run();
    expect((await project.cli(["review"])).stdout).toMatch(
      /^ {4}input\.text: "a b" → "a b c"\n {4}output\.count: 2 → 3\n {4}compared with (words-\w+\.json)\n {4}accepting removes \1$/m,
    );
    const accepted = await project.cli(["accept", "--all"]);
    expect(accepted.exitCode).toBe(0);
    expect(accepted.stdout).toMatch(/^added {4}\S+words-[0-9a-f]{8}\.json \(replaces words-[0-9a-f]{8}\.json\)$/m);
    expect(project.baselines()).toHaveLength(2);
    expect(await project.run()).toMatchObject({ exitCode: 0, summary: "Baselines  2 clean" });
  });

  test.each([
    ["filtered", { SECOND: "1" }, ["-t", "重复扣款"]],
    ["skipped", { SECOND: "1", FIRST: "skip" }, []],
    ["failed before its check", { SECOND: "1", FIRST: "fail" }, []],
  ])("a new case doesn't replace the case of a test that was %s", async (_how, env, args) => {
    const project = createProject(runner);
    project.write({
      "a.test.js": testFile(`
const { FIRST, SECOND } = process.env;
(FIRST === "skip" ? test.skip : test)("损坏的灯", async () => {
  if (FIRST === "fail") throw new Error("before its check");
  await expect(countWords).toMatchBaseline({ input: { text: "a" } });
});
if (SECOND) test("重复扣款", async () => { await expect(countWords).toMatchBaseline({ input: { text: "a b" } }); });
`),
      "veritest.config.mjs": 'export default { transaction: { scope: "test" } };\n',
    });
    await project.capture();
    const first = project.baselines();
    const ran = await project.run(args, { env });
    expect(ran.summary.split("\n")[0]).toBe("Baselines  1 captured");
    expect(project.baselines()).toHaveLength(2);
    await project.cli(["accept", "--all"]);
    expect(project.baselines()).toEqual(expect.arrayContaining(first));
  });
});

describe.each(anyRunner)("$name", (runner) => {
  test("the earlier input drops the pending case, and -u replaces the old one at once", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": wordsTest("a b", "same") });
    await project.capture();
    project.write({ "a.test.js": wordsTest("a b c", "same") });
    expect((await project.run()).exitCode).toBe(1);
    project.write({ "a.test.js": wordsTest("a b", "same") });
    expect((await project.run()).summary).toBe("Baselines  2 clean\n           1 pending change dropped: clean again");
    project.write({ "a.test.js": wordsTest("a b c", "same") });
    expect((await project.run(["-u"])).exitCode).toBe(0);
    expect(project.baselines()).toHaveLength(2);
    expect((await project.cli(["pending"])).stdout).toContain("No change is pending");
    project.write({
      "a.test.js": wordsTest("a b c d", "same"),
      "b.test.js": testFile('test("other", () => {});'),
    });
    const partial = await project.run(["a.test", "-u"]);
    const [, key = ""] = /veritest accept (\w+)$/m.exec(partial.summary) ?? [];
    expect(partial.summary).toContain("Accepting keeps the earlier baseline if a test that didn't run may");
    expect((await project.cli(["accept", key])).stdout).toMatch(/^added {4}\S+words-[0-9a-f]{8}\.json$/m);
    expect((await project.run()).summary).toMatch(/^Baselines {2}2 clean, 1 obsolete$/m);
  });

  test("-u keeps the old case if the model of the new one is down, and replaces it when the model responds", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": askTests({ opening: "one", closing: "last" }) });
    await project.capture();
    const [, opening = ""] = project.baselines();
    const captured = project.read(opening);
    project.write({ "a.test.js": askTests({ opening: "two" }) });

    for (const args of [["-u"], []]) {
      const down = await project.run(args, { env: { DOWN: "1" } });
      expect(down).toMatchObject({ exitCode: 1, failures: {} });
      expect(down.summary).toMatch(/^Baselines {2}1 input_changed/);
      expect(down.summary.replaceAll(/\s+/g, " ")).toMatch(
        /opening-\w+\.json: input changed \(text\); output\.said: "ONE" → ""; 1 request to a model failed \(503\), and the step handled the error\. The baseline of the earlier input has a response\. Run the test again when the model responds\./,
      );
      expect(project.read(opening)).toBe(captured);
      expect(project.cases()).toEqual(["__baselines__/ask/opening"]);
    }
    expect((await project.run(["-u"])).exitCode).toBe(0);
    expect(project.cases()).toEqual(["__baselines__/ask/opening"]);
    expect(project.read(project.baselines()[0] ?? "")).toContain('"said": "TWO"');
    expect((await project.cli(["pending"])).stdout).toContain("No change is pending");
  });

  test("a first case is captured while its model is down, and a remark says so", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": askTests({ opening: "one" }) });
    const down = await project.run(["-u"], { env: { DOWN: "1" } });
    expect(down.exitCode).toBe(0);
    expect(down.summary).toMatch(/^Baselines {2}1 captured$/m);
    expect(down.summary).toContain(
      "1 request to a model failed (503), and the step handled the error. A new baseline has this result",
    );
    expect(project.baselines()).toHaveLength(1);
  });

  test("-u replaces no case if the policy forbids changed inputs", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": wordsTest("a b", "same") });
    await project.capture();
    const captured = project.baselines();
    project.write({
      "veritest.config.js": 'export default { policy: { forbid: ["input_changed"] } };\n',
      "a.test.js": wordsTest("a b c", "same"),
    });
    const refused = await project.run(["-u"]);
    expect(refused.exitCode).toBe(1);
    expect(refused.summary).toContain("policy.forbid forbids input_changed.");
    expect(project.baselines()).toEqual(captured);
    project.write({ "a.test.js": wordsTest("a b", "same").replace('"same"', '"two words"') });
    expect((await project.run(["-u"])).summary).toContain("policy.forbid forbids input_changed.");
  });
});
