import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText, jsonLike } from "../../../test-support/arbitraries.ts";
import { diff } from "./diff.ts";
import { formatDiff, formatEntry, formatValue, formatSides } from "./format-diff.ts";
import { escapeLookAlikes } from "./look-alikes.ts";
import { runCount } from "../../../test-support/run-count.ts";

test("writes one line for each entry", () => {
  const before = { a: 1, name: "x", user: { name: "A" }, list: [1, 2] };
  const after = { a: 2, data: { b: [1], a: 2 }, user: { name: "B" }, list: [1, 3] };
  expect(formatDiff(diff(before, after))).toMatchInlineSnapshot(`
    "  a: 1 → 2
    + data: {"a":2,"b":[1]}
      list[1]: 2 → 3
    - name: "x"
      user.name: "A" → "B""
  `);
});

test.each([
  [[1, 2], [1, 3], "  [1]: 2 → 3"],
  [1, 2, "  (root): 1 → 2"],
  [{ a: null }, { a: Number.NaN }, "  a: null → NaN"],
  [{}, { a: { b: Number.NaN, c: [undefined, null] } }, '+ a: {"b": NaN, "c": [undefined, null]}'],
  [[], {}, "  (root): [] → {}"],
  [{ a: 1 }, { a: null }, "  a: 1 → null"],
  [undefined, 1, "+ (root): 1"],
  [1, 1, "(no changes)"],
])("writes %j and %j as %s", (before, after, expected) => {
  expect(formatDiff(diff(before, after))).toBe(expected);
});

test("counts the entries beyond maxEntries", () => {
  const result = diff(
    [],
    Array.from({ length: 15 }, (_, index) => index),
  );
  expect(formatDiff(result, { maxEntries: 3 })).toBe("+ [0]: 0\n+ [1]: 1\n+ [2]: 2\n  … and 12 more changes");
  expect(formatDiff(result, { maxEntries: 14 }).split("\n").at(-1)).toBe("  … and 1 more change");
  expect(formatDiff(result, { maxEntries: 15 }).split("\n").at(-1)).toBe("+ [14]: 14");
  expect(formatDiff(result, { maxEntries: 0 })).toBe("  … and 15 more changes");
});

test("shortens values at maxValueLength", () => {
  expect(formatDiff(diff({ a: "abcdefghij" }, { a: 1 }), { maxValueLength: 5 })).toBe(
    '  a: "abcd… (+7 characters) → 1',
  );
});

test("escapes control and bidi characters", () => {
  const hostile = "\u001b[2J\r\n\u202e\u0085\ud800";
  const safe = "\\u001b[2J\\r\\n\\u202e\\u0085\\ud800";
  expect(formatDiff(diff({}, { [hostile]: { [hostile]: hostile } }))).toBe(`+ ["${safe}"]: {"${safe}":"${safe}"}`);
});

test("distinguishes values of two types that are written alike", () => {
  expect(formatDiff(diff({ at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }))).toBe(
    '  at: "1970-01-01T00:00:00.000Z" (Date) → "1970-01-01T00:00:00.000Z" (string)',
  );
  expect(formatEntry({ path: ["a"], before: undefined, after: undefined })).toBe("  a: undefined → undefined");
});

describe("formatValue", () => {
  const loop: Record<string, unknown> = { name: "l" };
  loop["self"] = [loop];
  const broken = Object.defineProperty({ big: 1n }, "a", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  const badName = Object.defineProperty(() => 1, "name", {
    get: () => {
      throw new Error("no");
    },
  });
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  test.each([
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["-0", -0, "0"],
    ["infinity", -Infinity, "-Infinity"],
    ["a bigint", 1n, "1n"],
    ["a map", new Map(), "Map {}"],
    ["an error", new Error("e"), "[Error: e]"],
    ["a named function", function parse() {}, "[Function parse]"],
    [
      "a function without a name",
      (
        () => () =>
          1
      )(),
      "[Function anonymous]",
    ],
    ["a function whose name throws", badName, "[function]"],
    ["a symbol", Symbol("id"), "Symbol(id)"],
    ["a symbol without description", Symbol(), "Symbol()"],
    ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["a date beside a map", [new Date(0), new Map()], "[1970-01-01T00:00:00.000Z, Map {}]"],
    ["a cycle", loop, '{"name": "l", "self": [[Circular]]}'],
    ["a throwing getter", broken, "[object]"],
    [
      "mixed content",
      { z: [1n, "s", null, true, 2, undefined], a: new Set() },
      '{"a": Set {}, "z": [1n, "s", null, true, 2, undefined]}',
    ],
  ])("writes %s", (_, value, expected) => {
    expect(formatValue(value)).toBe(expected);
  });

  test("writes a revoked proxy", () => {
    expect(formatValue(proxy)).toBe("[object]");
  });

  test("writes JSON of any depth, and the start of values that JSON refuses", () => {
    let json: unknown = 1;
    let refused: unknown = 1n;
    for (let level = 0; level < 20_000; level += 1) [json, refused] = [[json], [refused]];
    expect(formatValue(json)).toHaveLength(40_001);
    expect(formatValue(refused)).toBe("[[[[[[[Array]]]]]]]");
  });
});

const long = (text: string): string => `${"0123456789".repeat(40)}${text}${"abcdefghij".repeat(20)}`;

describe("two different sides never look the same", () => {
  test("shows a difference after a long common beginning with a little context", () => {
    expect(formatSides(long("NINE"), long("TEN"), 60)).toStrictEqual([
      "(+386 characters) …567890123456789NINEabcdefghijabcdefghijabcdefghijabcdefghija… (+160 characters)",
      "(+386 characters) …567890123456789TENabcdefghijabcdefghijabcdefghijabcdefghijab… (+159 characters)",
    ]);
    expect(formatSides("short", "other", 60)).toStrictEqual(['"short"', '"other"']);
    expect(formatSides({ a: long("1") }, { a: long("2") }, 40)[0]).toContain("…");
  });

  const numbers = (last: number): number[] => [...Array.from({ length: 55 }, (_, index) => index + 100), last];
  const deep = (value: unknown): unknown => Array.from({ length: 8 }).reduce<unknown>((x) => ({ x }), value);
  const coded = (code: number): Error => Object.assign(new Error("no"), { code });

  test.each<[string, (last: number) => unknown, string, string]>([
    ["a Set", (last) => new Set(numbers(last)), "… 153, 154, 1}", "… 153, 154, 2}"],
    ["bytes", (last) => new Uint8Array(numbers(last)), "… 153, 154, 1]", "… 153, 154, 2]"],
    ["a Map", (last) => new Map(numbers(last).entries()), "… 54 => 154, 55 => 1}", "… 54 => 154, 55 => 2}"],
    ["a deep value", (last) => new Set([deep(last)]), '… {"x": 1}}}}}}}}}', '… {"x": 2}}}}}}}}}'],
    [
      "an AggregateError",
      (last) => new AggregateError([new Error(`${last}`)], "no"),
      '[AggregateError: no {"errors": [[Error: 1]]}]',
      '[AggregateError: no {"errors": [[Error: 2]]}]',
    ],
    [
      "an error in a Set",
      (last) => new Set([coded(last)]),
      'Set {[Error: no {"code": 1}]}',
      'Set {[Error: no {"code": 2}]}',
    ],
    [
      "the cause of an error",
      (last) => new Map([[1, new Error("no", { cause: coded(last) })]]),
      '… "cause": [Error: no {"code": 1}]}]}',
      '… "cause": [Error: no {"code": 2}]}]}',
    ],
  ])("shows a difference within %s", (_what, make, was, is) => {
    const sides = formatSides(make(1), make(2), 120);
    const ends = [was, is].map((text) => text.replace("… ", ""));
    expect(sides.map((text, index) => text.slice(-(ends[index]?.length ?? 0)))).toStrictEqual(ends);
    expect(sides.every((text) => text.length < 150)).toBe(true);
  });

  test("for any values and lengths", { tags: "deep" }, () => {
    const shared = fc.tuple(fc.string({ maxLength: 300 }), anyText(), anyText(), fc.string({ maxLength: 300 }));
    const texts = shared.map(([lead, a, b, trail]) => [lead + a + trail, lead + b + trail] as const);
    const values = fc.tuple(jsonLike(), jsonLike());
    fc.assert(
      fc.property(fc.oneof(texts, values), fc.constantFrom(40, 60, 160, 200), ([a, b], max) => {
        const [was, is] = formatSides(a, b, max);
        const [whole, other] = formatSides(a, b);
        if (whole !== other) expect(was).not.toBe(is);
        expect(Math.max(was.length, is.length)).toBeLessThanOrEqual(max * 6 + 80);
      }),
      { numRuns: runCount(5000) },
    );
  });
});

describe("what looks the same is reported by its code points", () => {
  test.each([
    ["composed and decomposed", "caf\u00e9 noir", "cafe\u0301 noir", "caf\\u00e9 noir", "cafe\\u0301 noir"],
    ["a blank that does not break", "10 EUR", "10\u00a0EUR", "10 EUR", "10\\u00a0EUR"],
    ["a Cyrillic letter", "paypal", "p\u0430ypal", "paypal", "p\\u0430ypal"],
    ["a Greek letter", "Omega", "\u039fmega", "Omega", "\\u039fmega"],
    ["full width", "A1", "\uff21\uff11", "A1", "\\uff21\\uff11"],
    ["a dash", "1-2", "1\u20132", "1-2", "1\\u20132"],
    ["a quote", "it's", "it\u2019s", "it's", "it\\u2019s"],
    ["in several places", "a b c", "a\u00a0b\u00a0c", "a b c", "a\\u00a0b\\u00a0c"],
    ["a Cyrillic letter with a mark", "No\u00ebl", "No\u0451l", "No\\u00ebl", "No\\u0451l"],
    ["a Ukrainian letter", "na\u00efve", "na\u0457ve", "na\\u00efve", "na\\u0457ve"],
    ["a Greek letter with a mark", "\u00f3", "\u03cc", "\\u00f3", "\\u03cc"],
    ["a Cherokee letter", "A", "\u13aa", "A", "\\u13aa"],
    ["Persian digits", "\u0661\u0662", "\u06f1\u06f2", "\\u0661\\u0662", "\\u06f1\\u06f2"],
    ["a letter of Katakana", "\u30ed", "\u53e3", "\\u30ed", "\\u53e3"],
    ["a long vowel", "\u30fc", "\u4e00", "\\u30fc", "\\u4e00"],
    ["a prime", "5'", "5\u2032", "5'", "5\\u2032"],
    ["an acute accent", "it's", "it\u00b4s", "it's", "it\\u00b4s"],
    ["a slash of fractions", "1/2", "1\u20442", "1/2", "1\\u20442"],
    ["a ligature", "office", "o\ufb03ce", "office", "o\\ufb03ce"],
  ])("%s", (_, before, after, was, is) => {
    expect(escapeLookAlikes(before, after)).toStrictEqual([was, is]);
    expect(escapeLookAlikes(after, before)).toStrictEqual([is, was]);
    expect(formatSides(before, after)).toStrictEqual([`"${was}"`, `"${is}"`]);
  });

  test("keeps values that look different, whatever their letters", () => {
    for (const [before, after] of [
      ["é", "è"],
      ["да", "нет"],
      ["a", "b"],
      ["same", "same"],
    ] as const)
      expect(escapeLookAlikes(before, after)).toStrictEqual([before, after]);
  });

  test("returns two texts that are shown equally as equal", () => {
    fc.assert(
      fc.property(anyText(), anyText(), (before, after) => {
        const [was, is] = escapeLookAlikes(before, after);
        if (before !== after) expect(was).not.toBe(is);
      }),
      { numRuns: runCount(5000) },
    );
  });
});

test("says what a text and a Date or URL are, because both are written as texts", () => {
  const at = new Date("2026-03-04T22:30:00Z");
  expect([
    formatSides("2026-03-04", at),
    formatSides(at, "4 March"),
    formatSides("https://a.test", new URL("https://a.test")),
    formatSides(at, new Date(0)),
    formatSides("5", 5n),
  ]).toEqual([
    ['"2026-03-04" (string)', '"2026-03-04T22:30:00.000Z" (Date)'],
    ['"2026-03-04T22:30:00.000Z" (Date)', '"4 March" (string)'],
    ['"https://a.test" (string)', '"https://a.test/" (URL)'],
    ['"2026-03-04T22:30:00.000Z"', '"1970-01-01T00:00:00.000Z"'],
    ['"5"', "5n"],
  ]);
});
