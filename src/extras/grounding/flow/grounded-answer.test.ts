import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { hashValueSync } from "../../../kernel/json/hash.ts";
import { err, ok, unwrap } from "../../../kernel/result.ts";
import { checkCommands } from "../../../kernel/step/check-commands.ts";
import { run } from "../../../kernel/step/run.ts";
import type { LlmAdapter, LlmRequest } from "../adapters/llm-adapter.ts";
import { chunksOf } from "../../../../test-support/prose.ts";
import { createMemoryIndex } from "../retrieve/memory-index.ts";
import { blend } from "../verify/blend.ts";
import { judgeVerifier } from "../verify/judge-verifier.ts";
import { lexicalVerifier } from "../verify/verifier.ts";
import type { FlowAdapters } from "./flow-options.ts";
import { groundedAnswer } from "./grounded-answer.ts";
import { jsonLog } from "./json-log.ts";
import type { AnswerEvent, AnswerPhase, AnswerState } from "./answer-state.ts";
import { registerSpanLog, unregisterSpanLog } from "../../../../test-support/span-log.ts";
import { runCount } from "../../../../test-support/run-count.ts";
import { jsonValue } from "../../../../test-support/arbitraries.ts";

const documents = [
  {
    name: "bridge.md",
    text: "# The Kestrel bridge\n\nThe Kestrel bridge was opened in 1932. It carries 160,000 cars a day. Its paint is grey.",
  },
  { name: "ferry.txt", text: "The ferry crosses the harbour every hour. A ticket costs 4 dollars." },
];
const question = "When was the Kestrel bridge opened?";
const SOUND = "The Kestrel bridge was opened in 1932.";
const ROUND: readonly AnswerPhase[] = [
  "ingest",
  "query",
  "retrieve",
  "verify_retrieval",
  "generate",
  "verify_grounding",
  "complete",
];

const flow = unwrap(groundedAnswer());
const extracting = unwrap(groundedAnswer({ answer: "extract" }));

/** A model that gives these answers one after the other, the last one again and again, and keeps what it was asked. */
function modelOf(...answers: readonly string[]): LlmAdapter & { readonly requests: LlmRequest[] } {
  const requests: LlmRequest[] = [];
  return {
    requests,
    complete: async (request) => {
      requests.push(request);
      return { content: answers[requests.length - 1] ?? answers.at(-1) };
    },
  };
}

/** Runs the flow and gathers what it reports. */
async function observed(
  of: typeof flow,
  from: Parameters<typeof flow.run>[0],
  adapters: FlowAdapters,
): Promise<{ readonly end: AnswerState; readonly states: AnswerState[]; readonly events: AnswerEvent[] }> {
  const [states, events]: [AnswerState[], AnswerEvent[]] = [[], []];
  let now = 1_000;
  const end = await of.run(from, {
    adapters,
    clock: () => (now += 5),
    onEvent: (event, state) => {
      events.push(event);
      if (event.type === "checkpoint") states.push(state);
    },
  });
  return { end, states, events };
}

function warningsOf(events: readonly AnswerEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "warning" ? [event.warning] : []));
}

describe("the flow", () => {
  test("runs its phases up to an answer with citations", async () => {
    const llm = modelOf(SOUND);
    const { end, states } = await observed(flow, { question, documents }, { llm });
    expect(states.map(({ phase }) => phase)).toEqual(ROUND);
    expect(end).toEqual({
      phase: "complete",
      answer: {
        question,
        response: SOUND,
        cited: "The Kestrel bridge was opened in 1932 [1].",
        answeredBy: "model",
        support: 1,
        label: "grounded",
        claims: [{ id: SOUND, score: 1, label: "grounded", missing: [] }],
        citations: [{ document: "bridge.md", start: 22, end: 60, quote: SOUND, score: 1 }],
        retrieval: {
          coverage: 1,
          missing: [],
          queries: [question],
          method: "bm25",
          passages: [expect.stringMatching(/^doc-[0-9a-f]{16}#0$/), expect.stringMatching(/#0$/)],
        },
        unverified: { nonClaims: 0, leftOut: 0 },
      },
    });
    expect(llm.requests).toHaveLength(1);
    expect(llm.requests[0]?.messages[1]?.content).toBe(
      JSON.stringify({ question, passages: documents.map(({ name, text }) => ({ document: name, text })) }),
    );
  });

  test("completes with a low score, and says why a claim isn't supported", async () => {
    const { end } = await observed(
      flow,
      { question, documents },
      { llm: modelOf(`${SOUND} It was sold to Globex in 1999.`) },
    );
    expect(end).toMatchObject({
      phase: "complete",
      answer: {
        label: "ungrounded",
        cited: "The Kestrel bridge was opened in 1932 [1]. It was sold to Globex in 1999.",
        claims: [{ label: "grounded" }, { label: "ungrounded", missing: ["Globex", "1999"] }],
      },
    });
  });

  test("removes markers that the model wrote itself", async () => {
    const { end } = await observed(
      flow,
      { question, documents },
      { llm: modelOf("The Kestrel bridge was opened in 1932 [7].") },
    );
    expect(end).toMatchObject({ answer: { response: SOUND, cited: "The Kestrel bridge was opened in 1932 [1]." } });
  });

  test("doesn't call the model if no passage was found; the answer has no claims", async () => {
    const llm = modelOf(SOUND);
    const { end } = await observed(
      unwrap(groundedAnswer({ expand: "words" })),
      { question: "Quantum chromodynamics?", documents },
      { llm },
    );
    expect(end).toMatchObject({
      phase: "complete",
      answer: {
        answeredBy: "nobody",
        response: "The documents don't contain information on this.",
        support: null,
        label: "no_claims",
        citations: [],
      },
    });
    expect(llm.requests).toHaveLength(0);
  });

  test("without a model extracts sentences of the passages verbatim", async () => {
    const { end } = await observed(extracting, { question, documents }, {});
    expect(end).toMatchObject({
      phase: "complete",
      answer: { answeredBy: "extract", response: SOUND, support: 1, label: "grounded" },
    });
  });

  test("searches an index given as an adapter", async () => {
    const index = unwrap(await createMemoryIndex(chunksOf(SOUND, "The ferry is slow.")));
    const { end, states } = await observed(extracting, { question }, { index });
    expect(states.map(({ phase }) => phase)).toEqual(ROUND.slice(1));
    expect(end).toMatchObject({ phase: "complete", answer: { response: SOUND } });
  });

  test("passes its adapters to a verifier, so that a judge is recorded like the model", async () => {
    interface Judged extends FlowAdapters {
      readonly judge: LlmAdapter;
    }
    const judged = unwrap(
      groundedAnswer<Judged>({
        answer: "extract",
        verifier: ({ judge }) => blend(lexicalVerifier, judgeVerifier(judge)),
      }),
    );
    const judge = modelOf('{"verdicts":[{"id":0,"score":0.5,"reason":"only half"}]}');
    const end = await judged.run({ question, documents }, { adapters: { judge } });
    expect(end).toMatchObject({ answer: { support: 0.85, label: "grounded", claims: [{ note: "only half" }] } });
    expect(judge.requests).toHaveLength(1);
  });
});

describe("retrieval", () => {
  const hard = { question: "Which architect planned the Kestrel bridge?", documents };

  test("searches again with the model's query, at most maxHops times, and then answers with a warning", async () => {
    const llm = modelOf("ferry ticket dollars", "harbour", SOUND);
    const { end, states, events } = await observed(flow, hard, { llm });
    expect(states.map(({ phase }) => phase).filter((phase) => phase === "retrieve")).toHaveLength(3);
    expect(end).toMatchObject({
      phase: "complete",
      answer: {
        retrieval: { queries: [hard.question, "ferry ticket dollars", "harbour"], missing: ["architect", "planned"] },
      },
    });
    expect(warningsOf(events)).toEqual([
      "No embedder is configured, so the ranking only uses words (BM25).",
      expect.stringMatching(
        /^Coverage is 0\.\d+ after 3 hops, but 0\.8 was required\. Not covered: "architect", "planned"\.$/,
      ),
    ]);
  });

  test("never returns a passage twice, even from an index that ignores exclude", async () => {
    const chunks = chunksOf(SOUND);
    const index = {
      search: async () =>
        ok({ hits: chunks.map((chunk) => ({ chunk, score: 1 })), method: "bm25" as const, warnings: [] }),
    };
    const { end } = await observed(extracting, { question: hard.question }, { index });
    expect(end).toMatchObject({ answer: { retrieval: { passages: [chunks[0]?.id] } } });
  });

  test("makes at most the configured number of hops", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom("Which architect planned it?", question, "Quantum?"),
        async (maxHops, asked) => {
          const { states } = await observed(
            unwrap(groundedAnswer({ answer: "extract", config: { maxHops } })),
            { question: asked, documents },
            {},
          );
          const hops = states.filter(({ phase }) => phase === "retrieve").length;
          expect(hops).toBeGreaterThanOrEqual(1);
          expect(hops).toBeLessThanOrEqual(maxHops);
          expect(states.at(-1)?.phase).toBe("complete");
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("checkpoints", () => {
  test("have phase, hash of the state and times; no state has a time", async () => {
    const { states, events } = await observed(extracting, { question, documents }, {});
    const checkpoints = events.filter(({ type }) => type === "checkpoint");
    expect(checkpoints.slice(0, 2)).toEqual([
      { type: "checkpoint", phase: "ingest", stateHash: hashValueSync(states[0]), at: 1010, durationMs: 5 },
      { type: "checkpoint", phase: "query", stateHash: hashValueSync(states[1]), at: 1015, durationMs: 5 },
    ]);
    const again = await observed(extracting, { question, documents }, {});
    expect(again.states).toEqual(states);
  });

  test("can be resumed: each stored state leads to the same end", async () => {
    const { states, end } = await observed(extracting, { question, documents }, {});
    for (const state of states) {
      const stored: AnswerState = JSON.parse(JSON.stringify(state));
      expect(await extracting.run(stored, { adapters: {} })).toEqual(end);
    }
  });
});

describe("failures end in the state failed, never in a throw", () => {
  test.each<[string, Parameters<typeof flow.run>[0], FlowAdapters, object]>([
    [
      "a missing file",
      { question, documents: [{ path: "no-such-file.md" }] },
      {},
      {
        at: "ingest",
        error: {
          kind: "validation",
          code: "unreadable",
          operation: "ingest",
          input: "no-such-file.md",
          cause: expect.stringContaining("ENOENT"),
        },
      },
    ],
    [
      "no documents",
      { question, documents: [] },
      {},
      { at: "ingest", error: { kind: "validation", code: "no_documents" } },
    ],
    [
      "a question without a word",
      { question: " ?! ", documents },
      {},
      { at: "query", error: { kind: "validation", code: "blank_query", input: " ?! " } },
    ],
    [
      "a question of a whole book",
      { question: "a ".repeat(6_000), documents },
      {},
      { at: "query", error: { kind: "validation", code: "long_query" } },
    ],
    ["no index", { question }, {}, { at: "retrieve", error: { kind: "validation", code: "no_index" } }],
    ["no model", { question, documents }, {}, { at: "generate", error: { kind: "validation", code: "no_model" } }],
    [
      "an index that throws",
      { question },
      { index: { search: () => Promise.reject(new Error("down")) } },
      {
        at: "retrieve",
        error: { kind: "retrieval", code: "adapter_failed", operation: "retrieve", retryable: true, cause: "down" },
      },
    ],
    [
      "a model that throws",
      { question, documents },
      { llm: { complete: () => Promise.reject(new Error("no route")) } },
      { at: "generate", error: { kind: "provider", operation: "generate", cause: "no route" } },
    ],
    [
      "a model that answers an error value",
      { question, documents },
      { llm: { complete: async () => err({ code: "auth", message: "no key", retryable: false }) } },
      { at: "generate", error: { kind: "provider", retryable: false } },
    ],
    [
      "a model that answers nothing",
      { question, documents },
      { llm: modelOf("  ") },
      { at: "generate", error: { kind: "provider", code: "empty_answer" } },
    ],
    [
      "a state of another shape",
      JSON.parse('{"phase":"query","question":"x"}'),
      {},
      {
        at: "ingest",
        error: {
          kind: "validation",
          code: "input_validation",
          message: expect.stringMatching(
            /^The input isn't a state of the flow: library: .*\. Start again with the question\.$/,
          ),
        },
      },
    ],
    ["a state of no known phase", JSON.parse('{"phase":"constructor"}'), {}, { error: { code: "input_validation" } }],
    [
      "no question at all",
      JSON.parse("{}"),
      {},
      {
        error: {
          kind: "validation",
          message:
            "The input isn't a question: question: Invalid input: expected string, received undefined. Pass { question, documents }.",
        },
      },
    ],
  ])("%s", async (_name, from, adapters, expected) => {
    expect(await flow.run(from, { adapters })).toMatchObject({ phase: "failed", ...expected });
  });

  test("the state is plain JSON", async () => {
    const state = await flow.run(
      { question, documents },
      { adapters: { llm: { complete: () => Promise.reject(new Error("no route")) } } },
    );
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });

  test.each([
    [{ limit: 0 }, "groundedAnswer: limit must be an integer of at least 1, got 0."],
    [
      { config: { maxHops: 0 } },
      "The grounding configuration isn't valid: maxHops: Too small: expected number to be >=1. Correct the field, or remove it to use its default.",
    ],
  ])("invalid options %j are an error value", (options, message) => {
    expect(groundedAnswer(options)).toMatchObject({
      ok: false,
      error: { kind: "validation", code: "invalid_config", message },
    });
  });

  test("any question and any text of a document ends in complete or failed", { tags: "deep" }, async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("", "\u0000", "__proto__", "[1]", "# \n- \n", "\ud800"),
    );
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(fc.record({ name: text, text }), { maxLength: 3 }),
        text,
        async (asked, given, answer) => {
          const end = await flow.run({ question: asked, documents: given }, { adapters: { llm: modelOf(answer) } });
          expect(["complete", "failed"]).toContain(end.phase);
          if (end.phase === "failed") expect(end.error.kind).not.toBe("internal");
        },
      ),
      { numRuns: runCount(1000) },
    );
  });
});

test("any stored state ends in complete or failed, and a damaged one never in an internal error", async () => {
  const { states } = await observed(extracting, { question, documents }, {});
  const damaged = fc.tuple(fc.constantFrom(...states), fc.string(), jsonValue()).map(([state, key, value]) => ({
    ...state,
    [key in state ? key : (Object.keys(state)[key.length % Object.keys(state).length] ?? key)]: value,
  }));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        damaged,
        jsonValue(),
        damaged.map((state) => ({ ...state, phase: "__proto__" })),
      ),
      async (value) => {
        const end = await extracting.run(JSON.parse(JSON.stringify(value)), { adapters: {} });
        expect(["complete", "failed"]).toContain(end.phase);
        if (end.phase === "failed") expect(end.error.kind).not.toBe("internal");
      },
    ),
    { numRuns: runCount(1000) },
  );
});

describe("the workflow", () => {
  test("has a step for each phase, whose commands fit the workflow", async () => {
    const { states } = await observed(extracting, { question, documents }, {});
    const { workflow } = extracting;
    expect(Object.keys(workflow.steps)).toEqual(ROUND.slice(0, -1));
    for (const [index, state] of states.slice(0, -1).entries()) {
      const step = workflow.steps[state.phase === "complete" || state.phase === "failed" ? "ingest" : state.phase];
      const result = await run<unknown, object, FlowAdapters, unknown>(Object(step), state, { adapters: {} });
      if (!result.ok) throw new Error(result.error.message);
      const { commands = [] } = result.value;
      expect(await checkCommands(commands, workflow)).toEqual([]);
      const next = states[index + 1];
      expect(commands).toEqual(next?.phase === "complete" ? [] : [{ type: "invoke", step: next?.phase, input: next }]);
    }
  });

  test("as one step: has output, checkpoints without times, and warnings", async () => {
    const result = await run(extracting.step, { question, documents }, { adapters: {} });
    if (!result.ok) throw new Error(result.error.message);
    expect(result.value.output).toMatchObject({ response: SOUND, support: 1 });
    expect(result.value.events.map(({ type, payload }) => [type, payload])).toEqual([
      ...ROUND.slice(0, 3).map((phase) => ["vera_checkpoint", { phase, stateHash: expect.stringMatching(/^sha256:/) }]),
      ["grounding_warning", { warning: "No embedder is configured, so the ranking only uses words (BM25)." }],
      ...ROUND.slice(3).map((phase) => ["vera_checkpoint", { phase, stateHash: expect.stringMatching(/^sha256:/) }]),
    ]);
  });

  test("as one step: fails with the error of the flow", async () => {
    expect(await run(flow.step, { question, documents: [] }, { adapters: {} })).toMatchObject({
      ok: false,
      error: { code: "no_documents", cause: { kind: "validation", operation: "ingest" } },
    });
  });
});

describe("observability", () => {
  afterEach(() => unregisterSpanLog());

  test("creates a span for each phase with its results", async () => {
    const log = registerSpanLog();
    await extracting.run({ question, documents }, { adapters: {} });
    expect(log.tree().filter((line) => /^(?: {2})?vera\./.test(line))).toEqual([
      'vera.answer {"vera.citations":1,"vera.claims":1,"vera.documents":2,"vera.grounding_score":1,"vera.label":"grounded"}',
      '  vera.generate {"vera.answered_by":"extract","vera.operation":"generate","vera.phase":"generate","vera.response_length":38}',
      '  vera.ingest {"vera.chunks":2,"vera.operation":"ingest","vera.phase":"ingest"}',
      '  vera.query {"vera.hops":0,"vera.operation":"query","vera.passages":0,"vera.phase":"query"}',
      '  vera.retrieve {"vera.hops":1,"vera.operation":"retrieve","vera.passages":2,"vera.phase":"retrieve"}',
      '  vera.verify_grounding {"vera.citations":1,"vera.claims":1,"vera.grounding_score":1,"vera.label":"grounded","vera.operation":"verify_grounding","vera.phase":"verify_grounding"}',
      '  vera.verify_retrieval {"vera.coverage":1,"vera.hops":1,"vera.operation":"verify_retrieval","vera.passages":2,"vera.phase":"verify_retrieval"}',
    ]);
  });

  test("the flow as one step creates no spans of its own", async () => {
    const log = registerSpanLog();
    await run(extracting.step, { question, documents }, { adapters: {} });
    expect(log.spans().map(({ name }) => name)).toEqual(["veritest.step grounded-answer"]);
  });

  test("marks the spans of a failed phase and of its root as failed", async () => {
    const log = registerSpanLog();
    await flow.run({ question, documents: [] }, { adapters: {} });
    expect(log.tree().filter((line) => /^(?: {2})?vera\./.test(line))).toEqual([
      'vera.answer {"error.type":"no_documents","vera.documents":0,"vera.error_code":"no_documents","vera.error_kind":"validation"} ERROR no_documents',
      '  vera.ingest {"error.type":"no_documents","vera.error_code":"no_documents","vera.error_kind":"validation","vera.operation":"ingest","vera.phase":"ingest"} ERROR no_documents',
    ]);
  });

  test("logs one line of JSON for each event, without the texts", async () => {
    const lines: string[] = [];
    await extracting.run(
      { question, documents },
      { adapters: {}, clock: () => 0, onEvent: jsonLog((line) => lines.push(line)) },
    );
    expect(lines.every((line) => line.endsWith("}\n"))).toBe(true);
    expect(lines.map((line) => JSON.parse(line)).at(-1)).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      level: "info",
      type: "checkpoint",
      phase: "complete",
      stateHash: expect.stringMatching(/^sha256:/),
      durationMs: 0,
      answeredBy: "extract",
      support: 1,
      label: "grounded",
      claims: 1,
      citations: 1,
      coverage: 1,
      hops: 1,
    });
    expect(lines.join("")).not.toContain("1932");
  });

  test("logs a failure with its error", async () => {
    const lines: string[] = [];
    await flow.run(
      { question, documents: [] },
      { adapters: {}, clock: () => 0, onEvent: jsonLog((line) => lines.push(line)) },
    );
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      level: "error",
      phase: "failed",
      at: "ingest",
      error: { code: "no_documents" },
    });
  });
});
