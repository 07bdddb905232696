import { describe, expect, test } from "vitest";
import { z } from "zod";
import { err, ok } from "../../../kernel/result.ts";
import { recordAdapters } from "../../../record/proxy/record-adapters.ts";
import { replayAdapters } from "../../../record/replay/replay-adapters.ts";
import { run } from "../../../kernel/step/run.ts";
import { defineStep } from "../../../kernel/step/define-step.ts";
import type { StepContext } from "../../../kernel/step/context.ts";
import type { LlmAdapter, LlmRequest } from "../adapters/llm-adapter.ts";
import { type NliPair, teiNli } from "../adapters/nli-adapter.ts";
import { blend } from "./blend.ts";
import { embeddingVerifier } from "./embedding-verifier.ts";
import { judgeVerifier } from "./judge-verifier.ts";
import { type Verifier, lexicalVerifier } from "./verifier.ts";
import { nliVerifier } from "./nli-verifier.ts";
import type { Verification } from "./verification.ts";
import { verifyGrounding } from "./verify-grounding.ts";

const SOURCE = { document: "press", text: "Acme bought Globex. The price was $5 million. Nobody was dismissed." };
const SWAPPED = "Globex bought Acme.";

async function claimsOf(response: string, verifier: Verifier): Promise<Verification<string>["claims"]> {
  const verified = await verifyGrounding(response, SOURCE, { verifier });
  if (!verified.ok) throw new Error(verified.error.message);
  return verified.value.claims;
}

async function errorOf(verifier: Verifier): Promise<unknown> {
  const verified = await verifyGrounding(SWAPPED, SOURCE, { verifier });
  return verified.ok ? undefined : verified.error;
}

/** A model that answers with fixed verdicts, as JSON in a code fence, and keeps what it was asked. */
function model(verdicts: readonly unknown[]): LlmAdapter & { readonly requests: LlmRequest[] } {
  const requests: LlmRequest[] = [];
  return {
    requests,
    complete: async (request) => {
      requests.push(request);
      return { content: `Here you are:\n\`\`\`json\n${JSON.stringify({ verdicts })}\n\`\`\`` };
    },
  };
}

describe("judgeVerifier", () => {
  test("requests JSON of a strict schema: a verdict with id, score and reason for each claim", async () => {
    const llm = model([{ id: 0, score: 0 }]);
    await claimsOf(SWAPPED, judgeVerifier(llm));
    expect(llm.requests[0]?.responseFormat).toMatchObject({
      name: "verdicts",
      schema: {
        properties: { verdicts: { items: { required: ["id", "score", "reason"] } } },
        additionalProperties: false,
      },
    });
  });

  test("sends one request for all claims, and reads scores and reasons by id", async () => {
    const llm = model([
      { id: 1, score: 1 },
      { id: 0, score: 0, reason: "the roles are swapped" },
    ]);
    const claims = await claimsOf(`${SWAPPED} The price was $5 million.`, judgeVerifier(llm, { model: "judge-1" }));
    expect(claims.map(({ score, note }) => [score, note])).toEqual([
      [0, "the roles are swapped"],
      [1, undefined],
    ]);
    expect(
      llm.requests.map(({ model, temperature, messages }) => [
        model,
        temperature,
        messages.map(({ role }) => role),
        JSON.parse(messages[1]?.content ?? ""),
      ]),
    ).toEqual([
      [
        "judge-1",
        0,
        ["system", "user"],
        {
          claims: [
            { id: 0, text: SWAPPED },
            { id: 1, text: "The price was $5 million." },
          ],
          passages: ["Acme bought Globex.", "The price was $5 million.", "Nobody was dismissed."],
        },
      ],
    ]);
  });

  test.each([
    ["no JSON", { content: "I cannot say." }],
    ["a missing claim", { content: '{"verdicts":[]}' }],
    ["a score out of range", { content: '{"verdicts":[{"id":0,"score":7}]}' }],
    ["no content", {}],
    ["nothing", undefined],
  ])("refuses a response with %s", async (_, answer) => {
    expect(await errorOf(judgeVerifier({ complete: async () => answer }))).toEqual({
      kind: "provider",
      code: "invalid_answer",
      message:
        "The judge's llm.complete must return { content } with JSON verdicts for all 1 claims, but its response was different. Check the adapter or its model.",
      operation: "verify",
      retryable: true,
    });
  });

  test("returns an adapter's error value, and reads a value in a Result", async () => {
    expect(
      await errorOf(
        judgeVerifier({ complete: async () => err({ code: "refused", message: "slow down", retryable: false }) }),
      ),
    ).toMatchObject({
      kind: "provider",
      code: "adapter_failed",
      message: "The judge's llm.complete failed: slow down. Check the adapter, or replay it from a recording.",
      retryable: false,
      cause: { code: "refused" },
    });
    expect(
      await claimsOf(
        SWAPPED,
        judgeVerifier({ complete: async () => ok({ content: '{"verdicts":[{"id":0,"score":0.25}]}' }) }),
      ),
    ).toMatchObject([{ score: 0.25 }]);
  });

  test("is recorded and replayed as an adapter call of a step", async () => {
    const step = defineStep({
      name: "check-answer",
      input: z.object({ answer: z.string() }),
      output: z.object({ score: z.number().nullable() }),
      run: async ({ answer }, ctx: StepContext<{ llm: LlmAdapter }>) => {
        const verified = await verifyGrounding(answer, SOURCE, { verifier: judgeVerifier(ctx.adapters.llm) });
        if (!verified.ok) throw new Error(verified.error.message);
        return { output: { score: verified.value.support } };
      },
    });
    const recorder = recordAdapters({ llm: model([{ id: 0, score: 0.5 }]) });
    const recorded = await run(step, { answer: SWAPPED }, { adapters: recorder.adapters });
    const { adapters } = replayAdapters(recorder.calls());
    const served = await run(step, { answer: SWAPPED }, { adapters: { llm: Reflect.get(adapters, "llm") } });
    expect([recorded, served].map((result) => result.ok && result.value.output)).toEqual([
      { score: 0.5 },
      { score: 0.5 },
    ]);
  });
});

describe("nliVerifier", () => {
  test("takes entailment as the score and notes a contradiction", async () => {
    const asked: NliPair[] = [];
    const nli = {
      entail: async (pairs: readonly NliPair[]) => {
        asked.push(...pairs);
        return pairs.map(({ hypothesis }) =>
          hypothesis === SWAPPED ? { entailment: 0.02, contradiction: 0.9 } : { entailment: 1 },
        );
      },
    };
    const claims = await claimsOf(`${SWAPPED} The price was $5 million. Whales sing loudly.`, nliVerifier(nli));
    expect(claims.map(({ score, note }) => [score, note])).toEqual([
      [0.02, "contradicted by its sources"],
      [1, undefined],
      [0, undefined],
    ]);
    expect(asked).toEqual([
      { premise: "Acme bought Globex.", hypothesis: SWAPPED },
      { premise: "The price was $5 million.", hypothesis: "The price was $5 million." },
    ]);
  });

  test("calls Text Embeddings Inference with one request of pairs", async () => {
    const bodies: unknown[] = [];
    const post = async (body: unknown): Promise<unknown> => {
      bodies.push(body);
      return [
        [
          { label: "ENTAILMENT", score: 0.75 },
          { label: "neutral", score: 0.2 },
          { label: "contradiction", score: 0.05 },
        ],
      ];
    };
    expect(await claimsOf(SWAPPED, nliVerifier(teiNli(post)))).toMatchObject([{ score: 0.75 }]);
    expect(bodies).toEqual([{ inputs: [["Acme bought Globex.", SWAPPED]], raw_scores: false, truncate: true }]);
  });

  test.each([
    [[]],
    ["no list"],
    [[{ label: "entailment" }]],
    [[{ entailment: 3 }]],
  ])("refuses the response %j", async (answer) => {
    expect(await errorOf(nliVerifier({ entail: async () => answer }))).toMatchObject({
      code: "invalid_answer",
      message:
        "The NLI adapter must return 1 scores { entailment } from 0 to 1, but its response was different. Check the adapter or its model.",
    });
  });
});

describe("embeddingVerifier", () => {
  const direction: Readonly<Record<string, readonly number[]>> = {
    "Acme bought Globex.": [1, 0],
    "The price was $5 million.": [0, 1],
    "Nobody was dismissed.": [-1, 0],
  };

  test("takes the best cosine above the similarity threshold, otherwise 0", async () => {
    const claims = new Map([
      ["Globex went to Acme.", [0.8, 0.6]],
      ["Prices rose in May.", [0, -1]],
      ["The price was $5 million.", [0, 2]],
    ]);
    const embedder = {
      embed: async (texts: readonly string[]) =>
        texts.map((text) => new Float32Array(claims.get(text) ?? direction[text] ?? [0, 0])),
    };
    const verified = await claimsOf([...claims.keys()].join(" "), embeddingVerifier(embedder));
    expect(verified.map(({ score }) => score)).toEqual([0.8, 0, 1]);
  });

  test.each([
    [[[1]]],
    [[[1, 2], [3], [4], [5]]],
    [[["a"], ["b"], ["c"], ["d"]]],
    [undefined],
    [[[1], [Number.NaN], [1], [1]]],
  ])("refuses the vectors %j", async (answer) => {
    expect(await errorOf(embeddingVerifier({ embed: async () => answer }))).toMatchObject({
      code: "invalid_answer",
      message:
        "The embedder must return 4 vectors of equally many finite numbers, but its response was different. Check the adapter or its model.",
    });
  });
});

describe("blend", () => {
  const half: Verifier = {
    name: "half",
    verify: async (claims) => ok(claims.map(() => ({ score: 0.5, note: "so so" }))),
  };

  test("is the weighted mean, with the judge's notes", async () => {
    const claim = (await claimsOf("The price was $5 million.", blend(lexicalVerifier, half)))[0];
    expect([claim?.score, claim?.note]).toEqual([0.85, "so so"]);
    expect(
      await claimsOf("The price was $5 million.", blend(lexicalVerifier, half, { judgeWeight: 0.2 })),
    ).toMatchObject([{ score: 0.9 }]);
  });

  test("has at least three quarters of the judge's score, unless a weight is given", async () => {
    const sure: Verifier = { name: "sure", verify: async (claims) => ok(claims.map(() => ({ score: 0.96 }))) };
    const scoresOf = async (verifier: Verifier): Promise<readonly number[]> =>
      (await claimsOf("Everyone kept their job.", verifier)).map(({ score }) => score);
    expect(await scoresOf(blend(lexicalVerifier, sure))).toEqual([0.72]);
    expect(await scoresOf(blend(lexicalVerifier, sure, { judgeWeight: 0 }))).toEqual(await scoresOf(lexicalVerifier));
  });

  test("is 1 only if both are", async () => {
    const almost: Verifier = { name: "almost", verify: async (claims) => ok(claims.map(() => ({ score: 1 - 1e-12 }))) };
    expect(await claimsOf("The price was $5 million.", blend(lexicalVerifier, almost))).toMatchObject([
      { score: 0.999999 },
    ]);
    expect(await claimsOf("The price was $5 million.", blend(lexicalVerifier, lexicalVerifier))).toMatchObject([
      { score: 1 },
    ]);
  });

  test("returns either's error, and refuses a weight out of range", async () => {
    const failing = judgeVerifier({ complete: () => ({}) });
    expect(await errorOf(blend(lexicalVerifier, failing))).toMatchObject({ code: "invalid_answer" });
    expect(await errorOf(blend(failing, half))).toMatchObject({ code: "invalid_answer" });
    expect(await errorOf(blend(lexicalVerifier, half, { judgeWeight: 2 }))).toMatchObject({
      code: "invalid_config",
      message: "blend: judgeWeight must be a number from 0 to 1, got 2.",
    });
  });
});
