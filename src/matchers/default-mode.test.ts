import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
let requests: string[] = [];

beforeEach(() => {
  stage.begin(realpathSync(mkdtempSync(join(tmpdir(), "veritest-stage-"))));
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

test("a new case calls the adapters, and a stored one replays without a call", async () => {
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

test("a changed request fails with its diff and the command that records it, and calls nothing", async () => {
  await captured();
  const failed = await stage.message(() =>
    expect(changed()).toMatchBaseline({ input: { text: "b" }, name: "b", adapters }),
  );
  expect(failed).toBe(`count: 1 of 1 baseline failed (recorded calls)

  ROOT/count/b-HASH.json  request_changed
    cause: prompt
    adapter "llm.ask" was called with a request that was not recorded (1 recorded for it)
    request[0]: "Count: b" → "Count the letters: b"

Is the new request intended? Record its response:

  npx vitest run src/matchers/default-mode.test.ts -t "^the test$" -u`);
  expect([requests, stage.changes]).toStrictEqual([[], []]);
});

test("-u calls the adapters for the case with the unrecorded request only, and records it", async () => {
  await captured();
  stage.mode = "all";
  for (const text of ["a", "b"]) await expect(changed()).toMatchBaseline({ input: { text }, name: text, adapters });
  expect(requests).toStrictEqual(["Count the letters: b"]);
  expect(stage.checks.map(({ findings, update }) => [findings.source, update?.state])).toStrictEqual([
    ["recorded", undefined],
    ["live", "written"],
  ]);
  stage.settle("none");
  await expect(changed()).toRecomputeClean();
});

test("-u records the unrecorded requests of a check of all cases, too", async () => {
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
  expect(stage.checks.map(({ update }) => update?.state)).toStrictEqual(["written", "written"]);
});

test("CI calls no adapter, under -u neither: a changed request fails, and a new case is missing", async () => {
  await captured();
  stage.isCi = true;
  for (const mode of ["none", "all"] as const) {
    stage.mode = mode;
    expect(await stage.message(() => expect(changed()).toRecomputeClean({ adapters }))).toContain("request_changed");
    const added = await stage.message(() =>
      expect(count()).toMatchBaseline({ input: { text: "c" }, name: "c", adapters }),
    );
    const [, , found = "", ...lines] = added.split("\n");
    expect(found.trim()).toBe(`ROOT/count/c-HASH.json  ${mode === "none" ? "missing" : "failed"}`);
    expect(lines.join("\n")).toContain(
      'no_adapters: Step "count" called adapter "llm.ask", but a new case has no recorded calls, and this run ' +
        "doesn't call live adapters. Capture it once outside CI: VERITEST_MODE=live.",
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
])("if %s mode is replay, -u alone doesn't call the adapters, and the command says live", async (whose, choose) => {
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

test("trials run once in a replay, and as often as they say live", async () => {
  await captured();
  await expect(count()).toRecomputeClean({ adapters, trials: 2 });
  expect(requests).toStrictEqual([]);
  await expect(count()).toRecomputeClean({ adapters, trials: 2, mode: "live" });
  expect(requests).toStrictEqual(["Count: a", "Count: a", "Count: b", "Count: b"]);
});
