import { expect, test } from "vitest";
import { isModelName, namesModel } from "./names-model.ts";

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

test.each([
  ["/v1beta/models/gemini-2.5-flash:generateContent", "/v1beta/models/gemini-3-pro:generateContent", true],
  ["/model/anthropic.claude-1/converse", "/model/anthropic.claude-2/converse", true],
  ["/openai/deployments/small/chat/completions", "/openai/deployments/large/chat/completions", true],
  ["/v1beta/models/gemini-3-pro:generateContent", "/v1beta/models/gemini-3-pro:streamGenerateContent", false],
  ["/projects/a/models/m:predict", "/projects/b/models/m:predict", false],
  ["/v1/orders/1", "/v1/orders/2", false],
])("the path %s, now %s, names another model: %s", (before, after, isModel) => {
  expect(namesModel({ path: ["request", 0, "path"], before, after })).toBe(isModel);
});

test.each([
  [["provider"], "openai.chat", "groq.chat", true],
  [["provider"], "openai.chat", "openai.responses", false],
  [["body", "shipping", "provider"], "dhl", "ups", false],
])("another provider at %j, %s to %s, names another model: %s", (path, before, after, isModel) => {
  expect(namesModel({ path: ["request", 0, ...path], before, after })).toBe(isModel);
});

const keysOf = (path: string): (string | number)[] =>
  path.split(".").map((key) => (/^\d+$/.test(key) ? Number(key) : key));
const isUnknownModel = (path: string): boolean =>
  namesModel({ path: ["request", 0, ...keysOf(path)], before: "acme-7b", after: "acme-70b" });

test.each([
  "model",
  "modelId",
  "body.model",
  "body.json.model",
  "extra_body.model",
  "options.chat.model",
  "chatOptions.model",
  "LLMConfig.model",
  "openaiConfig.model",
  "plannerAgent.model",
  "rerank_options.model",
  "extrabody.model",
  "generationConfig.model",
  "llm_settings.model_name",
  "fallbacks.0.model",
  "model_kwargs.model",
  "completion.model",
  "session.model",
  "target.model",
  "route.model",
  "routes.1.targets.0.model",
  "configurable.model",
  "inference.model_id",
  "client.deployment",
  "defaults.model.name",
  "models.0",
])("%s in a request names a model, also one of an unknown name", (path) => {
  expect(isUnknownModel(path)).toBe(true);
});

test.each([
  "car.model",
  "rows.0.model",
  "product.model",
  "0.model",
  "data.products.0.model",
  "body.car.model",
  "options.car.model",
  "carModel.model",
  "targetCar.model",
  "carConfig.model",
  "phoneSettings.model",
  "robotEndpoint.model",
  "product_default.model",
  "orders.0.model.name",
  "name",
])("%s in a request is data if the name is unknown", (path) => {
  expect(isUnknownModel(path)).toBe(false);
});
