import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reportText } from "../../../../test-support/run-models.ts";
import { type Run, diffTexts } from "./word-diff.ts";
import { runCount } from "../../../../test-support/run-count.ts";

/** Runs as text: `[-gone-]` and `{+new+}`. */
function written(before: string, after: string): string {
  return diffTexts(before, after)
    .map(({ kind, text }) => ({ same: text, gone: `[-${text}-]`, new: `{+${text}+}` })[kind])
    .join("");
}

function side(runs: readonly Run[], own: Run["kind"]): string {
  return runs.map(({ kind, text }) => (kind === "same" || kind === own ? text : "")).join("");
}

describe("diffTexts", () => {
  test("marks the words that differ", () => {
    expect(written("Extract every claim of the document.", "Extract the three claims of the document.")).toBe(
      "Extract [-every claim-]{+the three claims+} of the document.",
    );
    expect(written("The total is 9.00 today.", "The total is 10.00 today.")).toBe(
      "The total is [-9.00-]{+10.00+} today.",
    );
  });

  test("compares line by line first, so that an inserted line is one insertion", () => {
    expect(written("a rule\nb rule\nc rule\n", "a rule\nx rule\nb rule\nc rule\n")).toBe(
      "a rule\n{+x rule\n+}b rule\nc rule\n",
    );
  });

  test("replaces passages that have little in common", () => {
    expect(written("Rain fell on twelve days of the month.", "A refund, of course!")).toBe(
      "[-Rain fell on twelve days of the month.-]{+A refund, of course!+}",
    );
  });

  test("distinguishes characters where a script has no spaces", () => {
    expect(written("今日は雨です。", "今日は雪です。")).toBe("今日は[-雨-]{+雪+}です。");
  });

  test("contains both texts, for any two texts", { tags: "deep" }, () => {
    const edited = fc.tuple(
      fc.array(reportText(), { maxLength: 5 }),
      fc.array(reportText(), { maxLength: 3 }),
      fc.array(reportText(), { maxLength: 5 }),
    );
    const pair = fc.oneof(
      fc.tuple(reportText(), reportText()),
      edited.map(
        ([start, middle, end]) => [[...start, ...end].join(" "), [...start, ...middle, ...end].join("\n")] as const,
      ),
    );
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const runs = diffTexts(before, after);
        expect(side(runs, "gone")).toBe(before);
        expect(side(runs, "new")).toBe(after);
        expect(runs.every(({ text }) => text !== "")).toBe(true);
        if (before === after) expect(runs.every(({ kind }) => kind === "same")).toBe(true);
      }),
      { numRuns: runCount(1000) },
    );
  });

  test("never splits a pair of surrogates", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (before, after) => {
        expect(diffTexts(before, after).every(({ text }) => text.isWellFormed())).toBe(true);
      }),
      { numRuns: runCount(1000) },
    );
  });

  test("is fast for long texts with nothing in common, and for a million characters", { tags: "deep" }, () => {
    const words = (seed: number): string =>
      Array.from({ length: 20_000 }, (_, index) => `w${(index * seed) % 9973}`).join(" ");
    const runs = diffTexts(words(7), words(11));
    expect(side(runs, "gone")).toBe(words(7));
    const long = diffTexts("x".repeat(1_000_000), `${"x".repeat(999_999)}y`);
    expect(side(long, "new")).toHaveLength(1_000_000);
    const lines = diffTexts("line\n".repeat(20_000), "line\nother\n".repeat(10_000));
    expect(side(lines, "new")).toBe("line\nother\n".repeat(10_000));
  });
});
