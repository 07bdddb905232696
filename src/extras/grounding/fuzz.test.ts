import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Json, anyText, jsonValue } from "../../../test-support/arbitraries.ts";
import { SENTENCE_COUNT, chunksOf, sentenceOf } from "../../../test-support/prose.ts";
import { type GroundingError, isGroundingError } from "./grounding-error.ts";
import { groundingConfig } from "./grounding-config.ts";
import { ingest } from "./ingest/ingest.ts";
import { createMemoryIndex, readIndex } from "./retrieve/memory-index.ts";
import { retrieve } from "./retrieve/retrieve.ts";
import { embeddingVerifier } from "./verify/embedding-verifier.ts";
import { judgeVerifier } from "./verify/judge-verifier.ts";
import { nliVerifier } from "./verify/nli-verifier.ts";
import type { Verifier } from "./verify/verifier.ts";
import { verifyGrounding } from "./verify/verify-grounding.ts";
import type { Result } from "../../kernel/result.ts";
import { runCount } from "../../../test-support/run-count.ts";

const RUNS = { numRuns: runCount(1000) };

/** Sentences as people write them, or any code units at all. */
function words(): fc.Arbitrary<string> {
  const prose = fc
    .array(fc.nat({ max: SENTENCE_COUNT - 1 }).map(sentenceOf), { minLength: 1, maxLength: 4 })
    .map((sentences) => sentences.join(" "));
  return fc.oneof(
    prose,
    anyText(),
    fc.tuple(prose, anyText()).map(([one, other]) => one + other),
  );
}

/** Whatever happened, it is a value: a result, or an error that says what to do and is nobody's bug. */
function expectNoPanic(result: Result<unknown, GroundingError>): void {
  if (result.ok) return;
  expect(isGroundingError(result.error)).toBe(true);
  expect(result.error.kind).not.toBe("internal");
  expect(result.error.message).toMatch(/\.$/);
}

describe("verifyGrounding never throws", () => {
  const source = fc.oneof(
    words(),
    fc.record({ document: anyText(), text: words(), page: fc.nat(), start: fc.nat() }, { requiredKeys: ["text"] }),
  );

  test("for any response, any sources and any question", { tags: "deep" }, async () => {
    const options = fc.record(
      { question: words(), weigh: fc.constantFrom("specificity" as const, "position" as const) },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(words(), fc.array(source, { maxLength: 4 }), options, async (response, sources, given) => {
        const verified = await verifyGrounding(response, sources, given);
        expect(verified.ok).toBe(true);
      }),
      RUNS,
    );
  });

  test("for any configuration, which is complete or refused", async () => {
    const fields = [
      "groundedThreshold",
      "partialThreshold",
      "maxFacts",
      "maxHops",
      "citationThreshold",
      "__proto__",
      "x",
    ];
    const config = fc.dictionary(fc.constantFrom(...fields), fc.oneof(fc.double(), fc.integer(), jsonValue()));
    await fc.assert(
      fc.asyncProperty(words(), config, async (response, given) => {
        expectNoPanic(groundingConfig(JSON.parse(JSON.stringify(given))));
        expectNoPanic(await verifyGrounding(response, "It rained.", { config: given }));
      }),
      RUNS,
    );
  });
});

describe("adapters with arbitrary responses", () => {
  /** Answers near the right shape, and far from it. */
  function answers(): fc.Arbitrary<Json> {
    const number = fc.oneof(fc.double({ noNaN: true }), fc.integer());
    return fc.oneof(
      jsonValue(),
      fc.array(fc.record({ entailment: fc.oneof(number, jsonValue()), contradiction: jsonValue() })),
      fc.array(fc.array(number, { maxLength: 3 })),
      fc.record({ ok: fc.boolean(), value: jsonValue(), error: jsonValue() }),
      jsonValue().map((value) => ({ content: JSON.stringify(value) })),
      fc.array(fc.record({ id: number, score: number })).map((verdicts) => ({ content: JSON.stringify({ verdicts }) })),
    );
  }

  test.each<[string, (answer: Json) => Verifier]>([
    ["a judge", (answer) => judgeVerifier({ complete: async () => answer })],
    ["an NLI model", (answer) => nliVerifier({ entail: async () => answer })],
    ["an embedder", (answer) => embeddingVerifier({ embed: async () => answer })],
  ])("%s: a score or a provider's error", async (_, verifierOf) => {
    await fc.assert(
      fc.asyncProperty(answers(), async (answer) => {
        const verified = await verifyGrounding(
          "The bridge was opened in 1932. It was sold.",
          "The bridge was opened.",
          { verifier: verifierOf(answer) },
        );
        expectNoPanic(verified);
        if (!verified.ok) expect(verified.error.kind).toBe("provider");
      }),
      RUNS,
    );
  });

  test("a model that rewrites queries, and an embedder of queries", async () => {
    const chunks = chunksOf("The bridge was opened in 1932.", "A ferry crosses the harbour.");
    await fc.assert(
      fc.asyncProperty(words(), answers(), answers(), async (query, rewritten, embedded) => {
        const index = await createMemoryIndex(chunks, {
          embedder: {
            embed: async (texts) =>
              texts.length === chunks.length
                ? [
                    [1, 0],
                    [0, 1],
                  ]
                : embedded,
          },
        });
        expectNoPanic(index);
        if (index.ok)
          expectNoPanic(await retrieve(query, { index: index.value, llm: { complete: async () => rewritten } }));
      }),
      RUNS,
    );
  });

  test("a stored index of arbitrary JSON is read or refused", () => {
    const chunk = fc.record({
      id: jsonValue(),
      document: fc.string(),
      text: fc.string(),
      start: fc.integer(),
      end: fc.nat(),
      tokens: fc.nat(),
    });
    const data = fc.record(
      {
        version: fc.constantFrom<Json>(1, 2, "1"),
        chunks: fc.oneof(fc.array(chunk), jsonValue()),
        vectors: jsonValue(),
      },
      { requiredKeys: ["version"] },
    );
    fc.assert(
      fc.property(fc.oneof(data, jsonValue()), (value) => expectNoPanic(readIndex(JSON.stringify(value)))),
      RUNS,
    );
  });
});

describe("ingest never throws", () => {
  const texts = fc.oneof(
    words().map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 200 }),
    words().map((text) => Buffer.from(`\ufeff${text}`, "utf16le")),
  );

  test("for any bytes under any name", async () => {
    const name = fc
      .oneof(fc.constantFrom("a.txt", "a.md", "a", "../a", "a\0b", "__proto__"), anyText())
      .filter((each) => !/\.pdf$/i.test(each));
    const options = fc.record(
      {
        chunkTokens: fc.oneof(fc.integer({ min: 256, max: 1024 }), fc.double()),
        overlapTokens: fc.oneof(fc.nat({ max: 60 }), fc.double()),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(name, texts, options, async (name, bytes, given) => {
        const document = await ingest({ name, bytes }, given);
        expectNoPanic(document);
        if (document.ok)
          for (const { text, start, end, page = 1 } of document.value.chunks)
            expect(document.value.pages[page - 1]?.slice(start, end)).toBe(text);
      }),
      RUNS,
    );
  });

  // Each starts a thread, a third of a second on a busy machine, so there are fewer.
  test("for any bytes that claim to be a PDF, including PDF syntax", { tags: "deep" }, async () => {
    const syntax = fc.constantFrom(
      "1 0 obj",
      "endobj",
      "<< /Type /Catalog /Pages 1 0 R >>",
      "<< /Type /Pages /Kids [1 0 R] /Count 9999999 >>",
      "stream\nBT (x) Tj ET\nendstream",
      "xref\n0 1\n0000000000 65535 f ",
      "trailer << /Root 1 0 R /Size 9 >>",
      "startxref\n0\n%%EOF",
      "<< /Length 99999999 /Filter /FlateDecode >>",
      "[[[[[[",
      "((((((",
    );
    const grammar = fc.array(syntax, { maxLength: 12 }).map((parts) => Buffer.from(`%PDF-1.7\n${parts.join("\n")}`));
    const bytes = fc.oneof(grammar, fc.uint8Array({ maxLength: 400 }));
    await fc.assert(
      fc.asyncProperty(bytes, async (bytes) => {
        expectNoPanic(await ingest({ name: "fuzz.pdf", bytes }, { limits: { maxMilliseconds: 10_000 } }));
      }),
      { numRuns: 25 },
    );
  });
});
