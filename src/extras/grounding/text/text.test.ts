import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../../test-support/arbitraries.ts";
import { splitSentences } from "./split-sentences.ts";
import { tokenize } from "./tokenize.ts";
import { runCount } from "../../../../test-support/run-count.ts";
import { timesAsLong } from "../../../../test-support/cpu-ms.ts";

function sentences(text: string): string[] {
  return splitSentences(text).map((sentence) => sentence.text);
}

function keys(text: string): string[] {
  return tokenize(text).map(({ key }) => key);
}

describe("splitSentences", () => {
  test("splits after periods, question and exclamation marks, and closing quotes", () => {
    expect(sentences('It rained. Did it? It did! "We left." They stayed…')).toEqual([
      "It rained.",
      "Did it?",
      "It did!",
      '"We left."',
      "They stayed…",
    ]);
  });

  test.each([
    "Dr. Smith met Mrs. J. K. Lee at 5.30 near No. 10.",
    "It cost $5.5 million, e.g. for Fig. 3 vs. Fig. 4.",
    "He lives in the U.S. Virgin Islands with J. R. Brown Jr. and others.",
    "Version 6.15.0 of node.js runs.",
    '"Why?" he asked.',
  ])("doesn't split %j", (sentence) => {
    expect(sentences(sentence)).toEqual([sentence]);
  });

  test("ends a sentence at an abbreviation if the next word starts one", () => {
    expect(sentences("She left the U.S. The rest stayed. They sold pens, paper, etc. It closed.")).toEqual([
      "She left the U.S.",
      "The rest stayed.",
      "They sold pens, paper, etc.",
      "It closed.",
    ]);
  });

  test("splits lists in lines and in running text", () => {
    expect(sentences("Steps:\n- Open it\n- Close it\n\n1. Drugs\n2. Rest")).toEqual([
      "Steps:",
      "- Open it",
      "- Close it",
      "1. Drugs",
      "2. Rest",
    ]);
    expect(sentences("- Drugs - Radiation - Old age")).toEqual(["- Drugs", "- Radiation", "- Old age"]);
    expect(sentences("(a) the roof; (b) the walls")).toEqual(["(a) the roof;", "(b) the walls"]);
    expect(sentences("It is open - except on Mondays - until six.")).toHaveLength(1);
    expect(sentences("Caused by: 1. Drugs 2. Radiation 3. Old age")).toEqual([
      "Caused by:",
      "1. Drugs",
      "2. Radiation",
      "3. Old age",
    ]);
    expect(sentences("He chose plan 2. Then he left.")).toEqual(["He chose plan 2.", "Then he left."]);
  });

  test("joins wrapped lines and keeps headings, tables and short lines apart", () => {
    const text =
      "# The bridge\nIt was opened in the year 1932 after eight years of\nwork on both sides.\nBuilder\n| a | b |\n| c | d |";
    expect(sentences(text)).toEqual([
      "# The bridge",
      "It was opened in the year 1932 after eight years of\nwork on both sides.",
      "Builder",
      "| a | b |",
      "| c | d |",
    ]);
  });

  test("keeps a citation marker with its sentence", () => {
    expect(sentences("It opened in 1932.[1] It closed. [2, 3] It stands.")).toEqual([
      "It opened in 1932.[1]",
      "It closed. [2, 3]",
      "It stands.",
    ]);
  });

  test("splits texts without spaces", () => {
    expect(sentences("橋は1932年に開通した。今も立っている。")).toEqual(["橋は1932年に開通した。", "今も立っている。"]);
  });

  test("returns offsets of the same words in any text, in order and without overlap", { tags: "deep" }, () => {
    const prose = fc.array(
      fc.constantFrom(
        "Dr.",
        "It",
        "was",
        "1.",
        "2.",
        "5.5",
        "\n",
        "\n\n",
        "- ",
        "end.",
        "U.S.",
        "?",
        '"',
        " ",
        "[1]",
        "。",
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
          prose.map((parts) => parts.join(" ")),
        ),
        (text) => {
          let end = 0;
          for (const sentence of splitSentences(text)) {
            expect(text.slice(sentence.start, sentence.end)).toBe(sentence.text);
            expect(sentence.start).toBeGreaterThanOrEqual(end);
            end = sentence.end;
          }
        },
      ),
      { numRuns: runCount(1500) },
    );
  });

  test("keeps every word", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const rest = splitSentences(text).reduceRight(
          (left, { start, end }) => left.slice(0, start) + left.slice(end),
          text,
        );
        expect(rest).not.toMatch(/[\p{L}\p{N}]/u);
      }),
      { numRuns: runCount(1000) },
    );
  });

  test.each(["a\n", "a.", ". ", "\r", "1. a ", "a, and the ", '"', "[1]"])("is linear in repeated %j", async (part) => {
    const splitting = (size: number): (() => unknown) => {
      const text = part.repeat(size / part.length);
      return () => splitSentences(text);
    };
    // Eight times the text; a quadratic search would take 64 times as long.
    expect(await timesAsLong(splitting(20_000), splitting(160_000))).toBeLessThan(40);
  });
});

describe("stems", () => {
  test.each([
    ["caresses", "caress"],
    ["ponies", "poni"],
    ["cats", "cat"],
    ["agreed", "agre"],
    ["plastered", "plaster"],
    ["motoring", "motor"],
    ["conflated", "conflat"],
    ["hopping", "hop"],
    ["falling", "fall"],
    ["filing", "file"],
    ["happy", "happi"],
    ["sky", "sky"],
    ["relational", "relat"],
    ["rational", "ration"],
    ["vietnamization", "vietnam"],
    ["predication", "predic"],
    ["hopefulness", "hope"],
    ["formality", "formal"],
    ["sensibility", "sensibl"],
    ["triplicate", "triplic"],
    ["electrical", "electr"],
    ["goodness", "good"],
    ["revival", "reviv"],
    ["adjustment", "adjust"],
    ["adoption", "adopt"],
    ["effective", "effect"],
    ["probate", "probat"],
    ["rate", "rate"],
    ["controlling", "control"],
    ["rolling", "roll"],
    ["by", "by"],
    ["être", "être"],
  ])("reduces %s to %s", (word, expected) => {
    expect(tokenize(word)[0]?.key).toBe(expected);
  });
});

describe("tokenize", () => {
  test.each([
    ["$5 million", "5,000,000 dollars"],
    ["twenty-five percent", "25%"],
    ["two hundred and five thousand", "205,000"],
    ["5 hundred and five", "505"],
    ["1,200 km", "1200 kilometres"],
    ["the 21st of Sept", "the 21 of September"],
    ["$14K", "14 thousand dollars"],
    ["3.5bn", "3.5 billion"],
    ["$10m", "$10 million"],
    ["9.30 p.m.", "21:30"],
    ["a hundred people", "100 persons"],
    ["U.S. colours", "US colors"],
    ["She didn’t", "She not"],
    ["v6.15.0", "6.15.0"],
  ])("gives %j and %j the same numbers and words", (one, other) => {
    expect(new Set(keys(one))).toEqual(new Set(keys(other)));
  });

  test.each([
    ["50p", "50"],
    ["10m", "10"],
    ["10a", "10 a.m."],
    ["12.50m", "12:50"],
  ])("gives %j another key than %j", (one, other) => {
    expect(keys(one)).not.toEqual(keys(other));
  });

  test("keeps separate numbers apart", () => {
    expect(keys("In 2020, twenty ships; one of 3, 4 and 5")).toEqual([
      "in",
      "#2020",
      "#20",
      "ship",
      "one",
      "of",
      "#3",
      "#4",
      "and",
      "#5",
    ]);
    expect(keys("millions of hundred")).toEqual(["million", "of", "hundr"]);
    expect(keys("let us go")).toEqual(["let", "us", "go"]);
    expect(keys("one million five hundred thousand")).toEqual(["#1500000"]);
    expect(keys("in 2000 three firms")).toEqual(["in", "#2000", "#3", "firm"]);
    expect(keys("400 and two")).toEqual(["#400", "and", "#2"]);
    expect(keys("one thousand and 5")).toEqual(["#1000", "and", "#5"]);
    expect(keys("half. A dozen")).not.toContain("#6");
    expect(keys("10 20 30")).toEqual(["#10", "#20", "#30"]);
  });

  test("returns a token for each symbol and unit", () => {
    expect(tokenize("It cost $5 million.")).toEqual([
      { key: "it", kind: "word", text: "It", start: 0, end: 2 },
      { key: "cost", kind: "word", text: "cost", start: 3, end: 7 },
      { key: "dollar", kind: "word", text: "$", start: 8, end: 9 },
      { key: "#5000000", kind: "number", text: "5 million", start: 9, end: 18 },
    ]);
  });

  test("returns tokens of any text, in order", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
          fc
            .array(
              fc.constantFrom(
                "a",
                "hundred",
                "and",
                "five",
                "-",
                "5",
                "1,000",
                "million",
                "$",
                "U.S.",
                "n't",
                "twenty",
              ),
            )
            .map((words) => words.join(" ")),
        ),
        (text) => {
          let end = 0;
          for (const token of tokenize(text)) {
            expect(text.slice(token.start, token.end)).toBe(token.text);
            expect(token.key).not.toBe("");
            expect(token.start).toBeGreaterThanOrEqual(end);
            end = token.end;
          }
        },
      ),
      { numRuns: runCount(1500) },
    );
  });
});
