import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { withCheckRules } from "../redact/check-rules.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
let requests: string[] = [];

beforeEach(() => {
  stage.begin();
  stage.projectMode = undefined;
  stage.isCi = false;
  requests = [];
});

afterEach(() => {
  delete process.env["VERITEST_MODE"];
});

const adapters = {
  llm: {
    ask: async (prompt: string) => {
      requests.push(prompt);
      return prompt.length;
    },
  },
};

function count(prompt: (text: string) => string = (text) => `Count: ${text}`): AnyStep {
  return defineStep({
    name: "count",
    input: z.object({ text: z.string() }),
    output: z.object({ count: z.number() }),
    run: async ({ text }, { adapters: { llm } }: StepContext<typeof adapters>) => ({
      output: { count: await llm.ask(prompt(text)) },
    }),
  });
}

/** Sends another request for one of the two stored cases. */
const changed = (): AnyStep => count((text) => (text === "b" ? "Count the letters: b" : `Count: ${text}`));

async function captured(): Promise<void> {
  for (const text of ["a", "b"]) await expect(count()).toMatchBaseline({ input: { text }, name: text, adapters });
  stage.settle("new");
  requests = [];
}

test("a new case calls the adapters, and a stored one replays without calls", async () => {
  await expect(count()).toMatchBaseline({ input: { text: "a" }, name: "a", adapters });
  expect(requests).toStrictEqual(["Count: a"]);
  stage.settle("new");
  await expect(count()).toMatchBaseline({ input: { text: "a" }, name: "a", adapters });
  await expect(count()).toRecomputeClean({ adapters });
  stage.settle("all");
  await expect(count()).toMatchBaseline({ input: { text: "a" }, name: "a", adapters });
  await expect(count()).toRecomputeClean({ adapters });
  expect(requests).toStrictEqual(["Count: a"]);
  expect(stage.checks.map(({ findings }) => findings.source)).toStrictEqual(["recorded", "recorded"]);
});

test("a changed request fails with its diff and the command that records it, without calls", async () => {
  await captured();
  const failed = await stage.message(() =>
    expect(changed()).toMatchBaseline({ input: { text: "b" }, name: "b", adapters }),
  );
  expect(failed).toBe(`count: 1 of 1 baseline failed (recorded calls)

  ROOT/count/b-HASH.json  request_changed
    cause: prompt
    adapter "llm.ask" was called with a request that wasn't recorded (1 recorded for it)
    request[0]: "Count: b" → "Count the letters: b"

Is the new request intended? Record its response:

  npx vitest run src/matchers/default-mode.test.ts -t "^the test$" -u`);
  expect([requests, stage.changes]).toStrictEqual([[], []]);
});

test("-u calls the adapters only for the case with the unrecorded request, and records it", async () => {
  await captured();
  stage.mode = "all";
  for (const text of ["a", "b"]) await expect(changed()).toMatchBaseline({ input: { text }, name: text, adapters });
  expect(requests).toStrictEqual(["Count the letters: b"]);
  expect(stage.checks.map(({ findings, update }) => [findings.source, update?.state])).toStrictEqual([
    ["recorded", undefined],
    ["live", "toWrite"],
  ]);
  stage.settle("none");
  await expect(changed()).toRecomputeClean();
});

test("-u records unrecorded requests of a check of all cases too", async () => {
  await captured();
  stage.mode = "all";
  await expect(changed()).toRecomputeClean({ adapters });
  expect(requests).toStrictEqual(["Count the letters: b"]);
});

test("-u doesn't call adapters for a change of the code", async () => {
  await captured();
  const doubled = defineStep({
    name: "count",
    input: z.object({ text: z.string() }),
    output: z.object({ count: z.number() }),
    run: async ({ text }, { adapters: { llm } }: StepContext<typeof adapters>) => ({
      output: { count: (await llm.ask(`Count: ${text}`)) * 2 },
    }),
  });
  stage.mode = "all";
  await expect(doubled).toRecomputeClean({ adapters });
  expect(requests).toStrictEqual([]);
  expect(stage.checks.map(({ update }) => update?.state)).toStrictEqual(["toWrite", "toWrite"]);
});

test("CI calls no adapter, even with -u: a changed request fails, and a new case is missing", async () => {
  await captured();
  stage.isCi = true;
  for (const mode of ["none", "all"] as const) {
    stage.mode = mode;
    expect(await stage.message(() => expect(changed()).toRecomputeClean({ adapters }))).toContain("request_changed");
    const other = await stage.message(() =>
      expect(changed()).toMatchBaseline({ input: { text: "b" }, name: "b", adapters }),
    );
    expect(other.split("\n").slice(-3)).toStrictEqual([
      `Is the new request intended? Record its response${mode === "none" ? "" : " outside of CI"}:`,
      "",
      '  npx vitest run src/matchers/default-mode.test.ts -t "^the test$" -u',
    ]);
    const added = await stage.message(() =>
      expect(count()).toMatchBaseline({ input: { text: "c" }, name: "c", adapters }),
    );
    const [, , found = "", ...lines] = added.split("\n");
    expect(found.trim()).toBe(`ROOT/count/c-HASH.json  ${mode === "none" ? "missing" : "failed"}`);
    expect(lines.join("\n")).toContain(
      'no_adapters: Step "count" called adapter "llm.ask", but a new case has no recorded calls, and this run ' +
        "doesn't call live adapters. Capture the case once on your machine, without CI=1 or --ci, and with VERITEST_MODE=live.",
    );
  }
  expect(requests).toStrictEqual([]);
});

test("CI calls the adapters if the run requests it", async () => {
  await captured();
  stage.isCi = true;
  stage.mode = "none";
  process.env["VERITEST_MODE"] = "live";
  await expect(count()).toRecomputeClean({ adapters });
  expect(requests).toStrictEqual(["Count: a", "Count: b"]);
});

test.each<[string, () => void]>([
  ["the test's", () => undefined],
  ["the project's", () => (stage.projectMode = "replay")],
])("if %s mode is replay, -u alone doesn't call the adapters, and the command uses live", async (whose, choose) => {
  await captured();
  choose();
  for (const mode of ["new", "all"] as const) {
    stage.mode = mode;
    const failed = await stage.message(() =>
      expect(changed()).toRecomputeClean({ adapters, ...(whose === "the test's" && { mode: "replay" }) }),
    );
    expect(failed).toContain(
      '\n  VERITEST_MODE=live npx vitest run src/matchers/default-mode.test.ts -t "^the test$" -u',
    );
  }
  expect(requests).toStrictEqual([]);
});

test("trials run once in a replay, and as often as configured live", async () => {
  await captured();
  await expect(count()).toRecomputeClean({ adapters, trials: 2 });
  expect(requests).toStrictEqual([]);
  expect(stage.checks.map(({ findings }) => findings.trials)).toStrictEqual([undefined, undefined]);
  await expect(count()).toRecomputeClean({ adapters, trials: 2, mode: "live" });
  expect(requests).toStrictEqual(["Count: a", "Count: a", "Count: b", "Count: b"]);
});

const INPUT = { text: "a" };

/** Every matcher that runs a step without a baseline of its own. */
const RUNNING: readonly (readonly [string, (step: AnyStep, input?: object) => Promise<void>])[] = [
  ["toCall", (step, input = INPUT) => expect(step).not.toCall("tools.*", undefined, { input, adapters })],
  ["toCallInOrder", (step, input = INPUT) => expect(step).not.toCallInOrder("tools.*", { input, adapters })],
  [
    "toFollowTrajectory",
    (step, input = INPUT) => expect(step).toFollowTrajectory([], { match: "superset", input, adapters }),
  ],
  ["toStayWithin", (step, input = INPUT) => expect(step).toStayWithin({ maxToolCalls: 1 }, { input, adapters })],
  ["toBePure", (step, input = INPUT) => expect(step).toBePure({ input, adapters })],
];

describe.each(RUNNING)("%s on a step", (matcher, assertion) => {
  test("replays a stored case, in CI too, and calls live adapters as VERITEST_MODE requests", async () => {
    await captured();
    await assertion(count());
    stage.isCi = true;
    stage.mode = "none";
    await assertion(count());
    expect([requests, stage.live]).toStrictEqual([[], []]);
    process.env["VERITEST_MODE"] = "live";
    await assertion(count());
    expect([requests, stage.live]).toStrictEqual([["Count: a"], [1]]);
  });

  test("replays the case that its test has just captured", async () => {
    await expect(count()).toMatchBaseline({ input: INPUT, adapters });
    await assertion(count());
    expect(requests).toStrictEqual(["Count: a"]);
  });

  test("calls live adapters for an input without a baseline, but in CI and under replay it fails", async () => {
    await captured();
    await assertion(count(), { text: "c" });
    expect([requests, stage.live]).toStrictEqual([["Count: c"], [1]]);
    stage.isCi = true;
    const inCi = await stage.message(() => assertion(count(), { text: "c" }));
    stage.isCi = false;
    process.env["VERITEST_MODE"] = "replay";
    const replayed = await stage.message(() => assertion(count(), { text: "c" }));
    expect([inCi, requests]).toStrictEqual([replayed, ["Count: c"]]);
    expect(
      replayed,
    ).toBe(`${matcher}: step "count" has no baseline for this input, and this run doesn't call live adapters.
  Capture it in this test file, on your machine: await expect(step).toMatchBaseline({ input, adapters }).
  If the adapters are stubs, pass mode: "live", or use expect(await withReplay(step, input, { adapters })).`);
  });

  test("fails on an unrecorded request, which -u sends", async () => {
    await captured();
    const failed = await stage.message(() => assertion(changed(), { text: "b" }));
    expect(failed).toBe(
      `${matcher}: unrecorded_request: Step "count" now makes a call of adapter "llm.ask" that wasn't recorded ` +
        "(recorded calls of that adapter: 1). It was replayed from ROOT/count/b-HASH.json. Record that case again with -u in the " +
        "test that captures it.",
    );
    stage.mode = "all";
    await assertion(changed(), { text: "b" });
    expect(requests).toStrictEqual(["Count the letters: b"]);
  });
});

test("toStayWithin and toCall call live adapters with mode: live, in CI too", async () => {
  await captured();
  stage.isCi = true;
  const options = { input: INPUT, adapters, mode: "live" } as const;
  await expect(count()).toStayWithin({ maxToolCalls: 1 }, options);
  await expect(count()).not.toCall("tools.*", undefined, options);
  expect(requests).toStrictEqual(["Count: a", "Count: a"]);
});

test("a step without adapters and without a baseline runs, in CI too", async () => {
  const silent = defineStep({
    name: "silent",
    input: z.object({}),
    output: z.object({}),
    run: async () => ({ output: {} }),
  });
  stage.isCi = true;
  await expect(silent).toStayWithin({ maxCalls: 0 }, { input: {} });
});

test.each([
  ["a misspelt key", { path: "fetch[0].body", pattern: /x/ }, "an object with path, pattern"],
  ["a rule with more keys", { path: "a", match: /x/, flags: "g" }, "an object with path, match, flags"],
  ["a number", 3, "number"],
])("%s is refused as a rule of ignore", (_what, rule, shown) => {
  const call = (): unknown => Reflect.apply(withCheckRules, undefined, [{ ignore: [rule] }, () => undefined]);
  expect(call).toThrow(`ignore: a rule is a path or { path: "…", match: /…/ }, got ${shown}.`);
});
