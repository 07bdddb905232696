import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../../test-support/arbitraries.ts";
import { SENTENCE_COUNT, sentenceOf } from "../../../../test-support/prose.ts";
import { chunkText, estimateTokens } from "./chunk-text.ts";
import { cleanText } from "./ingest.ts";
import { runCount } from "../../../../test-support/run-count.ts";

function prose(): fc.Arbitrary<string> {
  return fc
    .array(fc.nat({ max: SENTENCE_COUNT - 1 }).map(sentenceOf), { minLength: 1, maxLength: 5 })
    .map((sentences) => sentences.join(" "));
}

const byWords = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;

describe("chunkText", () => {
  test("fills chunks with complete sentences, and repeats the last ones that fit the overlap", () => {
    const chunks = chunkText("One two three. Four five. Six seven eight. Nine ten.", {
      chunkTokens: 6,
      overlapTokens: 3,
      countTokens: byWords,
    });
    expect(chunks.map(({ text, tokens }) => [text, tokens])).toEqual([
      ["One two three. Four five.", 5],
      ["Four five. Six seven eight.", 5],
      ["Six seven eight. Nine ten.", 5],
    ]);
  });

  test("splits a sentence that is longer than a chunk between words", () => {
    expect(
      chunkText("one two three four five six seven", { chunkTokens: 3, overlapTokens: 0, countTokens: byWords }).map(
        ({ text }) => text.trim(),
      ),
    ).toEqual(["one two three", "four five six", "seven"]);
  });

  test("keeps every word of any text, within the size, without changes", { tags: "deep" }, () => {
    const long = fc.array(prose(), { minLength: 20, maxLength: 40 }).map((parts) => parts.join("\n"));
    fc.assert(
      fc.property(fc.oneof(long, anyText()), (text) => {
        const chunks = chunkText(text, { chunkTokens: 256, overlapTokens: 50 });
        for (const { text: own, start, end } of chunks) expect(text.slice(start, end)).toBe(own);
        expect(chunks.map(({ tokens }) => tokens).every((tokens) => tokens <= 256)).toBe(true);
        const rest = chunks.reduceRight(
          (left, { start, end }) => left.slice(0, start) + " ".repeat(end - start) + left.slice(end),
          text,
        );
        expect(rest).not.toMatch(/[\p{L}\p{N}]/u);
      }),
      { numRuns: runCount(300) },
    );
  });

  test("leaves no chunk of a long text below 256 tokens, not even the last one", () => {
    fc.assert(
      fc.property(
        fc.array(prose(), { minLength: 20, maxLength: 40 }),
        fc.constantFrom(512, 700, 1024),
        (parts, chunkTokens) => {
          const text = parts.join("\n");
          const sizes = chunkText(text, { chunkTokens }).map(({ tokens }) => tokens);
          const least = Math.min(256, estimateTokens(text));
          expect(sizes.every((tokens) => tokens >= least && tokens <= chunkTokens)).toBe(true);
        },
      ),
      { numRuns: runCount(50) },
    );
  });

  test("terminates with a counter that finds every text too long", () => {
    expect(chunkText("ab cd", { chunkTokens: 1, countTokens: () => 9 }).map(({ text }) => text)).toEqual([
      "a",
      "b",
      " ",
      "c",
      "d",
    ]);
  });
});

describe("countTokens", () => {
  test.each([
    ["", 0],
    ["Hello, world!", 4],
    ["internationalization", 3],
    ["123456", 2],
    ["橋は", 2],
    ["a_b", 3],
  ])("counts %j as %i", (text, expected) => {
    expect(estimateTokens(text)).toBe(expected);
  });
});

describe("cleanText", () => {
  test.each([
    ["a hyphen-\nated word", "a hyphenated word"],
    ["Smith-\nJones", "Smith-\nJones"],
    ["soft\u00adly o\ufb00er", "softly offer"],
    ["a \t  b\r\nc \n d", "a b\nc\nd"],
  ])("cleans %j to %j", (text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });
});
