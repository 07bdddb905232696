import { expect, test } from "vitest";
import { costReader } from "./reported-cost.ts";

function costOf(...parts: readonly string[]): unknown {
  const reader = costReader();
  for (const part of parts) reader.add(part);
  return reader.cost();
}

const claude = JSON.stringify({
  type: "result",
  total_cost_usd: 0.25,
  usage: { input_tokens: 10, cache_creation_input_tokens: 200, cache_read_input_tokens: 3000, output_tokens: 40 },
});

test("reads dollars and tokens of a result of Claude Code, its cached tokens included", () => {
  expect(costOf(claude)).toStrictEqual({ usd: 0.25, inputTokens: 3210, outputTokens: 40 });
});

test("adds the turns of Codex up, whose input tokens contain the cached ones, and knows no dollars", () => {
  const turn = (input: number, output: number): string =>
    JSON.stringify({
      type: "turn.completed",
      usage: { input_tokens: input, cached_input_tokens: 5, output_tokens: output },
    });
  expect(costOf(`{"type":"thread.started"}\n${turn(100, 7)}\nediting…\n${turn(50, 3)}\n`)).toStrictEqual({
    usd: undefined,
    inputTokens: 150,
    outputTokens: 10,
  });
});

test("reads a line that comes in parts, among other output", () => {
  expect(costOf("thinking\n", claude.slice(0, 30), claude.slice(30), "\r\ndone\n")).toMatchObject({ usd: 0.25 });
});

test.each([
  "no JSON at all\n",
  '{"type":"result"}\n',
  '{"type":"result","total_cost_usd":-1}\n',
  '{"type":"result","total_cost_usd":"0.1","usage":[]}\n',
  '{"type":"assistant","usage":{"input_tokens":5}}\n',
  '{"type":"result","total_cost_usd":1e999}\n',
  '{"type":"result",',
])("knows no cost of %j", (output) => {
  expect(costOf(output)).toBeUndefined();
});
