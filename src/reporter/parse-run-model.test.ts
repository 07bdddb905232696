import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { err, ok } from "../kernel/result.ts";
import { jsonValue } from "../../test-support/arbitraries.ts";
import { runModels } from "../../test-support/run-models.ts";
import { sampleRun } from "../../test-support/sample-run.ts";
import { renderJson } from "./formats/render-json.ts";
import { parseRunModel } from "./parse-run-model.ts";
import { runCount } from "../../test-support/run-count.ts";

const json = renderJson(sampleRun());
const parse = (text: string): ReturnType<typeof parseRunModel> => parseRunModel(text, "reports/run.json");

describe("the JSON of a run", () => {
  test("parses to the run it was made from", { tags: "deep" }, () => {
    fc.assert(
      fc.property(runModels(), (model) => {
        expect(parse(renderJson(model))).toEqual(ok(model));
      }),
      { numRuns: runCount(1000) },
    );
  });

  test("keeps names such as __proto__ in values", () => {
    const text = json.replace('"after":0.7,', '"after":{"__proto__":{"polluted":true},"constructor":1},');
    const read = parse(text);
    expect(read.ok && JSON.stringify(read.value)).toContain('{"__proto__":{"polluted":true},"constructor":1}');
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  test("has its counts and status computed again", () => {
    const text = json
      .replace('"status": "error"', '"status": "pass"')
      .replace('"failed":1', '"failed":0')
      .replace(/"summary": "[^"]*"/, '"summary": "all is well"');
    expect(parse(text)).toEqual(ok(sampleRun()));
  });
});

test("a file of a version without grids is read", () => {
  const text = json.replaceAll('"grid":null,', "");
  expect(text.length).toBeLessThan(json.length);
  expect(parse(text)).toEqual(ok(sampleRun()));
});

test("a file from before inputs and places of failures were reported is read", () => {
  const { input: _, error, ...rest } = sampleRun().cases.find(({ kind }) => kind === "failed")?.findings ?? {};
  const told: unknown = JSON.parse(json);
  const text = JSON.stringify(told, (name, value: unknown) => (name === "input" || name === "at" ? undefined : value));
  const read = parse(text);
  const found = read.ok ? read.value.cases.find(({ kind }) => kind === "failed")?.findings : undefined;
  expect(found).toStrictEqual({ ...rest, error: { code: error?.code, message: error?.message } });
  expect(parse(json)).toEqual(ok(sampleRun()));
});

describe("an invalid run is refused with one sentence", () => {
  test.each([
    [
      "it is cut off",
      json.slice(0, 100),
      /^Cannot read "reports\/run\.json": it isn't JSON \(".*"\). Write the report again\.$/,
    ],
    [
      "it is something else",
      '{"numTotalTests": 3}',
      /^Cannot read "reports\/run\.json": it isn't a report of veritest. Pass a run\.json that VERITEST_REPORT=json wrote\.$/,
    ],
    ["it is a list", "[1]", /it isn't a report of veritest/],
    [
      "it is newer",
      json.replace('"version": 2', '"version": 3'),
      /^Cannot read "reports\/run\.json": it has version 3, and this version of veritest only reads versions up to 2. Update veritest\.$/,
    ],
    [
      "it is older",
      json.replace('"version": 2', '"version": 1').replaceAll('"updateState"', '"settled"'),
      /: its version 1 is of an older veritest. Run the tests again with VERITEST_REPORT=json\.$/,
    ],
    [
      "its version is none",
      json.replace('"version": 2', '"version": "2"'),
      /: version: ".*". Write the report again\.$/,
    ],
    [
      "a class is unknown",
      json.replace('"kind":"failed"', '"kind":"flaky"'),
      /: cases\[\d+\]\.kind: "expected one of broken, failed, .*". Write the report again\.$/,
    ],
    [
      "a field is unknown",
      json.replace('"kind":"failed"', '"kind":"failed","extra":1'),
      /: cases\[\d+\]: "Unrecognized key: \\"extra\\"". Write the report again\.$/,
    ],
    [
      "a field is missing",
      json.replace('"trials": 10,', ""),
      /: trials: "Invalid input: expected number, received undefined". Write the report again\.$/,
    ],
    [
      "a shard is beyond the last",
      json.replace('"shard":null', '"shard":{"index":4,"count":3}'),
      /: environment\.shard: "expected no more than the count". Write the report again\.$/,
    ],
    [
      "a grid has a column too many",
      json.replace('"columns":["timeout"', '"columns":["another","timeout"'),
      /: cases\[\d+\]\.findings\.grid: "expected a cell for each column". Write the report again\.$/,
    ],
    [
      "a date is none",
      json.replace("2026-01-02T03:04:05.678Z", "yesterday"),
      /: startedAt: "Invalid ISO datetime". Write the report again\.$/,
    ],
  ])("if %s", (_, text, sentence) => {
    const read = parse(text);
    expect(read.ok ? "read" : read.error).toMatch(sentence);
  });

  test("for any text, in printable characters", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          jsonValue().map((value) => JSON.stringify(value)),
          jsonValue().map((value) => JSON.stringify({ version: 2, cases: [value] })),
        ),
        (text) => {
          const read = parse(text);
          expect(read.ok ? "read" : read.error).toMatch(
            /^Cannot read "reports\/run\.json": [^\n\u0000-\u001f\u007f-\u009f\u202a-\u202e]*\.$/,
          );
        },
      ),
      { numRuns: runCount(1000) },
    );
  });

  test("with control characters of names escaped", () => {
    expect(parse(json.replace('"kind":"failed"', '"kind":"failed","\\u001b[2J":1'))).toEqual(
      err(expect.not.stringContaining("\u001b")),
    );
  });
});
