import { describe, expect, test } from "vitest";
import { makePdf } from "../../../../test-support/make-pdf.ts";
import { unwrap } from "../../../kernel/result.ts";
import { ingest } from "./ingest.ts";
import { type TextRun, textOfRuns } from "./reading-order.ts";

/** Lines of runs from the left edge of a page to the right, ten points apart. */
function runsOf(...lines: readonly (readonly string[])[]): TextRun[] {
  return lines.flatMap((line) => line.map((text, at): TextRun => [text, at * 10, at === line.length - 1]));
}

describe("reads lines from right to left in their order", () => {
  test.each([
    [
      ["24", " ", "על ידי החברה ותוקפו", " ", "2024", " ", "החוזה נחתם בשנת"],
      "החוזה נחתם בשנת 2024 על ידי החברה ותוקפו 24",
    ],
    [["לכל חודש", " ", "(", "כולל מע״מ", ")", " ", "1,500", " ", "המחיר הוא"], "המחיר הוא 1,500 (כולל מע״מ) לכל חודש"],
    [[".", "ﺔ", "ﺒ", "ﻳ", "ﺮ", "ﺿ", " ", "45", " ", "ﺮ", "ﻌ", "ﺴ", "ﻟ", "ا"], "السعر 45 ضريبة."],
    [["הוא חינם", " ", "Premium", " ", "plan", " ", "מנוי"], "מנוי Premium plan הוא חינם"],
    [["20", " ", "10", " ", "דפים"], "דפים 10 20"],
    [["The word", " ", "לעולם", " ", "שלום", " ", "means hello, world"], "The word שלום לעולם means hello, world"],
    [["Room (", "24", ") is open."], "Room (24) is open."],
  ])("%j", (line, text) => {
    expect(textOfRuns(runsOf(line))).toBe(`${text}\n`);
    const [first, ...rest] = runsOf(line).map(([own, left]): TextRun => [own, left, false]);
    const written = /[\u0590-\u06ff]/.test(text) ? [...rest.toReversed(), ...(first ? [first] : [])] : runsOf(line);
    expect(textOfRuns(written).trimEnd()).toBe(text);
  });

  test("by the direction of the page, if a line has more words from left to right", () => {
    expect(textOfRuns(runsOf(["המחיר הוא ארבעים שקלים לכל"], ["בחודש", " ", "Premium plan"]))).toBe(
      "המחיר הוא ארבעים שקלים לכל\nPremium plan בחודש\n",
    );
  });

  test("of a PDF", { tags: "deep" }, async () => {
    const lines = ["החוזה נחתם", "תוקפו 24"].map((line) =>
      Array.from(line.replace("24", "42"))
        .toReversed()
        .map((letter) => latin(letter)),
    );
    const bytes = makePdf([lines.map((line) => line.join("")).join("\n")], { block: 0x580 });
    expect(unwrap(await ingest({ name: "contract.pdf", bytes })).pages).toEqual(["החוזה נחתם\nתוקפו 24"]);
  });
});

/** Character of a page that stands for a Hebrew one. */
function latin(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  return code < 0x580 ? letter : String.fromCodePoint(code - 0x580 + 0x80);
}
