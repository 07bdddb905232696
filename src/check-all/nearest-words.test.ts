import { expect, test } from "vitest";
import { RequestedWords, nearestSentence } from "./nearest-words.ts";

test.each([
  [["extract"], 'Known: "extract".'],
  [["b", "a\u001b"], 'Similar: "a\\u001b", "b".'],
  [[], "There are none."],
])("names the nearest of %j", (known, sentence) => {
  expect(nearestSentence("a", known, "There are none.")).toBe(sentence);
});

test("of many words met only the nearest to what was requested are remembered", () => {
  const words = new RequestedWords(["edge", "seen"]);
  for (const word of ["seen", "zzzzzz", "edges", "edgy", "yyyyyyyy", "egde", "edges"]) words.see(word);
  expect(words.problems("label")).toStrictEqual([
    'No baseline has the label "edge". Similar: "edges", "edgy", "egde".',
  ]);
});

test("a word requested where there are none is reported so", () => {
  expect(new RequestedWords(["edge"]).problems("label")).toStrictEqual([
    'No baseline has the label "edge". No baseline has any label.',
  ]);
});
