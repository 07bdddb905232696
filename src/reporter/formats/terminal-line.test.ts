import { describe, expect, test } from "vitest";
import { changeLines } from "./change-lines.ts";
import { type TerminalLine, drawLine, fits } from "./terminal-line.ts";

const screen = { columns: 30, colors: false };
const plain = (text: string, more: Partial<TerminalLine> = {}): TerminalLine => ({
  indent: 2,
  spans: [{ text, tone: "plain" }],
  ...more,
});

describe("a line of a terminal", () => {
  test("is cut by cells, not by characters", () => {
    expect(drawLine(plain("日本語".repeat(9)), screen)).toEqual([`  ${"日本語".repeat(4)}日…`]);
  });

  test("is broken at blanks, and within a word that is too long", () => {
    expect(drawLine(plain("one two three four five six seven", { wraps: true }), screen)).toEqual([
      "  one two three four five six",
      "    seven",
    ]);
    expect(drawLine(plain("x".repeat(60), { wraps: true, hang: 0 }), screen)).toEqual([
      `  ${"x".repeat(28)}`,
      `  ${"x".repeat(28)}`,
      "  xxxx",
    ]);
  });

  test("is no command of a log, wherever it is broken", () => {
    expect(drawLine(plain(" ::error::x"), screen)).toEqual(["   :\\u003aerror::x"]);
    expect(drawLine(plain("one two three four five six ::set-output", { wraps: true }), screen)).toEqual([
      "  one two three four five six",
      "    :\\u003aset-output",
    ]);
    expect(drawLine(plain(`${"a".repeat(26)}::error::x`, { wraps: true }), screen).join("")).not.toContain("::");
    expect(drawLine(plain("done ##[error]x ##vso[task.x]y"), { columns: 60, colors: false })).toEqual([
      "  done #\\u0023[error]x #\\u0023vso[task.x]y",
    ]);
  });

  test("is no command where its parts only together begin one", () => {
    const spans = [":", ": 1 of 1 baseline"].map((text) => ({ text, tone: "plain" as const }));
    const line = "  :\\u003a 1 of 1 baseline";
    expect(drawLine({ indent: 2, spans }, screen)).toEqual([line]);
    expect(drawLine({ indent: 2, spans, wraps: true }, screen)).toEqual([line]);
    expect(drawLine({ indent: 2, spans: [{ text: "a", tone: "plain" }, ...spans] }, screen)).toEqual([
      "  a:: 1 of 1 baseline",
    ]);
  });

  test("has no colours of others, and its own only where they are wanted", () => {
    const line: TerminalLine = { indent: 0, spans: [{ text: "\u001b[31mred", tone: "added" }] };
    expect(drawLine(line, { columns: 80, colors: true })).toEqual(["\u001b[32m\\u001b[31mred\u001b[0m"]);
    expect(drawLine(line, { columns: 80, colors: false })).toEqual(["\\u001b[31mred"]);
  });

  test("fits where its cells do", () => {
    expect([
      fits(plain("x".repeat(28)), 30),
      fits(plain("x".repeat(29)), 30),
      fits(plain("日".repeat(15)), 30),
    ]).toEqual([true, false, false]);
  });
});

describe("a change", () => {
  const lines = (before: unknown, after: unknown, columns: number = 60): string[] =>
    changeLines(
      {
        part: "output",
        path: "total",
        ...(before === undefined ? {} : { before: JSON.parse(JSON.stringify(before)) }),
        ...(after === undefined ? {} : { after: JSON.parse(JSON.stringify(after)) }),
        cut: false,
      },
      { lead: "", indent: 4, columns },
    ).flatMap((line) => drawLine(line, { columns, colors: false }));

  test("is one line where there is room", () => {
    expect([lines(1, 2), lines(undefined, [1]), lines("a", undefined), lines(undefined, undefined)]).toEqual([
      ["      total: 1 → 2"],
      ["    + total: [1]"],
      ['    - total: "a"'],
      ["      total differs from its stored hash"],
    ]);
  });

  test("is two lines where there is none, so that both sides are seen", () => {
    expect(lines([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], 30)).toEqual([
      "      total:",
      "        - [1,2,3,4,5]",
      "        + [5,4,3,2,1]",
    ]);
  });

  test("is told by words in prose, and as a whole where the texts have little in common", () => {
    const text = "The quick brown fox jumps over the lazy dog and then runs home.";
    expect(lines(text, text.replace("brown", "red"))).toEqual([
      "      total: 61 characters (was 63), other words in 1 place",
      "        word 3: The quick [-brown-]{+red+} fox jumps over",
      "          the lazy dog …",
    ]);
    const words = (from: number): string => Array.from({ length: 90 }, (_, index) => `w${from + index}`).join(" ");
    expect(lines(words(0), words(1000), 40)).toEqual([
      "      total:",
      '        - "w0 w1 w2 w3 w4 w5 w6 w7 w8 w…',
      '        + "w1000 w1001 w1002 w1003 w100…',
    ]);
  });
});
