// @module-tag deep
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { permutationOf } from "../../test-support/arbitraries.ts";
import { runModels } from "../../test-support/run-models.ts";
import { sampleCase, sampleRun } from "../../test-support/sample-run.ts";
import { casesByStep } from "../explain/tally.ts";
import { buildRunModel } from "./build-run-model.ts";
import { runCount } from "../../test-support/run-count.ts";

test("sorts cases by step, then by severity, baseline and test", () => {
  const test = (
    name: string,
  ): { readonly test: { readonly file: string; readonly name: string; readonly line: null } } => ({
    test: { file: "a.test.ts", name, line: null },
  });
  const cases = [
    sampleCase("b", "1.json", { kind: "broken" }),
    sampleCase("a", "2.json", { kind: "clean", ...test("second") }),
    sampleCase("a", "2.json", { kind: "clean", ...test("first") }),
    sampleCase("a", "1.json", { kind: "clean" }),
    sampleCase("a", "9.json", { kind: "failed" }),
  ];
  const model = buildRunModel({ ...sampleRun(), cases });
  expect(model.cases.map(({ step, baseline, test: by }) => `${step} ${baseline} ${by?.name}`)).toEqual([
    "a 9.json a > stays as it is",
    "a 1.json a > stays as it is",
    "a 2.json first",
    "a 2.json second",
    "b 1.json b > stays as it is",
  ]);
  expect([...casesByStep(model)].map(([step, of]) => `${step} ${of.length}`)).toEqual(["a 4", "b 1"]);
});

test("counts independently of the order of cases, and builds an equal model again", () => {
  const shuffled = runModels().chain((model) => fc.tuple(fc.constant(model), permutationOf(model.cases)));
  fc.assert(
    fc.property(shuffled, ([model, cases]) => {
      const { counts, status, summary, usage, trials } = buildRunModel({ ...model, cases });
      expect({ counts, status, summary, usage, trials }).toEqual({
        counts: model.counts,
        status: model.status,
        summary: model.summary,
        usage: model.usage,
        trials: model.trials,
      });
      expect(buildRunModel(model)).toEqual(model);
    }),
    { numRuns: runCount(1000) },
  );
});
