import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { recordIn, recordsIn } from "../../kernel/json/read-data.ts";
import { ok } from "../../kernel/result.ts";
import { unpacked } from "./json-items.ts";
import type { ModelAnswer, SeenModel } from "./observation.ts";

/** A response, and the model that gave it. */
type ModelResponse = Pick<SeenModel, "provider" | "model"> & { readonly answer: ModelAnswer };

type Shape = (answered: ModelResponse) => unknown;

/**
 * Shapes in which a method of unknown kind may return a model's response: the provider's own object, data, text,
 * fields, a message, or the shape of `veritest/llm`. The right one shows in the output of the current step.
 */
export const DIALECTS = ["raw", "data", "text", "fields", "message", "llm", "openai", "anthropic"] as const;

/** One of {@link DIALECTS}. */
export type ResponseDialect = (typeof DIALECTS)[number];

/** Returns a response in the shape that a method returns: the path decides if it's known, otherwise the dialect. */
export function shapedResponse(path: string, answered: ModelResponse, dialect: ResponseDialect): unknown {
  return (knownShape(path) ?? DIALECT_SHAPES[dialect])(answered);
}

/** Shape that a path of adapters or of a URL implies; undefined if it implies none. */
export function knownShape(path: string): Shape | undefined {
  return PATHS.find(([pattern]) => pattern.test(path))?.[1];
}

/** Reasons why a response ended, in one vocabulary. */
type Finish = "stop" | "length" | "tool" | "filter";

function finishOf({ finish, toolCalls }: ModelAnswer): Finish {
  if (toolCalls.length > 0) return "tool";
  if (/length|max_tokens/i.test(finish ?? "")) return "length";
  return /filter|refus|safety/i.test(finish ?? "") ? "filter" : "stop";
}

const AI_SDK_FINISH = { stop: "stop", length: "length", tool: "tool-calls", filter: "content-filter" } as const;
const OPENAI_FINISH = { stop: "stop", length: "length", tool: "tool_calls", filter: "content_filter" } as const;
const ANTHROPIC_FINISH = { stop: "end_turn", length: "max_tokens", tool: "tool_use", filter: "refusal" } as const;
const GEMINI_FINISH = { stop: "STOP", length: "MAX_TOKENS", tool: "STOP", filter: "SAFETY" } as const;
const LLM_STOP = { stop: "stop", length: "length", tool: "tool", filter: "refusal" } as const;

/** Result of a model of the AI SDK, by its specifications 3 and 4. */
export function aiSdkResult({ answer, model }: ModelResponse): object {
  const { text, reasoning, toolCalls, usage, finish, id } = answer;
  return {
    content: [
      ...(reasoning === "" ? [] : [{ type: "reasoning", text: reasoning }]),
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...toolCalls.map(({ id: toolCallId, name, args }) => ({
        type: "tool-call",
        toolCallId,
        toolName: name,
        input: JSON.stringify(args),
      })),
    ],
    finishReason: { unified: AI_SDK_FINISH[finishOf(answer)], raw: finish ?? AI_SDK_FINISH[finishOf(answer)] },
    usage:
      usage === undefined
        ? { inputTokens: {}, outputTokens: {} }
        : {
            inputTokens: { total: usage.input, noCache: usage.input, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: usage.output, text: usage.output, reasoning: 0 },
          },
    warnings: [],
    response: { ...(id === undefined ? {} : { id }), ...(model === undefined ? {} : { modelId: model }) },
  };
}

/** Returns the same as a stream, with the text in one piece. */
export function aiSdkStream(answered: ModelResponse): { readonly stream: ReadableStream<unknown> } {
  const { content, finishReason, usage, response } = recordIn(aiSdkResult(answered));
  const parts = [
    { type: "stream-start", warnings: [] },
    { type: "response-metadata", ...recordIn(response) },
    ...recordsIn(content).flatMap(({ text: delta, ...part }) => {
      const id = String(part["type"]);
      if (delta === undefined) return [part];
      return [
        { type: `${id}-start`, id },
        { type: `${id}-delta`, id, delta },
        { type: `${id}-end`, id },
      ];
    }),
    { type: "finish", finishReason, usage },
  ];
  return { stream: ReadableStream.from(parts) };
}

/** Result of a model of OpenAI Agents. */
export function agentsResult({ answer }: ModelResponse): object {
  const { text, toolCalls, usage, id } = answer;
  return {
    usage: {
      requests: 1,
      ...(usage && { inputTokens: usage.input, outputTokens: usage.output, totalTokens: usage.input + usage.output }),
    },
    output: [
      ...(text === ""
        ? []
        : [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] }]),
      ...toolCalls.map(({ id: callId, name, args }) => ({
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

const messageShape: Shape = ({ answer: { text, toolCalls } }) => ({
  role: "assistant",
  content: text === "" && toolCalls.length > 0 ? null : text,
  refusal: null,
  ...(toolCalls.length > 0 && {
    tool_calls: toolCalls.map(({ id, name, args }) => ({
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
    ...(usage && {
      usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
    }),
  };
};

const responseShape: Shape = ({ answer, model }) => {
  const { raw, id, text, toolCalls, usage } = answer;
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
      ...toolCalls.map(({ id: callId, name, args }) => ({
        id: `fc_${callId}`,
        type: "function_call",
        call_id: callId,
        name,
        arguments: JSON.stringify(args),
        status: "completed",
      })),
    ],
    output_text: text,
    ...(usage && {
      usage: { input_tokens: usage.input, output_tokens: usage.output, total_tokens: usage.input + usage.output },
    }),
  };
};

const anthropicShape: Shape = ({ answer, model }) => ({
  id: answer.id ?? "imported",
  type: "message",
  role: "assistant",
  model: model ?? "",
  content: [
    ...(answer.text === "" ? [] : [{ type: "text", text: answer.text }]),
    ...answer.toolCalls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
  ],
  stop_reason: ANTHROPIC_FINISH[finishOf(answer)],
  stop_sequence: null,
  // The SDK reads the fields of this object, so it isn't left out.
  usage: { input_tokens: answer.usage?.input ?? null, output_tokens: answer.usage?.output ?? null },
});

const functionCallsOf = ({ toolCalls }: ModelAnswer): readonly object[] =>
  toolCalls.map(({ id, name, args }) => ({ ...(id === "" ? {} : { id }), name, args }));

/** Body of Gemini's API. */
const geminiBody = ({ answer, model }: ModelResponse): object => ({
  candidates: [
    {
      content: {
        role: "model",
        parts: [
          ...(answer.text === "" ? [] : [{ text: answer.text }]),
          ...functionCallsOf(answer).map((functionCall) => ({ functionCall })),
        ],
      },
      finishReason: GEMINI_FINISH[finishOf(answer)],
      index: 0,
    },
  ],
  ...(model === undefined ? {} : { modelVersion: model }),
  ...(answer.usage && {
    usageMetadata: {
      promptTokenCount: answer.usage.input,
      candidatesTokenCount: answer.usage.output,
      totalTokenCount: answer.usage.input + answer.usage.output,
    },
  }),
});

/** The same with the fields that Google's SDK adds. */
const geminiResult: Shape = (answered) => {
  const { text } = answered.answer;
  const functionCalls = functionCallsOf(answered.answer);
  return {
    ...geminiBody(answered),
    ...(text === "" ? {} : { text }),
    ...(functionCalls.length > 0 && { functionCalls }),
  };
};

const llmShape: Shape = ({ answer, model, provider }) => {
  const { text, toolCalls, usage, id } = answer;
  const { input = 0, output = 0 } = usage ?? {};
  // Without `raw`, the zeros aren't counts.
  const counts = { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0, raw: usage ?? null };
  return ok({
    content: text,
    ...(toolCalls.length > 0 && {
      toolCalls: toolCalls.map(({ id: callId, name, args }) => ({ id: callId, name, input: args })),
    }),
    trace: {
      model: model ?? "",
      provider: provider ?? "",
      promptTokens: input,
      completionTokens: output,
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

const fieldsShape: Shape = ({ answer: { text, toolCalls } }) => ({
  text,
  ...(toolCalls.length > 0 && { toolCalls: toolCalls.map(({ id, name, args }) => ({ id, name, args })) }),
});

const DIALECT_SHAPES: Readonly<Record<ResponseDialect, Shape>> = {
  raw: (answered) => answered.answer.raw ?? answered.answer.text,
  data: ({ answer: { text } }) => unpacked(text),
  text: ({ answer: { text } }) => text,
  fields: fieldsShape,
  message: messageShape,
  llm: llmShape,
  openai: completionShape,
  anthropic: anthropicShape,
};

/** Endings of paths of clients and of their URLs, with the shape of their responses. */
const PATHS: readonly (readonly [RegExp, Shape])[] = [
  [/(?:^|\.)doGenerate$/, aiSdkResult],
  [/(?:^|\.)doStream$/, aiSdkStream],
  [/chat[./]completions(?:\.(?:create|parse))?$/, completionShape],
  [/(?:^|[./])responses(?:\.(?:create|parse))?$/, responseShape],
  [/(?:^|[./])messages(?:\.create)?$/, anthropicShape],
  [/:generateContent$/, geminiBody],
  [/(?:^|\.)generateContent$/, geminiResult],
];
