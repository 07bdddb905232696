import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { err } from "../../../kernel/result.ts";
import { anyText } from "../../../../test-support/arbitraries.ts";
import { defineStep } from "../../../kernel/step/define-step.ts";
import { run } from "../../../kernel/step/run.ts";
import { groundingError } from "../grounding-error.ts";
import { toBeGroundedIn } from "./to-be-grounded-in.ts";
import { toCite } from "./to-cite.ts";
import { toCover } from "./to-cover.ts";
import { runCount } from "../../../../test-support/run-count.ts";

const SOURCES = [
  {
    document: "harbour.pdf",
    page: 3,
    text: "The bridge was opened in 1932. It carries 160,000 cars a day. It was never sold.",
  },
  { document: "city.md", text: "Sydney has five million people." },
];

const step = defineStep({
  name: "answer",
  input: z.object({ text: z.string() }),
  output: z.object({ answers: z.array(z.object({ text: z.string() })), chunks: z.array(z.string()) }),
  run: ({ text }) => ({ output: { answers: [{ text }], chunks: ["The bridge was opened in 1932."] } }),
});

describe("toBeGroundedIn", () => {
  describe("with one invented claim among nine", () => {
    const facts = ["north", "south", "east", "west", "upper", "lower", "outer", "inner", "middle"].map(
      (side) => `The ${side} gate of the fortress has an iron portcullis.`,
    );
    const answer = [...facts, "Dragons sleep below it."].join(" ");

    test.each([{}, { threshold: 0.6 }])("fails with %j, and names the claim", async (options) => {
      const { pass, message, verification } = await toBeGroundedIn(answer, facts.join(" "), options);
      expect([pass, verification.label, (verification.support ?? 0) >= 0.85]).toEqual([false, "partial", true]);
      expect(message()).toBe(
        [
          "toBeGroundedIn: support is 0.95 (partial), and at least 0.60 is required. 1 of 10 claims is below 0.60, and 1 is below minClaim (0.35). Verifier: lexical",
          "",
          "  0.00  Dragons sleep below it.",
          "        no sentence in the sources has a word in common with it",
        ].join("\n"),
      );
    });

    test("passes with minClaim 0", async () => {
      const off = await toBeGroundedIn(answer, facts.join(" "), { minClaim: 0 });
      expect([off.pass, off.verification.label, off.warning]).toEqual([true, "grounded", undefined]);
    });
  });

  test("leads with the contradiction, however good the rest is, and only warns on request", async () => {
    const facts = "The bridge was opened in 1932. It carries 160,000 cars a day. It cannot be crossed on foot.";
    const answer = facts.replace("cannot", "can");
    const source = { document: "harbour.pdf", page: 2, text: facts };
    const { pass, message, verification } = await toBeGroundedIn(answer, source);
    expect([pass, (verification.support ?? 0) > 0.95]).toEqual([false, true]);
    expect(message()).toBe(
      [
        'toBeGroundedIn: claim 3 contradicts harbour.pdf, page 2: "can be crossed" / "cannot be crossed" (negation)',
        "support is 0.99 (ungrounded), and at least 0.60 is required. 0 of 3 claims are below 0.60. Verifier: lexical",
        "",
        "  0.98  It ⟦can be crossed⟧ on foot.",
        '        harbour.pdf, page 2 [62–91] (0.98) "It cannot be crossed on foot."',
      ].join("\n"),
    );
    const warned = await toBeGroundedIn(answer, source, { contradictions: "warn" });
    expect([warned.pass, warned.warning, warned.message()]).toEqual([
      true,
      'toBeGroundedIn: claim 3 contradicts harbour.pdf, page 2: "can be crossed" / "cannot be crossed" (negation)',
      "toBeGroundedIn: support 0.99 (ungrounded) and contradictions that are only warnings " +
        '(claim 3 contradicts harbour.pdf, page 2: "can be crossed" / "cannot be crossed" (negation)). ' +
        "Expected support below 0.60",
    ]);
  });

  test("fails if some claims weren't checked", async () => {
    const facts = Array.from({ length: 5 }, (_, at) => `Shelf ${at + 300} is red.`).join(" ");
    const { pass, message } = await toBeGroundedIn(facts, facts, { config: { maxFacts: 3 } });
    expect([pass, message().split("\n").at(-1)]).toEqual([
      false,
      "  2 claims weren't checked. Raise maxFacts in the configuration",
    ]);
  });

  test("refuses options that it doesn't have, which JavaScript doesn't check", async () => {
    const wrong: object = { treshold: 0.9 };
    await expect(toBeGroundedIn("It rained.", SOURCES, wrong)).rejects.toThrow(
      new TypeError('toBeGroundedIn: unknown option "treshold". Did you mean "threshold"?'),
    );
    const other: object = { contradictions: "ignore" };
    await expect(toBeGroundedIn("It rained.", SOURCES, other)).rejects.toThrow(
      new TypeError('toBeGroundedIn: contradictions is "ignore". Use one of these: "fail", "warn".'),
    );
  });

  test("passes for a grounded answer, and .not reports it", async () => {
    const { pass, message, warning, verification } = await toBeGroundedIn("The bridge was opened in 1932.", SOURCES);
    expect([pass, message(), warning, verification.support]).toEqual([
      true,
      "toBeGroundedIn: support 1.00 (grounded) and no contradiction. Expected a contradiction, or support below 0.60",
      undefined,
      1,
    ]);
  });

  test("shows each unsupported claim with what is missing and the closest sentences", async () => {
    const answer =
      "Hello! The bridge was opened in 1932, but it was sold to Globex in 1999. Tickets cost 12 dollars. It is not in Sydney. What else?";
    const { pass, message } = await toBeGroundedIn(answer, SOURCES);
    expect(pass).toBe(false);
    expect(message()).toMatchInlineSnapshot(`
      "toBeGroundedIn: claim 2 contradicts harbour.pdf, page 3: "it was sold" / "never sold" (negation)
      claim 2 has "1999", which no source has (number)
      claim 3 has "12", which no source has (number)
      support is 0.39 (ungrounded), but at least 0.60 is required. 2 of 4 claims are below 0.60, and 2 are below minClaim (0.35). Verifier: lexical

        0.00  Tickets cost ⟦12⟧ dollars.
              not in any source: 12
              no sentence in the sources has a word in common with it

        0.09  ⟦it was sold⟧ to ⟦Globex⟧ in ⟦1999⟧.
              not in any source: Globex, 1999
              harbour.pdf, page 3 [62–80] (0.18) "It was never sold."

        skipped (not claims): 1 greeting, 1 question"
    `);
  });

  test("names a name that the sources have elsewhere", async () => {
    const text =
      "Acme built bicycles in Leipzig. They sold well abroad. The founder retired in 1911. Then the river froze. Later Globex ran the ferry.";
    const { message } = await toBeGroundedIn("Bicycles were built by Globex.", { document: "works.md", text });
    expect(message()).toMatchInlineSnapshot(`
      "toBeGroundedIn: claim 1 contradicts works.md: "Globex" / "Acme" (name)
      support is 0.96 (ungrounded), and at least 0.60 is required. 0 of 1 claim is below 0.60. Verifier: lexical

        0.96  Bicycles were built by ⟦Globex⟧.
              works.md [0–31] (0.56) "Acme built bicycles in Leipzig."
              works.md [106–133] (0.40) "Later Globex ran the ferry.""
    `);
  });

  test("passes a partial answer at 0.70 with a warning", async () => {
    const { pass, warning } = await toBeGroundedIn("The tall bridge was opened in 1932.", SOURCES, { threshold: 0.7 });
    expect([pass, warning]).toEqual([true, "toBeGroundedIn: the answer is only partly grounded, support 0.71"]);
  });

  test("says that only word overlap was compared in another language", async () => {
    const source = "Der Vertrag ist nicht kündbar und läuft zwei Jahre.";
    const { pass, warning } = await toBeGroundedIn("Der Vertrag ist kündbar.", source);
    expect([pass, warning]).toEqual([
      true,
      "toBeGroundedIn: the answer is only partly grounded, support 0.84 (only word overlap, as the rules are for English)",
    ]);
    const failed = await toBeGroundedIn("Der Verein ist für alle offen und das Haus wird renoviert.", source);
    expect(failed.message().split("\n")[0]).toMatch(/ Verifier: lexical, only word overlap$/);
  });

  test("warns about an ungrounded answer that passes a lower threshold", async () => {
    const { pass, warning } = await toBeGroundedIn("The tall bridge was opened in the hot summer of 1932.", SOURCES, {
      threshold: 0.4,
      minClaim: 0,
    });
    expect([pass, warning]).toEqual([true, "toBeGroundedIn: the answer is ungrounded, support 0.45"]);
  });

  test.each([85, -0.1, Number.NaN])("refuses the threshold %d", async (threshold) => {
    await expect(toBeGroundedIn("It rained.", SOURCES, { threshold })).rejects.toThrow(
      new TypeError(`toBeGroundedIn: threshold must be a number from 0 to 1, got ${threshold}.`),
    );
    expect(() => toCover(SOURCES, "bridge", { threshold })).toThrow(
      new TypeError(`toCover: threshold must be a number from 0 to 1, got ${threshold}.`),
    );
  });

  test("passes an answer that only refuses, with a warning that counts the skipped sentences", async () => {
    const refusal = "I'm sorry, I don't have information about that. The report doesn't say who built it.";
    const { pass, message, warning } = await toBeGroundedIn(refusal, SOURCES);
    expect([pass, warning]).toEqual([
      true,
      "toBeGroundedIn: the answer doesn't make a claim, skipped (not claims): 2 refusals",
    ]);
    expect(message()).toMatchInlineSnapshot(`
      "toBeGroundedIn: the answer doesn't make a claim (no_claims), and a refusal passes by default

        skipped (not claims): 2 refusals

      The option refusals: "fail" makes a refusal fail, and "warn" lets it pass."
    `);
  });

  test.each([
    "Hello!",
    "",
    "Which bridge do you mean?",
  ])("fails %j, which neither claims nor refuses", async (answer) => {
    const { pass, message } = await toBeGroundedIn(answer, SOURCES);
    expect(pass).toBe(false);
    expect(message()).toContain(
      "toBeGroundedIn: the answer doesn't make a claim (no_claims), so there is nothing to check",
    );
    expect(message()).toContain("If that is intended, assert its words, e.g. expect(answer).toMatch(/hello/i).");
  });

  test('fails a refusal with refusals: "fail"', async () => {
    const { pass, message } = await toBeGroundedIn("I don't know that.", SOURCES, { refusals: "fail" });
    expect(pass).toBe(false);
    expect(message()).toMatchInlineSnapshot(`
      "toBeGroundedIn: the answer doesn't make a claim (no_claims), so there is nothing to check

        skipped (not claims): 1 refusal

      The option refusals: "fail" makes a refusal fail, and "warn" lets it pass."
    `);
    // @ts-expect-error JavaScript can pass any word.
    await expect(toBeGroundedIn("I don't know that.", SOURCES, { refusals: "pass" })).rejects.toThrow(TypeError);
  });

  test.each([
    "The report doesn't say who built it but it was sold in 1999.",
    "The report doesn't say who built it: it was sold in 1999.",
    "The report doesn't say, it was sold in 1999.",
    "Although the report doesn't say who built it, it was sold in 1999.",
    "It was sold in 1999, although the report doesn't say so.",
    "The report doesn't mention a sale (it was sold in 1999).",
    "I don't know who built it; however 1999 brought a sale.",
  ])("checks the claim in %j", async (answer) => {
    const { pass, verification } = await toBeGroundedIn(answer, SOURCES);
    expect([pass, verification.nonClaims.map(({ kind }) => kind)]).toEqual([false, ["refusal"]]);
  });

  test("reads a step result by path, even in a Result", async () => {
    const result = await run(step, { text: "The bridge was opened in 1932." });
    const path = "answers[0].text";
    expect((await toBeGroundedIn(result, SOURCES, { path })).pass).toBe(true);
    expect((await toBeGroundedIn(result.ok ? result.value : undefined, SOURCES, { path })).pass).toBe(true);
    await expect(toBeGroundedIn(result, SOURCES)).rejects.toThrow(
      new TypeError(
        'toBeGroundedIn: to check a step result, pass { path }, e.g. { path: "answer" } for the output field "answer".',
      ),
    );
    await expect(toBeGroundedIn(result, SOURCES, { path: "answers[1].text" })).rejects.toThrow(
      new TypeError("toBeGroundedIn: the output doesn't have answers[1].text: 1 isn't in array."),
    );
    await expect(toBeGroundedIn(result, SOURCES, { path: "constructor" })).rejects.toThrow(
      new TypeError("toBeGroundedIn: the output doesn't have constructor: constructor isn't in { answers, chunks }."),
    );
    await expect(toBeGroundedIn(result, SOURCES, { path: "answers" })).rejects.toThrow(
      new TypeError("toBeGroundedIn expects a string or a step result with { path }, got an array at answers."),
    );
  });

  test.each<[unknown, object, string]>([
    [7, {}, "toBeGroundedIn expects a string or a step result with { path }, got a number."],
    ["text", { path: "answer" }, "toBeGroundedIn: { path } is only for step results, got a string. Remove path."],
  ])("refuses to verify %j", async (received, options, message) => {
    await expect(toBeGroundedIn(received, SOURCES, options)).rejects.toThrow(new TypeError(message));
  });

  test("throws if the verification fails, so that .not can't pass", async () => {
    const error = groundingError({
      kind: "provider",
      code: "adapter_failed",
      message: "The judge \u001b[31mfailed.",
      operation: "verify",
    });
    const verifier = { name: "judge", verify: async () => err(error) };
    await expect(toBeGroundedIn("It rained in Paris.", SOURCES, { verifier })).rejects.toThrow(
      new Error("toBeGroundedIn could not check: The judge \\u001b[31mfailed. (provider: adapter_failed)"),
    );
  });

  test("keeps its message short and escaped for any texts", { tags: "deep" }, async () => {
    const long = fc
      .array(anyText(), { minLength: 1, maxLength: 60 })
      .map((parts) => parts.map((part) => `Bridge ${part} 7.`).join(" "));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          long,
          long.map((text) => text.repeat(20)),
        ),
        fc.array(fc.oneof(anyText(), long), { maxLength: 3 }),
        async (answer, texts) => {
          const { message } = await toBeGroundedIn(
            answer,
            texts.map((text) => ({ document: text, text })),
          );
          const lines = message().split("\n");
          expect(lines.length).toBeLessThanOrEqual(80);
          expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(3000);
          expect(message()).not.toMatch(
            /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff\p{Surrogate}]/u,
          );
        },
      ),
      { numRuns: runCount(200) },
    );
  });

  test("counts the contradictions and unsupported claims that don't fit", async () => {
    const answer = Array.from({ length: 25 }, (_, index) => `Whales number ${index + 2000} sang.`).join(" ");
    const { message } = await toBeGroundedIn(answer, SOURCES);
    const lines = message().split("\n");
    expect([lines[8], lines.at(-1)]).toEqual([
      "… and 17 more contradictions",
      "  … and 17 more claims below the threshold or contradicted",
    ]);
  });
});

describe("toCite", () => {
  test("passes if each marker names a source that supports its sentence", async () => {
    const { pass, message } = await toCite(
      "The bridge was opened in 1932 [1]. Sydney has five million people.[2] It was never sold [^1].",
      SOURCES,
    );
    expect([pass, message()]).toEqual([true, "toCite: all citations are supported; expected an unsupported one"]);
  });

  test("accepts several sources that support a sentence together", async () => {
    expect(
      (await toCite("The bridge was opened in 1932 and Sydney has five million people [1-2].", SOURCES)).pass,
    ).toBe(true);
  });

  test("reports markers without a source, without support and without need", async () => {
    const { pass, message } = await toCite(
      "The bridge was opened in 1932 [2]. It was never sold [7]. It carries 160,000 cars a day [1, 2]. Really [1]?",
      SOURCES,
    );
    expect(pass).toBe(false);
    expect(message()).toMatchInlineSnapshot(`
      "toCite: 3 citation problems in 4 cited sentences

        [2] supports it by 0.00, at least 0.70 required: "The bridge was opened in 1932."
        [7] doesn't match a source (there are 2): "It was never sold."
        [2] doesn't add support: "It carries 160,000 cars a day.""
    `);
  });

  test("reports a contradiction of a cited source", async () => {
    const { pass, message } = await toCite("It was sold [1]. Sydney has six million people [2].", SOURCES);
    expect([pass, message().split("\n").slice(2)]).toEqual([
      false,
      [
        '  [1] contradicts harbour.pdf, page 3: "It was sold" / "never sold" (negation): "It was sold."',
        '  [2] contradicts city.md: "six million" / "five million" (number): "Sydney has six million people."',
      ],
    ]);
  });

  test("accepts LangChain documents, and refuses values that aren't a source", async () => {
    const document = { pageContent: "The bridge is red.", metadata: { source: "a.pdf", loc: { pageNumber: 4 } } };
    const { verification } = await toBeGroundedIn("The bridge is red.", [document]);
    expect(verification.citations).toMatchObject([{ document: "a.pdf", page: 4 }]);
    const wrong: { readonly sources: string } = JSON.parse("{}");
    const message =
      "could not check: The sources are undefined. Pass strings, objects with a text, or LangChain documents. " +
      "(validation: invalid_sources)";
    await expect(toBeGroundedIn("It is red.", wrong.sources)).rejects.toThrow(new Error(`toBeGroundedIn ${message}`));
    await expect(toCite("It is red [1].", wrong.sources)).rejects.toThrow(new Error(`toCite ${message}`));
  });

  test("fails an answer without a marker", async () => {
    const { pass, message } = await toCite("The bridge was opened in 1932.", SOURCES);
    expect([pass, message()]).toEqual([
      false,
      "toCite: the answer has no citation marker. Ask the model for markers such as [1], the number of the source.",
    ]);
  });
});

describe("toCover", () => {
  test("passes if the chunks contain the words of the query", async () => {
    expect(toCover(SOURCES, "When was the bridge opened?").pass).toBe(true);
    expect(toCover(await run(step, { text: "" }), "When was the bridge opened?", { path: "chunks" }).pass).toBe(true);
    expect(toCover(SOURCES, "When was the bridge opened?").message()).toBe(
      "toCover: 2 chunks cover 1.00 of the query; expected less than 0.80",
    );
  });

  test("names the words that no chunk has", () => {
    const { pass, message } = toCover(["The bridge was opened in 1932."], "Which architect planned the bridge?");
    expect(pass).toBe(false);
    expect(message()).toBe(
      "toCover: 1 chunk covers 0.41 of the query, at least 0.80 required\n\n  not covered: architect, planned",
    );
  });

  test.each<[unknown, string]>([
    ["text", "got a string"],
    [[{ body: "x" }], "got an object without a text at [0]"],
  ])("refuses %j", (received, found) => {
    expect(() => toCover(received, "bridge")).toThrow(
      new TypeError(`toCover expects an array of chunks (strings, or objects with text), ${found}.`),
    );
  });
});
