import { describe, expect, test } from "vitest";
import { escapeInvisible, escapeText, formatPath, quote, truncate } from "./text.ts";

// The first and last of each range that a terminal or a review would obey, and the characters just outside.
const ESCAPED = [
  0x7f, 0x80, 0x9b, 0x9f, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x202e, 0x2060, 0x206f, 0xfeff, 0xd800, 0xdfff,
];
const KEPT = [0x20, 0x7e, 0xa0, 0x200a, 0x200c, 0x200d, 0x2010, 0x2027, 0x202f, 0x205f, 0x2070, 0x1f600];

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

describe("quote", () => {
  test.each(ESCAPED)("escapes the code point %i", (code) => {
    const text = `a${String.fromCodePoint(code)}b`;
    expect(quote(text)).toBe(`"a${escaped(code)}b"`);
    expect(JSON.parse(quote(text))).toBe(text);
  });

  test.each(KEPT)("keeps the code point %i", (code) => {
    expect(quote(String.fromCodePoint(code))).toBe(`"${String.fromCodePoint(code)}"`);
  });

  test("escapes as JSON does", () => {
    expect(quote('a"\\\n\t\u001b[31m')).toBe('"a\\"\\\\\\n\\t\\u001b[31m"');
  });
});

describe("escapeText", () => {
  test.each(ESCAPED)("escapes the code point %i", (code) => {
    expect(escapeText(String.fromCodePoint(code))).toBe(escaped(code));
  });

  test("keeps line breaks, tabs, quotes and backslashes", () => {
    expect(escapeText('a\n\tb "c" \\')).toBe('a\n\tb "c" \\');
  });

  test("escapes carriage return, escape and the other control characters", () => {
    expect(escapeText("a\r\n\u001b[31m\u0000\b\f\u000b")).toBe("a\\r\n\\u001b[31m\\u0000\\b\\f\\u000b");
  });
});

describe("escapeInvisible", () => {
  test("leaves a JSON text with the same value", () => {
    const value = { "a\u202e": ["\u0085", "\ud800", "\u001b"] };
    const safe = escapeInvisible(JSON.stringify(value));
    expect(safe).toBe('{"a\\u202e":["\\u0085","\\ud800","\\u001b"]}');
    expect(JSON.parse(safe)).toEqual(value);
  });

  test("escapes a lone surrogate that stands raw in the text", () => {
    expect(escapeInvisible('"\ud83d 😀"')).toBe('"\\ud83d 😀"');
  });
});

describe("truncate", () => {
  test("leaves a text that fits", () => {
    expect(truncate("abc", 3)).toBe("abc");
    expect(truncate("abc", Infinity)).toBe("abc");
    expect(truncate("", 0)).toBe("");
  });

  test("says how many characters it left out", () => {
    expect(truncate("abcdefghij", 3)).toBe("abc… (+7 characters)");
    expect(truncate("abc", 0)).toBe("… (+3 characters)");
    expect(truncate("abc", -5)).toBe("… (+3 characters)");
  });

  test("does not split a surrogate pair", () => {
    expect(truncate("a😀bcd", 2)).toBe("a… (+5 characters)");
    expect(truncate("a😀bcd", 3)).toBe("a😀… (+3 characters)");
  });
});

test.each([
  ["::error file=a.ts::forged", ":\\u003aerror file=a.ts::forged"],
  ["one\n  ::set-output name=x::y", "one\n  :\\u003aset-output name=x::y"],
  ["before ##[group]x ##vso[task.complete]", "before #\\u0023[group]x #\\u0023vso[task.complete]"],
  ["std::string ## heading #1", "std::string ## heading #1"],
])("what the log of a CI job would obey is shown: %j", (text, shown) => {
  expect(escapeText(text)).toBe(shown);
});

test("a quoted text commands no log either, and parses to itself", () => {
  expect(quote("x ##[error]y")).toBe('"x #\\u0023[error]y"');
  expect(JSON.parse(quote("x ##[error]y"))).toBe("x ##[error]y");
});

test.each([
  [[], "(root)"],
  [["user", "name"], "user.name"],
  [[1], "[1]"],
  [["lines", 0, "sku"], "lines[0].sku"],
  [[0, "a", 1, 2], "[0].a[1][2]"],
  [["a-b_c$", "1", "größe"], "a-b_c$.1.größe"],
  [["a b", "c"], '["a b"].c'],
  [["a", "b.c"], 'a["b.c"]'],
  [["a", ""], 'a[""]'],
  [["", "a"], '[""].a'],
  [["a", 'q"]', "\u001b[31m", "\u202e"], 'a["q\\"]"]["\\u001b[31m"]["\\u202e"]'],
  [["(root)"], '["(root)"]'],
])("writes %j as %s", (path, expected) => {
  expect(formatPath(path)).toBe(expected);
});
