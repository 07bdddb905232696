import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stableStringify } from "../kernel/json/canonical-json.ts";
import { hashText } from "../kernel/json/hash.ts";
import { createValueBaseline } from "../baseline/create-baseline.ts";
import { displayPath, openLibrary } from "../baseline/baseline-library.ts";
import { caseFileName, caseHash } from "../baseline/baseline-paths.ts";
import { serializeBaseline } from "../baseline/serialize-baseline.ts";
import { type StagedFiles, StagedUpdates } from "../baseline/staged-updates.ts";
import { checkValue } from "../check/check-value.ts";
import { jsonLike, jsonValue, similarJson } from "../../test-support/arbitraries.ts";
import type { MatchBaselineOptions } from "./to-match-baseline.ts";
import { unchangedValue } from "./unchanged-value.ts";
import { runCount } from "../../test-support/run-count.ts";

const TEST = "values.test.ts";
const NAME = "case";
const ROOT = "/nowhere/__baselines__";

function pathIn(root: string): string {
  return join(root, TEST, caseFileName(NAME, caseHash({ name: NAME })));
}

function staged(after: string | undefined): StagedUpdates {
  const path = pathIn(ROOT);
  const updates = new StagedUpdates();
  updates.set(path, { kind: "add", root: ROOT, path, group: TEST, before: undefined, after });
  return updates;
}

interface Answered {
  readonly passed: boolean | undefined;
  readonly message: string | undefined;
  readonly noted: readonly string[];
}

/** What is answered of a value, where these proposals are staged and else the files of `root` are read. */
function answered(
  received: unknown,
  options: MatchBaselineOptions | undefined,
  files: { readonly root?: string; readonly staged?: StagedFiles; readonly isTraced?: boolean },
): Answered {
  const noted: string[] = [];
  const emptySteps: string[] = [];
  const refuse = (): never => {
    throw new Error("not for a value that did not change");
  };
  const session = {
    mode: "none",
    root: files.root ?? ROOT,
    testPath: join(ROOT, TEST),
    testFile: TEST,
    testName: "a test",
    staged: files.staged ?? new StagedUpdates(),
    keepsPending: false,
    isCi: false,
    projectMode: undefined,
    claimCase: refuse,
    isUsed: refuse,
    traceCheck: refuse,
    stage: refuse,
    note: refuse,
    emptySteps,
    noteLive: () => undefined,
    noteClean: files.isTraced === true ? undefined : (path: string) => void noted.push(path),
  } as const;
  const context = { utils: {}, equals: Object.is };
  const answer = unchangedValue({ received, options, session, utils: {}, context });
  return { passed: answer?.pass, message: answer?.message(), noted };
}

const NOTHING: Answered = { passed: undefined, message: undefined, noted: [] };

function textOf(value: unknown): string {
  return serializeBaseline(createValueBaseline(value, { test: TEST, name: NAME }));
}

/** What may become of a file: nothing, another layout, other names, a value or a hash edited by hand. */
const fate = fc.constantFrom<(text: string, other: unknown) => string>(
  (text) => text,
  (text) => text,
  (text) => text.trimEnd(),
  (text) => JSON.stringify(JSON.parse(text)),
  (text) => text.replace(`"${TEST}"`, '"other.test.ts"'),
  (text, other) => `${JSON.stringify({ ...JSON.parse(text), value: other }, undefined, 2)}\n`,
  (text, other) =>
    `${JSON.stringify({ ...JSON.parse(text), hash: hashText(stableStringify(other ?? null)) }, undefined, 2)}\n`,
  (text) => text.replace('"value":', '"value": 1,\n  "value":'),
);

const any = fc.oneof({ weight: 3, arbitrary: jsonValue() }, similarJson(), jsonLike());

test("gives the same result as the check, for any value and file", () => {
  let passed = 0;
  const numRuns = runCount(20_000);
  fc.assert(
    fc.property(any, jsonValue(), fc.nat({ max: 3 }), fate, (value, other, which, becomes) => {
      const text = storable(value, (stored) => becomes(textOf(stored), other));
      const library = staged(text ?? becomes(textOf(other), value));
      const received = which === 0 ? other : value;
      const found = answered(received, { name: NAME }, { staged: library });
      if (found.passed === undefined) {
        expect(found).toStrictEqual(NOTHING);
        return;
      }
      passed += 1;
      const path = pathIn(ROOT);
      expect(found).toStrictEqual({ passed: true, message: "case: clean", noted: [path] });
      const question = { test: TEST, details: { name: NAME }, keyBy: {} };
      expect(checkValue(received, question, openLibrary(ROOT, library))).toStrictEqual({
        file: displayPath(path),
        path,
        verdict: { kind: "clean" },
        findings: {},
        update: undefined,
      });
    }),
    { numRuns },
  );
  expect(passed).toBeGreaterThan(numRuns / 14);
});

/** Undefined where no baseline can be made of it. */
function storable(value: unknown, make: (value: unknown) => string): string | undefined {
  try {
    return make(value);
  } catch {
    return undefined;
  }
}

test("reads the file if no update is staged, and returns nothing without a file", () => {
  const root = join(mkdtempSync(join(tmpdir(), "veritest-unchanged-")), "__baselines__");
  expect(answered({ n: 1 }, { name: NAME }, { root })).toStrictEqual(NOTHING);
  mkdirSync(dirname(pathIn(root)), { recursive: true });
  writeFileSync(pathIn(root), textOf({ n: 1 }));
  expect(answered({ n: 1 }, { name: NAME }, { root })).toStrictEqual({
    passed: true,
    message: "case: clean",
    noted: [pathIn(root)],
  });
  expect(answered({ n: 2 }, { name: NAME }, { root })).toStrictEqual(NOTHING);
});

test("compares labels and meta as part of the file's text", () => {
  const details = { name: NAME, labels: ["slow"], meta: { customer: "acme", a: 1 } };
  const files = { staged: staged(serializeBaseline(createValueBaseline({ n: 1 }, { test: TEST, ...details }))) };
  expect(answered({ n: 1 }, details, files).passed).toBe(true);
  expect(answered({ n: 1 }, { ...details, labels: [] }, files)).toStrictEqual(NOTHING);
});

const result = { input: 1, output: {}, events: [], artifacts: [], stepName: "s", workflowId: "w", runId: "r" };

test.each<[string, unknown, MatchBaselineOptions | undefined]>([
  ["a value without a name", { n: 1 }, undefined],
  ["a value with a blank name", { n: 1 }, { name: " " }],
  ["a list by key", [{ id: 1 }], { name: NAME, keyBy: { "": "id" } }],
  ["a value with tolerances", { n: 1 }, { name: NAME, compare: {} }],
  ["a value of which only hashes are kept", { n: 1 }, { name: NAME, hashOnly: ["n"] }],
  ["a result of a step", result, { name: NAME }],
  ["a result that went well", { ok: true, value: result }, { name: NAME }],
  ["a result that failed", { ok: false, error: { code: "c", message: "m" } }, { name: NAME }],
  ["more than 100,000 characters", "x".repeat(100_000), { name: NAME }],
])("leaves %s to the check, even if the file has the same text", (_what, value, options) => {
  expect(answered(value, options, { staged: staged(textOf(value)) })).toStrictEqual(NOTHING);
});

test("doesn't read a file that the test removes", () => {
  expect(answered({ n: 1 }, { name: NAME }, { staged: staged(undefined) })).toStrictEqual(NOTHING);
});

test("leaves a getter that throws to the check", () => {
  const value = Object.defineProperty({}, "n", {
    enumerable: true,
    get: () => {
      throw new Error("not now");
    },
  });
  expect(answered(value, { name: NAME }, { staged: staged(textOf({ n: 1 })) })).toStrictEqual(NOTHING);
});

test("leaves a traced value to the check, which has a span", () => {
  const files = { staged: staged(textOf({ n: 1 })), isTraced: true };
  expect(answered({ n: 1 }, { name: NAME }, files)).toStrictEqual(NOTHING);
});
