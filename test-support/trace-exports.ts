import { isPlainObject } from "../src/kernel/json/plain-data.ts";

/** A call of a tool in a conversation. */
interface ToldCall {
  readonly id: string;
  readonly name: string;
  readonly args: object;
  readonly result: object;
}

/** A run of an agent that exports tell of: what it was asked, what its model asked for, and what it said at last. */
export interface ExportedRun {
  readonly trace: string;
  readonly question: string;
  readonly rounds: readonly { readonly text: string; readonly calls: readonly ToldCall[] }[];
  readonly answer: string;
}

/** A run of six calls: three questions to the model, three calls of tools. */
export function exportedRun(trace: string, customer = 7): ExportedRun {
  return {
    trace,
    question: `Refund customer ${customer}.`,
    rounds: [
      {
        text: "Let me look.",
        calls: [{ id: "c1", name: "lookup", args: { id: customer }, result: { name: "Ada", paid: 12 } }],
      },
      {
        text: "",
        calls: [
          { id: "c2", name: "refund", args: { id: customer, amount: 10 }, result: { done: true } },
          { id: "c3", name: "refund", args: { id: customer, amount: 2 }, result: { done: true } },
        ],
      },
    ],
    answer: `Ada (${customer}) has her 12 back.`,
  };
}

/** A record of an export, and what it is of. */
export interface ExportedRecord {
  readonly of: "run" | "model" | "tool";
  readonly record: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** How a source writes each kind of record, and how a record looks where content was left out. */
export interface ExportStyle {
  readonly run: (run: ExportedRun) => Fields;
  readonly model: (run: ExportedRun, turn: ToldTurn) => Fields;
  readonly tool: ((run: ExportedRun, call: ToldCall & { readonly at: number }) => Fields) | undefined;
  readonly withoutContent: (record: Fields) => Fields;
  readonly withoutResult: (record: Fields) => Fields;
  /** A whole file of records. */
  readonly file: (records: readonly Fields[]) => string;
}

/** A question to the model: what was said before, and what it answers. */
interface ToldTurn {
  readonly index: number;
  readonly at: number;
  readonly before: ExportedRun["rounds"];
  readonly text: string;
  readonly calls: readonly ToldCall[];
}

/** The records of a run in a source's style, in the order in which they begin. */
export function recordsOf(run: ExportedRun, style: ExportStyle): readonly ExportedRecord[] {
  const records: ExportedRecord[] = [{ of: "run", record: style.run(run) }];
  let at = 0;
  for (const [index, round] of [...run.rounds, { text: run.answer, calls: [] }].entries()) {
    at += 1;
    records.push({
      of: "model",
      record: style.model(run, { index, at, before: run.rounds.slice(0, index), ...round }),
    });
    for (const call of round.calls) {
      at += 1;
      if (style.tool !== undefined) records.push({ of: "tool", record: style.tool(run, { ...call, at }) });
    }
  }
  return records;
}

const START = 1_764_000_000_000;
const iso = (at: number): string => new Date(START + at).toISOString();
const nano = (at: number): string => `${START + at}000000`;
const without = (record: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
const lines = (records: readonly Fields[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");

// open-telemetry/semantic-conventions-genai v0.1.0: docs/gen-ai/gen-ai-spans.md, and the JSON schemas of its messages.
const genAiCalls = (calls: readonly ToldCall[]): readonly object[] =>
  calls.map(({ id, name, args }) => ({ type: "tool_call", id, name, arguments: args }));
const genAiText = (text: string): readonly object[] => (text === "" ? [] : [{ type: "text", content: text }]);

function genAiMessages({ question }: ExportedRun, before: ExportedRun["rounds"]): readonly object[] {
  return [
    { role: "user", parts: genAiText(question) },
    ...before.flatMap(({ text, calls }) => [
      { role: "assistant", parts: [...genAiText(text), ...genAiCalls(calls)] },
      { role: "tool", parts: calls.map(({ id, result }) => ({ type: "tool_call_response", id, response: result })) },
    ]),
  ];
}

// opentelemetry-proto 1.x, trace/v1/trace.proto in the encoding of OTLP/JSON.
function otlpSpan(span: Fields, attributes: Readonly<Record<string, unknown>>): Fields {
  const listed = Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === "number"
        ? { intValue: String(value) }
        : { stringValue: typeof value === "string" ? value : JSON.stringify(value) },
  }));
  return { kind: 1, ...span, attributes: listed, status: {} };
}

const otlpWithout =
  (names: RegExp) =>
  (record: Fields): Fields => ({
    ...record,
    attributes: [record["attributes"]].flat().filter((one) => !names.test(JSON.stringify(one))),
  });

/** OTLP/JSON as the collector's file exporter writes it: one batch in each line. */
export const otlpStyle: ExportStyle = {
  run: (run) =>
    otlpSpan(
      { traceId: run.trace, spanId: `${run.trace}00`, name: "invoke_agent desk", startTimeUnixNano: nano(0) },
      {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "desk",
        "gen_ai.input.messages": genAiMessages(run, []),
        "gen_ai.output.messages": [{ role: "assistant", parts: genAiText(run.answer), finish_reason: "stop" }],
      },
    ),
  model: (run, { index, at, before, text, calls }) =>
    otlpSpan(
      {
        traceId: run.trace,
        spanId: `${run.trace}a${index}`,
        parentSpanId: `${run.trace}00`,
        name: "chat gpt-5",
        startTimeUnixNano: nano(at),
      },
      {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.system_instructions": [{ type: "text", content: "You are a desk." }],
        "gen_ai.input.messages": genAiMessages(run, before),
        "gen_ai.output.messages": [
          {
            role: "assistant",
            parts: [...genAiText(text), ...genAiCalls(calls)],
            finish_reason: calls.length > 0 ? "tool_call" : "stop",
          },
        ],
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 3,
      },
    ),
  tool: (run, { id, name, args, result, at }) =>
    otlpSpan(
      {
        traceId: run.trace,
        spanId: `${run.trace}${id}`,
        parentSpanId: `${run.trace}00`,
        name: `execute_tool ${name}`,
        startTimeUnixNano: nano(at),
      },
      {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": id,
        "gen_ai.tool.call.arguments": args,
        "gen_ai.tool.call.result": result,
      },
    ),
  withoutContent: otlpWithout(/messages|instructions|arguments|result/),
  withoutResult: otlpWithout(/call\.result/),
  file: (records) =>
    lines(
      records.map((span) => ({
        resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: "ai" }, spans: [span] }] }],
      })),
    ),
};

// ai-sdk.dev/docs/ai-sdk-core/telemetry, "Collected Data" (AI SDK 5 and 6; `LegacyOpenTelemetry` of @ai-sdk/otel).
function aiSdkMessages({ question }: ExportedRun, before: ExportedRun["rounds"]): readonly object[] {
  return [
    { role: "system", content: "You are a desk." },
    { role: "user", content: [{ type: "text", text: question }] },
    ...before.flatMap(({ text, calls }) => [
      {
        role: "assistant",
        content: [
          ...(text === "" ? [] : [{ type: "text", text }]),
          ...calls.map(({ id, name, args }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: args })),
        ],
      },
      {
        role: "tool",
        content: calls.map(({ id, name, result }) => ({
          type: "tool-result",
          toolCallId: id,
          toolName: name,
          output: { type: "json", value: result },
        })),
      },
    ]),
  ];
}

function printedSpan(run: ExportedRun, span: Fields, attributes: Fields): Fields {
  return {
    traceId: run.trace,
    ...span,
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([key, value]) => [
        key,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    ),
    status: { code: 0 },
    events: [],
  };
}

const printedWithout =
  (names: RegExp) =>
  (record: Fields): Fields => ({
    ...record,
    attributes: isPlainObject(record["attributes"])
      ? Object.fromEntries(Object.entries(record["attributes"]).filter(([name]) => !names.test(name)))
      : {},
  });

/** Spans as OpenTelemetry's exporters for JavaScript print them, with the attributes of the AI SDK 5 and 6. */
export const aiSdkStyle: ExportStyle = {
  run: (run) =>
    printedSpan(
      run,
      { id: "r", name: "ai.generateText", timestamp: START * 1000 },
      {
        "ai.operationId": "ai.generateText",
        "ai.telemetry.functionId": "desk",
        "ai.prompt": { system: "You are a desk.", messages: [{ role: "user", content: run.question }] },
        "ai.response.text": run.answer,
      },
    ),
  model: (run, { index, at, before, text, calls }) =>
    printedSpan(
      run,
      {
        id: `m${index}`,
        parentSpanContext: { spanId: "r" },
        name: "ai.generateText.doGenerate",
        timestamp: (START + at) * 1000,
      },
      {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.telemetry.functionId": "desk",
        "ai.model.provider": "openai.chat",
        "ai.model.id": "gpt-5",
        "ai.prompt.messages": aiSdkMessages(run, before),
        "ai.response.text": text,
        ...(calls.length > 0 && {
          "ai.response.toolCalls": calls.map(({ id, name, args }) => ({ toolCallId: id, toolName: name, input: args })),
        }),
        "ai.response.finishReason": calls.length > 0 ? "tool-calls" : "stop",
      },
    ),
  tool: (run, { id, name, args, result, at }) =>
    printedSpan(
      run,
      { id, parentSpanContext: { spanId: "r" }, name: "ai.toolCall", timestamp: (START + at) * 1000 },
      {
        "ai.operationId": "ai.toolCall",
        "ai.toolCall.name": name,
        "ai.toolCall.id": id,
        "ai.toolCall.args": args,
        "ai.toolCall.result": result,
      },
    ),
  withoutContent: printedWithout(/prompt|response\.(?:text|toolCalls)|args|result/),
  withoutResult: printedWithout(/toolCall\.result/),
  file: lines,
};

// platform.openai.com/docs/api-reference/chat: messages of a request, and of a stored completion.
function openaiMessages({ question }: ExportedRun, before: ExportedRun["rounds"]): readonly object[] {
  return [
    { role: "system", content: "You are a desk." },
    { role: "user", content: question },
    ...before.flatMap(({ text, calls }) => [
      openaiAnswer(text, calls),
      ...calls.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: JSON.stringify(result) })),
    ]),
  ];
}

function openaiAnswer(text: string, calls: readonly ToldCall[]): object {
  const asked = calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: "assistant", content: text === "" ? null : text, ...(asked.length > 0 && { tool_calls: asked }) };
}

// api.reference.langfuse.com: the schemas `ObservationsView` and `TraceWithFullDetails`.
const langfuseFields = (run: ExportedRun, id: string, at: number): Fields => ({
  id: `${run.trace}-${id}`,
  traceId: run.trace,
  parentObservationId: id === "run" ? null : `${run.trace}-run`,
  startTime: iso(at),
  level: "DEFAULT",
  statusMessage: null,
  metadata: {},
});

/** Observations of Langfuse, one in each line. */
export const langfuseStyle: ExportStyle = {
  run: (run) => ({
    ...langfuseFields(run, "run", 0),
    type: "AGENT",
    name: "desk",
    input: { text: run.question },
    output: { text: run.answer },
  }),
  model: (run, { index, at, before, text, calls }) => ({
    ...langfuseFields(run, `m${index}`, at),
    type: "GENERATION",
    name: "OpenAI-generation",
    model: "gpt-5",
    input: openaiMessages(run, before),
    output: openaiAnswer(text, calls),
    usageDetails: { input: 12, output: 3 },
  }),
  tool: (run, { id, name, args, result, at }) => ({
    ...langfuseFields(run, id, at),
    type: "TOOL",
    name,
    input: args,
    output: result,
    metadata: { tool_call_id: id },
  }),
  withoutContent: (record) => ({ ...record, input: null, output: null }),
  withoutResult: (record) => ({ ...record, output: null }),
  file: lines,
};

// docs.langchain.com/langsmith/run-data-format, and the messages of LangChain as its tracer writes them.
function langchainMessages({ question }: ExportedRun, before: ExportedRun["rounds"]): readonly object[] {
  const message = (kind: string, kwargs: Fields): object => ({
    lc: 1,
    type: "constructor",
    id: ["langchain", "schema", "messages", kind],
    kwargs,
  });
  return [
    message("SystemMessage", { content: "You are a desk." }),
    message("HumanMessage", { content: question }),
    ...before.flatMap(({ text, calls }) => [
      langchainAnswer(text, calls),
      ...calls.map(({ id, name, result }) =>
        message("ToolMessage", { content: JSON.stringify(result), tool_call_id: id, name }),
      ),
    ]),
  ];
}

function langchainAnswer(text: string, calls: readonly ToldCall[]): object {
  return {
    lc: 1,
    type: "constructor",
    id: ["langchain", "schema", "messages", "AIMessage"],
    kwargs: { content: text, tool_calls: calls.map(({ id, name, args }) => ({ name, args, id, type: "tool_call" })) },
  };
}

const langsmithFields = (run: ExportedRun, id: string, at: number): Fields => ({
  id: `${run.trace}-${id}`,
  trace_id: run.trace,
  parent_run_id: id === "run" ? null : `${run.trace}-run`,
  start_time: iso(at),
  end_time: iso(at + 1),
  error: null,
  status: "success",
  extra: { metadata: {} },
});

/** Runs of LangSmith as the query for runs answers: one object with a list. */
export const langsmithStyle: ExportStyle = {
  run: (run) => ({
    ...langsmithFields(run, "run", 0),
    run_type: "chain",
    name: "desk",
    inputs: { input: { text: run.question } },
    outputs: { output: { text: run.answer } },
  }),
  model: (run, { index, at, before, text, calls }) => ({
    ...langsmithFields(run, `m${index}`, at),
    run_type: "llm",
    name: "ChatOpenAI",
    inputs: { messages: [langchainMessages(run, before)] },
    outputs: {
      generations: [[{ text, type: "ChatGeneration", message: langchainAnswer(text, calls) }]],
      llm_output: {},
    },
  }),
  tool: (run, { id, name, args, result, at }) => ({
    ...langsmithFields(run, id, at),
    run_type: "tool",
    name,
    inputs: { input: JSON.stringify(args) },
    outputs: { output: { type: "tool", content: JSON.stringify(result), tool_call_id: id } },
  }),
  withoutContent: (record) => ({ ...record, inputs: {}, outputs: {} }),
  withoutResult: (record) => ({ ...record, outputs: null }),
  file: (records) => JSON.stringify({ runs: records, cursors: { next: null } }),
};

/** Stored completions of OpenAI, each with its messages: a page as the API lists them. */
export const openaiStyle: ExportStyle = {
  run: (run) => ({ object: "chat.completion.deleted", id: `none-${run.trace}`, deleted: true }),
  model: (run, { index, at, before, text, calls }) => ({
    id: `chatcmpl-${run.trace}${index}`,
    object: "chat.completion",
    created: Math.floor(START / 1000) + at,
    model: "gpt-5",
    metadata: { trace_id: run.trace, step: "desk" },
    choices: [
      { index: 0, message: openaiAnswer(text, calls), finish_reason: calls.length > 0 ? "tool_calls" : "stop" },
    ],
    usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    messages: { object: "list", data: openaiMessages(run, before) },
  }),
  tool: undefined,
  withoutContent: (record) => without(record, ["messages"]),
  withoutResult: (record) => record,
  file: (records) => JSON.stringify({ object: "list", data: records, has_more: false }),
};
