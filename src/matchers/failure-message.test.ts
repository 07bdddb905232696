import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { type BaselineLibrary, type StoredCase, openLibrary } from "../baseline/baseline-library.ts";
import { putBaseline } from "../../test-support/put-baseline.ts";
import { stageUpdate } from "../check/update/stage-update.ts";
import type { Check } from "../check/check.ts";
import * as keepable from "../check/update/verify-update.ts";
import { checkWithoutUpdate } from "../check/check.ts";
import { otherChanges } from "../check/update/other-changes.ts";
import { diff } from "../kernel/diff/diff.ts";
import { shapeOfCheck } from "../explain/check-findings.ts";
import { reviewLines } from "../explain/check-lines.ts";
import { emit } from "../kernel/step/command.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { checkInputCase, checkStoredCase } from "../../test-support/check-stored-case.ts";
import { explainFailures, noBaselineMessage } from "./failure-message.ts";
import { runCount } from "../../test-support/run-count.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";

test("a message about a name `:` isn't a log command", () => {
  const check = checkWithoutUpdate({ file: "a.json", path: "/a.json" }, { kind: "missing" });
  const report = { subject: ":", how: "value", checks: [check], updatable: true, utils: {} };
  expect(explainFailures({ ...report, mode: "none" })).toBe(`:\\u003a 1 of 1 baseline missing (value)

  a.json  missing
    there is no such baseline

To capture it, run the test on your machine, without CI=1 or --ci.`);
  const none = noBaselineMessage({ subject: ":", directory: "baselines/", chosen: "", mode: "new" });
  expect(none.split("\n", 1)).toEqual([":\\u003a no baseline in baselines/"]);
});

test("after the first failure of a group shows one line for each other test of the file", () => {
  const changed = (file: string, after: unknown): Check =>
    checkWithoutUpdate(
      { file, path: `/${file}` },
      { kind: "value_changed", changes: [{ part: "output", diff: diff({ a: 1 }, { a: after }) }] },
    );
  const failures = new Map<string, string>();
  const message = (testName: string, checks: readonly Check[], all = false): string =>
    explainFailures({
      subject: "claims",
      how: "replay",
      checks,
      updatable: true,
      mode: "new",
      utils: {},
      all,
      session: {
        testName,
        firstOfGroup: (group) => failures.get(group) ?? (failures.set(group, testName), testName),
        isUsed: () => true,
      },
    });
  const first = message("one", [changed("one.json", 2)]);
  expect(first).toContain("\n  one.json  value_changed\n    a: 1 → 2\n");
  expect(message("two\n::error::", [changed("two.json", 2)])).toBe(
    'claims: 1 of 1 baseline changed, as in the test "one": a: 1 → 2  two.json',
  );
  expect(message("three", [changed("a.json", 2), changed("b.json", 2), changed("c.json", 3)])).toBe(
    'claims: 3 of 3 baselines changed, as in the test "one": a: 1 → number  a.json and 2 more',
  );
  // The same test again, a change of another group, and who wants to see all.
  expect(message("one", [changed("one.json", 2)])).toBe(first);
  expect(message("four", [changed("four.json", "x")])).toContain('a: 1 → "x"\n');
  expect(message("five", [changed("five.json", 2)], true)).toContain("\n    a: 1 → 2\n");
});

const task = (id: string, effort: number): object => ({ id, title: `Task ${id}`, effort });

test.each<[string, object, object, readonly string[]]>([
  [
    "an element with an id that moved",
    [{ id: 1 }, { id: 2 }, { id: 3 }],
    [{ id: 2 }, { id: 3 }, { id: 1, n: 1 }],
    ['Elements of tasks moved. To compare them by id, set keyBy: { tasks: "id" }.'],
  ],
  [
    "elements that all moved and changed",
    [task("a", 1), task("b", 2), task("c", 3)],
    [task("b", 5), task("c", 6), task("a", 7)],
    ['Elements of tasks moved. To compare them by id, set keyBy: { tasks: "id" }.'],
  ],
  [
    "elements in reverse order",
    [task("a", 1), task("b", 2), task("c", 3), task("d", 4)],
    [task("d", 4), task("c", 3), task("b", 2), task("a", 1)],
    ['Elements of tasks moved. To compare them by id, set keyBy: { tasks: "id" }.'],
  ],
  ["elements with other ids", [task("a", 1), task("b", 2)], [task("c", 1), task("d", 2)], []],
  [
    "elements that swapped names",
    [
      { no: 1, name: "a" },
      { no: 2, name: "b" },
    ],
    [
      { no: 1, name: "b" },
      { no: 2, name: "a" },
    ],
    [],
  ],
  [
    "elements of which only the ids were swapped",
    [
      { id: "a", size: 1 },
      { id: "b", size: 2 },
    ],
    [
      { id: "b", size: 1 },
      { id: "a", size: 2 },
    ],
    [],
  ],
  ["elements with the same ids that changed", [task("a", 1), task("b", 2)], [task("a", 2), task("b", 1)], []],
  ["one that only came", [{ id: 1 }, { id: 2 }], [{ id: 3 }, { id: 1 }, { id: 2 }], []],
  [
    "a name that two elements have",
    [{ name: "a" }, { name: "b" }, { name: "c" }],
    [{ name: "b" }, { name: "c" }, { name: "a" }, { name: "a" }],
    [],
  ],
  [
    "elements with names that all moved and changed",
    ["a", "b", "c"].map((name) => ({ name, v: `${name}1` })),
    ["c", "a", "b"].map((name) => ({ name, v: `${name}2` })),
    ['Elements of tasks moved. To compare them by name, set keyBy: { tasks: "name" }.'],
  ],
  [
    "lists in a list",
    [{ rows: [task("a", 1), task("b", 2), task("c", 3), task("d", 4)] }],
    [{ rows: [task("d", 4), task("c", 3), task("b", 2), task("a", 1)] }],
    ['Elements of tasks.rows moved. To compare them by id, set keyBy: { "tasks.rows": "id" }.'],
  ],
  ["strings", ["a", "b", "c"], ["b", "c", "a"], []],
])("suggests keyBy once for a list if its elements have a key: %s", (_what, before, after, hints) => {
  const changes = [{ part: "output", diff: diff({ tasks: before }, { tasks: after }) }] as const;
  const check = checkWithoutUpdate({ file: "a.json", path: "/a.json" }, { kind: "value_changed", changes });
  const known = new Map<string, string>();
  const message = (testName: string): readonly string[] =>
    explainFailures({
      subject: "plan",
      how: "replay",
      checks: [check],
      updatable: true,
      mode: "new",
      utils: {},
      session: {
        testName,
        firstOfGroup: (group) => known.get(group) ?? (known.set(group, testName), testName),
        isUsed: () => true,
      },
    }).split("\n");
  expect(message("one").filter((line) => line.includes("keyBy"))).toStrictEqual(hints);
  expect(message("two").filter((line) => line.includes("keyBy"))).toStrictEqual([]);
});

interface Llm {
  readonly ask: (request: { readonly prompt: string; readonly model: string }) => Promise<string>;
  readonly rate: (text: string) => Promise<number>;
}

/** What may be otherwise than when the case was captured. */
const CHANGES = [
  "prompt",
  "model",
  "code",
  "again",
  "more",
  "fewer",
  "throws",
  "random",
  "tighter",
  "narrower",
  "events",
  "commands",
  "keys",
  "rule",
  "drift",
  "away",
  "damage",
] as const;
type Changes = ReadonlySet<(typeof CHANGES)[number]>;

function stepOf(now: Changes): AnyStep {
  return defineStep({
    name: "sum-up",
    input: z.object({ text: now.has("narrower") ? z.string().max(1) : z.string() }),
    output: z.object({
      summary: now.has("tighter") ? z.string().max(2) : z.string(),
      lines: z.array(z.object({ id: z.string() })),
      score: z.number(),
    }),
    keyBy: { lines: "id" },
    compare: now.has("rule")
      ? {
          score: () => {
            throw new Error("no such field");
          },
        }
      : {},
    run: async ({ text }, { adapters }: StepContext<{ llm: Llm }>) => {
      const request = { prompt: `${now.has("prompt") ? "Briefly" : "Please"} sum up: ${text}`, model: "small" };
      const said = await adapters.llm.ask(now.has("model") ? { ...request, model: "large" } : request);
      const score = now.has("fewer") ? 3 : await adapters.llm.rate(text);
      if (now.has("again")) await adapters.llm.rate(text);
      if (now.has("more")) await adapters.llm.ask({ prompt: "Is it good?", model: "small" });
      if (now.has("throws")) throw new Error("unfit");
      return {
        output: {
          summary: now.has("code") ? said.toUpperCase() : said,
          lines: now.has("keys") ? [{ id: "a" }, { id: "a" }] : [{ id: "a" }],
          score: now.has("random") ? Math.random() : score + (now.has("rule") ? 1 : 0),
        },
        events: [{ type: "paid", payload: { amount: now.has("events") ? 900 : 9 } }],
        commands: now.has("commands") ? [emit("done", 2)] : [emit("done", 1)],
      };
    },
  });
}

function llmOf(now: Changes): { readonly llm: Llm } {
  return {
    llm: {
      ask: async ({ prompt }) => (now.has("drift") ? `${prompt}!` : prompt),
      rate: async () => {
        if (now.has("away")) throw Object.assign(new Error("Service Unavailable"), { status: 503 });
        return 3;
      },
    },
  };
}

const INPUT = { text: "a harbour" };

async function captured(): Promise<BaselineLibrary> {
  const root = join(temporaryProject("words"), "__baselines__");
  const library = openLibrary(root);
  const asked = { input: INPUT, label: "case", mayCapture: true, adapters: llmOf(new Set()) };
  const check = await checkInputCase(stepOf(new Set()), asked, library);
  putBaseline(check.path, check.update?.propose().after ?? "");
  return library;
}

async function failing(found: StoredCase, root: string, now: Changes, live: boolean): Promise<Check> {
  const check = await checkStoredCase(stepOf(now), found, { root, ...(live && { adapters: llmOf(now) }) });
  return stageUpdate(
    check,
    { writes: "new", keepsPending: true },
    {
      stage: () => undefined,
      load: async () => Promise.resolve({ ...keepable, reviewLines, shapeOfCheck, otherChanges }),
    },
  );
}

function messageOf(check: Check): string {
  return explainFailures({
    subject: "sum-up",
    how: "recorded calls",
    checks: [check],
    mode: "new",
    updatable: true,
    rerun: () => "npx vitest run -u",
    utils: {},
  });
}

test("no message repeats its file or any other line", { tags: "deep" }, async () => {
  const library = await captured();
  const [sound] = library.all("sum-up");
  if (sound === undefined) throw new Error("nothing was captured");
  writeFileSync(sound.path, readFileSync(sound.path, "utf8").replace('"score": 3', '"score": 4'));
  const [damaged = sound] = openLibrary(library.root).all("sum-up");
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.subarray([...CHANGES], { minLength: 1, maxLength: 3 }), fc.boolean(), async (changes, live) => {
      const now = new Set(changes);
      const check = await failing(now.has("damage") ? damaged : sound, library.root, now, live);
      if (check.verdict.kind === "clean") return;
      seen.add(check.verdict.kind);
      const message = messageOf(check);
      expect(message.split(check.file).length - 1).toBe(1);
      const lines = message.split("\n").map((line) => line.trim());
      const told = lines.filter((line) => line !== "");
      expect(told.toSorted()).toStrictEqual([...new Set(told)].toSorted());
      // A cause says what no line below it says; of several things it says which.
      const cause = told.find((line) => /^cause: (?!mixed|.*differs from run to run)[^,]*$/.test(line)) ?? "";
      const places = told.flatMap((line) => /^(?:[-+] )?([\w.[\]]+): .* → /.exec(line)?.[1] ?? []);
      expect(places.filter((place) => cause.includes(` ${place}`))).toStrictEqual([]);
    }),
    { numRuns: runCount(300) },
  );
  expect([...seen].toSorted()).toStrictEqual([
    "broken",
    "commands_changed",
    "events_changed",
    "failed",
    "request_changed",
    "schema_violation",
    "value_changed",
  ]);
});

test("what does not replay is reported with what varies, and no advice to accept it", async () => {
  const library = await captured();
  const [found] = library.all("sum-up");
  if (found === undefined) throw new Error("nothing was captured");
  const message = messageOf(await failing(found, library.root, new Set(["random"]), false));
  expect(message.replaceAll(found.file, "FILE").replaceAll(/0\.\d+(?:e-\d+)?/g, "0.N")).toBe(
    `sum-up: 1 of 1 baseline changed (recorded calls)

  FILE  value_changed
    cause: code (differs from run to run with the same responses; Math.random at src/matchers/failure-message.test.ts:217:43)
    score: 3 → 0.N
    The result isn't stored, because it isn't reproducible: when veritest ran the step again with the recorded responses, it returned output.score: 0.N → 0.N. The step reads Math.random at src/matchers/failure-message.test.ts:217:43 directly. Read it from an adapter, so that veritest records it.`,
  );
});
