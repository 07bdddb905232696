import { describe, expect, test } from "vitest";
import { err, ok } from "../../../kernel/result.ts";
import { groundingConfig } from "../grounding-config.ts";
import { groundingError } from "../grounding-error.ts";
import type { Verification } from "./verification.ts";
import type { Verifier } from "./verifier.ts";
import { type VerifyOptions, verifyGrounding } from "./verify-grounding.ts";

const HARBOUR = [
  {
    document: "harbour.pdf",
    page: 3,
    text: "The bridge was opened in 1932. It carries 160,000 cars a day. It was never sold.",
  },
  { document: "city.md", text: "Sydney has five million people." },
];

async function verify(response: string, options: VerifyOptions = {}): Promise<Verification<string>> {
  const verified = await verifyGrounding(response, HARBOUR, options);
  if (!verified.ok) throw new Error(verified.error.message);
  return verified.value;
}

function fixed(...scores: number[]): Verifier {
  return { name: "fixed", verify: async (claims) => ok(claims.map((_, index) => ({ score: scores[index] ?? 0 }))) };
}

describe("a verification", () => {
  test("has the value, score, label, claims and citations", async () => {
    expect(await verify("The bridge was opened in 1932.")).toEqual({
      value: "The bridge was opened in 1932.",
      support: 1,
      contradictions: [],
      label: "grounded",
      phase: "grounding",
      citations: [
        {
          document: "harbour.pdf",
          page: 3,
          start: 0,
          end: 30,
          quote: "The bridge was opened in 1932.",
          score: 1,
          claim: 0,
        },
      ],
      claims: [
        {
          text: "The bridge was opened in 1932.",
          start: 0,
          end: 30,
          score: 1,
          weight: 2.52,
          label: "grounded",
          missing: [],
          contradictions: [],
          notes: [],
          evidence: [
            { document: "harbour.pdf", page: 3, start: 0, end: 30, quote: "The bridge was opened in 1932.", score: 1 },
          ],
        },
      ],
      nonClaims: [],
      leftOut: [],
      verifier: "lexical",
    });
  });

  test("marks missing numbers and names, and denials", async () => {
    const { claims } = await verify("The bridge of Paris was not opened in 1933.");
    expect(claims).toMatchObject([
      {
        label: "ungrounded",
        missing: [
          { text: "Paris", start: 14, end: 19 },
          { text: "1933", start: 38, end: 42 },
        ],
        contradictions: [
          { kind: "negation", text: "not opened", sourceWord: "was opened" },
          { kind: "number", text: "1933", start: 38, end: 42, sourceWord: "1932" },
        ],
      },
    ]);
  });

  test("accepts a denial that the source has too", async () => {
    const { support } = await verify("The bridge was never sold.");
    expect(support).toBe(0.999999);
  });

  test("reports words whose opposite is in the source", async () => {
    const verified = await verifyGrounding("Sales decreased in March.", "Sales increased in March.");
    expect(verified).toMatchObject({
      ok: true,
      value: {
        contradictions: [{ claim: 0, kind: "antonym", text: "decreased", start: 6, end: 15, sourceWord: "increased" }],
      },
    });
  });

  test("splits joined clauses and lists into facts without their markers", async () => {
    const { claims } = await verify(
      "The bridge was opened in 1932, and it carries 160,000 cars a day.\n1. It was never sold.\n- Sydney has five million people [2].",
    );
    expect(claims.map(({ text, score }) => [text, score])).toEqual([
      ["The bridge was opened in 1932", 1],
      ["it carries 160,000 cars a day.", 1],
      ["It was never sold.", 1],
      ["Sydney has five million people [2].", 1],
    ]);
  });

  test.each([
    ["Hello! How can I help you?"],
    ["I'm sorry, I don't have information about that."],
    ["The documents do not mention a ferry."],
    ["Thank you!"],
    ["You are welcome."],
    ["Stay safe!"],
    ["Have a great day. Good luck with your application!"],
    ["I'm glad I could help."],
    ["Which bridge do you mean?"],
    [""],
    ["…"],
  ])("has no score for %j, which has no claims", async (response) => {
    expect(await verify(response)).toMatchObject({
      support: null,
      label: "no_claims",
      claims: [],
      citations: [],
    });
  });

  test("lists sentences without claims, and verifies the rest of a refusal", async () => {
    const { nonClaims, claims } = await verify(
      "Hello! The documents do not mention a ferry, but the bridge was opened in 1932. Anything else?",
    );
    expect(nonClaims.map(({ text, kind }) => [kind, text])).toEqual([
      ["greeting", "Hello!"],
      ["refusal", "The documents do not mention a ferry"],
      ["question", "Anything else?"],
    ]);
    expect(claims.map(({ text }) => text)).toEqual(["the bridge was opened in 1932."]);
  });

  test("verifies the heaviest facts, and lists the others", async () => {
    const { claims, leftOut } = await verify(
      "It stands. The bridge was opened in 1932. Sydney has five million people.",
      { config: { maxFacts: 2 } },
    );
    expect(claims.map(({ text }) => text)).toEqual([
      "The bridge was opened in 1932.",
      "Sydney has five million people.",
    ]);
    expect(leftOut).toEqual([{ text: "It stands.", start: 0, end: 10 }]);
  });

  test("verifies 200 facts by default", async () => {
    const { claims, leftOut } = await verify("The bridge was opened in 1932. ".repeat(203));
    expect([claims.length, leftOut.length]).toEqual([200, 3]);
  });

  test("counts the first claim twice as much as the last on request", async () => {
    const response = "The bridge was opened in 1932. Whales sing loudly below.";
    const weights = async (weigh: "specificity" | "position"): Promise<number[]> =>
      (await verify(response, { weigh })).claims.map(({ weight }) => weight);
    const [plain, positioned] = [await weights("specificity"), await weights("position")];
    expect(positioned[0]).toBeCloseTo(2 * (plain[0] ?? 0), 5);
    expect((positioned[1] ?? 0) / (plain[1] ?? 1)).toBeGreaterThan(1);
    expect((positioned[1] ?? 0) / (plain[1] ?? 1)).toBeLessThan(1.6);
  });

  test("cuts a long quote and its span below 500 characters", async () => {
    const text = `${"word ".repeat(99)}abc\u{1f600} and the end`;
    const verified = await verifyGrounding("The end of words.", [{ document: "long", text, start: 1000 }]);
    const quote = verified.ok ? verified.value.claims[0]?.evidence[0] : undefined;
    expect(quote).toMatchObject({ start: 1000, end: 1498, quote: text.slice(0, 498) });
  });

  test("without sources supports no claim", async () => {
    expect(await verifyGrounding("The bridge was opened in 1932.", [])).toMatchObject({
      ok: true,
      value: { support: 0, label: "ungrounded", citations: [] },
    });
  });
});

describe("an injected verifier", () => {
  test("decides the scores; the support is their weighted mean", async () => {
    const { claims, support, label, verifier } = await verify(
      "The bridge was opened in 1932. Sydney has five million people.",
      { verifier: fixed(1, 0.5) },
    );
    expect(claims.map(({ score, label }) => [score, label])).toEqual([
      [1, "grounded"],
      [0.5, "ungrounded"],
    ]);
    const [first = 0, second = 0] = claims.map(({ weight }) => weight);
    expect(support).toBeCloseTo((first + second * 0.5) / (first + second), 6);
    expect([label, verifier]).toEqual(["partial", "fixed"]);
  });

  test("isn't called without claims", async () => {
    const never: Verifier = {
      name: "never",
      verify: async () =>
        err(groundingError({ kind: "internal", code: "asked", message: "asked", operation: "verify" })),
    };
    expect((await verify("Hello!", { verifier: never })).label).toBe("no_claims");
  });

  test.each([
    [
      "too few verdicts",
      async () => ok([]),
      "The verifier odd returned 0 verdicts for 1 claims. A verifier returns one score from 0 to 1 for each claim.",
    ],
    [
      "a score out of range",
      async () => ok([{ score: 1.5 }]),
      "The verifier odd returned the score 1.5. A verifier returns one score from 0 to 1 for each claim.",
    ],
    [
      "a score that is no number",
      async () => ok([{ score: Number.NaN }]),
      "The verifier odd returned the score NaN. A verifier returns one score from 0 to 1 for each claim.",
    ],
  ])("is refused with %s", async (_, verify, message) => {
    expect(await verifyGrounding("It rained in Paris.", "x", { verifier: { name: "odd", verify } })).toEqual(
      err({ kind: "verification", code: "invalid_verdict", message, operation: "verify", retryable: false }),
    );
  });

  test("that throws is a provider error with its cause", async () => {
    const cause = new Error("no route");
    const verifier: Verifier = { name: "broken", verify: () => Promise.reject(cause) };
    expect(await verifyGrounding("It rained in Paris.", "x", { verifier })).toEqual(
      err({
        kind: "provider",
        code: "adapter_failed",
        message: "The verifier broken failed: no route. Check the adapter, or replay it from a recording.",
        operation: "verify",
        retryable: true,
        cause,
      }),
    );
  });
});

describe("the configuration", () => {
  test("refuses values out of range by name", async () => {
    expect(await verifyGrounding("It rained.", "x", { config: { maxFacts: 0 } })).toMatchObject({
      ok: false,
      error: {
        kind: "validation",
        code: "invalid_config",
        operation: "config",
        message:
          "The grounding configuration isn't valid: maxFacts: Too small: expected number to be >=1. Correct the field, or remove it to use its default.",
      },
    });
  });

  test.each([
    [{ partialThreshold: 0.9 }, "partialThreshold: must not be above groundedThreshold"],
    [{ citationThreshold: Number.NaN }, "citationThreshold: Invalid input: expected number, received NaN"],
    [{ maxHops: 2.5 }, "maxHops: Invalid input: expected int, received number"],
    [JSON.parse('{ "treshold": 1 }'), '(root): Unrecognized key: "treshold"'],
  ])("refuses %j", (config, problem) => {
    expect(groundingConfig(config)).toMatchObject({
      ok: false,
      error: {
        message: `The grounding configuration isn't valid: ${problem}. Correct the field, or remove it to use its default.`,
      },
    });
  });

  test("has the defaults of the specification", () => {
    expect(groundingConfig()).toEqual(
      ok({
        groundedThreshold: 0.85,
        partialThreshold: 0.7,
        minClaim: 0.35,
        coverageThreshold: 0.8,
        maxHops: 3,
        citationThreshold: 0.7,
        similarityThreshold: 0.6,
        maxFacts: 200,
      }),
    );
  });
});
