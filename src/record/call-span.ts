import type { CallRole } from "../kernel/call-role.ts";
import { TAG, isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { GEN_AI, GEN_AI_OPERATION, VERITEST } from "../kernel/telemetry/attributes.ts";
import { capturesContent, contentText, messagesOf, partsOf } from "../kernel/telemetry/content.ts";
import { isMeasuring, measure, addToCounter } from "../kernel/telemetry/metrics.ts";
import type { OtelContext, OtelSpan } from "../kernel/telemetry/otel.ts";
import { activeContext, runIn, spanOf, watchSpans } from "../kernel/telemetry/span-context.ts";
import { type Facts, SPAN_KIND, isTracing, recordPastSpan } from "../kernel/telemetry/spans.ts";
import { type AdapterCall, RESPONSE_MARK } from "./adapter-call.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import { isModelCall } from "./model-call.ts";
import { modelCallUsages } from "./model-usage.ts";

/** Span of a live call, `chat` or `execute_tool`, which ends when the call does. */
export interface CallSpan {
  /** Makes the call, and sees who else traces it meanwhile. */
  readonly runInScope: <T>(call: () => T) => T;
  /** The call is over; only the first end counts. */
  readonly end: (outcome: Pick<AdapterCall, "response" | "error">) => void;
}

/** A call as it begins, redacted as it is recorded. */
export interface BegunCall extends Pick<AdapterCall, "adapter" | "request" | "occurrence"> {
  readonly role?: CallRole;
}

/**
 * Begins to trace a live call of a model or a tool; undefined if no tracer is active, and for calls of other adapters.
 *
 * The span is made when the call is over, and only if no other instrumentation made one of the same kind around the
 * call or within it: one call is one span, whichever library reports it.
 */
export function beginCallSpan(call: BegunCall): CallSpan | undefined {
  if (!isTracing() && !isMeasuring()) return undefined;
  addToCounter("calls", 1, { [VERITEST.callSource]: "live" });
  const kind = kindOf(call);
  return kind === undefined ? undefined : new TracedCall(call, kind);
}

type CallKind = "chat" | "executeTool";

/** A marked tool declares its kind; of other adapters, a model is recognized by its name or its request. */
function kindOf(call: BegunCall): CallKind | undefined {
  // Uses of a response belong to the call that returned it.
  if (RESPONSE_MARK.test(call.adapter)) return undefined;
  if (call.role === "read" || call.role === "write") return "executeTool";
  return isModelCall(call) ? "chat" : undefined;
}

class TracedCall implements CallSpan {
  readonly #call: BegunCall;
  readonly #kind: CallKind;
  readonly #startedAt: number = Date.now();
  readonly #context: OtelContext = activeContext();
  readonly #others: OtelSpan[];
  #ended = false;

  constructor(call: BegunCall, kind: CallKind) {
    this.#call = call;
    this.#kind = kind;
    const around = spanOf(this.#context);
    this.#others = around === undefined ? [] : [around];
  }

  runInScope<T>(call: () => T): T {
    return runIn(
      watchSpans(this.#context, (span) => this.#others.push(span)),
      call,
    );
  }

  end({ response, error }: Pick<AdapterCall, "response" | "error">): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#others.some((span) => isSpanOf(span, this.#kind))) return;
    const call: AdapterCall = { ...this.#call, returns: "promise", response };
    const facts = withoutSecrets(this.#kind === "chat" ? chatFacts(call) : toolFacts(call));
    recordPastSpan({
      name: nameOf(this.#kind, facts),
      kind: this.#kind === "chat" ? SPAN_KIND.client : SPAN_KIND.internal,
      startedAt: this.#startedAt,
      context: this.#context,
      facts: {
        [GEN_AI.operation]: GEN_AI_OPERATION[this.#kind],
        [VERITEST.adapter]: currentRedactor().redactText(call.adapter),
        ...facts,
      },
      failed: error === undefined ? undefined : { code: errorCode(error) },
    });
    if (this.#kind === "chat") countTokens(facts);
  }
}

/** Redacts facts: a recording may keep its secrets (`redact: false`), a span never does. */
function withoutSecrets(facts: Facts): Facts {
  const redactor = currentRedactor();
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === "string" ? redactor.redactText(value) : value,
    ]),
  );
}

/** Content as JSON, without secrets: those that detectors match in texts, and those under secret names. */
function content(value: unknown): string | undefined {
  return contentText(currentRedactor().redact(value, []).value);
}

function nameOf(kind: CallKind, facts: Facts): string {
  const of = kind === "chat" ? facts[GEN_AI.requestModel] : facts[GEN_AI.toolName];
  return typeof of === "string" ? `${GEN_AI_OPERATION[kind]} ${of}` : GEN_AI_OPERATION[kind];
}

/** Names of the same operations in the conventions, the AI SDK 5 and 6, OpenInference, OpenLLMetry. */
const SAME: Readonly<Record<CallKind, RegExp>> = {
  chat: /^(?:chat|generate_content|text_completion|LLM|completion|ai\.(?:generate|stream)(?:Text|Object)\.do\w+)$/,
  executeTool: /^(?:execute_tool|TOOL|tool|ai\.toolCall)$/,
};

const OUTPUT_FIELDS = [
  GEN_AI.operation,
  "ai.operationId",
  "openinference.span.kind",
  "llm.request.type",
  "traceloop.span.kind",
];

/** Returns true if a span of another library is of such a call. Only recording spans have readable attributes. */
function isSpanOf(span: OtelSpan, kind: CallKind): boolean {
  const attributes: unknown = Reflect.get(span, "attributes");
  const operations = isPlainObject(attributes) ? OUTPUT_FIELDS.map((name) => attributes[name]) : [];
  const name: unknown = Reflect.get(span, "name");
  const [first] = typeof name === "string" ? name.split(" ") : [];
  return [...operations, first].some((word) => typeof word === "string" && SAME[kind].test(word));
}

function chatFacts(call: AdapterCall): Facts {
  const request = requestOf(call.request);
  const [question] = modelCallUsages([call]);
  const { input, output } = question?.tokens ?? {};
  const response = isPlainObject(call.response) ? call.response : {};
  return {
    [GEN_AI.provider]: request.provider ?? providerOf(call.adapter),
    [GEN_AI.requestModel]: request.model,
    [GEN_AI.responseModel]: textIn(response, "model"),
    [GEN_AI.responseId]: textIn(response, "id"),
    [GEN_AI.usageInputTokens]: input,
    [GEN_AI.usageOutputTokens]: output,
    ...(capturesContent() && {
      [GEN_AI.inputMessages]: content(messagesOf(request.messages) ?? call.request),
      [GEN_AI.outputMessages]: content(outputOf(call.response)),
      [GEN_AI.systemInstructions]: request.system,
      [GEN_AI.toolDefinitions]: request.tools === undefined ? undefined : content(request.tools),
    }),
  };
}

function toolFacts({ adapter, request, response }: AdapterCall): Facts {
  const [input] = isArray(request) ? request : [];
  return {
    [GEN_AI.toolName]: adapter.split(".").at(-1),
    [GEN_AI.toolType]: "function",
    ...(capturesContent() && {
      [GEN_AI.toolCallArguments]: content(input),
      [GEN_AI.toolCallResult]: content(response),
    }),
  };
}

interface Question {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly messages: unknown;
  readonly system: string | undefined;
  readonly tools: unknown;
}

/** Fields of a request, in the form of the AI SDK, of a provider's client, or of HTTP. */
function requestOf(request: unknown): Question {
  const [first] = isArray(request) ? request : [];
  const whole = isPlainObject(first) ? first : {};
  const params = [whole["params"], bodyOf(whole["body"])].find(isPlainObject) ?? whole;
  const system = params["system"] ?? params["instructions"];
  return {
    provider: textIn(whole, "provider")?.split(".")[0],
    model: textIn(whole, "modelId") ?? textIn(params, "model"),
    messages: params["messages"] ?? params["prompt"] ?? params["input"],
    system: system === undefined ? undefined : content(partsOf(system)),
    tools: params["tools"],
  };
}

/** The JSON of a recorded HTTP body. */
function bodyOf(body: unknown): unknown {
  return isPlainObject(body) && isPlainObject(body["json"]) ? body["json"] : body;
}

function outputOf(response: unknown): unknown {
  if (!isPlainObject(response)) return messagesOf(response) ?? response;
  const { content, choices } = response;
  if (typeof content === "string" || isArray(content)) return messagesOf([{ role: "assistant", content }]) ?? response;
  const messages = isArray(choices)
    ? choices.map((choice) => (isPlainObject(choice) ? choice["message"] : choice))
    : [];
  return (messages.length > 0 ? messagesOf(messages) : undefined) ?? response;
}

/** Provider whose client has such a method. */
function providerOf(adapter: string): string | undefined {
  if (/(?:^|\.)messages\.\w+$/.test(adapter)) return "anthropic";
  if (/(?:^|\.)(?:completions|responses)\.\w+$/.test(adapter)) return "openai";
  return /(?:^|\.)generateContent/.test(adapter) ? "gcp.gemini" : undefined;
}

/** An error by its code, its status or its name, which are words; its message is content. */
function errorCode(error: unknown): string {
  const value = isPlainObject(error) && error[TAG] === "error" ? error["v"] : undefined;
  const fields = isPlainObject(value) ? value : {};
  const data = isPlainObject(fields["data"]) ? fields["data"] : {};
  const words = [data["code"], data["status"], fields["name"]].flatMap((part) =>
    typeof part === "number" || (typeof part === "string" && part !== "Error") ? [String(part)] : [],
  );
  return words.find((word) => /^[\w.-]{1,64}$/.test(word)) ?? "_OTHER";
}

function countTokens(facts: Facts): void {
  for (const [type, name] of [
    ["input", GEN_AI.usageInputTokens],
    ["output", GEN_AI.usageOutputTokens],
  ] as const) {
    const tokens = facts[name];
    if (typeof tokens !== "number") continue;
    const model = facts[GEN_AI.requestModel];
    const provider = facts[GEN_AI.provider];
    measure("tokens", tokens, {
      [GEN_AI.operation]: GEN_AI_OPERATION.chat,
      [GEN_AI.tokenType]: type,
      [GEN_AI.provider]: typeof provider === "string" ? provider : "_OTHER",
      ...(typeof model === "string" && { [GEN_AI.requestModel]: model }),
    });
  }
}

function textIn(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}
