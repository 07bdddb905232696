import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { err, ok } from "../../../kernel/result.ts";
import { anyText } from "../../../../test-support/arbitraries.ts";
import { SENTENCE_COUNT, chunksOf, sentenceOf } from "../../../../test-support/prose.ts";
import { groundingError } from "../grounding-error.ts";
import type { LlmAdapter, LlmRequest } from "../adapters/llm-adapter.ts";
import { coverageOf } from "./coverage.ts";
import {
  type MemoryIndex,
  type MemoryIndexOptions,
  createMemoryIndex,
  fuseByWeight,
  readIndex,
  serializeIndex,
} from "./memory-index.ts";
import { type Retrieval, type RetrieveOptions, retrieve } from "./retrieve.ts";
import type { SearchIndex, SearchResult } from "./search-index.ts";
import { runCount } from "../../../../test-support/run-count.ts";

function prose(): fc.Arbitrary<string> {
  return fc
    .array(fc.nat({ max: SENTENCE_COUNT - 1 }).map(sentenceOf), { minLength: 1, maxLength: 5 })
    .map((sentences) => sentences.join(" "));
}

const CHUNKS = chunksOf(
  "The harbour bridge was opened in 1932.",
  "Ferries cross the harbour every ten minutes.",
  "The opera house stands on the eastern point.",
  "Its architect left before the roof was done.",
  "Tickets for the ferries are sold on the quay.",
);

async function indexed(chunks: typeof CHUNKS = CHUNKS, options?: MemoryIndexOptions): Promise<MemoryIndex> {
  const index = await createMemoryIndex(chunks, options);
  if (!index.ok) throw new Error(index.error.message);
  return index.value;
}

async function search(
  index: SearchIndex,
  query: string,
  options?: Parameters<SearchIndex["search"]>[1],
): Promise<SearchResult> {
  const result = await index.search(query, options);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

async function retrieved(query: string, options: Partial<RetrieveOptions> = {}): Promise<Retrieval> {
  const result = await retrieve(query, { index: await indexed(), ...options });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** Two directions: what floats, and what stands. */
const embedder = {
  embed: async (texts: readonly string[]) => texts.map((text) => (/ferr|boat|quay/i.test(text) ? [1, 0.1] : [0, 1])),
};

describe("search", () => {
  test("ranks by words, stems and numbers, and warns that it has no vectors", async () => {
    const { hits, method, warnings } = await search(await indexed(), "opening bridges, 1932, eastwards stand");
    expect(hits.map(({ chunk }) => chunk.id)).toEqual(["notes#0", "notes#2"]);
    expect([method, warnings]).toEqual(["bm25", ["No embedder is configured, so the ranking only uses words (BM25)."]]);
  });

  test("finds chunks without a common word by vectors", async () => {
    const { hits, method, warnings } = await search(await indexed(CHUNKS, { embedder }), "boats", { limit: 2 });
    expect([hits.map(({ chunk }) => chunk.id), method, warnings]).toEqual([["notes#1", "notes#4"], "hybrid", []]);
  });

  test("leaves out what it has to, and keeps to its limit", async () => {
    const { hits } = await search(await indexed(), "ferries", { exclude: new Set(["notes#1"]), limit: 1 });
    expect(hits.map(({ chunk }) => chunk.id)).toEqual(["notes#4"]);
    expect((await search(await indexed(), "ferries", { limit: 0 })).hits).toEqual([]);
  });

  test("keeps the order of equal chunks", async () => {
    const { hits } = await search(await indexed(chunksOf("Same words.", "Same words.", "Same words.")), "words");
    expect(hits.map(({ chunk }) => chunk.id)).toEqual(["notes#0", "notes#1", "notes#2"]);
  });

  test("refuses a weight out of range, and returns the embedder's error", async () => {
    expect(await createMemoryIndex(CHUNKS, { vectorWeight: 2 })).toMatchObject({
      ok: false,
      error: { message: "The index can't be created: vectorWeight must be a number from 0 to 1, got 2." },
    });
    expect(
      await createMemoryIndex(CHUNKS, { embedder: { embed: () => Promise.reject(new Error("offline")) } }),
    ).toMatchObject({
      ok: false,
      error: {
        kind: "provider",
        message: "The embedder failed: offline. Check the adapter, or replay it from a recording.",
        operation: "index",
      },
    });
  });

  test("embeds many texts in batches of 128", async () => {
    const sizes: number[] = [];
    const many = Array.from({ length: 300 }, (_, index) => `Text ${index}.`);
    await indexed(chunksOf(...many), {
      embedder: { embed: async (texts) => texts.map(() => [sizes.push(texts.length) && 1]) },
    });
    expect([...new Set(sizes)]).toEqual([128, 44]);
  });
});

describe("a stored index", () => {
  test("gives the same results as the index it was written from", async () => {
    const index = await indexed(CHUNKS, { embedder });
    const again = readIndex(serializeIndex(index), { embedder });
    if (!again.ok) throw new Error(again.error.message);
    expect(again.value.data).toEqual(index.data);
    expect(await search(again.value, "harbour boats")).toEqual(await search(index, "harbour boats"));
  });

  test.each([
    ["{", "Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
    ["[]", "(root): Invalid input: expected object, received array"],
    ['{"version":2,"chunks":[]}', "version: Invalid input: expected 1"],
    ['{"version":1,"chunks":[],"vectors":[[1]]}', "vectors: must have one vector for each chunk"],
  ])("that reads %j is refused", (json, problem) => {
    expect(readIndex(json)).toMatchObject({
      ok: false,
      error: {
        kind: "validation",
        code: "invalid_index",
        message: `Cannot read the index: ${problem}. Ingest the documents again and store a new index.`,
      },
    });
  });
});

describe("fusion", () => {
  test("scales both rankings to the same range", () => {
    expect(
      fuseByWeight(
        new Map([
          [0, 10],
          [1, 5],
          [2, 0],
        ]),
        new Map([
          [2, 0.9],
          [1, 0.1],
        ]),
        0.5,
      ),
    ).toEqual(
      new Map([
        [0, 0.5],
        [1, 0.25],
        [2, 0.5],
      ]),
    );
  });
});

describe("coverage", () => {
  test("is the weighted share of the query's concepts that some chunk has", () => {
    expect(coverageOf("When was the bridge in Perth opened?", CHUNKS)).toEqual({
      score: 0.583333,
      concepts: [
        { text: "bridge", start: 13, end: 19, weight: 1, covered: true },
        { text: "Perth", start: 23, end: 28, weight: 1, covered: false },
        { text: "opened", start: 29, end: 35, weight: 0.4, covered: true },
      ],
    });
  });

  test.each([
    ["Who is it?", CHUNKS, 0],
    ["What of the point?", CHUNKS, 1],
    ["Was it?", CHUNKS, 0.5],
    ["…", CHUNKS, 0],
    ["bridge", [], 0],
  ])("of %j has its limits", (query, chunks, score) => {
    expect(coverageOf(query, chunks).score).toBeCloseTo(score, 1);
  });

  test("never falls if chunks are added, and is the same in any order", { tags: "deep" }, () => {
    const texts = fc.array(fc.oneof(prose(), anyText()), { maxLength: 5 });
    fc.assert(
      fc.property(fc.oneof(prose(), anyText()), texts, texts, (query, some, more) => {
        const [few, all] = [chunksOf(...some), chunksOf(...some, ...more)];
        expect(coverageOf(query, all).score).toBeGreaterThanOrEqual(coverageOf(query, few).score);
        expect(coverageOf(query, all.toReversed())).toEqual(coverageOf(query, all));
      }),
      { numRuns: runCount(1000) },
    );
  });
});

describe("retrieve", () => {
  test("stops at the first hop that covers the query", async () => {
    const { chunks, queries, verification, warnings } = await retrieved("When was the harbour bridge opened?", {
      limit: 1,
    });
    expect([chunks.map(({ id }) => id), queries]).toEqual([["notes#0"], ["When was the harbour bridge opened?"]]);
    expect(verification).toMatchObject({
      support: 1,
      label: "grounded",
      phase: "retrieval",
      verifier: "coverage",
    });
    expect(verification.citations[0]).toEqual({
      document: "notes",
      start: 0,
      end: 38,
      quote: "The harbour bridge was opened in 1932.",
      score: 1,
      claim: 0,
    });
    expect(warnings).toEqual(["No embedder is configured, so the ranking only uses words (BM25)."]);
  });

  test("expands the query by missing and found words, without those already used", async () => {
    const { chunks, queries, verification } = await retrieved("ferries, quay tickets, opera architect", {
      limit: 1,
      config: { coverageThreshold: 0.95 },
    });
    expect(queries).toEqual([
      "ferries, quay tickets, opera architect",
      "opera architect sold",
      "architect eastern house point sold stands",
    ]);
    expect(chunks.map(({ id }) => id)).toEqual(["notes#4", "notes#2", "notes#3"]);
    expect(verification.support).toBe(1);
  });

  test("requests another query from the language model in a recordable request", async () => {
    const requests: LlmRequest[] = [];
    const llm: LlmAdapter = {
      complete: async (request) => (requests.push(request), { content: " the opera\nhouse " }),
    };
    const { queries } = await retrieved("concert hall ferries", { llm, limit: 1, config: { maxHops: 2 } });
    expect(queries).toEqual(["concert hall ferries", "the opera house"]);
    expect(requests.map(({ messages }) => messages[1]?.content)).toEqual([
      '{"query":"concert hall ferries","missing":["concert","hall"]}',
    ]);
  });

  test("ends at its last hop with a warning and no error", async () => {
    const { queries, warnings, verification } = await retrieved("zebras of the harbour", { config: { maxHops: 2 } });
    expect([queries.length, verification.support, warnings.at(-1)]).toEqual([
      2,
      0.5,
      'Coverage is 0.5 after 2 hops, but 0.8 was required. Not covered: "zebras".',
    ]);
  });

  test("never searches more often than maxHops, for any query", { tags: "deep" }, async () => {
    const index = await indexed();
    await fc.assert(
      fc.asyncProperty(fc.oneof(prose(), anyText()), fc.integer({ min: 1, max: 4 }), async (query, maxHops) => {
        const result = await retrieve(query, { index, config: { maxHops } });
        const { chunks, queries } = result.ok ? result.value : { chunks: [], queries: [] };
        expect(result.ok || result.error.code).toBe(result.ok || "blank_query");
        expect(queries.length).toBeLessThanOrEqual(maxHops);
        expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
      }),
      { numRuns: runCount(1000) },
    );
  });

  test.each<[string, SearchIndex["search"], object]>([
    [
      "that throws",
      () => Promise.reject(new Error("no route")),
      {
        code: "adapter_failed",
        message: "index.search failed: no route. Check the adapter, or replay it from a recording.",
        retryable: true,
      },
    ],
    [
      "of another shape",
      async () => JSON.parse('{"ok":true,"value":{"rows":[]}}'),
      {
        code: "invalid_answer",
        message:
          "index.search must return { hits, method, warnings } with a chunk and a score in each hit, but its response was different. Check the adapter or its model.",
      },
    ],
  ])("an index %s is a retrieval error", async (_, search, error) => {
    expect(await retrieve("bridge", { index: { search } })).toMatchObject(
      err({ kind: "retrieval", operation: "retrieve", ...error }),
    );
  });

  test("never returns a chunk twice, even if the index ignores exclude, and keeps its extra fields", async () => {
    const own = CHUNKS.map((chunk) => ({ ...chunk, author: "A. Keeper" }));
    const hits = own.map((chunk) => ({ chunk, score: 1 }));
    const index: SearchIndex = { search: async () => ok({ hits, method: "bm25", warnings: [] }) };
    expect((await retrieved("zebras", { index })).chunks).toEqual(own);
  });

  test("refuses a query without a word, and returns failures", async () => {
    expect(await retrieve("…?", { index: await indexed() })).toMatchObject({
      ok: false,
      error: {
        kind: "validation",
        code: "blank_query",
        message: "The query doesn't contain any words. Ask a question, or enter words to search for.",
      },
    });
    const error = groundingError({
      kind: "retrieval",
      code: "down",
      message: "The database is down.",
      operation: "search",
    });
    expect(await retrieve("bridge", { index: { search: async () => err(error) } })).toEqual(err(error));
    expect(
      await retrieve("zebra", { index: await indexed(), llm: { complete: async () => ({ content: " " }) } }),
    ).toMatchObject({
      ok: false,
      error: {
        kind: "provider",
        message:
          "The model returned an empty search query. Check the model, or remove llm from the options of retrieve.",
      },
    });
  });
});
