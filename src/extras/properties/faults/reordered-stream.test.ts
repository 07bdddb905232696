import { expect, test } from "vitest";
import { isStreamResponse } from "../../../record/adapter-call.ts";
import { type FaultName, faultOf } from "./faults.ts";

const delta = (index: number, text: string): object => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
});
const START = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
const PING = { type: "ping" };
const END = { type: "message_stop" };

test.each<[FaultName, readonly (readonly object[])[]]>([
  ["duplicate", [Array(2).fill(delta(0, "Hel")), Array(2).fill(delta(0, "lo")), Array(2).fill(delta(0, "you"))]],
  ["out-of-order", [[delta(0, "lo")], [delta(0, "Hel")], [delta(0, "you")]]],
])("%s changes the pieces of text, and keeps the event between them", (fault, [hel = [], lo = [], you = []]) => {
  const call = {
    adapter: "llm.messages.create",
    occurrence: 0,
    request: [],
    response: { chunks: [START, delta(0, "Hel"), delta(0, "lo"), PING, delta(0, "you"), END], done: true },
    returns: "stream",
  } as const;
  const served = faultOf(fault, { call, uses: [], role: "model", provider: "anthropic", errorOf: () => undefined });
  const response = served?.[0]?.response;
  expect(isStreamResponse(response) && response.chunks).toStrictEqual([START, ...hel, ...lo, PING, ...you, END]);
});
