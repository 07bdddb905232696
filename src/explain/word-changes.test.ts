import * as fc from "fast-check";
import { expect, test } from "vitest";
import { wordChanges } from "./word-changes.ts";
import { runCount } from "../../test-support/run-count.ts";

test("returns the changed words with their context", () => {
  const before = "List the claims in the text below. Answer briefly. Keep the ids.";
  const after = "List the claims in the text below. Answer in one sentence. Keep the ids.";
  expect(wordChanges(before, after)).toStrictEqual([
    {
      word: 9,
      lead: "List the claims in the text below. Answer ",
      removed: "briefly.",
      added: "in one sentence.",
      trail: " Keep the ids.",
    },
  ]);
});

test("joins changes with a word between them, and separates those with more", () => {
  expect(wordChanges("a b c", "x b y")).toMatchObject([{ removed: "a b c", added: "x b y" }]);
  expect(wordChanges("a one two three c", "x one two three y")).toMatchObject([
    { removed: "a", added: "x" },
    { removed: "c", added: "y", word: 5 },
  ]);
});

test("detects a change of whitespace only", () => {
  expect(wordChanges("a b", "a  b")).toMatchObject([{ removed: " ", added: "  " }]);
  expect(wordChanges("", "a")).toMatchObject([{ removed: "", added: "a", word: 1 }]);
  expect(wordChanges("a b", "a b")).toStrictEqual([]);
});

test("treats long texts with nothing in common as one change", () => {
  const text = (prefix: string): string =>
    Array.from({ length: 2000 }, (_, index) => `${prefix}${index}`).join(`${prefix}-`);
  const changes = wordChanges(`start ${text("a ")} end`, `start ${text("b ")} end`);
  expect(changes).toHaveLength(1);
  expect(changes[0]).toMatchObject({ word: 2, lead: "start ", trail: expect.stringMatching(/ end$/) });
});

test("property: the changes rebuild both texts", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", " ", "\n", "word", "."), { maxLength: 20 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = wordChanges(before, after);
      const [first] = changes;
      expect(first === undefined).toBe(before === after);
      for (const { lead, added, trail } of changes) expect(lead + added + trail).toBe(after);
    }),
    { numRuns: runCount(1000) },
  );
});

test("every thirtieth of 20,000 words changed is reported in linear time", { tags: "deep" }, () => {
  const words = (mark: string): string =>
    Array.from({ length: 20_000 }, (_, index) => (index % 30 === 0 ? `${mark}${index}` : `w${index}`)).join(" ");
  const changes = wordChanges(words("a"), words("b"));
  expect(changes).toHaveLength(667);
  expect(changes[666]).toMatchObject({
    word: 19_981,
    removed: "a19980",
    added: "b19980",
    lead: expect.stringMatching(/ w19979 $/),
    trail: expect.stringMatching(/^ w19981 .* w19999$/),
  });
  expect(changes.every(({ lead, added, trail }) => lead + added + trail === words("b"))).toBe(true);
});
