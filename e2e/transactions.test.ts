import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Project, createProject } from "./harness/project.ts";
import { anyRunner, majors, newest, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/** Two cases of one step, and a model that leaves a trace of each call. */
const CLAIMS_TEST = testFile(`
import { appendFileSync } from "node:fs";
const model = { complete: async (request) => { appendFileSync("calls.log", "called\\n"); return llm.complete(request); } };
for (const text of ["a b3", "c d3"]) {
  test(text, async () => { await expect(extractClaims).toMatchBaseline({ input: { text }, adapters: { llm: model } }); });
}
`);

const FAILING_TEST = testFile('test("fails where FAIL is set", () => { expect(process.env.FAIL).toBe(undefined); });');

/** Values that follow N, which a run sets to change them. */
function valuesTest(...names: string[]): string {
  return testFile(
    names
      .map(
        (name) =>
          `test("${name}", async () => { await expect({ n: process.env.N ?? "0" }).toMatchBaseline({ name: "${name}" }); });`,
      )
      .join("\n"),
  );
}

function config(value: object): Record<string, string> {
  return { "veritest.config.mjs": `export default ${JSON.stringify(value)};\n` };
}

/** What only the set-up file gives, without the plugin or the preset. */
const SETUP_ALONE = {
  vitest: {
    "vitest.config.js":
      'import { defineConfig } from "vitest/config";\nexport default defineConfig({ test: { setupFiles: ["veritest/vitest"] } });\n',
  },
  jest: { "jest.config.json": JSON.stringify({ setupFilesAfterEnv: ["veritest/jest-setup"] }) },
} as const;

/** The texts of all baselines, by path. */
function stored(project: Project): Record<string, string> {
  return Object.fromEntries(project.baselines().map((path) => [path, project.read(path)]));
}

/** The text of what waits for review in a project outside of git, by target; null where a file would be removed. */
function waiting(project: Project): Record<string, string | null> {
  const folder = join(project.folder, ".veritest", "pending");
  const changes = existsSync(folder)
    ? readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")))
    : [];
  return Object.fromEntries(changes.map(({ target, text }) => [target, text ?? null]));
}

/** The stored values of a project's value baselines by their names. */
function values(project: Project): Record<string, string> {
  return Object.fromEntries(
    Object.values(stored(project))
      .map((text) => JSON.parse(text))
      .map(({ name, value }) => [name, value.n]),
  );
}

/** Receipt ids and ages differ from run to run. */
function steady(text: string): string {
  return text.replaceAll(/receipt [0-9a-f]+/g, "receipt <id>").replaceAll(/, (?:just now|\d+ \w+ ago)$/gm, ", <age>");
}

/** Both messages on a baseline that changed: before the other run had the lock, and while it had it. */
const CHANGED_MEANWHILE =
  /(?<=pending: )\S+ changed (?:since it was compared|while the test ran)\. No file was written\. Run the test again\./;

/** Commits everything there is, runners' caches left out. */
async function commitAll(project: Project): Promise<void> {
  if (!existsSync(join(project.folder, ".git"))) await project.git("init", "--quiet");
  project.write({ ".gitignore": "node_modules\n" });
  await project.git("add", "--all");
  await project.git("commit", "--quiet", "--message", "all");
}

describe.each(sampled(majors))("$name", (runner) => {
  test("a failing test beside an update leaves all files unchanged, and accept writes exactly the shown update without running a step", async () => {
    const project = createProject(runner);
    project.write({ "claims.test.js": CLAIMS_TEST, "other.test.js": FAILING_TEST });
    await project.capture();
    const captured = stored(project);

    const held = await project.run(["-u"], { env: { CHANGED: "field", FAIL: "1" } });
    expect(held).toMatchObject({ exitCode: 1, statuses: { "a b3": "passed", "c d3": "passed" } });
    expect(held.summary).toMatchInlineSnapshot(`
      "Baselines  2 pending
                 g-f2863d  2 × extract-claims  claims.*.confidence: 0.9 → 0.7 (code)
                 pending: 1 test file failed: other.test.js (transaction.scope is "run").
                 2 changes are pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(stored(project)).toEqual(captured);

    const shown = waiting(project);
    const calls = project.read("calls.log");
    const accepted = await project.cli(["accept", "--all"], { env: { MODEL: "new", CHANGED: "throw" } });
    expect(accepted).toMatchObject({ exitCode: 0, stderr: "" });
    expect(steady(accepted.stdout)).toMatchInlineSnapshot(`
      "updated  __baselines__/extract-claims/a-b3-3067e39c.json
      updated  __baselines__/extract-claims/c-d3-714c55d7.json
      2 accepted by human (VERITEST_ACTOR), receipt <id>
      "
    `);
    expect(stored(project)).toEqual(shown);
    expect(Object.values(shown).every((text) => text?.includes("0.7"))).toBe(true);
    expect(project.read("calls.log")).toBe(calls);
    expect(waiting(project)).toEqual({});
    expect(await project.run([], { env: { CI: "1", CHANGED: "field" } })).toMatchObject({
      exitCode: 0,
      summary: "Baselines  2 clean",
    });
  });

  test("the scope of a transaction is the run, the test file or the test", async () => {
    const project = createProject(runner);
    const failing =
      'test("fails", async () => { await expect({ n: process.env.N ?? "0" }).toMatchBaseline({ name: "beside" }); expect(process.env.FAIL).toBe(undefined); });';
    project.write({ "a.test.js": `${valuesTest("passes")}${failing}`, "b.test.js": valuesTest("elsewhere") });
    await project.capture();
    for (const [scope, N, expected, because] of [
      [
        "run",
        "1",
        { passes: "0", beside: "0", elsewhere: "0" },
        ['1 test file failed: a.test.js (transaction.scope is "run").', "3 changes are pending"],
      ],
      [
        "file",
        "2",
        { passes: "0", beside: "0", elsewhere: "2" },
        ['1 test file failed: a.test.js (transaction.scope is "file").', "2 changes are pending"],
      ],
      [
        "test",
        "3",
        { passes: "3", beside: "0", elsewhere: "3" },
        ['Their tests failed, in a.test.js (transaction.scope is "test").', "1 change is pending"],
      ],
    ] as const) {
      project.write(config({ transaction: { scope } }));
      const ran = await project.run(["-u"], { env: { N, FAIL: "1" } });
      expect({ scope, exitCode: ran.exitCode, values: values(project) }).toEqual({
        scope,
        exitCode: 1,
        values: expected,
      });
      expect(ran.summary.split("\n").slice(-3)).toEqual([
        `           pending: ${because[0]}`,
        `           ${because[1]}: npx veritest review`,
        "           To see the changes as a page, run again with VERITEST_REPORT=html",
      ]);
    }
  });

  test("an update and the removal of obsolete baselines are one transaction", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": valuesTest("one", "two") });
    await project.capture();
    const captured = stored(project);
    project.write({ "a.test.js": valuesTest("one"), ...config({ policy: { maxUpdates: 1 } }) });
    const held = await project.run(["-u"], { env: { N: "1" } });
    expect(held).toMatchObject({ exitCode: 1, failures: {} });
    expect(held.summary).toMatchInlineSnapshot(`
      "Baselines  1 pending, 1 obsolete
                 g-9af834  1 × a.test.js  n: "0" → "1"
                 g-73d5f6  1 × a.test.js/two-ae5224a1.json  obsolete
                 obsolete: no test uses it; its removal is pending
                   __baselines__/a.test.js/two-ae5224a1.json
                 pending: 2 baselines would be updated or removed, but policy.maxUpdates is 1.
                 2 changes are pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(stored(project)).toEqual(captured);

    project.write(config({ policy: { maxUpdates: 2 } }));
    expect(await project.run(["-u"], { env: { N: "1" } })).toMatchObject({ exitCode: 0, failures: {} });
    expect(values(project)).toEqual({ one: "1" });
    const [receipt] = JSON.parse((await project.cli(["log", "--json"])).stdout);
    expect([receipt.kind, receipt.changes.map(({ after }: { after: string | null }) => after === null)]).toEqual([
      "commit",
      [false, true],
    ]);
    expect(waiting(project)).toEqual({});
  });
});

describe.each(majors)("$name", (runner) => {
  test("with only the set-up file each test commits its own updates and the worker reports them once; CI and the policy keep updates pending", async () => {
    const project = createProject(runner);
    const failing =
      'test("fails", async () => { await expect({ n: "0" }).toMatchBaseline({ name: "fails" }); expect(1).toBe(2); });';
    project.write({ ...SETUP_ALONE[runner.kind], "a.test.js": `${valuesTest("one", "two")}${failing}` });
    const first = await project.run();
    expect(first).toMatchObject({ exitCode: 1, statuses: { one: "passed", two: "passed", fails: "failed" } });
    expect(values(project)).toEqual({ one: "0", two: "0" });
    expect(`${first.stdout}${first.stderr}`.match(/^veritest: .*$/gm)).toEqual([
      "veritest: the reporter isn't installed. This run doesn't print a summary or reports, doesn't find obsolete baselines or changed inputs, and writes updates after each test. Use the plugin (Vitest), or add --reporters=veritest/reporter/jest (Jest).",
      "veritest: a.test.js: 2 captured, 1 pending",
    ]);
    const captured = stored(project);
    const ci = await project.run(["-u", "-t", "one"], { env: { CI: "1", VERITEST_ACTOR: "", N: "1" } });
    expect([ci.exitCode, ci.failures]).toMatchInlineSnapshot(`
      [
        1,
        {
          "one": "CI never writes baselines (CI is set). No file was written, and the result is pending. To review it, run: npx veritest review",
        },
      ]
    `);
    project.write(config({ policy: { forbid: ["value_changed"] } }));
    const configured = await project.run(["-u", "-t", "one"], { env: { N: "1" } });
    expect([configured.exitCode, configured.failures]).toMatchInlineSnapshot(`
      [
        1,
        {
          "one": "policy.forbid forbids value_changed. No file was written, and the result is pending. To review it, run: npx veritest review",
        },
      ]
    `);
    expect(stored(project)).toEqual(captured);
  });

  test("shards of one checkout commit their own, and a process that merges their reports commits nothing", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": valuesTest("one"), "b.test.js": valuesTest("two") });
    const blob = runner.kind === "vitest" ? ["--reporter=blob"] : [];
    for (const shard of ["1", "2"]) {
      const ran = await project.run([`--shard=${shard}/2`, ...blob]);
      expect(ran).toMatchObject({ exitCode: 0, failures: {} });
      expect(project.baselines()).toHaveLength(Number(shard));
    }
    if (runner.kind === "jest") return;
    project.remove("__baselines__");
    const merged = await project.run(["--merge-reports", "-u"]);
    expect(merged).toMatchObject({ exitCode: 0, statuses: { one: "passed", two: "passed" } });
    expect(merged.summary.split("\n")[0]).toBe("Baselines  2 captured");
    expect([project.baselines(), waiting(project)]).toEqual([[], {}]);
  });
});

describe.each(newest)("$name", (runner) => {
  test("a step with another output each time is refused with the path, at capture and under -u", async () => {
    const project = createProject(runner);
    project.write({
      "dice.js": `
import { defineStep } from "veritest";
import { z } from "zod";
export const roll = defineStep({
  name: "roll",
  input: z.object({ sides: z.number() }),
  output: z.object({ dice: z.array(z.object({ id: z.string(), value: z.number() })) }),
  keyBy: { dice: "id" },
  run: ({ sides }) => ({ output: { dice: [{ id: "d1", value: process.env.LOADED ? sides : Math.random() }] } }),
});
`,
      "dice.test.js":
        'import { expect, test } from "runner";\nimport { roll } from "./dice.js";\ntest("dice", async () => { await expect(roll).toMatchBaseline({ input: { sides: 6 } }); });\n',
    });
    const masked = (text = ""): string =>
      text
        .replaceAll(/\b\d\.\d+(?:e-\d+)?/g, "<random>")
        .replaceAll(/(dice\.js):\d+:\d+(?:, Math\.random at dice\.js:\d+:\d+)?/g, "$1:LINE");
    const capture = await project.run();
    expect(capture.exitCode).toBe(1);
    expect(masked(capture.failures["dice"])).toMatchInlineSnapshot(`
      "roll: 1 of 1 baseline failed (recorded calls)

        __baselines__/roll/dice-34f6a314.json  failed
          not_replayable: The result isn't stored, because it isn't reproducible: when veritest ran the step again with the recorded responses, it returned output.dice[0].value: <random> → <random>. The step reads Math.random at dice.js:LINE directly. Read it from an adapter, so that veritest records it."
    `);
    expect(project.baselines()).toEqual([]);

    expect(await project.run([], { env: { LOADED: "1" } })).toMatchObject({ exitCode: 0, failures: {} });
    const captured = stored(project);
    const update = await project.run(["-u"]);
    expect(update.exitCode).toBe(1);
    expect(update.summary).toMatch(/^Baselines {2}1 failed\n *1 × roll\/dice-34f6a314\.json {2}failed$/);
    expect(masked(update.failures["dice"])).toBe(masked(capture.failures["dice"]));
    expect([stored(project), waiting(project)]).toEqual([captured, {}]);
  });
});

describe.each(anyRunner)("$name", (runner) => {
  test("capture, break, review as text, accept one by its key, accept the other, clean", async () => {
    const project = createProject(runner);
    project.write({ "claims.test.js": CLAIMS_TEST });
    await project.capture();
    const broken = await project.run([], { env: { CHANGED: "field" } });
    expect(broken.exitCode).toBe(1);
    expect(broken.failures["a b3"]).toMatchInlineSnapshot(`
      "extract-claims: 1 of 1 baseline changed (recorded calls)

        __baselines__/extract-claims/a-b3-3067e39c.json  value_changed
          cause: code (same requests, same responses, new output)
          claims.b3.confidence: 0.9 → 0.7

      Review the changes. Accept them with -u, or accept exactly these with: npx veritest review"
    `);
    expect(broken.summary).toMatchInlineSnapshot(`
      "Baselines  2 value_changed
                 g-f2863d  2 × extract-claims  claims.*.confidence: 0.9 → 0.7 (code)
                 2 changes are pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);

    const review = await project.cli(["review"]);
    expect(review).toMatchObject({ exitCode: 0, stderr: "" });
    expect(steady(review.stdout)).toMatchInlineSnapshot(`
      "2 × claims.*.confidence: 0.9 → 0.7 (code)
        accept  npx veritest accept --group g-f2863d
        reject  npx veritest reject --group g-f2863d

      __baselines__/extract-claims/a-b3-3067e39c.json  value_changed (update)  extract-claims
        a b3 (claims.test.js): its test failed, <age>
        cause: code (same requests, same responses, new output)
          claims.b3.confidence: 0.9 → 0.7
        accept  npx veritest accept 90d81b6b6677
        reject  npx veritest reject 90d81b6b6677

      __baselines__/extract-claims/c-d3-714c55d7.json  value_changed (update)  extract-claims
        c d3 (claims.test.js): its test failed, <age>
        cause: code (same requests, same responses, new output)
          claims.d3.confidence: 0.9 → 0.7
        accept  npx veritest accept 031e389f906b
        reject  npx veritest reject 031e389f906b
      "
    `);
    const [first, second] = JSON.parse((await project.cli(["pending", "--json"])).stdout);
    expect(await project.cli(["accept", first.key])).toMatchObject({ exitCode: 0 });
    const half = await project.run([], { env: { CHANGED: "field" } });
    expect(half).toMatchObject({ exitCode: 1, statuses: { "a b3": "passed", "c d3": "failed" } });
    expect(await project.cli(["accept", second.key.slice(0, 4)])).toMatchObject({ exitCode: 0 });
    expect(await project.run([], { env: { CHANGED: "field" } })).toMatchObject({
      exitCode: 0,
      failures: {},
      summary: "Baselines  2 clean",
    });
    expect((await project.cli(["review"])).stdout).toBe("No change is pending.\n");
  });

  test("an agent that may only propose changes no tracked file, neither by -u nor by accept", async () => {
    const project = createProject(runner);
    project.write({
      "a.test.js": valuesTest("one", "two"),
      "b.test.js": valuesTest("three"),
      ...config({ policy: { agents: "propose-only" } }),
    });
    await project.capture();
    await commitAll(project);
    const committed = project.tree();
    project.write({ "b.test.js": valuesTest("three", "four") });
    await commitAll(project);
    const before = project.tree();
    expect(before).not.toEqual(committed);

    const agent = { VERITEST_ACTOR: "agent", N: "1" };
    const update = await project.run(["-u"], { env: agent });
    expect(update).toMatchObject({ exitCode: 1, failures: {} });
    expect(update.summary).toMatchInlineSnapshot(`
      "Baselines  4 pending
                 g-9af834  2 × a.test.js  n: "0" → "1"
                 g-bdee82  1 × b.test.js  n: "0" → "1"
                 g-faa562  1 × b.test.js/four-9e846fcf.json  missing
                 pending: An agent can't accept changes here (VERITEST_ACTOR; policy.agents is "propose-only").
                 4 changes are pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    const accept = await project.cli(["accept", "--all"], { env: agent });
    expect(accept).toMatchObject({ exitCode: 1, stdout: "" });
    expect(accept.stderr).toMatchInlineSnapshot(`
      "veritest: An agent can't accept changes here (VERITEST_ACTOR; policy.agents is "propose-only").
      veritest: No file was written. 4 changes stay pending.
      "
    `);
    expect([await project.git("status", "--porcelain"), project.tree()]).toEqual(["", before]);
    expect(await project.cli(["accept", "--all"])).toMatchObject({ exitCode: 0 });
    expect(values(project)).toEqual({ one: "1", two: "1", three: "1", four: "1" });
  });

  test("in a repository nothing but baselines shows in git status; a baseline edited by hand is not overwritten", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": valuesTest("one"), "other.test.js": FAILING_TEST });
    await commitAll(project);
    expect(await project.run()).toMatchObject({ exitCode: 0 });
    const [path = ""] = project.baselines();
    expect(await project.git("status", "--porcelain", "--untracked-files=all")).toBe(`?? ${path}\n`);
    expect(existsSync(join(project.folder, ".veritest"))).toBe(false);
    expect(await project.run(["-u"], { env: { N: "1" } })).toMatchObject({ exitCode: 0 });
    await commitAll(project);
    expect(await project.run(["-u"], { env: { N: "2", FAIL: "1" } })).toMatchObject({ exitCode: 1 });
    expect(await project.git("status", "--porcelain")).toBe("");

    const edited = project.read(path).replace('"meta": {}', '"meta": { "note": "edited" }');
    project.write({ [path]: edited });
    const refused = await project.run(["-u"], { env: { N: "2" } });
    expect(refused).toMatchObject({ exitCode: 1, failures: {} });
    expect(refused.summary).toMatchInlineSnapshot(`
      "Baselines  1 pending
                 g-9af834  1 × a.test.js  n: "1" → "2"
                 pending: __baselines__/a.test.js/one-61ef934e.json was edited by hand, or written elsewhere, and isn't in git yet. Commit, stash or restore it first.
                 1 change is pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html
                 1 pending change dropped: changed meanwhile
                   __baselines__/a.test.js/one-61ef934e.json"
    `);
    expect(project.read(path)).toBe(edited);
  });

  test("of two simultaneous -u runs one commits everything, and the other names the baseline that changed meanwhile", async () => {
    const project = createProject(runner);
    const meeting = `
import { existsSync, writeFileSync } from "node:fs";
test("meets the other run", async () => {
  const { ME, OTHER } = process.env;
  if (ME === undefined) return;
  writeFileSync("met-" + ME, "");
  while (!existsSync("met-" + OTHER)) await new Promise((resolve) => setTimeout(resolve, 10));
}, 60_000);
`;
    project.write({ "a.test.js": `${valuesTest("one", "two", "three")}${meeting}` });
    await project.capture();
    const both = await Promise.all(
      ["1", "2"].map(async (ME) => ({
        ME,
        ...(await project.run(["-u"], { env: { ME, N: ME, OTHER: ME === "1" ? "2" : "1" } })),
      })),
    );
    const [winner, loser] = both.toSorted((a, b) => (a.exitCode ?? 9) - (b.exitCode ?? 9));
    expect([winner?.exitCode, loser?.exitCode, winner?.failures, loser?.failures]).toEqual([0, 1, {}, {}]);
    const N = winner?.ME ?? "";
    expect(values(project)).toEqual({ one: N, two: N, three: N });
    expect(winner?.summary.split("\n")[0]).toBe("Baselines  3 updated");
    const lost = loser?.summary.replace(CHANGED_MEANWHILE, "<baseline> changed meanwhile.");
    expect(
      lost?.replace(`"0" → "${loser?.ME}"`, '"0" → <mine>').replace(/g-[0-9a-f]{6}/, "g-HASH"),
    ).toMatchInlineSnapshot(`
      "Baselines  3 pending
                 g-HASH  3 × a.test.js  n: "0" → <mine>
                 pending: <baseline> changed meanwhile.
                 3 changes are pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(await project.run([], { env: { N } })).toMatchObject({ exitCode: 0, failures: {} });
    expect(waiting(project)).toEqual({});
  });
});
