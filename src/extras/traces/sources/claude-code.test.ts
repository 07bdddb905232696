import { expect, test } from "vitest";
import { claudeCodeSource } from "./claude-code.ts";

test("only the failed one of several tool results in a message has no result", () => {
  const result = (id: string, content: string, more: object = {}): object => ({
    type: "tool_result",
    tool_use_id: id,
    content,
    ...more,
  });
  const record = {
    type: "user",
    uuid: "u1",
    sessionId: "s1",
    timestamp: "2025-11-24T16:00:00Z",
    message: { role: "user", content: [result("a", "done"), result("b", "no such file", { is_error: true })] },
  };
  expect(
    claudeCodeSource
      .observer("")(record)
      .map(({ id, call }) => [id, call]),
  ).toEqual([
    ["a", { kind: "tool", name: "", callId: "a", result: { value: "done" } }],
    ["b", expect.not.objectContaining({ result: expect.anything() })],
  ]);
});
