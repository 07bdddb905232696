import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { err, isOk, ok, unwrap } from "../kernel/result.ts";
import { permutationOf } from "../../test-support/arbitraries.ts";
import { runModels } from "../../test-support/run-models.ts";
import { sampleCase, sampleRun } from "../../test-support/sample-run.ts";
import { buildRunModel } from "./build-run-model.ts";
import { renderMarkdown } from "./formats/render-markdown.ts";
import { mergeRuns } from "./merge-runs.ts";
import type { RunModel } from "../explain/run-model.ts";
import type { ReportCase } from "../explain/report-case.ts";
import { runCount } from "../../test-support/run-count.ts";

const RUNS = { numRuns: runCount(1000) };
const RUNNER = { name: "vitest", version: "5.1.1" };

/** The sample run with other cases and facts. */
function runOf(cases: readonly ReportCase[], given: Partial<RunModel> = {}): RunModel {
  return buildRunModel({ ...sampleRun(), applied: null, ...given, cases });
}

function sharded(model: RunModel, index: number, count: number): RunModel {
  return { ...model, environment: { ...model.environment, runner: RUNNER, shard: { index, count } } };
}

function whole(model: RunModel): RunModel {
  return { ...model, environment: { ...model.environment, runner: RUNNER, shard: null } };
}

/** A run whose test files were dealt out to shards; each shard would call obsolete what the whole run does. */
function dealt(): fc.Arbitrary<{ readonly model: RunModel; readonly shards: readonly RunModel[] }> {
  return fc
    .tuple(
      runModels({ maxCases: 5, findings: false }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.nat(3), { minLength: 5, maxLength: 5 }),
    )
    .map(([found, count, deal]) => {
      // Each baseline by itself, as in a real run: the arbitrary makes the same hostile names again and again.
      const cases = found.cases.map((one, place) => ({ ...one, baseline: `${place} ${one.baseline}` }));
      const model = whole(buildRunModel({ ...found, cases }));
      const everywhere = ({ kind, updateState }: ReportCase): boolean =>
        kind === "obsolete" && updateState !== "removed";
      const shards = Array.from({ length: count }, (_, index) =>
        sharded(
          buildRunModel({
            ...model,
            cases: model.cases.filter((one, place) => everywhere(one) || (deal[place] ?? 0) % count === index),
          }),
          index + 1,
          count,
        ),
      );
      return { model, shards };
    });
}

describe("merging shards", () => {
  test("gives the totals of the complete run, in any order", () => {
    const shuffled = dealt().chain(({ model, shards }) =>
      fc.tuple(fc.constant(model), fc.constant(shards), permutationOf(shards)),
    );
    fc.assert(
      fc.property(shuffled, ([model, shards, others]) => {
        const merged = unwrap(mergeRuns(shards));
        const { counts, status, summary, usage, trials, startedAt, durationMs, applied } = model;
        expect(merged).toMatchObject({ counts, status, summary, usage, trials, startedAt, durationMs });
        expect(merged.applied === null).toBe(applied === null);
        expect(new Set(merged.cases.map((one) => JSON.stringify(one)))).toEqual(
          new Set(model.cases.map((one) => JSON.stringify(one))),
        );
        expect(mergeRuns(others)).toEqual(ok(merged));
      }),
      RUNS,
    );
  });

  test("restores the sample run, with its trials and its usage", () => {
    const { environment, ...model } = sampleRun();
    const shards = [1, 2, 3].map((index) =>
      sharded(
        buildRunModel({
          ...model,
          environment,
          cases: model.cases.filter(({ kind }, place) => kind === "obsolete" || place % 3 === index - 1),
        }),
        index,
        3,
      ),
    );
    expect(mergeRuns(shards)).toEqual(ok(sampleRun()));
  });

  test("drops baselines that only some shards call obsolete, and keeps a removed one", () => {
    const obsolete = sampleCase("a", "old.json", { kind: "obsolete", test: null });
    const unused = sampleCase("a", "other.json", { kind: "obsolete", test: null });
    const removed = sampleCase("a", "gone.json", { kind: "obsolete", test: null, updateState: "removed" });
    const used = sampleCase("a", "other.json", { kind: "clean" });
    const merged = unwrap(
      mergeRuns([sharded(runOf([obsolete, unused, removed]), 1, 2), sharded(runOf([obsolete, used]), 2, 2)]),
    );
    expect(merged.cases.map(({ baseline, kind }) => `${baseline} ${kind}`)).toEqual([
      "gone.json obsolete",
      "old.json obsolete",
      "other.json clean",
    ]);
    expect(unwrap(mergeRuns([sharded(runOf([obsolete]), 1, 2), sharded(runOf([used]), 2, 2)])).counts).toMatchObject({
      total: 1,
      obsolete: 0,
    });
  });

  test("reports a missing shard as an error of the run", () => {
    const merged = unwrap(mergeRuns([sharded(runOf([]), 2, 4), sharded(runOf([]), 1, 4)]));
    expect([merged.status, merged.problems]).toEqual([
      "error",
      ["Shards 3, 4 of 4 are missing, so the result is incomplete."],
    ]);
    expect(unwrap(mergeRuns([sharded(runOf([]), 1, 2)])).problems).toEqual([
      "Shard 2 of 2 is missing, so the result is incomplete.",
    ]);
    expect(unwrap(mergeRuns([sharded(runOf([]), 1, 1_000_000)])).problems[0]).toMatch(
      /^Shards 2, 3, .* 21 and 999979 more of 1000000 are missing/,
    );
  });
});

describe("merging any runs", () => {
  const others = fc.array(runModels({ maxCases: 2, findings: false }).map(whole), { minLength: 1, maxLength: 4 });

  test("keeps a single run unchanged, and ignores the order of several", () => {
    const shuffled = others.chain((models) => fc.tuple(fc.constant(models), permutationOf(models)));
    fc.assert(
      fc.property(shuffled, ([models, again]) => {
        expect(mergeRuns(models.slice(0, 1))).toEqual(ok(models[0]));
        expect(mergeRuns(again)).toEqual(mergeRuns(models));
      }),
      RUNS,
    );
    const one = runOf(sampleRun().cases);
    expect(mergeRuns([one, one])).toEqual(ok(one));
  });

  test("gives the same result if some are merged first", () => {
    // The arbitrary may call obsolete what the same run uses; no real run does.
    const consistent = others.map((models) =>
      models.map((model) => buildRunModel({ ...model, cases: model.cases.filter(({ kind }) => kind !== "obsolete") })),
    );
    fc.assert(
      fc.property(consistent, fc.nat(3), (models, at) => {
        const groups = [models.slice(0, at), models.slice(at)]
          .filter(({ length }) => length > 0)
          .map((group) => unwrap(mergeRuns(group)));
        expect(mergeRuns(groups)).toEqual(mergeRuns(models));
      }),
      RUNS,
    );
  });

  test("takes the worst result of a test, and all tests that check a baseline", () => {
    const by = (name: string): { readonly test: ReportCase["test"] } => ({
      test: { file: "a.test.ts", name, line: 3 },
    });
    const merged = unwrap(
      mergeRuns([
        runOf([sampleCase("a", "1.json", { kind: "clean", ...by("one") })]),
        runOf([
          sampleCase("a", "1.json", { kind: "failed", ...by("one") }),
          sampleCase("a", "1.json", { kind: "clean", ...by("two") }),
        ]),
      ]),
    );
    expect(merged.cases.map(({ kind, test: found }) => `${kind} ${found?.name}`)).toEqual(["failed one", "clean two"]);
  });

  test("lists what they ran on and why something is pending, each once", () => {
    const { environment } = sampleRun();
    const older = runOf([], {
      environment: { ...environment, node: "22.12.0", ci: false, adapterMode: null },
      startedAt: "2026-01-02T03:04:04Z",
      durationMs: 9000,
      applied: { receipt: "sha256:b", because: ["b", "a"] },
      problems: ["p"],
    });
    const newer = runOf([], { applied: { receipt: null, because: ["a"] }, problems: ["p", "o"] });
    expect(unwrap(mergeRuns([newer, older]))).toMatchObject({
      startedAt: "2026-01-02T03:04:04Z",
      durationMs: 9000,
      environment: { node: "22.12.0, 24.0.0", ci: true, adapterMode: "live" },
      applied: { receipt: "sha256:b", because: ["a", "b"] },
      problems: ["o", "p"],
    });
  });
});

describe("merges complete runs of several runners", () => {
  const [vitest, older, jest] = [
    ["vitest", "5.1.1"],
    ["vitest", "3.2.4"],
    ["jest", "30.5.2"],
  ].map(([name = "", version = ""]) =>
    runOf([], { environment: { ...sampleRun().environment, runner: { name, version } } }),
  );
  const commandLine = runOf([], { environment: { ...sampleRun().environment, runner: null } });
  const runs = [vitest, jest, older, commandLine].filter((run) => run !== undefined);

  test("and names each with its version, in any order and number of steps", () => {
    const runner = { name: "jest, vitest, vitest", version: "30.5.2, 3.2.4, 5.1.1" };
    const merged = unwrap(mergeRuns(runs));
    expect(merged.environment.runner).toStrictEqual(runner);
    expect(unwrap(mergeRuns(runs.toReversed()))).toStrictEqual(merged);
    expect(unwrap(mergeRuns([merged, ...runs])).environment.runner).toStrictEqual(runner);
    expect(renderMarkdown(merged)).toContain(
      "<code>jest 30.5.2</code>, <code>vitest 3.2.4</code>, <code>vitest 5.1.1</code>",
    );
  });
});

describe("refuses runs that can't be merged", () => {
  const jest = runOf([], { environment: { ...sampleRun().environment, runner: { name: "jest", version: "30.0.0" } } });
  test.each<readonly [why: string, models: readonly RunModel[], sentence: string]>([
    ["none", [], "There is no run to merge. Pass the run.json of each shard, or its folder."],
    [
      "two runners",
      [sharded(runOf([]), 1, 2), { ...jest, environment: { ...jest.environment, shard: { index: 2, count: 2 } } }],
      "Cannot merge shards from jest 30.0.0 and vitest 5.1.1. Merge the shards of each run first, then the results.",
    ],
    [
      "a whole one",
      [runOf([]), sharded(runOf([]), 1, 2)],
      "Cannot merge reports of shards with reports of complete runs. Merge all shards of one run at once.",
    ],
    [
      "other counts",
      [sharded(runOf([]), 1, 2), sharded(runOf([]), 2, 3)],
      "Cannot merge shards of different runs, with 2 and 3 shards. Pass the files of one run.",
    ],
    [
      "a shard twice",
      [sharded(runOf([]), 1, 2), sharded(runOf([]), 1, 2)],
      "Cannot merge: shard 1 of 2 is listed twice. Pass the file of each shard once.",
    ],
  ])("%s", (_, models, sentence) => {
    expect(mergeRuns(models)).toEqual(err(sentence));
  });

  test("in any order of any runs", () => {
    const shuffled = fc
      .array(runModels({ maxCases: 1, findings: false }), { maxLength: 3 })
      .chain((models) => fc.tuple(fc.constant(models), permutationOf(models)));
    fc.assert(
      fc.property(shuffled, ([models, others]) => {
        expect(isOk(mergeRuns(others))).toBe(isOk(mergeRuns(models)));
      }),
      RUNS,
    );
  });
});
