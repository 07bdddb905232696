import * as fc from "fast-check";
import { trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { afterEach, describe, expect, test } from "vitest";
import { err, ok, unwrap } from "../../kernel/result.ts";
import { anyText } from "../../../test-support/arbitraries.ts";
import { associativity, leftIdentity, rightIdentity } from "./properties/pipeline-properties.ts";
import { chunksOf } from "../../../test-support/prose.ts";
import { makePdf } from "../../../test-support/make-pdf.ts";
import { groundedAnswer } from "./flow/grounded-answer.ts";
import { jsonLog } from "./flow/json-log.ts";
import type { AnsweredQuestion } from "./flow/answer-state.ts";
import { groundingError } from "./grounding-error.ts";
import { ingest } from "./ingest/ingest.ts";
import { andThen, identity, mapOutput } from "./pipeline/compose.ts";
import { type Pipeline, type PipelineContext, stage } from "./pipeline/pipeline.ts";
import { verified } from "./pipeline/verified.ts";
import { createMemoryIndex } from "./retrieve/memory-index.ts";
import { retrieve } from "./retrieve/retrieve.ts";
import { verifyGrounding } from "./verify/verify-grounding.ts";
import { runCount } from "../../../test-support/run-count.ts";
import { type SpanLog, registerSpanLog, unregisterSpanLog } from "../../../test-support/span-log.ts";
import { cpuMs } from "../../../test-support/cpu-ms.ts";

const BRIDGE = "The Kestrel bridge was opened in 1932. It carries 160,000 cars a day. Its paint is grey.";
const FERRY = "The ferry crosses the harbour every hour. A ticket costs 4 dollars.";
const documents = [
  { name: "bridge.md", text: BRIDGE },
  { name: "ferry.txt", text: FERRY },
];
const QUESTION = "When was the Kestrel bridge opened?";
const SENTENCES = Array.from({ length: 40 }, (_, line) => `Line ${line} tells of ships in the harbour.`).join("\n");
const context = (): PipelineContext => ({ adapters: {} });
const RUNS = { numRuns: runCount(1000) };

/** Answers from the two documents, without a model. */
async function answer(question: string, response?: string): Promise<AnsweredQuestion> {
  const flow = unwrap(groundedAnswer({ answer: response === undefined ? "extract" : "model", expand: "words" }));
  const llm = { complete: async () => ({ content: response }) };
  const end = await flow.run({ question, documents }, { adapters: { llm } });
  if (end.phase === "failed") throw new Error(end.error.message);
  return end.answer;
}

afterEach(() => unregisterSpanLog());

/** Attributes of the spans with a name. */
function attributesOf(log: SpanLog, name: string): ReadableSpan["attributes"][] {
  return log.spans().flatMap((span) => (span.name === name ? [span.attributes] : []));
}

describe("ingest", () => {
  test("FR-001 1.1 reads a PDF of just under 100 pages in less than 30 seconds", { tags: "deep" }, async () => {
    const long = { name: "long.pdf", bytes: makePdf(Array(99).fill(SENTENCES)) };
    let pages = 0;
    const ms = await cpuMs(async () => (pages = unwrap(await ingest(long)).pages.length));
    expect([pages, ms < 30_000]).toEqual([99, true]);
  });

  test("FR-001 1.2 cuts chunks with the requested size and overlap, from 256 to 1,024 tokens", async () => {
    const text = SENTENCES.repeat(10);
    const [small, large] = [
      ingest({ name: "a.txt", text }, { chunkTokens: 256 }),
      ingest({ name: "a.txt", text }, { chunkTokens: 1024 }),
    ];
    const sizes = async (from: ReturnType<typeof ingest>): Promise<number> =>
      Math.max(...unwrap((await from) ?? err("none")).chunks.map(({ tokens }) => tokens));
    expect(await sizes(small)).toBeLessThanOrEqual(256);
    expect(await sizes(large)).toBeGreaterThan(900);
    expect(await ingest({ name: "a.txt", text }, { chunkTokens: 255 })).toMatchObject({ ok: false });
    const none = unwrap(await ingest({ name: "a.txt", text }, { overlapTokens: 0 })).chunks;
    expect(none.every((chunk, at) => at === 0 || chunk.start >= (none[at - 1]?.end ?? 0))).toBe(true);
  });

  test("FR-001 1.3 returns invalid_pdf for an invalid PDF, without throwing", { tags: "deep" }, async () => {
    const bytes = new TextEncoder().encode("%PDF-1.4 and nothing more");
    expect(await ingest({ name: "broken.pdf", bytes })).toMatchObject({ ok: false, error: { code: "invalid_pdf" } });
  });

  test("FR-001 1.4 returns empty_document for a PDF without text", { tags: "deep" }, async () => {
    expect(await ingest({ name: "scan.pdf", bytes: makePdf(["", ""]) })).toMatchObject({
      ok: false,
      error: { code: "empty_document" },
    });
  });

  test("FR-001 1.5 begins a span for the ingestion, with the document's id", async () => {
    const log = registerSpanLog();
    const { id } = unwrap(await ingest({ name: "a.txt", text: BRIDGE }));
    expect(attributesOf(log, "vera.ingest")).toMatchObject([{ "vera.operation": "ingest", "vera.document_id": id }]);
  });

  test("FR-001 1.6 lists the pages without text", { tags: "deep" }, async () => {
    const bytes = makePdf([BRIDGE, "", FERRY, ""]);
    expect(unwrap(await ingest({ name: "part.pdf", bytes })).blankPages).toEqual([2, 4]);
  });
});

describe("query", () => {
  test("FR-002 2.1 answers within 5 seconds", async () => {
    expect(await cpuMs(async () => answer(QUESTION))).toBeLessThan(5000);
  });

  test("FR-002 2.2 returns a score from 0 to 1, or null for an answer without claims", { tags: "deep" }, async () => {
    await fc.assert(
      fc.asyncProperty(anyText(), async (response) => {
        const { support } = unwrap(await verifyGrounding(response, BRIDGE));
        expect(support === null || (support >= 0 && support <= 1)).toBe(true);
      }),
      { numRuns: runCount(200) },
    );
  });

  test("FR-002 2.3 finds the nearest passage of each claim, and cites it only if it supports the claim", async () => {
    const { claims, citations } = unwrap(
      await verifyGrounding("The bridge was opened in 1932. The bridge was sold in Lisbon to pirates.", BRIDGE),
    );
    expect(claims.map(({ evidence }) => evidence.length > 0)).toEqual([true, true]);
    expect(citations.map(({ claim }) => claim)).toEqual([0]);
  });

  test("FR-002 2.4 searches again if coverage is low", async () => {
    expect((await answer("Which architect planned the Kestrel bridge?")).retrieval.queries.length).toBeGreaterThan(1);
  });

  test("FR-002 2.5 scores below 0.70 and marks the answer as insufficient if no document is about the question", async () => {
    const { support, insufficient } = await answer("Which day is the parliament of Iceland opened?");
    expect([(support ?? 0) < 0.7, insufficient]).toEqual([true, "coverage"]);
  });

  test("FR-002 2.6 marks an answer as insufficient if its sentences cover little of the question", async () => {
    const words = ["walrus", "harpoon", "lantern", "compass", "anchor", "sextant", "rigging", "ballast"];
    const text = words.map((word) => `Here is one ${word}.`).join(" ");
    const index = unwrap(await createMemoryIndex(chunksOf(text)));
    const flow = unwrap(groundedAnswer({ answer: "extract" }));
    const end = await flow.run({ question: `${words.join(" ")}?` }, { adapters: { index } });
    expect(end).toMatchObject({ answer: { insufficient: "relevance", retrieval: { coverage: 1 } } });
    expect(end.phase === "complete" ? end.answer.support : 1).toBeLessThan(0.5);
  });
});

describe("citations", () => {
  test("FR-003 3.1 citations name document and page", { tags: "deep" }, async () => {
    const { chunks } = unwrap(await ingest({ name: "two.pdf", bytes: makePdf([FERRY, BRIDGE]) }));
    const { citations } = unwrap(await verifyGrounding("The Kestrel bridge was opened in 1932.", chunks));
    expect(citations[0]).toMatchObject({ document: "two.pdf", page: 2 });
  });

  test("FR-003 3.2 citations quote fewer than 500 characters", async () => {
    const long = `The bridge ${"and its long railing ".repeat(60)}was opened in 1932.`;
    const { citations } = unwrap(await verifyGrounding(long, long));
    expect(citations[0]?.quote.length).toBeLessThan(500);
  });

  test("FR-003 3.3 citations are sorted by score, the highest first", async () => {
    const { citations } = unwrap(
      await verifyGrounding("Its paint is grey and a ticket costs 4 dollars.", [BRIDGE, FERRY]),
    );
    const scores = citations.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
  });

  test("FR-003 3.4 citations have an aggregate score and its label", async () => {
    const words = ["1932", "1933"].map((year) => verifyGrounding(`The Kestrel bridge was opened in ${year}.`, BRIDGE));
    expect((await Promise.all(words)).map((each) => unwrap(each).label)).toEqual(["grounded", "ungrounded"]);
  });
});

describe("the score", () => {
  test("FR-004 4.1 the score counts at least one fact for each sentence with a claim", async () => {
    const { claims, nonClaims } = unwrap(
      await verifyGrounding(`${BRIDGE} ${FERRY} You are welcome. Stay safe!`, BRIDGE),
    );
    expect([claims.length, nonClaims.length]).toEqual([5, 2]);
  });

  test("FR-004 4.2 the score is the same for the same texts", async () => {
    const [one, other] = [await verifyGrounding(BRIDGE, FERRY), await verifyGrounding(BRIDGE, FERRY)];
    expect(one).toEqual(other);
  });

  test("FR-004 4.3 the score is 1 only if all facts are grounded", async () => {
    expect(unwrap(await verifyGrounding(BRIDGE, BRIDGE)).support).toBe(1);
    expect(unwrap(await verifyGrounding(`${BRIDGE} It is red.`, BRIDGE)).support).toBeLessThan(1);
  });

  test("FR-004 4.4 the score is 0 only if no fact is grounded", async () => {
    expect(unwrap(await verifyGrounding("Zebras graze quietly.", BRIDGE)).support).toBe(0);
    expect(unwrap(await verifyGrounding("Zebras graze. Its paint is grey.", BRIDGE)).support).toBeGreaterThan(0);
  });
});

describe("pipelines", () => {
  const numbers = fc
    .record({ factor: fc.integer({ min: -3, max: 3 }), fails: fc.integer({ min: 0, max: 6 }) })
    .map(
      ({ factor, fails }): Pipeline<number, number> =>
        stage(`×${factor}`, (_, input) =>
          input === fails
            ? err(groundingError({ kind: "retrieval", code: "six", message: "six", operation: "times" }))
            : ok(input * factor),
        ),
    );
  const given = { context, input: fc.integer({ min: -9, max: 9 }) };

  test("FR-005 5.1 pipelines are associative in 1,000 runs", async () => {
    await fc.assert(associativity({ ...given, first: numbers, second: numbers, third: numbers }), RUNS);
  });

  test("FR-005 5.2 pipelines have an identity on both sides in 1,000 runs", async () => {
    await fc.assert(leftIdentity({ ...given, pipeline: numbers }), RUNS);
    await fc.assert(rightIdentity({ ...given, pipeline: numbers }), RUNS);
  });

  test("FR-005 5.3 pipelines can have five stages and more", async () => {
    const add = stage("add", async (_: PipelineContext, input: number) => ok(input + 1));
    const seven = Array.from({ length: 7 }, () => add).reduce((all, one) => andThen(all, one), identity<number>());
    expect(await seven.run(context(), 0)).toEqual(ok(7));
  });

  test("FR-005 5.4 pipelines pass errors on as values", async () => {
    const fails = stage("fails", async () =>
      err(groundingError({ kind: "provider", code: "no", message: "no", operation: "x" })),
    );
    const after = andThen(fails, identity());
    expect(await after.run(context(), 0)).toMatchObject({ ok: false, error: { code: "no" } });
  });

  test("FR-005 5.5 verifying doesn't distribute over andThen: a counterexample", async () => {
    const upper = stage("upper", async (_: PipelineContext, text: string) => ok(text.toUpperCase()));
    const judge = async (_: PipelineContext, source: string, value: string): ReturnType<typeof verifyGrounding> =>
      verifyGrounding(value, source);
    const cut = stage("cut", async (_: PipelineContext, text: string) => ok(`${text.slice(0, 38)} It sank.`));
    const whole = unwrap(await verified(andThen(upper, cut), judge).run(context(), BRIDGE));
    const last = unwrap(
      await andThen(
        mapOutput(verified(upper, judge), ({ value }) => value),
        verified(cut, judge),
      ).run(context(), BRIDGE),
    );
    expect(whole.value).toBe(last.value);
    // The judge of the whole sees the first input, the judge of the last stage what the stage before made of it.
    expect(whole.citations).not.toEqual(last.citations);
  });
});

describe("until", () => {
  const index = async (): ReturnType<typeof createMemoryIndex> =>
    createMemoryIndex(chunksOf(...BRIDGE.split(". "), ...FERRY.split(". ")));

  test("FR-006 6.1 further hops never lower coverage, and raise it if a model suggests other search words", async () => {
    const llm = { complete: async () => ({ content: "ticket costs dollars" }) };
    const options = { index: unwrap(await index()), limit: 1, config: { coverageThreshold: 1 } };
    const query = "bridge opened and ticket price";
    const one = unwrap(await retrieve(query, { ...options, config: { ...options.config, maxHops: 1 } }));
    const three = unwrap(await retrieve(query, { ...options, llm }));
    expect(three.verification.support ?? 0).toBeGreaterThan(one.verification.support ?? 0);
  });

  test("FR-006 6.2 retrieval stops at the limit of hops", async () => {
    for (const maxHops of [1, 2, 3])
      expect(
        unwrap(await retrieve("Quantum?", { index: unwrap(await index()), config: { maxHops } })).queries.length,
      ).toBe(maxHops);
  });

  test("FR-006 6.3 retrieval never returns a passage twice", async () => {
    const { chunks } = unwrap(await retrieve("ferry architect", { index: unwrap(await index()), limit: 2 }));
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
  });

  test("FR-006 6.4 retrieval is the same for the same index and query", async () => {
    const found = async (): ReturnType<typeof retrieve> =>
      retrieve("ferry architect", { index: unwrap(await index()) });
    expect(await found()).toEqual(await found());
  });
});

describe("errors", () => {
  const broken = {
    search: async () => {
      throw new Error("down");
    },
  };

  test("FR-007 7.1 errors are returned, not thrown", async () => {
    expect(await retrieve("bridge", { index: broken })).toMatchObject({ ok: false, error: { kind: "retrieval" } });
    expect(await ingest({ path: "no/such/file.pdf" })).toMatchObject({ ok: false, error: { kind: "validation" } });
  });

  test("FR-007 7.2 errors name the operation", async () => {
    const failures = [await retrieve("bridge", { index: broken }), await ingest({ path: "no/such/file.pdf" })];
    expect(failures.map((each) => (each.ok ? "" : each.error.operation))).toEqual(["retrieve", "ingest"]);
  });

  test("FR-007 7.3 errors are logged as JSON with their kind and operation", async () => {
    const lines: string[] = [];
    const flow = unwrap(groundedAnswer({ answer: "extract" }));
    await flow.run(
      { question: QUESTION },
      { adapters: { index: broken }, onEvent: jsonLog((line) => lines.push(line)) },
    );
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      level: "error",
      error: { kind: "retrieval", operation: "retrieve" },
    });
  });

  test("FR-007 7.4 errors set error.type on their span", async () => {
    const log = registerSpanLog();
    await retrieve("bridge", { index: broken });
    expect(attributesOf(log, "vera.retrieve")).toMatchObject([
      { "error.type": "adapter_failed", "vera.status": "error" },
    ]);
  });
});

describe("observability", () => {
  test("FR-008 8.1 each operation has a span, also when called alone", async () => {
    const log = registerSpanLog();
    const { chunks } = unwrap(await ingest({ name: "a.txt", text: BRIDGE }));
    await retrieve(QUESTION, { index: unwrap(await createMemoryIndex(chunks)) });
    await verifyGrounding(BRIDGE, chunks);
    expect(log.spans().map(({ name }) => name)).toEqual(["vera.ingest", "vera.retrieve", "vera.verify"]);
  });

  test("FR-008 8.2 spans have duration, status, phase and score", async () => {
    const log = registerSpanLog();
    await verifyGrounding(BRIDGE, BRIDGE);
    expect(attributesOf(log, "vera.verify")).toEqual([
      {
        "vera.operation": "verify",
        "vera.duration_ms": expect.any(Number),
        "vera.status": "ok",
        "vera.phase": "grounding",
        "vera.grounding_score": 1,
        "vera.label": "grounded",
      },
    ]);
    expect(await log.metrics()).toEqual([
      'vera.operation.duration {"vera.operation":"verify","vera.status":"ok"}: 1 times',
    ]);
  });

  test("FR-008 8.3 logs are JSON, one line for each event", async () => {
    const lines: string[] = [];
    const flow = unwrap(groundedAnswer({ answer: "extract" }));
    await flow.run({ question: QUESTION, documents }, { adapters: {}, onEvent: jsonLog((line) => lines.push(line)) });
    expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => "object"));
  });

  test("FR-008 8.4 spans can be exported with their attributes, under the caller's span", async () => {
    const log = registerSpanLog();
    const flow = unwrap(groundedAnswer({ answer: "extract" }));
    const run = async (): Promise<unknown> => flow.run({ question: QUESTION, documents }, { adapters: {} });
    await trace.getTracer("caller").startActiveSpan("caller", async (span) => run().finally(() => span.end()));
    const names = log.tree().map((line) => line.replace(/ \{.*/, ""));
    expect(names.filter((name) => /^ {0,4}\S/.test(name))).toEqual([
      "caller",
      "  vera.answer",
      ...["generate", "ingest", "query", "retrieve", "verify_grounding", "verify_retrieval"].map(
        (name) => `    vera.${name}`,
      ),
    ]);
  });
});
