import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RequestedWords, letterDistance, nearestSentence, nearestWords } from "./nearest-words.ts";
import { runCount } from "../../test-support/run-count.ts";

test("the nearest words come first, whatever their case", () => {
  expect(nearestWords("extrat", ["classify", "EXTRACT", "extract-all", "x"])).toStrictEqual([
    "EXTRACT",
    "extract-all",
    "x",
  ]);
});

test.each([
  [["extract"], 'Known is "extract".'],
  [["b", "a\u001b"], 'Nearest known: "a\\u001b", "b".'],
  [[], "There are none."],
])("a sentence on the nearest of %j", (known, sentence) => {
  expect(nearestSentence("a", known, "There are none.")).toBe(sentence);
});

test("the distance of two texts is a metric, and 0 for equal ones alone", () => {
  const text = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      expect(letterDistance(a, b)).toBe(letterDistance(b, a));
      expect(letterDistance(a, b) === 0).toBe(a === b);
      expect(letterDistance(a, c)).toBeLessThanOrEqual(letterDistance(a, b) + letterDistance(b, c));
    }),
    { numRuns: runCount(1000) },
  );
});

test("of many words met only the nearest to what was asked for are remembered", () => {
  const words = new RequestedWords(["edge", "seen"]);
  for (const word of ["seen", "zzzzzz", "edges", "edgy", "yyyyyyyy", "egde", "edges"]) words.see(word);
  expect(words.problems("label")).toStrictEqual([
    'No baseline has the label "edge". Nearest known: "edges", "edgy", "egde".',
  ]);
});

test("a word asked for where there are none is told so", () => {
  expect(new RequestedWords(["edge"]).problems("label")).toStrictEqual([
    'No baseline has the label "edge". None has any label.',
  ]);
});
