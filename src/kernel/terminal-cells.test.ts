import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countCells, fitToCells, printable, wrapToCells } from "./terminal-cells.ts";
import { runCount } from "../../test-support/run-count.ts";
import { timesAsLong } from "../../test-support/cpu-ms.ts";

test.each<[string, number]>([
  ["", 0],
  ["plain", 5],
  ["é", 1],
  ["e\u0301", 1],
  ["日本語", 6],
  ["한국", 4],
  ["ﾊﾝ", 2],
  ["Ａ", 2],
  ["🙂", 2],
  ["\u2630\u268f\u{18e00}", 6],
  ["→ … ─", 5],
])("%j takes %d cells", (text, cells) => {
  expect(countCells(text)).toBe(cells);
});

test("counts characters that a terminal may draw wider as wide", () => {
  expect(countCells("☺\ufe0f")).toBe(3);
  expect(countCells("🇩🇪")).toBe(4);
});

test("counts stacked marks from the fourth on", () => {
  expect(countCells(`e${"\u0301".repeat(103)}`)).toBe(101);
});

test.each<[string, string]>([
  ["\u001b[2J\u001b]52;c;eA==\u0007", "\\u001b[2J\\u001b]52;c;eA==\\u0007"],
  ["\u202egnp.exe", "\\u202egnp.exe"],
  ["a\rb\nc\td", "a\\rb\\nc    d"],
  ["\u009b31m", "\\u009b31m"],
  ["a\u200bb\u200dc\u00add", "a\\u200bb\\u200dc\\u00add"],
  ["\ud83d\udc68\u200d\ud83d\udc69", "\ud83d\udc68\\u200d\ud83d\udc69"],
  ["x\u{e0041}\u{e0042}", "x\\udb40\\udc41\\udb40\\udc42"],
  ["x\ufe00\u{e0100}", "x\\ufe00\\udb40\\udd00"],
  ["\u3164\u115f", "\\u3164\\u115f"],
  ["☺\ufe0f", "☺\ufe0f"],
  ["\ud800", "\\ud800"],
])("%j is shown as %s", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

const TEXTS = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom("日", "🙂", "a", "\u0301", "\u001b", "\t", "\ufe0f", "\ud83d"), maxLength: 200 }),
);

test("printable text has no terminal control characters", () => {
  fc.assert(
    fc.property(TEXTS, (text) => {
      expect(printable(text)).not.toMatch(
        /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Surrogate}]/u,
      );
    }),
    { numRuns: runCount(1000) },
  );
});

test("wrapping keeps all text, and every piece within the width", () => {
  fc.assert(
    fc.property(TEXTS, fc.integer({ min: 2, max: 60 }), (text, columns) => {
      const shown = printable(text);
      const pieces = wrapToCells(shown, columns);
      expect(pieces.join("")).toBe(shown);
      // A mark at the start of a piece has lost the character it was counted with.
      for (const piece of pieces) expect(countCells(piece.replace(/^[\p{M}]+/u, ""))).toBeLessThanOrEqual(columns);
    }),
    { numRuns: runCount(1000) },
  );
});

test("fitting keeps within the width, and keeps texts that fit", () => {
  fc.assert(
    fc.property(TEXTS, fc.integer({ min: 0, max: 60 }), (text, columns) => {
      const shown = printable(text);
      expect(countCells(fitToCells(shown, columns))).toBeLessThanOrEqual(columns);
      if (countCells(shown) <= columns) expect(fitToCells(shown, columns)).toBe(shown);
    }),
    { numRuns: runCount(1000) },
  );
});

test("wraps a text of a million characters in one pass", { tags: "deep" }, async () => {
  const text = "日".repeat(1_000_000);
  expect(wrapToCells(text, 80)).toHaveLength(25_000);
  const tenth = text.slice(0, 100_000);
  const factor = await timesAsLong(
    () => wrapToCells(tenth, 80),
    () => wrapToCells(text, 80),
  );
  // With a copy of the rest for each line it would take a hundred times as long.
  expect(factor).toBeLessThan(40);
});
