import { expect, test } from "vitest";
import { isModelName } from "./names-model.ts";

const MODELS =
  "gpt-5-mini gpt4o chatgpt-4o-latest o3 o1-mini claude claude-sonnet-4.5 openai/gpt-4.1 gemini_pro llama3.1:8b " +
  "command-r-plus qwen2.5 phi-4 meta:llama-3";
const OTHERS = "commands command phishing llamaindex o365 novalue grokking gptscript kimiko search db photos o";

test.each(MODELS.split(" "))("%s is the name of a model", (name) => {
  expect(isModelName(name)).toBe(true);
});

test.each(OTHERS.split(" "))("%s isn't the name of a model", (name) => {
  expect(isModelName(name)).toBe(false);
});
