import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runModels } from "../../../../test-support/run-models.ts";
import { sampleRun } from "../../../../test-support/sample-run.ts";
import { countCases } from "../../../explain/tally.ts";
import { pageData } from "../page-data.ts";
import { type State, readState, writeState, selectCases } from "./filters.ts";
import { runCount } from "../../../../test-support/run-count.ts";

const NONE = readState("");
const ALL = { ...NONE, count: "total" };

describe("selectCases", () => {
  const data = pageData(sampleRun());
  const names = (state: Partial<State>): string[] =>
    selectCases(data, { ...NONE, ...state }).map(
      (index) => data.model.cases[index]?.baseline.replace(/.*\//, "") ?? "",
    );

  test("sorts cases that need a review before passed ones, and by risk", () => {
    const kinds = selectCases(data, ALL).map((index) =>
      `${data.model.cases[index]?.kind} ${data.statuses[index] === "passed" ? "passed" : ""}`.trim(),
    );
    expect(kinds).toEqual([
      "calls_changed",
      "commands_changed",
      "broken",
      "schema_violation",
      "failed",
      "request_changed",
      "value_changed",
      "value_changed",
      "value_changed",
      "missing",
      "missing",
      "obsolete",
      "value_changed passed",
      "events_changed passed",
      "missing passed",
      "clean passed",
      "clean passed",
    ]);
  });

  test("shows what is to be looked at where nothing else is requested, and all where nothing is", () => {
    expect(selectCases(data, NONE).map((index) => data.statuses[index])).not.toContain("passed");
    expect(selectCases(data, NONE)).toHaveLength(12);
    const clean = { ...sampleRun(), cases: sampleRun().cases.filter((one) => one.kind === "clean") };
    expect(selectCases(pageData(clean), NONE)).toEqual([0, 1]);
  });

  test("finds words in the text of a case, in any case and order", () => {
    expect(names({ q: "SNOW summary" })).toEqual(["long-summary-0badcafe.json"]);
    expect(names({ q: "rate_limit" })).toEqual(["receipt-044-22cc33dd.json"]);
    expect(names({ q: "merge conflict" })).toEqual(["receipt-045-44ee55ff.json"]);
    expect(names({ q: "nothing has this" })).toEqual([]);
  });

  test("finds a cause among several", () => {
    expect(names({ cause: "prompt" })).toEqual(["receipt-043-00aa11bb.json", "long-summary-0badcafe.json"]);
    expect(names({ cause: "mixed" })).toEqual(["receipt-043-00aa11bb.json"]);
  });

  test("combines filters", () => {
    expect(names({ step: "route-ticket", class: "clean", count: "total" })).toEqual(["hello-cc00cc11.json"]);
    expect(names({ label: "receipts", count: "updated" })).toEqual(["receipt-049-99009911.json"]);
  });

  test("ignores an unknown count", () => {
    expect(names({ count: "__proto__" })).toHaveLength(12);
  });

  test("selects as many cases of each count as the run has", { tags: "deep" }, () => {
    fc.assert(
      fc.property(runModels(), (model) => {
        const data = pageData(model);
        const counts = countCases(model.cases);
        const shown = Object.fromEntries(
          Object.keys(counts).map((count) => [count, selectCases(data, { ...NONE, count }).length]),
        );
        expect(shown).toEqual(counts);
      }),
      { numRuns: runCount(1000) },
    );
  });

  test("selects all cases of a class or of a step", { tags: "deep" }, () => {
    fc.assert(
      fc.property(runModels(), (model) => {
        for (const { kind, step } of model.cases) {
          expect(selectCases(pageData(model), { ...ALL, class: kind })).toHaveLength(
            model.cases.filter((one) => one.kind === kind).length,
          );
          const shown = selectCases(pageData(model), { ...ALL, step: step.toWellFormed() });
          if (step !== "")
            expect(shown.map((index) => model.cases[index]?.step.toWellFormed())).toEqual(
              shown.map(() => step.toWellFormed()),
            );
        }
      }),
      { numRuns: runCount(300) },
    );
  });
});

test("a state survives a round trip through the address", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(
      fc.record({
        q: text,
        count: text,
        class: text,
        cause: text,
        step: text,
        label: text,
        group: text,
        case: text,
        view: text,
      }),
      (state) => {
        expect(readState(writeState(state))).toEqual(state);
      },
    ),
    { numRuns: runCount(1000) },
  );
});
