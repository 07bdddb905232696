// @module-tag deep
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../../test-support/arbitraries.ts";
import { SENTENCE_COUNT, sentenceOf } from "../../../../test-support/prose.ts";
import type { Sources } from "./sources.ts";
import type { Verification } from "./verification.ts";
import { verifyGrounding } from "./verify-grounding.ts";
import { runCount } from "../../../../test-support/run-count.ts";

function proseSentence(): fc.Arbitrary<string> {
  return fc.nat({ max: SENTENCE_COUNT - 1 }).map(sentenceOf);
}

function prose(): fc.Arbitrary<string> {
  return fc.array(proseSentence(), { minLength: 1, maxLength: 5 }).map((sentences) => sentences.join(" "));
}

const RUNS = { numRuns: runCount(100) };

async function verify(response: string, sources: Sources): Promise<Verification<string>> {
  const verified = await verifyGrounding(response, sources);
  if (!verified.ok) throw new Error(verified.error.message);
  return verified.value;
}

async function score(response: string, sources: Sources): Promise<number> {
  return (await verify(response, sources)).support ?? Number.NaN;
}

function named(texts: readonly string[]): { document: string; text: string }[] {
  return texts.map((text, index) => ({ document: `d${index}`, text }));
}

const UNALIGNED = [
  "The bridge did not reach many people!",
  "The old harbour was opened in 2,400 tons, and the crew had left the deck. The bridge was opened in 1932.",
];

const sources = fc.array(prose(), { minLength: 1, maxLength: 4 });

test("a verbatim source scores exactly 1", async () => {
  await fc.assert(
    fc.asyncProperty(sources, fc.nat(), async (texts, pick) => {
      expect(await score(texts[pick % texts.length] ?? "", texts)).toBe(1);
    }),
    RUNS,
  );
});

test("the score is 1 exactly if all claims score 1, 0 exactly if none has support, and between otherwise", async () => {
  await fc.assert(
    fc.asyncProperty(prose(), sources, async (response, texts) => {
      const { support, claims } = await verify(response, texts);
      expect(support === 1).toBe(claims.every((claim) => claim.score === 1));
      expect(support === 0).toBe(claims.every((claim) => claim.score === 0));
      expect(support).toBeGreaterThanOrEqual(0);
      expect(support).toBeLessThanOrEqual(1);
    }),
    RUNS,
  );
});

test("an unsupported number or a new name never raises the score of a claim", async () => {
  await fc.assert(
    fc.asyncProperty(proseSentence(), sources, fc.constantFrom("7777", "Quillfax"), async (sentence, texts, extra) => {
      const worse = sentence.replace(/^(\S+ \S+)/, `$1 ${extra}`);
      expect(await score(worse, texts)).toBeLessThanOrEqual(await score(sentence, texts));
    }),
    // Half of the claim was in the first sentence of the second source; with the number it was less, and unaligned.
    { ...RUNS, examples: [["The old harbour did not reach 1932; it was late.", UNALIGNED, "7777"]] },
  );
});

test("the order of the sources doesn't matter", async () => {
  await fc.assert(
    fc.asyncProperty(prose(), sources, async (response, texts) => {
      const list = named(texts);
      expect(await verify(response, list.toReversed())).toEqual(await verify(response, list));
    }),
    RUNS,
  );
});

test("a duplicate source doesn't matter", async () => {
  await fc.assert(
    fc.asyncProperty(prose(), sources, async (response, texts) => {
      const list = named(texts);
      expect(await verify(response, [...list, ...list])).toEqual(await verify(response, list));
    }),
    RUNS,
  );
});

test("a passage without a common word doesn't change a score", async () => {
  await fc.assert(
    fc.asyncProperty(prose(), sources, async (response, texts) => {
      const other = "Zebras graze quietly wherever tall grasses grow.";
      expect(await score(response, [...texts, other])).toBe(await score(response, texts));
    }),
    RUNS,
  );
});

test("a copied sentence contradicts no other sources that contain it", async () => {
  const copied = fc
    .array(proseSentence(), { minLength: 2, maxLength: 8 })
    .chain((sentences) =>
      fc.tuple(fc.constant(sentences.join(" ")), fc.subarray(sentences, { minLength: 1, maxLength: 2 })),
    );
  await fc.assert(
    fc.asyncProperty(copied, async ([text, some]) => {
      for (const sentence of some) expect((await verify(sentence, [text])).contradictions).toEqual([]);
    }),
    RUNS,
  );
});

test("a contradicted claim is ungrounded and not cited, and its answer is ungrounded", async () => {
  await fc.assert(
    fc.asyncProperty(prose(), sources, async (response, texts) => {
      const { contradictions, claims, citations, label } = await verify(response, texts);
      for (const { claim } of contradictions)
        expect([claims[claim]?.label, label, citations.some((citation) => citation.claim === claim)]).toEqual([
          "ungrounded",
          "ungrounded",
          false,
        ]);
    }),
    RUNS,
  );
});

test("is deterministic", async () => {
  await fc.assert(
    fc.asyncProperty(prose(), sources, async (response, texts) => {
      expect(JSON.stringify(await verify(response, texts))).toBe(JSON.stringify(await verify(response, texts)));
    }),
    RUNS,
  );
});

test("citations are exact parts of their sources, below 500 characters", async () => {
  await fc.assert(
    fc.asyncProperty(prose(), sources, async (response, texts) => {
      const list = named(texts);
      const { citations } = await verify(response, list);
      for (const { document, start, end, quote } of citations) {
        expect(list.find((source) => source.document === document)?.text.slice(start, end)).toBe(quote);
        expect(quote.length).toBeLessThan(500);
      }
    }),
    RUNS,
  );
});

test("any two texts have a verification of plain JSON data", async () => {
  await fc.assert(
    fc.asyncProperty(anyText(), fc.array(anyText(), { maxLength: 3 }), async (response, texts) => {
      const verification = await verify(response, texts);
      expect(JSON.parse(JSON.stringify(verification))).toEqual(verification);
      for (const { text, start, end } of [...verification.claims, ...verification.nonClaims])
        expect(response.slice(start, end)).toBe(text);
    }),
    RUNS,
  );
});
