import { describe, expect, test } from "vitest";
import { type TerminalLine, drawLine, fits } from "./terminal-line.ts";

const screen = { columns: 30, colors: false };
const plain = (text: string, more: Partial<TerminalLine> = {}): TerminalLine => ({
  indent: 2,
  spans: [{ text, tone: "plain" }],
  ...more,
});

describe("a line of a terminal", () => {
  test("is cut by terminal cells, not by characters", () => {
    expect(drawLine(plain("日本語".repeat(9)), screen)).toEqual([`  ${"日本語".repeat(4)}日…`]);
  });

  test("wraps at spaces, and within a word that is too long", () => {
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

  test("never contains a log command, wherever it wraps", () => {
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

  test("never contains a log command that several parts form together", () => {
    const spans = [":", ": 1 of 1 baseline"].map((text) => ({ text, tone: "plain" as const }));
    const line = "  :\\u003a 1 of 1 baseline";
    expect(drawLine({ indent: 2, spans }, screen)).toEqual([line]);
    expect(drawLine({ indent: 2, spans, wraps: true }, screen)).toEqual([line]);
    expect(drawLine({ indent: 2, spans: [{ text: "a", tone: "plain" }, ...spans] }, screen)).toEqual([
      "  a:: 1 of 1 baseline",
    ]);
  });

  test("escapes colour codes in texts, and adds its own only if enabled", () => {
    const line: TerminalLine = { indent: 0, spans: [{ text: "\u001b[31mred", tone: "added" }] };
    expect(drawLine(line, { columns: 80, colors: true })).toEqual(["\u001b[32m\\u001b[31mred\u001b[0m"]);
    expect(drawLine(line, { columns: 80, colors: false })).toEqual(["\\u001b[31mred"]);
  });

  test("fits if its terminal cells do", () => {
    expect([
      fits(plain("x".repeat(28)), 30),
      fits(plain("x".repeat(29)), 30),
      fits(plain("日".repeat(15)), 30),
    ]).toEqual([true, false, false]);
  });
});
