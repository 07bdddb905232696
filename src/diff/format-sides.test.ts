import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText, jsonLike } from "../testing/arbitraries.ts";
import { formatSides } from "./format-sides.ts";
import { toldApart } from "./look-alikes.ts";

const long = (text: string): string => `${"0123456789".repeat(40)}${text}${"abcdefghij".repeat(20)}`;

describe("two sides never read the same", () => {
  test("what differs behind a long beginning is shown from a little before it", () => {
    expect(formatSides(long("NINE"), long("TEN"), 60)).toStrictEqual([
      "(+386 characters) …567890123456789NINEabcdefghijabcdefghijabcdefghijabcdefghija… (+160 characters)",
      "(+386 characters) …567890123456789TENabcdefghijabcdefghijabcdefghijabcdefghijab… (+159 characters)",
    ]);
    expect(formatSides("short", "other", 60)).toStrictEqual(['"short"', '"other"']);
    expect(formatSides({ a: long("1") }, { a: long("2") }, 40)[0]).toContain("…");
  });

  test("whatever the values and however short", () => {
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
      { numRuns: 5000 },
    );
  });
});

describe("what looks the same is told by its code points", () => {
  test.each([
    ["composed and decomposed", "caf\u00e9 noir", "cafe\u0301 noir", "caf\\u00e9 noir", "cafe\\u0301 noir"],
    ["a blank that does not break", "10 EUR", "10\u00a0EUR", "10 EUR", "10\\u00a0EUR"],
    ["a Cyrillic letter", "paypal", "p\u0430ypal", "paypal", "p\\u0430ypal"],
    ["a Greek letter", "Omega", "\u039fmega", "Omega", "\\u039fmega"],
    ["full width", "A1", "\uff21\uff11", "A1", "\\uff21\\uff11"],
    ["a dash", "1-2", "1\u20132", "1-2", "1\\u20132"],
    ["a quote", "it's", "it\u2019s", "it's", "it\\u2019s"],
    ["in several places", "a b c", "a\u00a0b\u00a0c", "a b c", "a\\u00a0b\\u00a0c"],
    ["a ligature", "office", "o\ufb03ce", "office", "o\\ufb03ce"],
  ])("%s", (_, before, after, was, is) => {
    expect(toldApart(before, after)).toStrictEqual([was, is]);
    expect(toldApart(after, before)).toStrictEqual([is, was]);
    expect(formatSides(before, after)).toStrictEqual([`"${was}"`, `"${is}"`]);
  });

  test("what looks different stays as it is, whatever its letters", () => {
    for (const [before, after] of [
      ["é", "è"],
      ["да", "нет"],
      ["a", "b"],
      ["same", "same"],
    ] as const)
      expect(toldApart(before, after)).toStrictEqual([before, after]);
  });

  test("two texts that come back alike are alike", () => {
    fc.assert(
      fc.property(anyText(), anyText(), (before, after) => {
        const [was, is] = toldApart(before, after);
        if (before !== after) expect(was).not.toBe(is);
      }),
      { numRuns: 5000 },
    );
  });
});
