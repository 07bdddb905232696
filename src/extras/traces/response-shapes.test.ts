import { describe, expect, test } from "vitest";
import { modelCallUsages } from "../../record/model-usage.ts";
import type { ModelAnswer } from "./observation.ts";
import { agentsResult, shapedResponse } from "./response-shapes.ts";
import { countedUsage } from "./turns.ts";

const answer: ModelAnswer = {
  text: "yes",
  reasoning: "",
  toolCalls: [],
  finish: "stop",
  usage: { input: 12, output: 3 },
  id: undefined,
  raw: undefined,
};

const SHAPES: readonly (readonly [name: string, make: (answer: ModelAnswer) => unknown])[] = [
  ...["model.doGenerate", "openai.chat.completions.create", "openai.responses.create", "claude.messages.create"].map(
    (path) =>
      [path, (answer: ModelAnswer) => shapedResponse(path, { answer, model: "m", provider: "p" }, "text")] as const,
  ),
  ["OpenAI Agents", (answer) => agentsResult({ answer, model: "m", provider: "p" })],
  ["veritest/llm", (answer) => shapedResponse("llm.ask", { answer, model: "m", provider: "p" }, "llm")],
];

describe.each(SHAPES)("a response in the shape of %s", (_name, make) => {
  const tokensOf = (answer: ModelAnswer): unknown => {
    const response: unknown = JSON.parse(JSON.stringify(make(answer)));
    return modelCallUsages(
      [{ adapter: "llm.ask", request: [], response, occurrence: 0, returns: "promise" }],
      () => true,
    ).map(({ tokens }) => tokens);
  };

  test("has the tokens of the trace", () => {
    expect(tokensOf(answer)).toEqual([{ input: 12, output: 3 }]);
  });

  test("has unknown tokens, not 0, if the trace doesn't count them", () => {
    expect(tokensOf({ ...answer, usage: undefined })).toEqual([undefined]);
  });
});

test.each<[input: unknown, output: unknown, usage: ModelAnswer["usage"]]>([
  [12, 3, { input: 12, output: 3 }],
  ["12", "3", { input: 12, output: 3 }],
  [0, 0, { input: 0, output: 0 }],
  [12, undefined, undefined],
  [null, 3, undefined],
  ["", "", undefined],
  ["many", 3, undefined],
  [-1, 3, undefined],
  [Number.NaN, 3, undefined],
])("the counts %o and %o are %o", (input, output, usage) => {
  expect(countedUsage(input, output)).toEqual(usage);
});
