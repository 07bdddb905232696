import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import { GEN_AI, GEN_AI_EVENT, GEN_AI_OLD, GEN_AI_OPERATION, VERITEST } from "../../../kernel/telemetry/attributes.ts";
import { conventionAttributes } from "../foreign-attributes.ts";
import { unpacked } from "../json-items.ts";
import type {
  ModelAnswer,
  ModelRequestFacts,
  Observation,
  SeenCall,
  SeenModel,
  SeenTool,
  Turn,
} from "../observation.ts";
import { requestFacts } from "../request-facts.ts";
import { type RawSpan, rawSpanOf } from "../spans.ts";
import { countedUsage, modelAnswerOf, turnsOf } from "../turns.ts";
import type { TraceSource } from "./source.ts";

const SPANS = { scopeSpans: { spans: true }, instrumentationLibrarySpans: { spans: true } } as const;

/**
 * OTLP in JSON as the collector's file exporter writes it, spans and log records, in lines or complete
 * (opentelemetry-proto 1.x, `trace/v1/trace.proto`, `logs/v1/logs.proto`); single spans as exporters for JavaScript
 * print them.
 */
export const otlpSource: TraceSource = {
  name: "otlp",
  title: "OpenTelemetry",
  signs: /"resourceSpans"|"resourceLogs"|"batches"|"spanContext"|"trace_?[iI]d"[^]*"span_?[iI]d"/,
  envelope: {
    resourceSpans: SPANS,
    // Tempo calls them so.
    batches: SPANS,
    resourceLogs: { scopeLogs: { logRecords: true } },
  },
  observer: () => observationsIn,
  setting:
    "let the instrumentation write content: OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and " +
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_and_event " +
    "(true for instrumentations that write events only)",
};

/** The same for the AI SDK: `@ai-sdk/otel`, and the attributes `ai.*` of its versions 5 and 6. */
export const aiSdkSource: TraceSource = {
  ...otlpSource,
  name: "ai-sdk",
  title: "AI SDK",
  setting: "remove recordInputs and recordOutputs from the call's telemetry, or set them to true",
};

type Attributes = RawSpan["attributes"];

function observationsIn(record: unknown): readonly Observation[] {
  const span = rawSpanOf(record);
  if (span !== undefined) return [observationOf(span)];
  // Newer versions of Tempo wrap a trace.
  const wrapped = isPlainObject(record) && isPlainObject(record["trace"]) ? record["trace"] : undefined;
  return wrapped === undefined ? [] : spansIn(wrapped).flatMap(observationsIn);
}

/** Lists the spans in a trace that is one record. */
function spansIn(trace: Readonly<Record<string, unknown>>): readonly unknown[] {
  const below = (value: unknown, names: readonly string[]): readonly unknown[] =>
    isPlainObject(value) ? names.flatMap((name) => (isArray(value[name]) ? value[name] : [])) : [];
  return below(trace, ["resourceSpans", "batches"])
    .flatMap((resource) => below(resource, ["scopeSpans", "instrumentationLibrarySpans"]))
    .flatMap((scope) => below(scope, ["spans"]));
}

/**
 * Attributes of the AI SDK's own telemetry, which it emits in addition to those of the conventions or instead of
 * them.
 */
const AI_SDK = {
  operation: "ai.operationId",
  functionId: "ai.telemetry.functionId",
  prompt: "ai.prompt",
  messages: "ai.prompt.messages",
  tools: "ai.prompt.tools",
  provider: "ai.model.provider",
  model: "ai.model.id",
  text: "ai.response.text",
  object: "ai.response.object",
  reasoning: "ai.response.reasoning",
  toolCalls: "ai.response.toolCalls",
  finish: "ai.response.finishReason",
  responseId: "ai.response.id",
  inputTokens: ["ai.usage.inputTokens", "ai.usage.promptTokens"],
  outputTokens: ["ai.usage.outputTokens", "ai.usage.completionTokens"],
  toolName: "ai.toolCall.name",
  toolId: "ai.toolCall.id",
  toolArgs: "ai.toolCall.args",
  toolResult: "ai.toolCall.result",
} as const;

/** Attributes that tracers write inputs and outputs to, most specific first. */
const INPUTS = [VERITEST.input, "input.value", "traceloop.entity.input", GEN_AI.inputMessages, AI_SDK.prompt];
const OUTPUTS = [
  VERITEST.output,
  "output.value",
  "traceloop.entity.output",
  GEN_AI.outputMessages,
  AI_SDK.object,
  AI_SDK.text,
];

const MODEL_OPERATIONS = new Set<unknown>([
  GEN_AI_OPERATION.chat,
  GEN_AI_OPERATION.generateContent,
  GEN_AI_OPERATION.textCompletion,
]);

/**
 * Reads a span of OpenTelemetry by the conventions for generative AI (also those up to 1.36), by the attributes of
 * the AI SDK's telemetry, or by those of veritest.
 */
export function observationOf(span: RawSpan): Observation {
  const { traceId, spanId, parentId, name, start, isLog } = span;
  const attributes = withEvents(span);
  const call = callOf(span, attributes);
  const agentNames = call === undefined ? [attributes.get(GEN_AI.agentName), attributes.get(AI_SDK.functionId)] : [];
  const step = attributes.get(VERITEST.stepName);
  return {
    trace: traceId,
    id: spanId,
    parent: parentId,
    names: [...agentNames, name].filter((candidate) => typeof candidate === "string" && candidate !== "").map(String),
    step: typeof step === "string" ? step : undefined,
    start,
    isLog,
    input: firstOf(attributes, INPUTS),
    output: firstOf(attributes, OUTPUTS),
    call,
  };
}

/** Returns the attributes of a span by the conventions, including those that its events have. */
function withEvents({ name, attributes: written, events }: RawSpan): Attributes {
  const attributes = conventionAttributes(written);
  if (events.length === 0 && name !== GEN_AI_EVENT.inferenceDetails) return attributes;
  const all = new Map(attributes);
  for (const event of events)
    if (event.name === GEN_AI_EVENT.inferenceDetails) for (const [key, value] of event.attributes) all.set(key, value);
  const prompt = events
    .find((event) => event.name === GEN_AI_OLD.contentPromptEvent)
    ?.attributes.get(GEN_AI_OLD.prompt);
  const completion = events
    .find((event) => event.name === GEN_AI_OLD.contentCompletionEvent)
    ?.attributes.get(GEN_AI_OLD.completion);
  const turns = events.flatMap(messageOfEvent);
  const choice = events.find((event) => event.name === GEN_AI_OLD.choiceEvent)?.attributes;
  setNew(all, GEN_AI.inputMessages, prompt ?? (turns.length > 0 ? turns : undefined));
  setNew(all, GEN_AI.outputMessages, completion ?? (choice && messageOfChoice(choice)));
  return all;
}

function setNew(all: Map<string, unknown>, key: string, value: unknown): void {
  if (value !== undefined && !all.has(key)) all.set(key, value);
}

const MESSAGE_EVENTS: Readonly<Record<string, Turn["role"]>> = {
  [GEN_AI_OLD.systemMessageEvent]: "system",
  [GEN_AI_OLD.userMessageEvent]: "user",
  [GEN_AI_OLD.assistantMessageEvent]: "assistant",
  [GEN_AI_OLD.toolMessageEvent]: "tool",
};

function messageOfEvent({ name, attributes }: RawSpan["events"][number]): readonly object[] {
  if (!Object.hasOwn(MESSAGE_EVENTS, name)) return [];
  const id = attributes.get("id");
  return [
    {
      role: MESSAGE_EVENTS[name],
      ...unpackedFields(attributes),
      ...(name === GEN_AI_OLD.toolMessageEvent && { tool_call_id: id }),
    },
  ];
}

function messageOfChoice(choice: Attributes): unknown {
  const { message, ...rest } = unpackedFields(choice);
  return [{ role: "assistant", ...rest, ...(isPlainObject(message) ? message : { content: message }) }];
}

function unpackedFields(attributes: Attributes): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...attributes].map(([key, value]) => [key, unpacked(value)]));
}

function callOf(span: RawSpan, attributes: Attributes): SeenCall | undefined {
  const operation = attributes.get(GEN_AI.operation);
  const own = attributes.get(AI_SDK.operation);
  if (operation === GEN_AI_OPERATION.executeTool || attributes.has(AI_SDK.toolName)) return toolOf(span, attributes);
  if (typeof own === "string") return /\.do(?:Generate|Stream)$/.test(own) ? aiSdkModel(span, attributes) : undefined;
  const isModel =
    MODEL_OPERATIONS.has(operation) ||
    (operation === undefined && (attributes.has(GEN_AI.requestModel) || span.name === GEN_AI_EVENT.inferenceDetails));
  // Events of programs have bodies, too.
  const hasMessages = attributes.has(GEN_AI.inputMessages) || attributes.has(GEN_AI.outputMessages);
  if (span.isEvent && hasMessages) return { ...conventionModel(span, attributes), isPart: true };
  return isModel ? conventionModel(span, attributes) : undefined;
}

function toolOf({ name, error }: RawSpan, attributes: Attributes): SeenTool {
  const called = firstOf(attributes, [GEN_AI.toolName, AI_SDK.toolName]);
  const id = firstOf(attributes, [GEN_AI.toolCallId, AI_SDK.toolId]);
  const value = firstOf(attributes, [
    GEN_AI.toolCallResult,
    AI_SDK.toolResult,
    "output.value",
    "traceloop.entity.output",
  ]);
  return {
    kind: "tool",
    name: typeof called === "string" ? called : name.replace(/^execute_tool /, ""),
    callId: typeof id === "string" ? id : undefined,
    args: unpacked(
      firstOf(attributes, [GEN_AI.toolCallArguments, AI_SDK.toolArgs, "input.value", "traceloop.entity.input"]),
    ),
    ...(value !== undefined && error === undefined && { result: { value: unpacked(value) } }),
    error,
  };
}

function conventionModel({ error }: RawSpan, attributes: Attributes): SeenModel {
  const written = attributes.get(GEN_AI.outputMessages);
  const answer = error === undefined ? answerIn(written) : undefined;
  const system = turnsOf([{ role: "system", parts: listOf(attributes.get(GEN_AI.systemInstructions)) }]);
  return {
    kind: "model",
    provider: nameIn(attributes, [GEN_AI.provider, GEN_AI_OLD.system]),
    model: nameIn(attributes, [GEN_AI.responseModel, GEN_AI.requestModel]),
    turns: [...system.filter(({ text }) => text !== ""), ...turnsOf(attributes.get(GEN_AI.inputMessages))],
    request: requestOf(attributes, "gen_ai.request.", GEN_AI.toolDefinitions),
    answer: answer && {
      ...answer,
      finish: answer.finish ?? finishIn(attributes.get(GEN_AI.responseFinishReasons)),
      id: nameIn(attributes, [GEN_AI.responseId]),
      usage: countedUsage(
        firstOf(attributes, [GEN_AI.usageInputTokens, GEN_AI_OLD.usagePromptTokens]),
        firstOf(attributes, [GEN_AI.usageOutputTokens, GEN_AI_OLD.usageCompletionTokens]),
      ),
    },
    error,
  };
}

/** Reads the first output message: the others are alternative choices. */
function answerIn(written: unknown): ModelAnswer | undefined {
  const data = unpacked(written);
  return modelAnswerOf(isArray(data) ? data.slice(0, 1) : data);
}

function aiSdkModel({ error }: RawSpan, attributes: Attributes): SeenModel {
  const [text, object, calls] = [AI_SDK.text, AI_SDK.object, AI_SDK.toolCalls].map((key) => attributes.get(key));
  const isAnswered = error === undefined && [text, object, calls].some((part) => part !== undefined);
  const turn = turnsOf([{ role: "assistant", content: text ?? object ?? "", toolCalls: unpacked(calls) }]).at(0);
  return {
    kind: "model",
    provider: nameIn(attributes, [AI_SDK.provider]),
    model: nameIn(attributes, [AI_SDK.model]),
    turns: turnsOf(attributes.get(AI_SDK.messages)),
    request: requestOf(
      new Map([...attributes, ["ai.settings.model", attributes.get(AI_SDK.model)]]),
      "ai.settings.",
      AI_SDK.tools,
    ),
    answer:
      turn === undefined || !isAnswered
        ? undefined
        : {
            text: turn.text,
            toolCalls: turn.toolCalls,
            reasoning: nameIn(attributes, [AI_SDK.reasoning]) ?? "",
            finish: nameIn(attributes, [AI_SDK.finish]),
            id: nameIn(attributes, [AI_SDK.responseId]),
            usage: countedUsage(firstOf(attributes, AI_SDK.inputTokens), firstOf(attributes, AI_SDK.outputTokens)),
          },
    error,
  };
}

/** Reads the parts of a request from the attributes with a prefix. */
function requestOf(attributes: Attributes, prefix: string, tools: string): ModelRequestFacts {
  const fields = [...attributes].flatMap(([key, value]) =>
    key.startsWith(prefix) ? [[key.slice(prefix.length), value] as const] : [],
  );
  return requestFacts({ ...Object.fromEntries(fields), tools: attributes.get(tools) });
}

function listOf(value: unknown): unknown {
  const data = unpacked(value);
  return typeof data === "string" ? [{ type: "text", content: data }] : (data ?? []);
}

function finishIn(value: unknown): string | undefined {
  const data = unpacked(value);
  const first: unknown = isArray(data) ? data[0] : data;
  return typeof first === "string" ? first : undefined;
}

function firstOf(attributes: Attributes, names: readonly string[]): unknown {
  return names.map((name) => attributes.get(name)).find((value) => value !== undefined);
}

function nameIn(attributes: Attributes, names: readonly string[]): string | undefined {
  const value = firstOf(attributes, names);
  return typeof value === "string" ? value : undefined;
}
