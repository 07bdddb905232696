import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../../../../test-support/hostile-texts.ts";
import { reportText } from "../../../../test-support/run-models.ts";
import { visible, pieces, looksEqual } from "./visible.ts";
import { runCount } from "../../../../test-support/run-count.ts";

describe("visible", () => {
  test.each([
    ["colours and clearing", "\\u001b[31mred\\u001b[2J\\u001b[H"],
    ["bidi controls", "user\\u202etxt.exe\\u2066hidden\\u2069\\u200f"],
    ["invisible characters", "a\\u200bb\\ufeffc\\u00add\\u2028e\\u2029f"],
    ["carriage returns and backspaces", "good\\rbad\\b\\b\\bugly\\u007f"],
    ["lone surrogates", "\\ud800 \\udfff \\ud83d"],
  ])("escapes %s", (name, shown) => {
    expect(visible(HOSTILE_TEXTS[name] ?? "")).toBe(shown);
  });

  test("keeps line ends and tabs in prose only", () => {
    expect(visible("a\n\tb")).toBe("a\\n\\tb");
    expect(visible("a\n\tb", "prose")).toBe("a\n\tb");
  });

  test("escapes stacked combining marks, and keeps those of a language", () => {
    expect(visible("Việt e\u0301")).toBe("Việt e\u0301");
    expect(visible(`Z${"\u0351".repeat(10)}`)).toBe(`Z${"\u0351".repeat(8)}\\u0351\\u0351`);
  });

  test("keeps joiners only if they shape a letter or an emoji", () => {
    expect(visible("👩\u200d💻 ❤\ufe0f می\u200cخواهم क्\u200dष")).toBe("👩\u200d💻 ❤\ufe0f می\u200cخواهم क्\u200dष");
    expect(visible("pass\u200dword \u200c")).toBe("pass\\u200dword \\u200c");
  });

  test("writes tag characters in braces", () => {
    expect(visible("a\u{e0041}b")).toBe("a\\u{e0041}b");
  });

  test("leaves no invisible character in any text", { tags: "deep" }, () => {
    fc.assert(
      fc.property(reportText(), (text) => {
        expect(visible(text).replaceAll(/\u200c|\u200d|\ufe0e|\ufe0f/gu, "")).not.toMatch(
          /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u,
        );
        expect(visible(text, "strict")).toMatch(/^[\n\t -~]*$/);
      }),
      { numRuns: runCount(1000) },
    );
  });

  test("equals its joined pieces, and pieces that aren't escaped are in the text", () => {
    fc.assert(
      fc.property(reportText(), fc.constantFrom("line", "prose", "strict"), (text, manner) => {
        const all = pieces(text, manner);
        expect(all.map((piece) => piece.text).join("")).toBe(visible(text, manner));
        expect(all.every((piece) => piece.escaped || text.includes(piece.text))).toBe(true);
      }),
      { numRuns: runCount(1000) },
    );
  });
});

test("strict escapes blanks at the end of a line", () => {
  expect(visible("a b \nc  ", "strict")).toBe("a b\\u0020\nc\\u0020\\u0020");
});

describe("looksEqual", () => {
  test("is true for texts that only differ invisibly", () => {
    expect(looksEqual("caf\u00e9", "cafe\u0301")).toBe(true);
    expect(looksEqual("a b", "a\u00a0b")).toBe(true);
    expect(looksEqual("❤", "❤\ufe0f")).toBe(true);
    expect(looksEqual("a", "a\u202e")).toBe(true);
    expect(looksEqual("a", "a ")).toBe(true);
  });

  test("is true for letters, dashes and quotes that look like others", () => {
    for (const other of ["p\u0430y", "pa\u0443"]) expect(looksEqual("pay", other)).toBe(true);
    expect(looksEqual("a-b", "a\u2013b")).toBe(true);
    expect(looksEqual("it's", "it\u2019s")).toBe(true);
  });

  test("is false for equal texts, and for those that look different", () => {
    expect(looksEqual("a", "a")).toBe(false);
    expect(looksEqual("a", "b")).toBe(false);
  });
});
