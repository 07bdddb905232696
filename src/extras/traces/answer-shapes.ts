import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { ok } from "../../kernel/result.ts";
import { unpacked } from "./json-items.ts";
import type { ModelAnswer, SeenModel } from "./observation.ts";

/** An answer, and which model gave it. */
type Answered = Pick<SeenModel, "provider" | "model"> & { readonly answer: ModelAnswer };

type Shape = (answered: Answered) => unknown;

/**
 * Ways in which a method of unknown kind may answer for a model: as the provider's own object, as data, as text, as
 * fields, as a message, as `veritest/llm` does. Which it is shows in what today's step makes of it.
 */
export const DIALECTS = ["raw", "data", "text", "fields", "message", "llm", "openai", "anthropic"] as const;

/** One of {@link DIALECTS}. */
export type AnswerDialect = (typeof DIALECTS)[number];

/** An answer in the shape that a method gives: by its path where that says it, else by the dialect. */
export function shapedAnswer(path: string, answered: Answered, dialect: AnswerDialect): unknown {
  return (knownShape(path) ?? DIALECT_SHAPES[dialect])(answered);
}

/** The shape that a path of adapters, or of a URL, tells; undefined where it tells none. */
export function knownShape(path: string): Shape | undefined {
  return PATHS.find(([pattern]) => pattern.test(path))?.[1];
}

/** The finish of an answer in one vocabulary. */
type Finish = "stop" | "length" | "tool" | "filter";

function finishOf({ finish, asked }: ModelAnswer): Finish {
  if (asked.length > 0) return "tool";
  if (/length|max_tokens/.test(finish ?? "")) return "length";
  return /filter|refus/.test(finish ?? "") ? "filter" : "stop";
}

const AI_SDK_FINISH = { stop: "stop", length: "length", tool: "tool-calls", filter: "content-filter" } as const;
const OPENAI_FINISH = { stop: "stop", length: "length", tool: "tool_calls", filter: "content_filter" } as const;
const ANTHROPIC_FINISH = { stop: "end_turn", length: "max_tokens", tool: "tool_use", filter: "refusal" } as const;
const LLM_STOP = { stop: "stop", length: "length", tool: "tool", filter: "refusal" } as const;

/** What a model of the AI SDK gives, of its specifications 3 and 4. */
export function aiSdkResult({ answer, model }: Answered): object {
  const { text, reasoning, asked, usage, finish, id } = answer;
  return {
    content: [
      ...(reasoning === "" ? [] : [{ type: "reasoning", text: reasoning }]),
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...asked.map(({ id: toolCallId, name, args }) => ({
        type: "tool-call",
        toolCallId,
        toolName: name,
        input: JSON.stringify(args),
      })),
    ],
    finishReason: { unified: AI_SDK_FINISH[finishOf(answer)], raw: finish ?? AI_SDK_FINISH[finishOf(answer)] },
    usage: {
      inputTokens: { total: usage.input, noCache: usage.input, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: usage.output, text: usage.output, reasoning: 0 },
    },
    warnings: [],
    response: { ...(id === undefined ? {} : { id }), ...(model === undefined ? {} : { modelId: model }) },
  };
}

/** The same as a stream gives it, the whole text in one piece. */
export function aiSdkStream(answered: Answered): { readonly stream: ReadableStream<unknown> } {
  const { text, reasoning, asked } = answered.answer;
  const {
    finishReason,
    usage,
    response,
  }: { readonly finishReason?: unknown; readonly usage?: unknown; readonly response?: unknown } = aiSdkResult(answered);
  const block = (type: "text" | "reasoning", delta: string): readonly object[] =>
    delta === ""
      ? []
      : [
          { type: `${type}-start`, id: type },
          { type: `${type}-delta`, id: type, delta },
          { type: `${type}-end`, id: type },
        ];
  const parts = [
    { type: "stream-start", warnings: [] },
    { type: "response-metadata", ...(isPlainObject(response) ? response : {}) },
    ...block("reasoning", reasoning),
    ...block("text", text),
    ...asked.map(({ id: toolCallId, name, args }) => ({
      type: "tool-call",
      toolCallId,
      toolName: name,
      input: JSON.stringify(args),
    })),
    { type: "finish", finishReason, usage },
  ];
  return { stream: ReadableStream.from(parts) };
}

/** What a model of OpenAI Agents gives. */
export function agentsResult({ answer }: Answered): object {
  const { text, asked, usage, id } = answer;
  const { input, output } = usage;
  return {
    usage: { requests: 1, inputTokens: input, outputTokens: output, totalTokens: input + output },
    output: [
      ...(text === ""
        ? []
        : [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] }]),
      ...asked.map(({ id: callId, name, args }) => ({
        type: "function_call",
        callId,
        name,
        status: "completed",
        arguments: JSON.stringify(args),
      })),
    ],
    ...(id === undefined ? {} : { responseId: id }),
  };
}

const messageShape: Shape = ({ answer: { text, asked } }) => ({
  role: "assistant",
  content: text === "" && asked.length > 0 ? null : text,
  refusal: null,
  ...(asked.length > 0 && {
    tool_calls: asked.map(({ id, name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    })),
  }),
});

const completionShape: Shape = (answered) => {
  const { answer, model } = answered;
  const { raw, id, usage } = answer;
  if (isPlainObject(raw) && "choices" in raw) return raw;
  return {
    id: id ?? "imported",
    object: "chat.completion",
    created: 0,
    model: model ?? "",
    choices: [
      { index: 0, message: messageShape(answered), finish_reason: OPENAI_FINISH[finishOf(answer)], logprobs: null },
    ],
    usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
  };
};

const responseShape: Shape = ({ answer, model }) => {
  const { raw, id, text, asked, usage } = answer;
  if (isPlainObject(raw) && "output" in raw) return { ...raw, output_text: text };
  return {
    id: id ?? "imported",
    object: "response",
    created_at: 0,
    model: model ?? "",
    status: "completed",
    error: null,
    incomplete_details: null,
    output: [
      ...(text === ""
        ? []
        : [
            {
              id: "msg_1",
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text, annotations: [] }],
            },
          ]),
      ...asked.map(({ id: callId, name, args }) => ({
        id: `fc_${callId}`,
        type: "function_call",
        call_id: callId,
        name,
        arguments: JSON.stringify(args),
        status: "completed",
      })),
    ],
    output_text: text,
    usage: { input_tokens: usage.input, output_tokens: usage.output, total_tokens: usage.input + usage.output },
  };
};

const anthropicShape: Shape = ({ answer, model }) => ({
  id: answer.id ?? "imported",
  type: "message",
  role: "assistant",
  model: model ?? "",
  content: [
    ...(answer.text === "" ? [] : [{ type: "text", text: answer.text }]),
    ...answer.asked.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
  ],
  stop_reason: ANTHROPIC_FINISH[finishOf(answer)],
  stop_sequence: null,
  usage: { input_tokens: answer.usage.input, output_tokens: answer.usage.output },
});

const llmShape: Shape = ({ answer, model, provider }) => {
  const { text, asked, usage, id } = answer;
  const counts = { input: usage.input, output: usage.output, cacheRead: 0, cacheWrite: 0, reasoning: 0, raw: null };
  return ok({
    content: text,
    ...(asked.length > 0 && {
      toolCalls: asked.map(({ id: callId, name, args }) => ({ id: callId, name, input: args })),
    }),
    trace: {
      model: model ?? "",
      provider: provider ?? "",
      promptTokens: usage.input,
      completionTokens: usage.output,
      durationMs: 0,
      inputHash: "",
      outputHash: "",
      requestHash: "",
      stop: LLM_STOP[finishOf(answer)],
      usage: counts,
      ...(id === undefined ? {} : { responseId: id }),
    },
  });
};

const fieldsShape: Shape = ({ answer: { text, asked } }) => ({
  text,
  ...(asked.length > 0 && { toolCalls: asked.map(({ id, name, args }) => ({ id, name, args })) }),
});

const DIALECT_SHAPES: Readonly<Record<AnswerDialect, Shape>> = {
  raw: (answered) => answered.answer.raw ?? answered.answer.text,
  data: ({ answer: { text } }) => unpacked(text),
  text: ({ answer: { text } }) => text,
  fields: fieldsShape,
  message: messageShape,
  llm: llmShape,
  openai: completionShape,
  anthropic: anthropicShape,
};

/** What a path ends in, of clients and of their URLs, and what is answered there. */
const PATHS: readonly (readonly [RegExp, Shape])[] = [
  [/(?:^|\.)doGenerate$/, aiSdkResult],
  [/(?:^|\.)doStream$/, aiSdkStream],
  [/chat[./]completions(?:\.(?:create|parse))?$/, completionShape],
  [/(?:^|[./])responses(?:\.(?:create|parse))?$/, responseShape],
  [/(?:^|[./])messages(?:\.create)?$/, anthropicShape],
];
