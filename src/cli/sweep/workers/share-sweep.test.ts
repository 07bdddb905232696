import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Ran, type SweepProject, sweepProject } from "../../../../test-support/sweep-project.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..", "..");

/** What a case does today, by its text. */
const HABITS = ["clean", "change", "command", "throw", "slow", "late", "console"] as const;

/** A step of each module format: what they do is set by a file. */
const BODY = `
  name: NAME, input: z.object({ text: z.string() }), output: z.object({ said: z.string(), pid: z.boolean() }),
  run: async ({ text }) => {
    const { [text]: habit = "clean", all } = JSON.parse(readFileSync(join(DIR, "habits.json"), "utf8"));
    if (habit === "throw") throw new Error("no luck with " + text);
    if (habit === "slow") await new Promise((resolve) => setTimeout(resolve, 30));
    if (habit === "late") await new Promise((resolve) => setTimeout(resolve, 200));
    if (habit === "console") console.error("heard " + text);
    if (habit === "loop") for (;;) Math.random();
    if (habit === "exit") process.exit(3);
    if (habit === "exits later") setTimeout(() => process.exit(4), 90);
    if (habit === "fill") for (const all = []; ; ) all.push(Array.from({ length: 1e5 }, () => ({})));
    if (habit === "hang") { setInterval(() => undefined, 1000); await new Promise(() => undefined); }
    if (habit === "stray") setTimeout(() => { throw new Error("in a timer"); }, 1);
    if (habit === "stray" || all === "wait") await new Promise((resolve) => setTimeout(resolve, 60));
    const said = habit === "change" ? text.toUpperCase() : text;
    return { output: { said, pid: true }, commands: habit === "command" ? [{ type: "emit", topic: "t", payload: {} }] : [] };
  },
`;

const MODULE = `
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { defineStep } from "${ROOT}/src/kernel/step/define-step.ts";
const DIR: string = import.meta.dirname;
export const esm = defineStep({${BODY.replace("NAME", '"esm"')}});
`;

const COMMONJS = `
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { z } = require("zod");
const { defineStep } = require("${ROOT}/src/kernel/step/define-step.ts");
const DIR = __dirname;
exports.cjs = defineStep({${BODY.replace("NAME", '"cjs"')}});
`;

/** A project with so many baselines of each of two steps, of texts \`a0\`, \`a1\`, … and \`b0\`, … */
async function project(esm: number, cjs: number): Promise<SweepProject> {
  const made = sweepProject();
  made.write("steps/esm.ts", MODULE);
  made.write("steps/old.cjs", COMMONJS);
  made.write("steps/habits.json", "{}");
  made.write(
    "veritest.config.ts",
    `import { esm } from "./steps/esm.ts";
const steps: () => Promise<unknown> = async () => [esm, (await import("./steps/old.cjs")).default.cjs];
export default { steps };`,
  );
  for (const [step, letter, count] of [
    ["esm", "a", esm],
    ["cjs", "b", cjs],
  ] as const) {
    if (count === 0) continue;
    const lines = Array.from({ length: count }, (_, index) => JSON.stringify({ text: `${letter}${index}` }));
    made.write(`${step}.jsonl`, lines.join("\n"));
    const label = ["--label", step];
    const { code } = await made.spawned(["capture", "--step", step, "--input", `${step}.jsonl`, ...label]);
    if (code !== 0) throw new Error(`The captures of ${step} failed.`);
  }
  return made;
}

/** What a sweep printed, its report without times, and what it holds for review. */
async function swept(made: SweepProject, argv: readonly string[], name: string): Promise<unknown> {
  const output = ["--format", "json", "--output", `${name}.json`];
  const environment = { VERITEST_STATE_DIR: join(made.root, name) };
  const { code, out, err } = await made.spawned(["test", ...argv, ...output], { environment });
  const report = made.read(`${name}.json`).replaceAll(/"(startedAt|durationMs)": ?[^,\n}]+/g, '"$1": 0');
  // What steps print goes its own way.
  const told = err.replaceAll(/^heard .*\n/gm, "");
  return {
    code,
    out: out.replace(`report: ${name}.json`, "report"),
    err: told,
    report,
    pending: pendingIn(made, name),
  };
}

function pendingIn(made: SweepProject, name: string): readonly string[] {
  const directory = join(made.root, name, "pending");
  try {
    return readdirSync(directory)
      .toSorted()
      .map((file) => readFileSync(join(directory, file), "utf8").replaceAll(/"(run|at)":"[^"]*"/g, '"$1":""'));
  } catch {
    return [];
  }
}

const habits = fc.array(fc.constantFrom(...HABITS), { maxLength: 40 });

test("any set of cases comes to the same bytes and proposals on one thread, on two and on three", async () => {
  const made = await project(40, 20);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      habits,
      habits,
      fc.subarray(["--label=esm", "--name=nobody", "--step=e*"]),
      async (a, b, chosen) => {
        const all = [...a.map((habit, at) => [`a${at}`, habit]), ...b.map((habit, at) => [`b${at}`, habit])];
        made.write("steps/habits.json", JSON.stringify(Object.fromEntries(all)));
        run += 1;
        const [one, two, three] = await Promise.all(
          [1, 2, 3].map(async (count) => swept(made, [`--workers=${count}`, ...chosen], `r${run}-${count}`)),
        );
        expect(two).toStrictEqual(one);
        expect(three).toStrictEqual(one);
      },
    ),
    { numRuns: 8, endOnFailure: true },
  );
});

test("damage, files that are gone and every command that sweeps come to the same bytes in workers", async () => {
  const made = await project(6, 2);
  const [first = "", second = ""] = made.list("__baselines__/esm");
  made.write(`__baselines__/esm/${first}`, "{ not JSON");
  made.write(`__baselines__/esm/${second}`, made.read(`__baselines__/esm/${second}`).replace('"a', '"z'));
  made.write("steps/habits.json", '{ "a4": "change", "b1": "throw" }');
  for (const command of [["test"], ["diff"], ["replay", "--verify"]]) {
    const [one, two] = [
      await made.spawned([...command, "--workers", "1"]),
      await made.spawned([...command, "--workers", "2"]),
    ];
    expect(two).toStrictEqual(one);
    expect(one.code).toBe(2);
  }
});

test("a slow case holds back those behind it, and not their work", async () => {
  const made = await project(12, 0);
  made.write("steps/habits.json", '{ "a0": "late", "a1": "throw", "a5": "throw", "a11": "throw" }');
  const { out } = await made.spawned(["test", "--workers", "2"]);
  const order = [...out.matchAll(/no luck with (a\d+)/g)].map(([, text]) => text);
  expect(order).toStrictEqual(["a1", "a11", "a5"].toSorted((a, b) => fileOf(made, a) - fileOf(made, b)));
});

/** The place of the file of a text among those of its step. */
function fileOf(made: SweepProject, text: string): number {
  return made
    .list("__baselines__/esm")
    .findIndex((name) => made.read(`__baselines__/esm/${name}`).includes(`"text": "${text}"`));
}

describe("a worker that is lost", () => {
  const shared = project(24, 0);

  async function lost(habitOf: object, argv: readonly string[], nodeOptions = ""): Promise<Ran> {
    const made = await shared;
    made.write("steps/habits.json", JSON.stringify(habitOf));
    return made.spawned(["test", ...argv], { environment: { NODE_OPTIONS: nodeOptions } });
  }

  const ALL_BUT_ONE = "   veritest  24 baselines, 23 clean, 1 failed in <time>\n";

  test("by process.exit fails its case alone", async () => {
    const { code, out, err } = await lost({ a7: "exit" }, ["--workers", "2"]);
    expect({ code, err }).toStrictEqual({ code: 1, err: "" });
    expect(out).toMatch(/^ {2}failed {12}__baselines__\/esm\/esm-8-[0-9a-f]{8}\.json\n/);
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      " execution_failed: It ended the worker that ran it, with exit code 3: let the step throw, or give an error back. ",
    );
    expect(out).toContain(ALL_BUT_ONE);
  });

  test("by running out of memory fails its case alone", async () => {
    const { code, out, err } = await lost({ a7: "fill" }, ["--workers", "2"], "--max-old-space-size=160");
    expect({ code, err }).toStrictEqual({ code: 1, err: "" });
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      " execution_failed: It ran out of memory, and the worker that ran it was ended. " +
        "Give it more by NODE_OPTIONS=--max-old-space-size=<MB>. ",
    );
    expect(out).toContain(ALL_BUT_ONE);
  });

  test("to an endless loop is ended after the time of a case, and its case told so", async () => {
    const { code, out } = await lost({ a7: "loop" }, ["--timeout", "600ms"]);
    expect(code).toBe(1);
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      " timed_out: It did not end within 0.6s and never gave way: the worker that ran it was ended. " +
        "Give it more by --timeout. ",
    );
    expect(out).toContain(ALL_BUT_ONE);
  });

  test("with several cases to blame is told of each", async () => {
    const { code, out } = await lost({ a1: "exit", a2: "loop", a9: "exit" }, ["--workers", "2", "--timeout", "600ms"]);
    expect(code).toBe(1);
    expect(out).toContain("   veritest  24 baselines, 21 clean, 3 failed in <time>\n");
  });

  test("by what a case left running blames no case: it is told of the run", async () => {
    const { code, out } = await lost({ a3: "exits later", all: "wait" }, ["--workers", "2", "--concurrency", "2"]);
    expect(code).toBe(2);
    expect(out).toContain("24 baselines, 24 clean in <time>\n");
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      " Problems A worker was lost (it ended with exit code 4), and none of the cases it ran loses one by itself: " +
        "look for what a step leaves running.",
    );
  });
});

test("what waits for ever, and what is thrown where nobody catches it, is told as on one thread", async () => {
  const made = await project(8, 0);
  made.write("steps/habits.json", '{ "a3": "hang", "a5": "stray" }');
  const [one, two] = [
    await made.spawned(["test", "--workers", "1", "--timeout", "500ms"]),
    await made.spawned(["test", "--workers", "2", "--timeout", "500ms"]),
  ];
  expect(two).toStrictEqual(one);
  expect(two.code).toBe(2);
  expect(two.out).toContain("A step threw where nobody caught it: in a timer\n");
});

test("Ctrl-C lets workers finish what they began, tells what is known, and is 2", async () => {
  const made = await project(40, 0);
  made.write("steps/habits.json", '{ "a0": "throw", "all": "wait" }');
  const { code, out, err } = await made.spawned(["test", "--workers", "2", "--concurrency", "2"], {
    heard: (text, end) => text.includes("no luck") && end("SIGINT"),
  });
  expect({ code, err }).toStrictEqual({
    code: 2,
    err: "veritest: What runs is being finished, nothing more is begun. Ctrl-C again ends it at once.\n",
  });
  const [, checked] = /Interrupted: (\d+) baselines? (?:was|were) checked, the others were not\.\n/.exec(out) ?? [];
  expect(Number(checked)).toBeGreaterThanOrEqual(1);
  expect(Number(checked)).toBeLessThan(40);
});

test("a number that makes no sense, and workers for stored runs, are refused before anything is run", async () => {
  const made = sweepProject();
  for (const count of ["0", "-1", "2.5", "many", "257"]) {
    const { code, err } = await made.veritest(["test", "--workers", count]);
    expect({ code, err }).toStrictEqual({
      code: 2,
      err: `veritest: --workers takes a whole number from 1 to 256, not "${count}".\n`,
    });
  }
});

test("steps that cannot be loaded in a worker are told with the way round", async () => {
  const made = await project(3, 0);
  made.write("steps/esm.ts", `process.chdir(".");\n${made.read("steps/esm.ts")}`);
  const { code, err } = await made.spawned(["test", "--workers", "2"]);
  expect(code).toBe(2);
  expect(err).toMatch(
    /^veritest: A worker cannot load the project: .*: process\.chdir\(\) is not supported in workers\. Run without any: --workers 1\n$/,
  );
  expect((await made.spawned(["test", "--workers", "1"])).code).toBe(0);
});
