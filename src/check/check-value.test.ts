import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { stableStringify } from "../kernel/json/canonical-json.ts";
import { hashText } from "../kernel/json/hash.ts";
import { createStepBaseline, createValueBaseline } from "../baseline/create-baseline.ts";
import { type BaselineLibrary, openLibrary } from "../baseline/baseline-library.ts";
import { caseFileName, caseHash } from "../baseline/baseline-paths.ts";
import { serializeBaseline } from "../baseline/serialize-baseline.ts";
import { StagedUpdates } from "../baseline/staged-updates.ts";
import { diff } from "../kernel/diff/diff.ts";
import { type Json, jsonValue, similarJson } from "../../test-support/arbitraries.ts";
import { comparable } from "../redact/comparable.ts";
import { comparedForm } from "../record/encode/decode.ts";
import { storedForm } from "../record/encode/encode.ts";
import { checkValue } from "./check-value.ts";
import { type Verdict, verdictOf as verdictOfChanges } from "./verdict.ts";
import { runCount } from "../../test-support/run-count.ts";

const TEST = "values.test.ts";
const NAME = "case";
const ROOT = "/nowhere/__baselines__";
const PATH = join(ROOT, TEST, caseFileName(NAME, caseHash({ name: NAME })));

/** A library whose one file has this text. */
function libraryWith(text: string): BaselineLibrary {
  const staged = new StagedUpdates();
  staged.set(PATH, { kind: "add", root: ROOT, path: PATH, group: TEST, before: undefined, after: text });
  return openLibrary(ROOT, staged);
}

/** Lets baselines be larger than policies do by default. */
function allowLarge(): void {
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ maxBytes: 1e9 }));
}

afterEach(() => {
  vi.unstubAllEnvs();
});

function verdictOf(value: unknown, text: string): Verdict {
  return checkValue(value, { test: TEST, details: { name: NAME }, keyBy: {} }, libraryWith(text)).verdict;
}

/** The verdict reached in the plain way: both sides written, hashed, stripped of secrets, and compared as wholes. */
function plainVerdict(value: unknown, text: string): Verdict {
  const { value: stored, hash }: { value: unknown; hash: string } = JSON.parse(text);
  const actual = hashText(stableStringify(stored));
  if (actual !== hash) {
    const found = "hash mismatch of value. It was probably edited by hand or damaged in a merge.";
    return {
      kind: "broken",
      problem: `Cannot use ${PATH}: ${found} Restore the file with npx veritest repair --restore, or delete it and capture the case again.`,
    };
  }
  const now: unknown = JSON.parse(stableStringify(storedForm(value)));
  const [left, right] = comparable(stored, now, { at: ["value"] }).map(comparedForm);
  return verdictOfChanges({ compared: [{ part: "output", diff: diff(left, right) }], tolerated: [] });
}

const secretive = fc.constantFrom<Json>(
  { authorization: "Bearer 0123456789abcdef0123456789abcdef" },
  { name: "Authorization", value: ["Bearer 0123456789abcdef0123456789abcdef", "b"] },
  ["set-cookie", "session=0123456789abcdef"],
  "AKIAIOSFODNN7EXAMPLQ",
  "password=correct-horse-battery",
  "«redacted:password#1»",
  { token: "«redacted:token#2»" },
  4_242_424_242_424_242,
);
const part = fc.oneof(similarJson(), jsonValue(), secretive);
const list = fc.array(part, { maxLength: 5 });
const edited = (items: readonly Json[]): fc.Arbitrary<readonly Json[]> =>
  fc.tuple(fc.nat({ max: 5 }), list).map(([at, others]) => [...items.slice(0, at), ...others]);
const pair: fc.Arbitrary<readonly [Json, Json]> = fc.oneof(
  part.map((value) => [value, value] as const),
  fc.tuple(part, part),
  list.chain((items) => fc.tuple(fc.constant<Json>(items), edited(items))),
  list.chain((items) =>
    fc.tuple(
      fc.constant<Json>({ name: "cookie", value: { items } }),
      edited(items).map((others): Json => ({ name: "cookie", value: { items: others } })),
    ),
  ),
);

const small = fc.oneof(similarJson(), fc.array(similarJson(), { maxLength: 2 }));

/** What may become of a file: nothing, another layout, keys in another order, a value or a hash edited by hand. */
const fate = fc.constantFrom<(file: Record<string, unknown>, other: Json) => string>(
  (file) => `${JSON.stringify(file, undefined, 2)}\n`,
  (file) => JSON.stringify(file),
  (file) => JSON.stringify(Object.fromEntries(Object.entries(file).reverse()), undefined, "\t"),
  (file) => JSON.stringify({ ...file, value: reversed(file["value"]) }),
  (file, other) => JSON.stringify({ ...file, value: other }),
  (file, other) => JSON.stringify({ ...file, hash: hashText(stableStringify(other)) }),
  // A hash of the text as it is written instead of the canonical one.
  (file) =>
    JSON.stringify({
      ...file,
      value: reversed(file["value"]),
      hash: hashText(JSON.stringify(reversed(file["value"]))),
    }),
);

function reversed(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).reverse());
}

function shown(verdict: Verdict): string {
  return JSON.stringify(verdict, (_name, value: unknown) => (value === undefined ? "nothing" : value));
}

test("gives the same verdict as the plain comparison, for any value and file", () => {
  fc.assert(
    fc.property(pair, fate, fc.boolean(), ([before, after], becomes, swapped) => {
      const file: Record<string, unknown> = JSON.parse(
        serializeBaseline(createValueBaseline(swapped ? after : before, { test: TEST, name: NAME })),
      );
      const text = becomes(file, swapped ? before : after);
      // As texts: an own `constructor` makes equal objects unlike for the runner.
      expect(shown(verdictOf(after, text))).toBe(shown(plainVerdict(after, text)));
    }),
    { numRuns: runCount(10_000) },
  );
});

test("compares a value that is too deep for the native writer", () => {
  const nested = (leaf: string): unknown => Array.from({ length: 900 }).reduce<unknown>((inner) => [inner], leaf);
  const text = serializeBaseline(createValueBaseline(nested("a"), { test: TEST, name: NAME }));
  expect(verdictOf(nested("a"), text)).toStrictEqual({ kind: "clean" });
  expect(verdictOf(nested("b"), text)).toMatchObject({
    kind: "value_changed",
    changes: [{ diff: { entries: [{ before: "a", after: "b" }] } }],
  });
});

test("redacts a secret in one of a thousand similar items in the changes", () => {
  const items = Array.from({ length: 1000 }, (_, id) => ({ id, token: "none", note: "the same" }));
  const text = serializeBaseline(createValueBaseline({ items }, { test: TEST, name: NAME }));
  const leaking = items.map((item) => (item.id === 500 ? { ...item, note: "password=correct-horse-battery" } : item));
  const verdict = verdictOf({ items: leaking }, text);
  expect(JSON.stringify(verdict)).not.toContain("correct-horse");
  expect(verdict).toMatchObject({
    kind: "value_changed",
    changes: [
      { diff: { entries: [{ path: ["items", 500, "note"], before: "the same", after: /^password=«redacted:/ }] } },
    ],
  });
});

test("compares the stored form of a value: dates, undefined fields, parts with toJSON", () => {
  const rows = (note: string): unknown =>
    Array.from({ length: 200 }, (_, id) => ({
      id,
      at: new Date(id),
      gone: undefined,
      by: { toJSON: (name: string) => ({ name, id }) },
      note: id === 150 ? note : "",
    }));
  const text = serializeBaseline(createValueBaseline(storedForm(rows("a")), { test: TEST, name: NAME }));
  expect(verdictOf(rows("a"), text)).toStrictEqual({ kind: "clean" });
  expect(verdictOf(rows("b"), text)).toStrictEqual(plainVerdict(rows("b"), text));
  expect(verdictOf(rows("b"), text)).toMatchObject({
    changes: [{ diff: { entries: [{ path: [150, "note"], before: "a", after: "b" }] } }],
  });
});

test("is never clean for a getter that changes its value after the value is written", () => {
  const text = serializeBaseline(createValueBaseline({ n: 1, z: 0 }, { test: TEST, name: NAME }));
  let isWritten = false;
  const z = { toJSON: () => ((isWritten = true), 0) };
  const n = { enumerable: true, get: () => (isWritten ? 1 : 2) };
  const value = Object.defineProperties({}, { n, z: { enumerable: true, value: z } });
  expect(verdictOf(value, text)).toMatchObject({
    kind: "value_changed",
    changes: [{ diff: { entries: [{ path: ["n"], before: 1, after: 2 }] } }],
  });
});

test("a getter that throws fails the case as not storable", () => {
  const text = serializeBaseline(createValueBaseline({ n: 1 }, { test: TEST, name: NAME }));
  const value = Object.defineProperty({}, "n", {
    enumerable: true,
    get: () => {
      throw new Error("not now");
    },
  });
  expect(verdictOf(value, text)).toMatchObject({
    kind: "failed",
    error: { code: "not_storable", message: "The value can't be stored: not now" },
  });
});

test("ignores labels that only the file has", () => {
  const of = { test: TEST, name: NAME, labels: ["slow"], meta: { customer: "acme" } };
  expect(verdictOf({ n: 1 }, serializeBaseline(createValueBaseline({ n: 1 }, of)))).toStrictEqual({ kind: "clean" });
});

test("the update contains the compared value, of any size", { tags: "deep" }, () => {
  allowLarge();
  for (const [length, note] of [
    [10, "short"],
    [500, "x".repeat(1000)],
    [900, "x ".repeat(5000)],
  ] as const) {
    const items = Array.from({ length }, (_, id) => ({ id, note }));
    const text = serializeBaseline(createValueBaseline({ items }, { test: TEST, name: NAME }));
    const changed = { items: items.with(5, { id: 5, note: "new" }) };
    const { update } = checkValue(changed, { test: TEST, details: { name: NAME }, keyBy: {} }, libraryWith(text));
    expect(
      update?.propose().after === serializeBaseline(createValueBaseline(changed, { test: TEST, name: NAME })),
    ).toBe(true);
  }
});

test("the update equals the plain serialization, whatever the file has in common with it", () => {
  fc.assert(
    fc.property(fc.oneof(fc.tuple(small, small), fc.tuple(small, secretive)), ([before, after]) => {
      const text = serializeBaseline(createValueBaseline(before, { test: TEST, name: NAME }));
      const { update } = checkValue(after, { test: TEST, details: { name: NAME }, keyBy: {} }, libraryWith(text));
      if (update === undefined) return;
      const fresh = checkValue(after, { test: TEST, details: { name: NAME }, keyBy: {} }, openLibrary(ROOT));
      expect(update.propose().after).toBe(fresh.update?.propose().after);
    }),
    { numRuns: runCount(10_000) },
  );
});

test("the update ignores changes of the value after the comparison", () => {
  const text = serializeBaseline(createValueBaseline({ n: { a: 1 } }, { test: TEST, name: NAME }));
  for (const note of ["new", KEY]) {
    const value = { n: { a: 1 }, note };
    const { update } = checkValue(value, { test: TEST, details: { name: NAME }, keyBy: {} }, libraryWith(text));
    value.n.a = 2;
    expect(JSON.parse(update?.propose().after ?? "{}").value).toMatchObject({ n: { a: 1 } });
  }
});

/** Put together at run time, so that no scanner takes this file for a leak. */
const KEY = ["gh", "p_", "a1B2c3D4e5".repeat(4)].join("");

test("redacts secrets in labels and meta before the update, even if a baseline has others", () => {
  const text = serializeBaseline(createValueBaseline({ n: 1 }, { test: TEST, name: NAME, labels: ["slow"] }));
  const details = { name: NAME, labels: [`with ${KEY}`], meta: { apiKey: "Xk7pQ2mZ", note: KEY } };
  for (const library of [openLibrary(ROOT), libraryWith(text)]) {
    const { update } = checkValue({ n: 2 }, { test: TEST, details, keyBy: {} }, library);
    const { labels, meta } = JSON.parse(update?.propose().after ?? "{}");
    expect([labels, meta]).toStrictEqual([
      [expect.stringMatching(/^with «redacted:github-token#\d+»$/)],
      {
        apiKey: expect.stringMatching(/^«redacted:key#\d+»$/),
        note: expect.stringMatching(/^«redacted:github-token#\d+»$/),
      },
    ]);
  }
});

test.each([
  ["case", { test: TEST, name: KEY }],
  ["test file", { test: `${KEY}.test.ts`, name: NAME }],
  ["step", undefined],
])("a secret in the name of the %s is refused before anything is proposed, and isn't shown", (what, names) => {
  const step = { stepName: KEY, input: {}, output: {}, events: [], commands: [], artifacts: [] };
  const workflow = { workflowId: "w", workflowVersion: "1" };
  expect(() => {
    if (names === undefined) return createStepBaseline({ ...step, ...workflow }, [], {});
    const { test, ...details } = names;
    return checkValue({ n: 2 }, { test, details, keyBy: {} }, openLibrary(ROOT)).update?.propose();
  }).toThrow(
    new TypeError(`the name of the ${what} contains a secret, and a name can't be redacted. Choose a different name`),
  );
});

test("makes no update of a value larger than a baseline may be, unless only its hash is kept", { tags: "deep" }, () => {
  const ask = (settings: object | undefined, length: number): string => {
    vi.stubEnv("VERITEST_REDACTION", settings === undefined ? "" : JSON.stringify(settings));
    // Not asked for before the size is known: what was read would be redacted, written and read back.
    let read = 0;
    const value = {
      get text(): string {
        read += 1;
        return "x ".repeat(length / 2);
      },
    };
    const check = checkValue(value, { test: TEST, details: { name: NAME }, keyBy: {} }, openLibrary(ROOT));
    const before = read;
    try {
      return check.update?.propose().kind ?? "none";
    } catch (thrown) {
      return `${String(thrown)}, read ${read - before} times`;
    }
  };
  expect(ask(undefined, 1_999_000)).toBe("add");
  const refused = (max: string): string =>
    `TypeError: it has 2.1 MB, which is more than policy.maxBytes (${max}). ` +
    "Reduce it, or store only the hash of its large parts (redact.hashOnly), read 0 times";
  expect(ask(undefined, 2_100_000)).toBe(refused("2.0 MB"));
  expect(ask({ maxBytes: 9000 }, 2_100_000)).toBe(refused("9.0 kB"));
  expect(ask({ maxBytes: 3_000_000 }, 2_100_000)).toBe("add");
  expect(ask({ hashOnly: ["text"] }, 2_100_000)).toBe("add");
});
