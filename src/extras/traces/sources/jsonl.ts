import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import type { Observation, SeenCall } from "../observation.ts";
import { requestFacts } from "../request-facts.ts";
import { traceTime } from "../spans.ts";
import { modelAnswerOf, textField, turnsOf } from "../turns.ts";
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
    if (!isPlainObject(record)) return [];
    const trace = textField(record, "trace") ?? textField(record, "id");
    if (trace === undefined) return [];
    const start = traceTime(record["at"]);
    const calls = isArray(record["calls"]) ? record["calls"].filter(isPlainObject) : [];
    const names = ["name"].flatMap((name) => textField(record, name) ?? []);
    const root = {
      trace,
      id: "run",
      parent: undefined,
      names,
      step: textField(record, "step"),
      start,
      input: record["input"],
      output: record["output"],
    };
    return [
      root,
      ...calls.map((call, at) => ({ ...childOf(root), id: String(at), start: start + at, call: callOf(call) })),
    ];
  },
  setting: 'write "trace", "input", "output" and "calls" into each line',
};

function childOf({ trace, id }: Observation): Pick<Observation, "trace" | "parent" | "names"> {
  return { trace, parent: id, names: [] };
}

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
  const answer = modelAnswerOf(call["answer"]);
  return {
    kind: "model",
    provider: textField(call, "provider"),
    model: textField(call, "model"),
    turns: turnsOf(call["messages"]),
    request: requestFacts({ tools: call["tools"], ...(isPlainObject(call["parameters"]) ? call["parameters"] : {}) }),
    answer,
    error,
  };
}
