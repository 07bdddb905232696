import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import type { CompareBy } from "../kernel/diff/compare-rules.ts";
import { anything, within } from "../kernel/diff/tolerances.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { run } from "../kernel/step/run.ts";
import type { UpdateMode } from "../kernel/write-policy.ts";
import "../vitest-types.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";

interface Llm {
  ask(prompt: string): Promise<number>;
}

const stage = new MatcherStage(expect);

beforeEach(() => {
  stage.begin();
  stage.holds = true;
  stage.projectMode = "live";
});

afterEach(() => {
  delete process.env["VERITEST_MODE"];
});

interface Receipt {
  readonly total: number;
  readonly at?: number;
}

function stepOf(
  today: (answer: number) => Receipt,
  { compare = {}, prompt = "total of" }: { compare?: CompareBy; prompt?: string } = {},
): AnyStep {
  return defineStep({
    name: "read",
    input: z.object({ text: z.string() }),
    output: z.object({ total: z.number(), at: z.number().optional() }),
    compare,
    run: async ({ text }, { adapters }: StepContext<{ llm: Llm }>) => ({
      output: today(await adapters.llm.ask(`${prompt} ${text}`)),
    }),
  });
}

const same = (total: number): Receipt => ({ total });
const step = stepOf(same);
const input = { text: "a" };

/** A model that answers one number after the other, and the last one from then on. */
function answering(...answers: readonly number[]): { llm: Llm; asked: () => number } {
  let asked = 0;
  return { llm: { ask: async () => answers[Math.min(asked++, answers.length - 1)] ?? 0 }, asked: () => asked };
}

async function capture(of: AnyStep = step, next: UpdateMode = "new"): Promise<void> {
  await expect(of).toMatchBaseline({ input, adapters: answering(9), name: "a" });
  stage.settle(next);
}

test("a changed value is pending with what was shown, and fails", async () => {
  await capture();
  expect(await stage.message(() => expect(step).toMatchBaseline({ input, adapters: answering(10), name: "a" }))).toBe(
    `read: 1 of 1 baseline changed (live adapters)

  ROOT/read/a-HASH.json  value_changed
    cause: model (same requests, different responses: llm.ask)
    total: 9 → 10

Review the changes. Accept them with -u, or accept exactly these with: npx veritest review`,
  );
  expect(stage.changes).toMatchObject([
    {
      intent: "review",
      verdict: "value_changed",
      shown: [
        "    cause: model (same requests, different responses: llm.ask)",
        "    total: 9 → 10",
        "    also written: calls[0].response: 9 → 10",
      ],
      update: { kind: "update", group: "read" },
    },
  ]);
});

test("shows two hundred changes in a review, and ten in a failing test", async () => {
  const wide = (fill: number): object =>
    Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, fill]));
  await expect(wide(1)).toMatchBaseline({ name: "wide" });
  stage.settle("new");
  const shown = await stage.message(() => expect(wide(2)).toMatchBaseline({ name: "wide" }));
  expect(shown).toContain("… and 290 more changes");
  expect(stage.changes[0]?.shown).toHaveLength(201);
  expect(stage.changes[0]?.shown.at(-1)).toBe("    … and 100 more changes");
});

test("-u refuses a step that doesn't replay, names the path that varies, and stages nothing", async () => {
  await capture();
  stage.mode = "all";
  const unstable = stepOf((total) => ({ total, at: Math.random() }));
  expect(
    await stage.message(() => expect(unstable).toMatchBaseline({ input, adapters: answering(9), name: "a" })),
  ).toMatch(
    /^read: 1 of 1 baseline failed \(live adapters\)\n\n {2}ROOT\/read\/a-HASH\.json {2}failed\n {4}not_replayable: The result isn't stored, because it isn't reproducible: when veritest ran the step again with the recorded responses, it returned output\.at: [\d.e-]+ → [\d.e-]+\. The step reads Math\.random at src\/matchers\/live-matchers\.test\.ts:LINE directly\. Read it from an adapter, so that veritest records it\.$/,
  );
  expect([stage.staged.size, stage.changes]).toStrictEqual([0, []]);
  expect(stage.checks[0]?.verdict).toMatchObject({ kind: "failed", error: { code: "not_replayable" } });
});

test("the refusal names the path of a varying request", async () => {
  let asked = 0;
  const counting = {
    ...step,
    run: async (_: unknown, ctx: StepContext<object>) => {
      const { llm }: { llm?: Llm } = ctx.adapters;
      asked += 1;
      return { output: { total: (await llm?.ask(`question ${asked}`)) ?? 0 } };
    },
  };
  expect(
    await stage.message(() => expect(counting).toMatchBaseline({ input, adapters: answering(9), name: "a" })),
  ).toContain(
    'it sent a different request to adapter "llm.ask": request[0]: "question 1" → "question 2". Read the value that varies',
  );
});

test("a response passed on as text keeps the order of its keys, in the file too", async () => {
  const found = { name: "Ann", age: 7, address: { street: "b", city: "a" } };
  const handsOn = defineStep({
    name: "hands-on",
    input: z.looseObject({}),
    output: z.object({ total: z.number() }),
    run: async (asked, { adapters: { llm, db } }: StepContext<{ llm: Llm; db: { get: () => Promise<object> } }>) => ({
      output: { total: await llm.ask(JSON.stringify([asked, await db.get()])) },
    }),
  });
  const adapters = { ...answering(9), db: { get: async () => found } };
  await expect(handsOn).toMatchBaseline({ input: { z: 1, a: 2 }, adapters, name: "a" });
  stage.settle("new");
  await expect(handsOn).toReplay();
  await expect(handsOn).toRecomputeClean();
});

test("an event that reports something else is reported, with its cause, and nothing is written before it was shown", async () => {
  const reporting = (amount: number, total = (answer: number) => answer) => ({
    ...stepOf(same),
    run: async ({ text }: { text: string }, { adapters, emitEvent }: StepContext<{ llm: Llm }>) => {
      emitEvent({ type: "asked", payload: { text } });
      emitEvent({ type: "paid", payload: { amount } });
      return { output: { total: total(await adapters.llm.ask(text)) } };
    },
  });
  const told = async (of: AnyStep): Promise<string> =>
    stage.message(() => expect(of).toMatchBaseline({ input, adapters: answering(9), name: "a" }));
  await capture(reporting(9));
  expect(await told(reporting(9))).toBe("it passed");
  expect(await told(reporting(900))).toBe(`read: 1 of 1 baseline changed (live adapters)

  ROOT/read/a-HASH.json  events_changed
    cause: code (same requests, same responses, new output)
    events[1].payload.amount: 9 → 900

Review the changes. Accept them with -u, or accept exactly these with: npx veritest review`);
  expect(stage.changes).toMatchObject([{ intent: "review", verdict: "events_changed" }]);
  const compare = { "events.payload.amount": within(0.5) };
  const near = { input, adapters: answering(9), name: "a", compare };
  expect(await stage.message(() => expect(reporting(9.4)).toMatchBaseline(near))).toBe("it passed");
  expect(await stage.message(() => expect(reporting(9.6)).toMatchBaseline(near))).toContain(
    "events[1].payload.amount: 9 → 9.6",
  );
  expect(await stage.message(() => expect(reporting(900)).toRecomputeClean())).toContain(
    "events[1].payload.amount: 9 → 900",
  );
  expect(await told(reporting(900, (answer) => answer + 1))).toContain(
    "value_changed\n    cause: code (same requests, same responses, new output)\n    total: 9 → 10\n    events[1].payload.amount: 9 → 900\n",
  );
});

test("values within the step's tolerances may vary in a replay too", async () => {
  const stamped = stepOf((total) => ({ total, at: Math.random() }), { compare: { at: anything() } });
  await expect(stamped).toMatchBaseline({ input, adapters: answering(9), name: "a" });
  const run = async (_: unknown, { emitEvent }: StepContext<object>) => {
    emitEvent({ type: "read", payload: { at: Math.random() } });
    return { output: { total: 9 } };
  };
  const reported = { ...stepOf(same, { compare: { "events.payload.at": anything() } }), run };
  await expect(reported).toMatchBaseline({ input, adapters: {}, name: "b" });
  expect(stage.changes).toMatchObject([1, 2].map(() => ({ intent: "write", verdict: "missing" })));
});

test("a second result for one case in a run isn't pending", async () => {
  await capture();
  stage.mode = "all";
  await expect(step).toMatchBaseline({ input, adapters: answering(10), name: "a" });
  stage.mode = "new";
  await stage.message(() => expect(step).toMatchBaseline({ input, adapters: answering(12), name: "a" }));
  expect(stage.changes).toHaveLength(1);
});

test("in CI without a state directory nothing is pending", async () => {
  await capture(step, "none");
  stage.holds = false;
  const model = answering(10);
  await stage.message(() => expect(step).toMatchBaseline({ input, adapters: model, mode: "live", name: "a" }));
  expect([stage.changes, model.asked()]).toStrictEqual([[], 1]);
});

test("CI with a state directory runs a new case, keeps it pending, and fails it as missing", async () => {
  stage.mode = "none";
  expect(await stage.message(() => expect(step).toMatchBaseline({ input, adapters: answering(9), name: "a" }))).toBe(
    `read: 1 of 1 baseline missing (live adapters)

  ROOT/read/a-HASH.json  missing
    there is no such baseline

Its result is pending. Review and accept it with: npx veritest review --from veritest-state.zip`,
  );
  expect(stage.changes).toMatchObject([{ intent: "review", verdict: "missing", update: { kind: "add" } }]);
});

test("in CI a new case whose run fails stays missing, and says why nothing is pending", async () => {
  stage.mode = "none";
  const offline = { llm: { ask: () => Promise.reject(new Error("no key")) } };
  expect(await stage.message(() => expect(step).toMatchBaseline({ input, adapters: offline, name: "a" }))).toBe(
    `read: 1 of 1 baseline missing (live adapters)

  ROOT/read/a-HASH.json  missing
    there is no such baseline
    The result can't be stored: its run failed with execution_failed: no key

To capture it, run the test on your machine, without CI=1 or --ci.`,
  );
  expect(stage.changes).toStrictEqual([]);
});

interface Wishes {
  readonly update?: UpdateMode;
  readonly variable?: string;
  readonly project?: string;
  readonly option?: "replay" | "live";
}

test.each<[string, Wishes, "recorded" | "live"]>([
  ["as the project says", { project: "replay" }, "recorded"],
  ["as the test says, over the project", { option: "live", project: "replay" }, "live"],
  ["as the run says, over all, in CI too", { update: "none", variable: "live", option: "replay" }, "live"],
])("uses the given adapters: %s", async (_title, { update = "new", variable, project = "live", option }, expected) => {
  await capture();
  stage.mode = update;
  stage.projectMode = project;
  if (variable !== undefined) process.env["VERITEST_MODE"] = variable;
  const model = answering(9);
  const mode = option === undefined ? {} : { mode: option };
  await expect(step).toMatchBaseline({ input, adapters: model, name: "a", ...mode });
  await expect(step).toRecomputeClean({ adapters: model, ...mode });
  expect(model.asked()).toBe(expected === "live" ? 2 : 0);
  expect(stage.checks.map(({ findings }) => findings.source)).toStrictEqual([expected, expected]);
});

test("auto calls the adapters for an unrecorded request", async () => {
  await capture();
  const model = answering(10);
  const reworded = stepOf(same, { prompt: "the total of" });
  expect(
    await stage.message(() => expect(reworded).toMatchBaseline({ input, adapters: model, mode: "auto", name: "a" })),
  ).toBe(
    `read: 1 of 1 baseline changed (live adapters)

  ROOT/read/a-HASH.json  value_changed
    cause: prompt (llm.ask request[0] changed)
    total: 9 → 10

Review the changes. Accept them with -u, or accept exactly these with: npx veritest review`,
  );
  expect([model.asked(), stage.checks[0]?.findings.source]).toStrictEqual([1, "live"]);
});

test("auto fails in CI on an unrecorded request with an equal result, whose new recording is pending", async () => {
  await capture();
  const reworded = stepOf(same, { prompt: "the total of" });
  const auto = { input, adapters: answering(9), mode: "auto", name: "a" } as const;
  stage.isCi = true;
  stage.mode = "none";
  try {
    await expect(step).toMatchBaseline(auto);
    expect(await stage.message(() => expect(reworded).toMatchBaseline(auto))).toContain(
      `  ROOT/read/a-HASH.json  request_changed
    cause: prompt
    adapter "llm.ask" was called with a request that wasn't recorded (1 recorded for it)
    request[0]: "total of a" → "the total of a"
`,
    );
    expect(stage.checks.map(({ verdict, update }) => [verdict.kind, update?.state])).toStrictEqual([
      ["clean", undefined],
      ["request_changed", "pending"],
    ]);
    await expect(reworded).toMatchBaseline({ ...auto, strictRequests: false });
  } finally {
    stage.isCi = false;
  }
});

test("strictRequests fails a live check with an unrecorded request, even with an equal result", async () => {
  await capture();
  const reworded = stepOf(same, { prompt: "the total of" });
  const asked = { input, adapters: answering(9), name: "a" };
  await expect(reworded).toMatchBaseline(asked);
  await expect(step).toMatchBaseline({ ...asked, strictRequests: true });
  stage.checks = [];
  const failed = await stage.message(() => expect(reworded).toMatchBaseline({ ...asked, strictRequests: true }));
  expect(failed.split("\n").slice(0, 7)).toStrictEqual([
    "read: 1 of 1 baseline failed (live adapters)",
    "",
    "  ROOT/read/a-HASH.json  request_changed",
    "    cause: prompt",
    '    adapter "llm.ask" was called with a request that wasn\'t recorded (1 recorded for it)',
    '    request[0]: "total of a" → "the total of a"',
    "",
  ]);
  // The pending update has the new response.
  expect(failed).not.toContain("keeps the recorded responses");
  expect(failed).toContain(
    "Review the changes. Accept them with -u, or accept exactly these with: npx veritest review",
  );
  expect(stage.checks.map(({ verdict, update }) => [verdict.kind, update?.state])).toStrictEqual([
    ["request_changed", "pending"],
  ]);
  process.env["VERITEST_REDACTION"] = JSON.stringify({ strictRequests: true });
  try {
    expect(await stage.message(() => expect(reworded).toRecomputeClean({ adapters: answering(9) }))).toContain(
      "request_changed",
    );
    await expect(reworded).toRecomputeClean({ adapters: answering(9), strictRequests: false });
    stage.settle("all");
    await expect(reworded).toMatchBaseline(asked);
    stage.settle("none");
    await expect(reworded).toMatchBaseline({ input, name: "a" });
  } finally {
    delete process.env["VERITEST_REDACTION"];
  }
});

test.each([
  ["a busy model", Object.assign(new Error("503 overloaded"), { status: 503 }), true],
  ["a bug of the step", new TypeError("x is undefined"), false],
])("doesn't blame the step for a service error: %s", async (_, thrown, isOutage) => {
  await capture();
  const llm = { ask: async () => Promise.reject(thrown) };
  const told = await stage.message(() => expect(step).toMatchBaseline({ input, adapters: { llm }, name: "a" }));
  const [outage, mend] = [
    "A service that a live adapter called is busy or unavailable",
    "-u doesn't accept failures. Fix the step",
  ];
  expect([told.includes(outage), told.includes(mend)]).toStrictEqual([isOutage, !isOutage]);
});

test.each([
  [
    401,
    "The credentials were refused (401). The step isn't the cause. Set the key, or run with recorded responses: VERITEST_MODE=replay.",
  ],
  [400, "A service refused the request (400), so no response could be compared. Fix the request, and run again."],
])("names what a service refused, without a cause or advice to delete: %d", async (status, advice) => {
  await capture();
  const llm = { ask: async () => Promise.reject(Object.assign(new Error("no"), { status })) };
  const told = await stage.message(() => expect(step).toMatchBaseline({ input, adapters: { llm }, name: "a" }));
  expect(told).toContain(advice);
  expect(told).not.toContain("delete the baseline");
  expect(told).not.toContain("cause:");
});

test.each([
  [401, "The credentials were refused (401). The step isn't the cause. Set the key."],
  [503, "busy or unavailable (503). The step isn't the cause. Run the test again later."],
])("doesn't advise a replay for a case without a recording: %d", async (status, advice) => {
  const llm = { ask: async () => Promise.reject(Object.assign(new Error("no"), { status })) };
  const told = await stage.message(() => expect(step).toMatchBaseline({ input, adapters: { llm }, name: "new" }));
  expect(told).toContain(advice);
});

test("counts recorded calls that weren't made", async () => {
  await capture();
  const silent = defineStep({
    name: "read",
    input: z.object({ text: z.string() }),
    output: z.object({ total: z.number() }),
    run: () => ({ output: { total: 10 } }),
  });
  expect(await stage.message(() => expect(silent).toRecomputeClean())).toContain(
    "    total: 9 → 10\n    1 recorded call wasn't made: llm.ask\n",
  );
});

/** A prompt of about 3 KB, with its two sentences that change. */
function promptOf(style: string, limit: string): string {
  const rules = Array.from(
    { length: 40 },
    (_, index) => `Rule ${index + 1}: keep the wording of the source, and name the line it stands in.`,
  );
  return [
    `You extract claims from a document. ${style} Use no markdown.`,
    ...rules,
    `Give ${limit} claims, each with an id of its own.`,
  ].join("\n");
}

test("an unrecorded request with a changed prompt of 3 KB fits one screen, and marks changed words", async () => {
  const reads = (prompt: string): AnyStep => stepOf(same, { prompt });
  const old = promptOf("Answer briefly.", "at most ten");
  expect(old.length).toBeGreaterThan(3000);
  await capture(reads(old), "none");
  const shown = await stage.message(() =>
    expect(reads(promptOf("Answer in whole sentences, in the language of the text.", "all"))).toMatchBaseline({
      input,
      adapters: answering(9),
      name: "a",
    }),
  );
  expect(shown).toMatchInlineSnapshot(`
    "read: 1 of 1 baseline failed (recorded calls)

      ROOT/read/a-HASH.json  request_changed
        cause: prompt
        adapter "llm.ask" was called with a request that wasn't recorded (1 recorded for it)
        request[0]: 3,066 characters (was 3,034), 2 wording changes
          word 8: … from a document. Answer [-briefly.-]{+in whole sentences, in
            the language of the text.+} Use no markdown.\\nRule 1: …
          word 621: … the line it stands in.\\nGive [-at most ten-]{+all+} claims,
            each with an id of …

    Is the new request intended? Record its response:

      npx vitest run src/matchers/live-matchers.test.ts -t "^the test$" -u"
  `);
  const lines = shown.split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(Math.max(...lines.filter((line) => !line.includes("npx")).map((line) => line.length))).toBeLessThanOrEqual(
    100,
  );
});

test("trials: enough clean ones pass, and end as soon as the result is certain", async () => {
  await capture();
  const model = answering(9, 10, 9, 9);
  await expect(step).toRecomputeClean({ adapters: model, trials: 5, min: 3 });
  expect(model.asked()).toBe(4);
  expect(stage.checks[0]?.findings.trials).toMatchObject({
    planned: 5,
    min: 3,
    run: 4,
    clean: 3,
    classes: { clean: 3, value_changed: 1 },
    unstable: [{ path: ["total"], equal: 3, of: 4 }],
  });
});

test("trials: too few clean ones fail with their share, its interval, the classes and varying paths", async () => {
  await capture();
  const model = answering(9, 10, 9, 11, 9);
  expect(await stage.message(() => expect(step).toRecomputeClean({ adapters: model, trials: 10, min: 9 }))).toBe(
    `read: 1 of 1 baseline changed (recompute with live adapters)

  ROOT/read/a-HASH.json  value_changed
    2 of 4 trials clean, 9 of 10 required (95% interval 15–85%): clean 2, value_changed 2
    same as the baseline: total 2/4
    cause: model (same requests, different responses: llm.ask)
    total: 9 → 10

Review the changes. Accept them with -u, or accept exactly these with: npx veritest review`,
  );
  expect(model.asked()).toBe(4);
});

test("trials: a list that lost and gained elements at one place differs once in each trial", async () => {
  const letters = (list: readonly string[]): AnyStep =>
    defineStep({
      name: "letters",
      input: z.object({}),
      output: z.object({ list: z.array(z.string()) }),
      run: async () => ({ output: { list: [...list] } }),
    });
  await expect(letters(["a", "b", "c", "d", "e"])).toMatchBaseline({ input: {}, name: "list" });
  stage.settle("new");
  const changed = letters(["a", "b", "X", "Y", "c", "e"]);
  await stage.message(() => expect(changed).toRecomputeClean({ adapters: {}, trials: 3 }));
  const { unstable = [] } = stage.checks.at(-1)?.findings.trials ?? {};
  expect(unstable).not.toStrictEqual([]);
  expect(unstable.map(({ equal }) => equal).filter((equal) => equal < 0)).toStrictEqual([]);
});

test("trials: all must be clean without a minimum; a failure counts as its own class", async () => {
  await capture();
  const broken = { llm: { ask: () => Promise.reject(new Error("503")) } };
  expect(await stage.message(() => expect(step).toRecomputeClean({ adapters: broken, trials: 3 }))).toContain(
    "  failed\n    0 of 1 trials clean, 3 of 3 required (95% interval 0–79%): failed 1\n    cause: model (llm.ask failed: 503)\n    execution_failed: 503\n",
  );
});

test.each<[object, string]>([
  [
    { trials: 3 },
    'toRecomputeClean: trials need live adapters, because recorded responses are the same each time. Pass { adapters, mode: "live", trials }.',
  ],
  [
    { adapters: answering(9), trials: 3, mode: "replay" },
    'toRecomputeClean: trials need live adapters, but mode is "replay". Set mode to "live", or remove trials.',
  ],
  [{ adapters: answering(9), trials: 0 }, "toRecomputeClean: trials must be an integer from 1 to 1000, got 0."],
  [{ adapters: answering(9), trials: 1001 }, "toRecomputeClean: trials must be an integer from 1 to 1000, got 1001."],
  [
    { adapters: answering(9), trials: 2, min: 3 },
    "toRecomputeClean: min must be an integer from 1 to trials (2), got 3.",
  ],
  [
    { adapters: answering(9), min: 3 },
    "toRecomputeClean: min is the number of trials that must pass, so it needs trials. Pass both: { trials: 10, min: 9 }.",
  ],
])("refuses invalid options of trials: %o", async (options, refusal) => {
  await capture();
  expect(await stage.message(() => expect(step).toRecomputeClean(options))).toBe(refusal);
});

test("a tolerated difference passes and is noted, and -u keeps the baseline", async () => {
  const tolerant = stepOf(same, { compare: { total: within(1) } });
  await capture(tolerant, "all");
  expect(stage.changes).toStrictEqual([]);
  await expect(tolerant).toMatchBaseline({ input, adapters: answering(10), name: "a" });
  await expect(tolerant).toRecomputeClean({ adapters: answering(9.5) });
  expect(stage.checks.map(({ verdict }) => verdict)).toMatchObject([
    { kind: "clean", tolerated: [{ rule: "total", label: "within 1", entry: { before: 9, after: 10 } }] },
    { kind: "clean", tolerated: [{ entry: { after: 9.5 } }] },
  ]);
  expect(stage.changes).toStrictEqual([]);
  expect(readFileSync(stage.checks[0]?.path ?? "", "utf8")).toContain('"total": 9\n');
});

test("a tolerated difference is reported beside a change; the matcher's rules stand in for the step's", async () => {
  const stamped = (at: number): AnyStep => stepOf((total) => ({ total, at }), { compare: { at: anything() } });
  await capture(stamped(1));
  expect(
    await stage.message(() => expect(stamped(2)).toMatchBaseline({ input, adapters: answering(10), name: "a" })),
  ).toContain("    total: 9 → 10\n    tolerated (ignored): at: 1 → 2\n\nReview");
  expect(
    await stage.message(() =>
      expect(stamped(2)).toMatchBaseline({ input, adapters: answering(9), name: "a", compare: { total: within(1) } }),
    ),
  ).toContain("    at: 1 → 2\n");
});

test("a rule that didn't tolerate any difference while other things differed is reported; among equal cases it is not", async () => {
  const compare = { total: within(0.5), at: anything() };
  const stamped = (at: number): AnyStep => stepOf((total) => ({ total, at }), { compare });
  await capture(stamped(1));
  expect(await stage.message(() => expect(stamped(2)).toRecomputeClean({ adapters: answering(10) }))).toBe(
    `read: 1 of 1 baseline changed (recompute with live adapters)

  ROOT/read/a-HASH.json  value_changed
    cause: mixed: code (with the recorded responses: at: 1 → 2), model (same requests, different responses: llm.ask)
    total: 9 → 10
    tolerated (ignored): at: 1 → 2

The compare rule for "total" had no effect in this baseline. If you don't need it, remove it.
Review the changes. Accept them with -u, or accept exactly these with: npx veritest review`.replace(
      "cause: mixed: code (with the recorded responses: at: 1 → 2), model",
      "cause: model",
    ),
  );
  expect(await stage.message(() => expect(stamped(1)).toRecomputeClean())).toBe("it passed");
});

test("applies rules to results and values too", async () => {
  const tolerant = stepOf(same, { compare: { total: within(1) } });
  const result = await run(tolerant, input, { adapters: answering(9) });
  await expect(result).toMatchBaseline({ name: "result" });
  await expect({ lines: [{ sku: "A", price: 1 }] }).toMatchBaseline({ name: "value", keyBy: { lines: "sku" } });
  stage.settle("new");
  const next = await run(tolerant, input, { adapters: answering(9.5) });
  await expect(next).toMatchBaseline({ name: "result", compare: { total: within(1) } });
  const rules = { name: "value", keyBy: { lines: "sku" }, compare: { "lines.price": within(0.1) } };
  await expect({ lines: [{ sku: "A", price: 1.05 }] }).toMatchBaseline(rules);
  expect(await stage.message(() => expect({ lines: [{ sku: "A", price: 2 }] }).toMatchBaseline(rules))).toContain(
    "lines.A.price: 1 → 2",
  );
});

test("a rule that throws fails the comparison, by name", async () => {
  const failing = (): boolean => {
    throw new Error("no such field");
  };
  await capture();
  expect(
    await stage.message(() => expect(step).toRecomputeClean({ adapters: answering(10), compare: { total: failing } })),
  ).toContain('Cannot compare with it: compare: "total" threw: no such field. Fix that rule.');
});

test("a pure step passes, on an input and on its baselines; its adapters may be impure", async () => {
  const timed = { llm: { ask: async () => Date.now() - Date.now() + 9 } };
  await expect(step).toBePure({ input, adapters: timed });
  await capture();
  await expect(step).toBePure();
});

test("reports hidden time and random numbers with their lines", async () => {
  await capture();
  const impure = stepOf((total) => ({ total: Math.min(total, Date.now()), at: Math.random() }));
  const found = `read: isn't pure

  Date.now  src/matchers/live-matchers.test.ts:LINE
  Math.random  src/matchers/live-matchers.test.ts:LINE

Read it from an adapter (clock, random, ids), so that veritest records and replays it.`;
  for (const options of [{ input, adapters: answering(9) }, undefined]) {
    expect(await stage.message(() => expect(impure).toBePure(options))).toBe(found);
  }
});

test("a step that doesn't end isn't called pure", async () => {
  await capture();
  const reworded = stepOf(same, { prompt: "sum of" });
  expect(await stage.message(() => expect(reworded).toBePure())).toBe(
    `read: didn't finish, so veritest can't tell if it's pure

These runs didn't finish:
  ROOT/read/a-HASH.json: the step sends a request that isn't recorded`,
  );
  expect(await stage.message(() => expect(step).toBePure({ input: { text: 1 }, adapters: answering(9) }))).toContain(
    "  input_validation: text: Invalid input",
  );
  expect(await stage.message(() => expect(step).toBePure({ names: ["none"] }))).toContain(
    'read: no baseline with names ["none"]',
  );
  const { not } = expect<unknown>(step);
  const negated: unknown = Reflect.get(not, "toBePure");
  const call = async (): Promise<unknown> => (typeof negated === "function" ? Reflect.apply(negated, not, []) : "");
  expect(await stage.message(call)).toBe(
    "toBePure can't be used with .not. If the step may vary, remove the assertion.",
  );
});
