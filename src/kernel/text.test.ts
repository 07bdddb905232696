import { describe, expect, test } from "vitest";
import {
  commandPath,
  escapeInvisible,
  escapeText,
  formatPath,
  formatSize,
  quote,
  sharedEnds,
  truncate,
} from "./text.ts";

// The first and last of each range that a terminal or a review would obey, and the characters just outside.
const ESCAPED = [
  0x7f, 0x80, 0x9b, 0x9f, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x202e, 0x2060, 0x206f, 0xfeff, 0xd800, 0xdfff,
];
// What shows nothing and could hide a text: soft hyphen, grapheme joiner, fillers, joiners, selectors, tags.
const HIDDEN = [
  0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x200c, 0x200d, 0x2800, 0x3164, 0xfe00, 0xfe0e, 0xffa0, 0xfff9,
  0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef,
];
const KEPT = [0x20, 0x7e, 0xa0, 0x200a, 0x2010, 0x2027, 0x202f, 0x205f, 0x2070, 0xfe0f, 0x1f600];

function escaped(code: number): string {
  return Array.from(String.fromCodePoint(code).split(""), (unit) => unit.charCodeAt(0))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}

describe("quote", () => {
  test.each([...ESCAPED, ...HIDDEN])("escapes the code point %i", (code) => {
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
  test.each([...ESCAPED, ...HIDDEN])("escapes the code point %i", (code) => {
    expect(escapeText(String.fromCodePoint(code))).toBe(escaped(code));
  });

  test("keeps line breaks, tabs, quotes and backslashes", () => {
    expect(escapeText('a\n\tb "c" \\')).toBe('a\n\tb "c" \\');
  });

  test("escapes control characters", () => {
    expect(escapeText("a\r\n\u001b[31m\u0000\b\f\u000b")).toBe("a\\r\n\\u001b[31m\\u0000\\b\\f\\u000b");
  });
});

describe("escapeInvisible", () => {
  test("keeps joiners that shape an emoji or a letter, and escapes others", () => {
    const family = "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67";
    for (const text of [family, "\u2764\ufe0f\u200d\ud83d\udd25", "\u0645\u06cc\u200c\u062e", "\u0915\u094d\u200d"])
      expect(escapeInvisible(text)).toBe(text);
    expect(escapeInvisible("ad\u200dmin \ud83d\udc68\u200d\u200d")).toBe("ad\\u200dmin \ud83d\udc68\u200d\\u200d");
  });

  test("keeps the value of a JSON text", () => {
    const value = { "a\u202e": ["\u0085", "\ud800", "\u001b"] };
    const safe = escapeInvisible(JSON.stringify(value));
    expect(safe).toBe('{"a\\u202e":["\\u0085","\\ud800","\\u001b"]}');
    expect(JSON.parse(safe)).toEqual(value);
  });

  test("escapes a raw lone surrogate", () => {
    expect(escapeInvisible('"\ud83d 😀"')).toBe('"\\ud83d 😀"');
  });
});

describe("truncate", () => {
  test("keeps a text that fits", () => {
    expect(truncate("abc", 3)).toBe("abc");
    expect(truncate("abc", Infinity)).toBe("abc");
    expect(truncate("", 0)).toBe("");
  });

  test("shows how many characters it removed", () => {
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
])("escapes log commands of CI jobs: %j", (text, shown) => {
  expect(escapeText(text)).toBe(shown);
});

test("a quoted text has no log command, and parses to itself", () => {
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

test.each([
  [999, "999 B"],
  [1000, "1.0 kB"],
  [9_949, "9.9 kB"],
  [9_960, "10 kB"],
  [999_499, "999 kB"],
  [999_600, "1.0 MB"],
  [24_000_000, "24 MB"],
])("formats %i bytes as %s", (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test.each([0, 1, 255, 256, 257, 511, 512, 513, 1000])("counts %i shared characters at each end", (shared) => {
  const same = "ab".repeat(500).slice(0, shared);
  expect(sharedEnds(`${same}x${same}`, `${same}yz${same}`)).toStrictEqual({ start: shared, end: shared });
  // One that is a part of the other: no character counts twice.
  expect(sharedEnds(`${same}x`, `${same}x${same}x`)).toStrictEqual({ start: shared + 1, end: 0 });
  expect(sharedEnds(`x${same}`, `y${same}y${same}`)).toStrictEqual({ start: 0, end: shared });
});

test.each([
  ["a/b.test.ts", "a/b.test.ts"],
  ["a b.ts", '"a b.ts"'],
  ["-d/a.ts", "./-d/a.ts"],
  ["-d e/a.ts", '"./-d e/a.ts"'],
])("writes the path %s as %s, which no command takes for an option", (path, written) => {
  expect(commandPath(path)).toBe(written);
});
