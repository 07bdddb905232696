import { describe, expect, test } from "vitest";
import { detailLines } from "./detail-lines.ts";
import { drawLine } from "./terminal-line.ts";

describe("a change", () => {
  const lines = (before: unknown, after: unknown, columns: number = 60): string[] =>
    detailLines(
      {
        kind: "change",
        lead: "",
        role: "changed",
        change: { part: "output", path: "total", before, after, cut: false },
      },
      { columns, value: 1000, indent: 6 },
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

  test("of a text of several lines is told by them, with a line around each place", () => {
    const text = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const other = text.with(9, "line ten").with(11, "line twelve").toSpliced(30, 1);
    expect(lines(text.join("\n"), other.join("\n"))).toEqual([
      "      total: 39 lines (was 40), other lines in 2 places",
      "        line 9:",
      "            line 9",
      "          - line 10",
      "          + line ten",
      "            line 11",
      "          - line 12",
      "          + line twelve",
      "            line 13",
      "        line 30:",
      "            line 30",
      "          - line 31",
      "            line 32",
    ]);
    const many = (name: string): string => Array.from({ length: 30 }, (_, index) => `${name} ${index}`).join("\n");
    const told = lines(many("old"), many("new"));
    expect([told.length, told[1], told[2], told.at(-1)]).toEqual([
      15,
      "        line 1:",
      "          - old 0",
      "            … and 48 more lines",
    ]);
  });

  test("of a Date and its text says what they are", () => {
    const date = new Date(0);
    expect(lines(date, date.toISOString(), 90)).toEqual([
      '      total: "1970-01-01T00:00:00.000Z" (Date) → "1970-01-01T00:00:00.000Z" (string)',
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
