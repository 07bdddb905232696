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

  test("is one line if it fits", () => {
    expect([lines(1, 2), lines(undefined, [1]), lines("a", undefined), lines(undefined, undefined)]).toEqual([
      ["      total: 1 → 2"],
      ["    + total: [1]"],
      ['    - total: "a"'],
      ["      total differs from its stored hash"],
    ]);
  });

  test("is two lines if one is too short, so that both sides are visible", () => {
    expect(lines([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], 30)).toEqual([
      "      total:",
      "        - [1,2,3,4,5]",
      "        + [5,4,3,2,1]",
    ]);
  });

  test("in a text of several lines is a unified diff", () => {
    const text = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const other = text.with(9, "line ten").with(11, "line twelve").toSpliced(30, 1);
    expect(lines(text.join("\n"), other.join("\n"))).toEqual([
      "      total: 39 lines (was 40)",
      "        @@ -8,7 +8,7 @@",
      "          line 8",
      "          line 9",
      "        - line 10",
      "        + line ten",
      "          line 11",
      "        - line 12",
      "        + line twelve",
      "          line 13",
      "          line 14",
      "        @@ -29,5 +29,4 @@",
      "          line 29",
      "          line 30",
      "        - line 31",
      "          line 32",
      "          line 33",
    ]);
    const many = (name: string): string => Array.from({ length: 30 }, (_, index) => `${name} ${index}`).join("\n");
    const told = lines(many("old"), many("new"));
    expect([told.length, told[1], told.at(-1)]).toEqual([32, "        - old 0", "        … and 30 more lines"]);
  });

  test("between very different texts of thousands of lines lists removed and added lines", () => {
    const many = (name: string): string => Array.from({ length: 3000 }, (_, index) => `${name} ${index}`).join("\n");
    const told = lines(`same\n${many("old")}`, `same\n${many("new")}`);
    expect([told.length, told[1], told.at(-1)]).toEqual([32, "        - old 0", "        … and 5,970 more lines"]);
  });

  test("in a text of several lines escapes control characters", () => {
    expect(lines("a\n\u001b[31mred\n\u202eb", "a\n\\u001b[31mred\n::error::b")).toEqual([
      "      total: 3 lines",
      "          a",
      "        - \\u001b[31mred",
      "        - \\u202eb",
      "        + \\\\u001b[31mred",
      "        + :\\u003aerror::b",
    ]);
  });

  test("between a Date and its text names the types", () => {
    const date = new Date(0);
    expect(lines(date, date.toISOString(), 90)).toEqual([
      '      total: "1970-01-01T00:00:00.000Z" (Date) → "1970-01-01T00:00:00.000Z" (string)',
    ]);
  });

  test("is reported by words in prose, and as a whole where the texts have little in common", () => {
    const text = "The quick brown fox jumps over the lazy dog and then runs home.";
    expect(lines(text, text.replace("brown", "red"))).toEqual([
      "      total: 61 characters (was 63), 1 wording change",
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
