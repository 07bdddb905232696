import { beforeAll, describe, expect, test } from "vitest";
import { join } from "node:path";
import { type CheckProject, checkProject } from "../../../../test-support/check-project.ts";
import {
  exportedRun,
  langfuseStyle,
  langsmithStyle,
  otlpStyle,
  recordsOf,
} from "../../../../test-support/trace-exports.ts";
import { REPLAYABLE, gradedExport, tracedProject } from "../../../../test-support/traced-agent.ts";

import { harSource } from "./har.ts";

type Fields = Readonly<Record<string, unknown>>;

const ROOT = join(import.meta.dirname, "../../../..");
const RUN = exportedRun("4bf92f35");
const ROUNDS = [...RUN.rounds, { text: RUN.answer, calls: [] }];
const TOOLS = RUN.rounds.flatMap(({ calls }) => calls);
const BEGIN = 1_764_000_000_000;

/** Messages of OpenAI's notation before a response. */
function messagesBefore(round: number): readonly Fields[] {
  return [
    { role: "system", content: "You are a desk." },
    { role: "user", content: RUN.question },
    ...ROUNDS.slice(0, round).flatMap((before) => [
      responseOf(before),
      ...before.calls.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: JSON.stringify(result) })),
    ]),
  ];
}

function responseOf({ text, calls }: (typeof ROUNDS)[number]): Fields {
  const toolCalls = calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: "assistant", content: text, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) };
}

/** Attributes under dotted names, as tracers write lists whose items they number. */
function dotted(value: unknown, prefix: string): Fields {
  if (typeof value !== "object" || value === null) return { [prefix]: value };
  return Object.assign({}, ...Object.entries(value).map(([name, below]) => dotted(below, `${prefix}.${name}`)));
}

interface Span {
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly at: number;
  readonly attributes: Fields;
}

const MODEL_TIMES = [1, 3, 6];
const TOOL_TIMES = [2, 4, 5];

/** A run's spans: the outermost one, those of the model, and those of tools. */
function spansBy(style: {
  readonly root: Fields;
  readonly model: (round: number) => Fields;
  readonly tool: (tool: (typeof TOOLS)[number]) => Fields;
}): readonly Span[] {
  return [
    { id: "a0", name: "desk", at: 0, attributes: style.root },
    ...ROUNDS.map((_round, at) => ({
      id: `b${at}`,
      parent: "a0",
      name: "openai.chat",
      at: MODEL_TIMES[at] ?? 0,
      attributes: style.model(at),
    })),
    ...TOOLS.map((tool, at) => ({
      id: `c${at}`,
      parent: "a0",
      name: tool.name,
      at: TOOL_TIMES[at] ?? 0,
      attributes: style.tool(tool),
    })),
  ];
}

function openInferenceMessage({ tool_calls: calls, ...message }: Fields): Fields {
  const toolCalls = Array.isArray(calls) ? calls.map((call: unknown) => ({ tool_call: call })) : [];
  return { message: { ...message, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) } };
}

const OPEN_INFERENCE = spansBy({
  root: {
    "openinference.span.kind": "AGENT",
    "input.value": JSON.stringify({ text: RUN.question }),
    "output.value": RUN.answer,
  },
  model: (round) => ({
    "openinference.span.kind": "LLM",
    "llm.model_name": "gpt-5",
    "llm.invocation_parameters": "{}",
    ...dotted(messagesBefore(round).map(openInferenceMessage), "llm.input_messages"),
    ...dotted([openInferenceMessage(responseOf(ROUNDS[round] ?? { text: "", calls: [] }))], "llm.output_messages"),
  }),
  tool: ({ name, args, result }) => ({
    "openinference.span.kind": "TOOL",
    "tool.name": name,
    "input.value": JSON.stringify(args),
    "output.value": JSON.stringify(result),
  }),
});

function traceloopMessage({ tool_calls: calls, ...message }: Fields): Fields {
  const toolCalls = Array.isArray(calls)
    ? calls.map(({ id, function: called }: { readonly id: string; readonly function: Fields }) => ({ id, ...called }))
    : [];
  return { ...message, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) };
}

const OPEN_LLMETRY = spansBy({
  root: {
    "traceloop.span.kind": "workflow",
    "traceloop.entity.input": JSON.stringify({ args: [{ text: RUN.question }], kwargs: {} }),
    "traceloop.entity.output": JSON.stringify({ text: RUN.answer }),
  },
  model: (round) => ({
    "llm.request.type": "chat",
    "gen_ai.request.model": "gpt-5",
    ...dotted(messagesBefore(round).map(traceloopMessage), "gen_ai.prompt"),
    ...dotted([traceloopMessage(responseOf(ROUNDS[round] ?? { text: "", calls: [] }))], "gen_ai.completion"),
  }),
  tool: ({ name, args, result }) => ({
    "traceloop.span.kind": "tool",
    "traceloop.entity.name": name,
    "traceloop.entity.input": JSON.stringify({ args: [args], kwargs: {} }),
    "traceloop.entity.output": JSON.stringify(result),
  }),
});

const nano = (at: number): string => `${BEGIN + at * 1000}000000`;

function otlpSpan({ id, parent, name, at, attributes }: Span): Fields {
  return {
    traceId: "4bf92f35",
    spanId: id,
    ...(parent !== undefined && { parentSpanId: parent }),
    name,
    startTimeUnixNano: nano(at),
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: String(value) } })),
  };
}

const otlp = (spans: readonly Span[], key = "resourceSpans", scopes = "scopeSpans"): Fields => ({
  [key]: [{ resource: { attributes: [] }, [scopes]: [{ scope: {}, spans: spans.map(otlpSpan) }] }],
});

/** A span as Phoenix downloads it, its attributes nested. */
function phoenixSpan({ id, parent, name, at, attributes }: Span): Fields {
  const nested: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(attributes)) {
    const names = key.split(".");
    let into: Record<string, unknown> = nested;
    for (const part of names.slice(0, -1)) {
      const below = into[part];
      into[part] = typeof below === "object" && below !== null ? below : {};
      into = Object(into[part]);
    }
    into[names.at(-1) ?? ""] = value;
  }
  return {
    name,
    context: { trace_id: "4bf92f35", span_id: id },
    parent_id: parent ?? null,
    start_time: new Date(BEGIN + at * 1000).toISOString(),
    status_code: "OK",
    attributes: nested,
  };
}

function jaegerSpan({ id, parent, name, at, attributes }: Span): Fields {
  return {
    traceID: "4bf92f35",
    spanID: id,
    operationName: name,
    references: parent === undefined ? [] : [{ refType: "CHILD_OF", traceID: "4bf92f35", spanID: parent }],
    startTime: (BEGIN + at * 1000) * 1000,
    tags: Object.entries(attributes).map(([key, value]) => ({ key, type: "string", value })),
    logs: [],
  };
}

/** Events of messages as log records with bodies, as OpenTelemetry's instrumentations for Python and Java write them. */
function logsOf(round: number): readonly Fields[] {
  const body = (value: unknown): Fields => {
    if (typeof value === "string") return { stringValue: value };
    if (Array.isArray(value)) return { arrayValue: { values: value.map(body) } };
    if (typeof value !== "object" || value === null) return {};
    return { kvlistValue: { values: Object.entries(value).map(([key, below]) => ({ key, value: body(below) })) } };
  };
  const record = (name: string, content: Fields): Fields => ({
    traceId: "4bf92f35",
    spanId: `b${round}`,
    timeUnixNano: nano(MODEL_TIMES[round] ?? 0),
    attributes: [{ key: "event.name", value: { stringValue: name } }],
    body: body(content),
  });
  return [
    ...messagesBefore(round).map(({ role, tool_call_id: id, ...message }) =>
      record(`gen_ai.${String(role)}.message`, { ...message, ...(id === undefined ? {} : { id }) }),
    ),
    record("gen_ai.choice", { index: "0", message: responseOf(ROUNDS[round] ?? { text: "", calls: [] }) }),
  ];
}

const BARE = spansBy({
  root: { "input.value": JSON.stringify({ text: RUN.question }), "output.value": RUN.answer },
  model: () => ({ "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5" }),
  tool: ({ id, name, args, result }) => ({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.call.id": id,
    "gen_ai.tool.call.arguments": JSON.stringify(args),
    "gen_ai.tool.call.result": JSON.stringify(result),
  }),
});
const LOGS = { resourceLogs: [{ scopeLogs: [{ logRecords: [0, 1, 2].flatMap(logsOf) }] }] };
const [FIRST_LOG = {}] = logsOf(0);
/** The same with an event of the program in the span of its step. */
const LOGIN = { ...FIRST_LOG, spanId: "a0", attributes: [{ key: "event.name", value: { stringValue: "user.login" } }] };
const OWN_LOGS = { resourceLogs: [{ scopeLogs: [{ logRecords: [LOGIN, ...[0, 1, 2].flatMap(logsOf)] }] }] };
/** Each call of a tool has two spans, one in the other, as pydantic-ai writes them. */
const DOUBLE_TOOLS = OPEN_INFERENCE.flatMap((span) =>
  span.id.startsWith("c") ? [span, { ...span, id: `${span.id}0`, parent: span.id }] : [span],
);

const langfuse = recordsOf(RUN, langfuseStyle).map(({ record }) => record);
const [TRACE = {}, ...OBSERVATIONS] = langfuse;
const twice = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(JSON.stringify(value)) : value;
const DOWNLOAD = {
  trace: {
    id: "4bf92f35",
    name: "desk",
    timestamp: "2025-11-24T16:00:00Z",
    input: TRACE["input"],
    output: TRACE["output"],
  },
  observations: [TRACE, ...OBSERVATIONS].map((one) => ({
    ...one,
    input: twice(one["input"]),
    output: twice(one["output"]),
  })),
};

const json = (value: unknown): string => JSON.stringify(value);
const jaegerExport = (spans: readonly Span[]): string =>
  json({ data: [{ traceID: "4bf92f35", spans: spans.map(jaegerSpan), processes: {} }] });

let project: CheckProject;

beforeAll(() => {
  project = tracedProject();
});

const graded = async (source: string, text: string, ...more: readonly string[]): Promise<string> =>
  gradedExport(project, [source, text], ...more);

describe("exports of other tools", () => {
  test.each<[what: string, source: string, text: string]>([
    ["OpenInference in OTLP", "otlp", json(otlp(OPEN_INFERENCE))],
    ["spans that Phoenix downloads", "otlp", OPEN_INFERENCE.map(phoenixSpan).map(json).join("\n")],
    ["OpenLLMetry, its messages numbered", "otlp", json(otlp(OPEN_LLMETRY))],
    ["batches of Tempo", "otlp", json(otlp(OPEN_INFERENCE, "batches"))],
    ["batches of older versions of Tempo", "otlp", json(otlp(OPEN_LLMETRY, "batches", "instrumentationLibrarySpans"))],
    ["a trace that Tempo wraps", "otlp", json({ trace: otlp(OPEN_INFERENCE) })],
    ["events with bodies in log records", "otlp", `${json(otlp(BARE))}\n${json(LOGS)}`],
    ["events with bodies beside those of the program", "otlp", `${json(otlp(BARE))}\n${json(OWN_LOGS)}`],
    ["two spans for each call of a tool", "otlp", json(otlp(DOUBLE_TOOLS))],
    ["Jaeger", "jaeger", jaegerExport(OPEN_LLMETRY)],
    ["a download of Langfuse, encoded twice", "langfuse", json(DOWNLOAD)],
  ])("%s: replay", async (_what, source, text) => {
    expect(await graded(source, text)).toMatch(REPLAYABLE);
  });

  test.each<[source: string, text: string]>([
    ["jaeger", jaegerExport(OPEN_LLMETRY)],
    [
      "jsonl",
      json({
        trace: "4bf92f35",
        step: "desk",
        input: { text: RUN.question },
        output: { text: RUN.answer },
        calls: ROUNDS.flatMap((round, at) => [
          { model: "gpt-5", messages: messagesBefore(at), answer: { choices: [{ message: responseOf(round) }] } },
          ...round.calls.map(({ id, name, args, result }) => ({ id, tool: name, arguments: args, result })),
        ]),
      }),
    ],
  ])("%s: isn't reported as replayable without a note if the prompt changed since", async (source, text) => {
    expect(await graded(source, text)).toMatch(REPLAYABLE);
    project.write("steps/mood.json", '{ "system": "You are a good desk." }');
    const changed = await graded(source, text);
    project.write("steps/mood.json", "{}");
    expect(changed).toMatch(
      /^would add {5}\S+ desk → .*\nrequest differs {2}\S+\/4bf92f35 desk: request 1 \(and 2 more\), message 1, system: "You are a desk\." → "You are a good desk\."\n1 run: 1 would be pending \(1 with requests that differ from the trace\)\n$/,
    );
  });

  test("requests in an HTTP archive are compared, and their responses are replayed", async () => {
    const entry = (body: Fields, response: Fields, status = 200): Fields => ({
      startedDateTime: "2025-11-24T16:00:00Z",
      request: { method: "POST", url: "https://api.openai.com/v1/chat/completions", postData: { text: json(body) } },
      response: { status, content: { text: json(response) } },
    });
    const messages = [
      { role: "system", content: "Sort." },
      { role: "user", content: '{"letter":"My bill is wrong."}' },
    ];
    const completion = {
      id: "1",
      object: "chat.completion",
      model: "gpt-5-2025-08-07",
      choices: [{ message: { role: "assistant", content: '{"topic":"billing"}' }, finish_reason: "stop" }],
    };
    const page = { request: { method: "GET", url: "https://example.com/" }, response: { status: 200, content: {} } };
    const entries = [page, entry({ model: "gpt-5", messages }, completion)];
    const said = await graded("har", json({ log: { version: "1.2", creator: {}, entries } }), "--step", "sort");
    expect(said).toMatch(/^would add {5}har\/export\.json sort → /);
    expect(said).toContain(
      'request differs  har/export.json sort: request 1, message 2, user: "{\\"letter\\":\\"My bill is wrong.\\"}" → "My bill is wrong."',
    );
  });

  test("the model in the path of a request to Gemini is compared", () => {
    const request = {
      method: "POST",
      url: "https://example.com/v1beta/models/gemini-2.5-pro:generateContent",
      postData: { text: json({ contents: [{ role: "user", parts: [{ text: "Hi" }] }] }) },
    };
    const response = {
      status: 200,
      content: { text: json({ candidates: [{ content: { parts: [{ text: "Yes?" }] } }] }) },
    };
    const [observation] = harSource.observer("a.har")({ log: { entries: [{ request, response }] } });
    expect(observation?.call).toMatchObject({ model: "gemini-2.5-pro", request: { model: "gemini-2.5-pro" } });
  });

  test("other requests in an HTTP archive are calls of fetch, also streams; those of the page don't count", async () => {
    const other = checkProject();
    other.write(
      "steps/index.ts",
      `
import { z } from "zod";
import { defineStep } from "${ROOT}/src/kernel/step/define-step.ts";
const API = "https://api.example.com";
export const order = defineStep({
  name: "order", input: z.object({ text: z.string() }), output: z.object({ text: z.string() }),
  run: async ({ text }) => {
    const { id } = await (await fetch(API + "/customers?name=ann")).json();
    const put = await fetch(API + "/orders", { method: "POST", body: JSON.stringify({ id, text }) });
    const chat = async (more) => fetch(API + "/v1/chat/completions", {
      method: "POST",
      body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: text }], ...more }),
    });
    const { choices } = await (await chat({})).json();
    const streamed = (await (await chat({ stream: true })).text()).match(/"content":"([^"]*)"/)?.[1];
    return { output: { text: choices[0].message.content + (put.status === 201 && streamed === "done" ? "" : "?") } };
  },
});
export const total = order;
export const shout = order;
`,
    );
    other.write(
      "veritest.config.ts",
      'export default { steps: async () => [(await import("./steps/index.ts")).order] };',
    );
    const entry = (
      method: string,
      path: string,
      body: unknown,
      [status, type, text]: readonly [number, string, string],
    ) => ({
      startedDateTime: "2025-11-24T16:00:00Z",
      request: {
        method,
        url: `https://api.example.com${path}`,
        ...(body !== undefined && { postData: { text: json(body) } }),
      },
      response: { status, content: { mimeType: type, text } },
    });
    const request = { model: "gpt-5", messages: [{ role: "user", content: "pens" }] };
    const completion = { object: "chat.completion", choices: [{ message: { role: "assistant", content: "Sent." } }] };
    const chat = "/v1/chat/completions";
    const entries = [
      entry("GET", "/logo.svg", undefined, [200, "image/svg+xml", "<svg/>"]),
      entry("GET", "/customers?name=ann", undefined, [200, "application/json", '{"id":7}']),
      entry("POST", "/orders", { id: 7, text: "pens" }, [201, "application/json", "{}"]),
      entry("POST", chat, request, [200, "application/json", json(completion)]),
      entry("POST", chat, { ...request, stream: true }, [200, "text/event-stream", 'data: {"content":"done"}\n\n']),
    ];
    const imported = async (of: readonly unknown[]): Promise<string> =>
      gradedExport(other, ["har", json({ log: { version: "1.2", creator: {}, entries: of } })], "--step", "order");
    expect(await imported(entries)).toMatch(/^would add {5}har\/export\.json order → .*\n1 run: 1 would be pending\n$/);
    expect(await imported(entries.toSpliced(2, 1))).toContain(
      "compare-only  har/export.json order: the current step fetches https://api.example.com/orders\n",
    );
  });

  test("each input and output of an OpenAI batch is one run", async () => {
    const request = { model: "gpt-5", messages: [{ role: "user", content: "My bill is wrong." }] };
    const body = {
      object: "chat.completion",
      model: "gpt-5-2025-08-07",
      choices: [{ message: { role: "assistant", content: '{"topic":"billing"}' }, finish_reason: "stop" }],
    };
    const text = [
      { custom_id: "a", method: "POST", url: "/v1/chat/completions", body: request },
      { id: "batch_1", custom_id: "a", response: { status_code: 200, body }, error: null },
      { id: "batch_2", custom_id: "b", response: null, error: { code: "expired", message: "It expired." } },
    ];
    const said = await graded("openai-batch", text.map(json).join("\n"), "--step", "desk");
    expect(said).toMatch(/openai-batch\/a desk/);
    expect(said).toContain("openai-batch/b desk: the trace doesn't have its input. Fix: put the batch's input file");
  });

  test("the request of an OpenAI batch is compared, and its response is replayed", async () => {
    const run = async (system: string): Promise<string> => {
      const messages = [
        { role: "system", content: system },
        { role: "user", content: "Refund customer 1." },
      ];
      const body = {
        object: "chat.completion",
        model: "gpt-5-2025-08-07",
        choices: [{ message: { role: "assistant", content: "It is done." }, finish_reason: "stop" }],
      };
      const lines = [
        { custom_id: "a", method: "POST", url: "/v1/chat/completions", body: { model: "gpt-5", messages } },
        { id: "batch_1", custom_id: "a", response: { status_code: 200, body }, error: null },
      ];
      return graded("openai-batch", lines.map(json).join("\n"), "--step", "desk");
    };
    expect(await run("You are a desk.")).toMatch(
      /^would add {5}openai-batch\/a desk → .*\n1 run: 1 would be pending\n$/,
    );
    expect(await run("You are a good desk.")).toContain(
      'request differs  openai-batch/a desk: request 1, message 1, system: "You are a good desk." → "You are a desk."\n',
    );
  });

  test("a session of Claude Code is one run: responses in parts, tools by their call ids", async () => {
    const line = (type: string, uuid: string, message: Fields): Fields => ({
      type,
      uuid,
      parentUuid: null,
      sessionId: "4bf92f35",
      timestamp: "2025-11-24T16:00:00Z",
      message,
    });
    const lines = [
      { type: "summary", summary: "A refund", leafUuid: "x" },
      line("user", "u0", { role: "user", content: RUN.question }),
      ...ROUNDS.flatMap(({ text, calls }, round) => [
        ...(text === ""
          ? []
          : [
              line("assistant", `t${round}`, {
                id: `m${round}`,
                role: "assistant",
                model: "claude-sonnet-4-5",
                content: [{ type: "text", text }],
              }),
            ]),
        ...calls.map(({ id, name, args }) =>
          line("assistant", id, {
            id: `m${round}`,
            role: "assistant",
            model: "claude-sonnet-4-5",
            content: [{ type: "tool_use", id, name, input: args }],
          }),
        ),
        ...calls.map(({ id, result }) =>
          line("user", `r${id}`, {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: id, content: JSON.stringify(result) }],
          }),
        ),
      ]),
    ];
    const said = await graded("claude-code", lines.map(json).join("\n"), "--step", "desk");
    // The agent of this project runs on another model.
    expect(said).toMatch(
      /^would add {5}claude-code\/4bf92f35 desk → .*\nrequest differs {2}\S+ desk: request 1 \(and 2 more\), model: "claude-sonnet-4-5" → "gpt-5"\n/,
    );
  });

  test("a session of Codex is one run, without the messages that Codex adds", async () => {
    const line = (type: string, payload: Fields): Fields => ({ timestamp: "2025-11-24T16:00:00Z", type, payload });
    const said = (text: string): Fields =>
      line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text }] });
    const lines = [
      line("session_meta", { id: "4bf92f35", cwd: "/work", cli_version: "0.65.0" }),
      said("<environment_context>\n  <cwd>/work</cwd>\n</environment_context>"),
      said(RUN.question),
      line("event_msg", { type: "user_message", message: RUN.question }),
      line("turn_context", { model: "gpt-5-codex" }),
      ...ROUNDS.flatMap(({ text, calls }, round) => [
        line("response_item", { type: "reasoning", summary: [], encrypted_content: "x" }),
        ...(text === ""
          ? []
          : [
              line("response_item", {
                type: "message",
                role: "assistant",
                content: [{ type: "output_text", text }],
              }),
            ]),
        ...calls.map(({ id, name, args }) =>
          line(
            "response_item",
            round === 0
              ? { type: "function_call", name, arguments: json(args), call_id: id }
              : { type: "custom_tool_call", status: "completed", name, input: json(args), call_id: id },
          ),
        ),
        ...calls.map(({ id, result }) =>
          line(
            "response_item",
            round === 0
              ? { type: "function_call_output", call_id: id, output: json(result) }
              : {
                  type: "custom_tool_call_output",
                  call_id: id,
                  output: json({ output: json(result), metadata: { exit_code: 0 } }),
                },
          ),
        ),
        line("event_msg", { type: "token_count" }),
      ]),
    ];
    const imported = await graded("codex", lines.map(json).join("\n"), "--step", "desk");
    expect(imported).toMatch(
      /^would add {5}codex\/export\.json desk → .*\nrequest differs {2}\S+ desk: request 1 \(and 2 more\), model: "gpt-5-codex" → "gpt-5"\n1 run/,
    );
  });

  test("runs of OpenAI's evals are compared and replayed; a data set has no responses", async () => {
    const messages = [
      { role: "system", content: "You are a desk." },
      { role: "user", content: "Refund customer 1." },
    ];
    const answer = "It is done.";
    const sample = { input: messages, output: [{ role: "assistant", content: answer }], model: "gpt-5-2025-08-07" };
    const item = { object: "eval.run.output_item", id: "o1", created_at: 1, status: "pass", sample };
    const asked = { prompt: messages, sampled: [answer] };
    const event = { run_id: "r1", sample_id: "s1", event_id: 4, type: "sampling", data: asked };
    const replays = /^would add {5}openai-evals\/\S+(?: s1)? desk → .*\n1 run: 1 would be pending\n$/;
    expect(await graded("openai-evals", json({ object: "list", data: [item] }), "--step", "desk")).toMatch(replays);
    expect(await graded("openai-evals", json(event), "--step", "desk")).toMatch(replays);
    project.write("steps/mood.json", '{ "system": "You are a good desk." }');
    const changed = [];
    for (const record of [item, event]) changed.push(await graded("openai-evals", json(record), "--step", "desk"));
    project.write("steps/mood.json", "{}");
    for (const shown of changed)
      expect(shown).toMatch(
        /\nrequest differs {2}openai-evals\/\S+(?: s1)? desk: request 1, message 1, system: "You are a desk\." → "You are a good desk\."\n1 run: 1 would be pending \(1 with requests that differ from the trace\)\n$/,
      );
    const set = await graded("openai-evals", json({ input: messages, ideal: [answer] }), "--step", "desk");
    expect(set).toContain(
      "compare-only  openai-evals/Refund customer 1. desk: the current step calls a model (model.generate) more often than the trace contains",
    );
  });
});

const archive = (...entries: readonly Fields[]): string => json({ log: { version: "1.2", creator: {}, entries } });
const codexMessage = (role: string, text: string): string =>
  json({ type: "response_item", payload: { type: "message", role, content: [{ type: "text", text }] } });
const claudeMessage = (role: string, content: unknown): string =>
  json({ type: role, uuid: "u1", sessionId: "4bf92f35", message: { id: "m1", role, content } });
const adkSession = (...events: readonly Fields[]): string =>
  json({ id: "4bf92f35", appName: "desk", userId: "ann", state: {}, events, lastUpdateTime: 1 });
const adkEvent = (author: string, role: string): Fields => ({
  id: "e1",
  invocationId: "i1",
  author,
  content: { role, parts: [{ text: "It is done." }] },
});
const sampledEvent = (data: Fields): string => json({ type: "sampling", run_id: "r1", sample_id: "s1", data });

const BARE_TOP = BARE.map((span) => (span.parent === undefined ? { ...span, attributes: {} } : span));
const REQUEST = {
  method: "POST",
  url: "https://api.openai.com/v1/chat/completions",
  postData: { text: json({ model: "gpt-5", messages: messagesBefore(0) }) },
};
const COMPLETION = {
  status: 200,
  content: { text: json({ choices: [{ message: { role: "assistant", content: "It is done." } }] }) },
};

/** Incomplete exports of a source. */
interface Incomplete {
  readonly title: string;
  readonly setting: string;
  /** An export without any run. */
  readonly none?: string;
  readonly input: string;
  readonly output?: string;
}

const INCOMPLETE: Readonly<Record<string, Incomplete>> = {
  jaeger: {
    title: "Jaeger",
    setting:
      "let the instrumentation write content: OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and " +
      "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_and_event (true for instrumentations that write " +
      "events only)",
    input: jaegerExport(BARE_TOP),
  },
  har: {
    title: "HTTP archives (HAR)",
    setting:
      "export the archive with content, and with requests to a model's API (chat/completions, responses, messages)",
    none: archive({ request: { method: "GET", url: "https://example.com/" }, response: { status: 200, content: {} } }),
    input: archive({ request: { ...REQUEST, postData: {} }, response: COMPLETION }),
    output: archive({ request: REQUEST, response: { status: 200, content: {} } }),
  },
  "claude-code": {
    title: "Claude Code",
    setting: "import the session's file (~/.claude/projects/<project>/<session>.jsonl) as it was written",
    none: json({ type: "summary", summary: "A refund", leafUuid: "u1", sessionId: "4bf92f35" }),
    input: claudeMessage("assistant", [{ type: "text", text: "It is done." }]),
    output: claudeMessage("user", RUN.question),
  },
  codex: {
    title: "Codex",
    setting: "import the session's file (~/.codex/sessions/<date>/rollout-<time>-<id>.jsonl) as it was written",
    none: json({ type: "session_meta", payload: { id: "4bf92f35" } }),
    input: codexMessage("assistant", "It is done."),
    output: codexMessage("user", RUN.question),
  },
  adk: {
    title: "the Agent Development Kit",
    setting: "import the session with its events, as the session service returns it",
    none: adkSession(),
    input: adkSession(adkEvent("desk", "model")),
    output: adkSession(adkEvent("user", "user")),
  },
  "openai-evals": {
    title: "OpenAI's evals",
    setting:
      "export the output items of a run (GET /v1/evals/{id}/runs/{id}/output_items), or the log of oaieval " +
      "(--record_path), not the data set",
    none: json({ input: messagesBefore(0), ideal: [] }),
    input: sampledEvent({ sampled: ["It is done."] }),
    output: sampledEvent({ prompt: messagesBefore(0) }),
  },
};

describe.each(Object.entries(INCOMPLETE))("an incomplete export of %s", (source, {
  title,
  setting,
  none,
  ...parts
}) => {
  test.runIf(none)("without runs is refused, and names the setting", async () => {
    expect(await graded(source, none ?? "", "--step", "desk")).toBe(
      `veritest: veritest can't run a step from this export, because it doesn't contain complete runs of ${title}. ` +
        `To get them, ${setting}.\n`,
    );
  });

  test.each(Object.entries(parts))("without an %s is refused, and names the setting", async (part, text) => {
    const refused = await graded(source, text, "--step", "desk");
    expect(refused.replace(/^(refused) {7}\S+(?: s1)? desk/, "$1")).toBe(
      `refused: the trace doesn't have its ${part}. Fix: ${setting}.\n1 run: 0 would be pending, 1 refused\n`,
    );
  });
});

describe("a file of another tool", () => {
  const jaeger = json({ data: [{ traceID: "1", spans: [] }] });
  test.each<[what: string, source: string, text: string, says: string]>([
    [
      "Jaeger",
      "otlp",
      jaeger,
      "veritest: export.json looks like an export of Jaeger. Run: npx veritest import jaeger export.json\n",
    ],
    [
      "OTLP",
      "langfuse",
      otlpStyle.file(recordsOf(RUN, otlpStyle).map(({ record }) => record)),
      "veritest: export.json looks like an export of OpenTelemetry. Run: npx veritest import otlp export.json\n",
    ],
    [
      "an HTTP archive",
      "openai",
      json({ log: { creator: {}, entries: [] } }),
      "veritest: export.json looks like an export of HTTP archives (HAR). Run: npx veritest import har export.json\n",
    ],
    [
      "Langfuse's API, observations in lines",
      "otlp",
      langfuse.map(json).join("\n"),
      "veritest: export.json looks like an export of Langfuse. Run: npx veritest import langfuse export.json\n",
    ],
    [
      "LangSmith, runs in lines",
      "otlp",
      recordsOf(RUN, langsmithStyle)
        .map(({ record }) => json(record))
        .join("\n"),
      "veritest: export.json looks like an export of LangSmith. Run: npx veritest import langsmith export.json\n",
    ],
    [
      "OpenAI's Batch API",
      "otlp",
      json({
        id: "b1",
        custom_id: "a",
        response: { status_code: 200, body: { object: "chat.completion", choices: [] } },
      }),
      "veritest: export.json looks like an export of OpenAI's Batch API. Run: npx veritest import openai-batch export.json\n",
    ],
    [
      "Jaeger without traces",
      "otlp",
      json({ data: [], total: 0, limit: 0, offset: 0, errors: null }),
      "veritest: export.json looks like an export of Jaeger. Run: npx veritest import jaeger export.json\n",
    ],
    [
      "an unknown tool without records",
      "otlp",
      json({ data: [] }),
      'veritest: export.json isn\'t an export of OpenTelemetry: its first record has the fields "data" (empty). ' +
        "Use a different source, or write one line for each run and use the source jsonl.\n",
    ],
    [
      "no tool",
      "otlp",
      json({ question: "Why?", answer: "So." }),
      'veritest: export.json isn\'t an export of OpenTelemetry: its first record has the fields "question", "answer". ' +
        "Use a different source, or write one line for each run and use the source jsonl.\n",
    ],
  ])("from %s is refused, and its format is named", async (_what, source, text, says) => {
    expect(await graded(source, text)).toBe(`0 runs: 0 would be pending\n${says}`);
  });

  test.each<[source: string, title: string, text: string]>([
    ["jaeger", "Jaeger", json({ data: [], total: 0 })],
    ["jaeger", "Jaeger", json({ data: [{ traceID: "1", spans: [] }] })],
    ["otlp", "OpenTelemetry", json({ resourceSpans: [] })],
    ["langfuse", "Langfuse", "[]\n"],
    ["jsonl", "JSON lines", ""],
  ])("from %s without records is refused, and says so", async (source, title, text) => {
    const says = `looks like an empty export of ${title}: it has no records. Export a time range that contains traces.`;
    expect(await graded(source, text)).toBe(`0 runs: 0 would be pending\nveritest: export.json ${says}\n`);
  });
});
