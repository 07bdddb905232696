import { readFileSync } from "node:fs";
import { unwrap } from "veritest/kernel";
import { groundedAnswer } from "veritest/grounding";
import { expect, test } from "vitest";
import { llm } from "./model.ts";

const documents = ["lighthouse.md", "visitors.txt"].map((name) => ({
  name,
  text: readFileSync(new URL(`documents/${name}`, import.meta.url), "utf8"),
}));
const sources = documents.map(({ name, text }) => ({ document: name, text }));
const question = "When was the lighthouse first lit, and what does a ticket cost?";

test("the model's answer stays as it was, claim by claim", async () => {
  const { step } = unwrap(groundedAnswer());
  await expect(step).toMatchBaseline({ input: { question, documents }, adapters: { llm }, name: "lit and ticket" });
});

test("the model's answer is grounded, and each citation holds", async () => {
  const flow = unwrap(groundedAnswer());
  const state = await flow.run({ question, documents }, { adapters: { llm } });
  if (state.phase === "failed") throw new Error(state.error.message);
  await expect(state.answer.response).toBeGroundedIn(sources, { question });
  await expect(state.answer.cited).toCite(
    state.answer.citations.map(({ document, quote }) => ({ document, text: quote })),
  );
});

test("without a model the documents answer in their own sentences", async () => {
  const flow = unwrap(groundedAnswer({ answer: "extract" }));
  const state = await flow.run({ question: "Who was the last keeper?", documents }, { adapters: {} });
  expect(state).toMatchObject({
    phase: "complete",
    answer: { support: 1, label: "grounded", answeredBy: "extract" },
  });
});

test("an invented year and an invented name are caught", async () => {
  await expect("The lighthouse was lit in 1884. It was built by Edgar Moss.").not.toBeGroundedIn(sources, {
    threshold: 0.7,
  });
});
