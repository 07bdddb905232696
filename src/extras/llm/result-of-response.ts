import { parsedJson } from "../../kernel/json/plain-data.ts";
import { hashValueSync } from "../../kernel/json/hash.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote, truncate } from "../../kernel/text.ts";
import type { ProviderResponse, RequestedTool } from "./provider-response.ts";
import { inputContent, outputContentOf } from "./call-content.ts";
import type { LLMError, LLMErrorCode } from "./llm-error.ts";
import type { LLMResult } from "./provider.ts";
import type { LLMRequest, LLMToolCall } from "./request.ts";
import type { LLMResponse, StopReason } from "./response.ts";

/** A completed call: its request, the body as sent, and its duration. */
export interface CompletedCall {
  readonly provider: string;
  readonly request: LLMRequest;
  /** Requested model. */
  readonly model: string;
  /** Request as it was sent. */
  readonly sent: object;
  readonly requestId: string;
  readonly durationMs: number;
  /** Body to store with the trace; undefined if not wanted. */
  readonly rawOutput?: unknown;
}

const MAX_SHOWN = 200;

/** Checks a response: an incomplete one (truncated, refused, filtered, paused) is an error that includes it. */
export function resultOfResponse(answer: ProviderResponse, call: CompletedCall): LLMResult {
  // A forced tool call ends with OpenAI's word for an ordinary end.
  const stop = answer.stop === "stop" && answer.tools.length > 0 ? "tool" : answer.stop;
  const tools = parseTools(answer.tools);
  const response = responseOf({ ...answer, stop }, tools.ok ? tools.value : [], call);
  const failed = errorOfStop(stop, answer) ?? (tools.ok ? undefined : tools.error);
  if (failed === undefined) return ok(response);
  const { provider } = call;
  return err({ ...failed, message: `${provider}: ${failed.message}`, provider, ...requestIdOf(call), response });
}

function responseOf(answer: ProviderResponse, toolCalls: readonly LLMToolCall[], call: CompletedCall): LLMResponse {
  const { content, usage, stop } = answer;
  const output = { content, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
  return {
    ...output,
    trace: {
      provider: call.provider,
      model: answer.model === "" ? call.model : answer.model,
      promptTokens: usage.input,
      completionTokens: usage.output,
      durationMs: call.durationMs,
      inputHash: hashValueSync(inputContent(call.request)),
      outputHash: hashValueSync(outputContentOf({ ...output, trace: { stop } })),
      usage,
      stop,
      requestHash: hashValueSync(call.sent),
      ...requestIdOf(call),
      ...(answer.id === "" ? {} : { responseId: answer.id }),
      ...(call.rawOutput === undefined ? {} : { input: call.sent, output: call.rawOutput }),
    },
  };
}

type StopError = Pick<LLMError, "code" | "message" | "retryable">;

function errorOfStop(stop: StopReason, answer: ProviderResponse): StopError | undefined {
  const fail = (code: LLMErrorCode, message: string): StopError => ({ code, message, retryable: false });
  switch (stop) {
    case "stop":
    case "tool":
      return undefined;
    case "length":
      return fail(
        "truncated",
        `the response was cut off after ${answer.usage.output} tokens (${shown(answer.reason)}). ` +
          "Increase maxTokens, or request a shorter response.",
      );
    case "refusal":
      return fail(
        "refused",
        `the model refused${answer.refusal === "" ? "" : `: ${shown(answer.refusal)}`}. Change the messages.`,
      );
    case "filter":
      return fail("filtered", `the provider withheld the response (${shown(answer.reason)}). Change the messages.`);
    case "paused":
      return fail(
        "paused",
        `the response isn't finished (${shown(answer.reason)}). Continue it, or request a shorter response.`,
      );
    case "unknown":
      return fail("provider_error", `the response ended for the unknown reason ${shown(answer.reason)}.`);
  }
}

function parseTools(tools: readonly RequestedTool[]): Result<readonly LLMToolCall[], StopError> {
  const calls: LLMToolCall[] = [];
  for (const tool of tools) {
    const { id, name } = tool;
    // A tool without parameters may have no text at all.
    const input = "json" in tool ? parsedJson(tool.json || "{}") : tool.input;
    if ("json" in tool && input === undefined) {
      const message = `the input of the tool ${shown(name)} isn't JSON: ${shown(tool.json)}. Retry.`;
      return err({ code: "json_error", message, retryable: true });
    }
    calls.push({ id, name, input });
  }
  return ok(calls);
}

function shown(text: string): string {
  return quote(truncate(text, MAX_SHOWN));
}

function requestIdOf({ requestId }: Pick<CompletedCall, "requestId">): { readonly requestId?: string } {
  return requestId === "" ? {} : { requestId };
}
