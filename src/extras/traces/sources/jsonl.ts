import { isArray } from "../../../kernel/json/plain-data.ts";
import { recordIn, recordsIn } from "../../../kernel/json/read-data.ts";
import type { SeenCall } from "../observation.ts";
import { requestFacts } from "../request-facts.ts";
import { traceTime } from "../spans.ts";
import { modelAnswerOf, namesOf, textField, turnsOf } from "../turns.ts";
import type { TraceSource } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Runs in lines of a custom format: `{ trace, step, at, input, output, calls }`. A call is `{ adapter, request,
 * response }`, `{ model, messages, answer }` or `{ tool, arguments, result }`; `error` replaces a response.
 */
export const jsonlSource: TraceSource = {
  name: "jsonl",
  title: "JSON lines",
  signs: /"calls"\s*:\s*\[/,
  envelope: true,
  observer: () => (record) => {
    const trace = textField(record, "trace", "id");
    if (trace === undefined) return [];
    const { at, input, output, calls } = recordIn(record);
    const start = traceTime(at);
    const root = { trace, id: "run", names: namesOf(record), start };
    const child = { trace, parent: root.id, names: [] };
    return [
      { ...root, step: textField(record, "step"), input, output },
      ...recordsIn(calls).map((call, index) => ({
        ...child,
        id: String(index),
        start: start + index,
        call: callOf(call),
      })),
    ];
  },
  setting: 'write "trace", "input", "output" and "calls" into each line',
};

function callOf(call: Fields): SeenCall {
  const error = textField(call, "error");
  const adapter = textField(call, "adapter");
  if (adapter !== undefined) {
    const { request, response } = call;
    const value = response === undefined ? undefined : { response: { value: response } };
    return { kind: "adapter", adapter, request: isArray(request) ? request : [request], ...value, error };
  }
  const tool = textField(call, "tool");
  if (tool !== undefined) {
    const { result } = call;
    return {
      kind: "tool",
      name: tool,
      callId: textField(call, "id"),
      args: call["arguments"],
      ...(result !== undefined && { result: { value: result } }),
      error,
    };
  }
  return {
    kind: "model",
    provider: textField(call, "provider"),
    model: textField(call, "model"),
    turns: turnsOf(call["messages"]),
    request: requestFacts({ tools: call["tools"], ...recordIn(call["parameters"]) }),
    answer: modelAnswerOf(call["answer"]),
    error,
  };
}
