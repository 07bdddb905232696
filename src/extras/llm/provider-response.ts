import type { Result } from "../../kernel/result.ts";
import { errorStatusAt, textAt } from "./read-body.ts";
import type { LLMUsage, StopReason } from "./response.ts";

/** A tool call as a provider returns it: its input as a value, or as unparsed JSON text. */
export type RequestedTool =
  | { readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly id: string; readonly name: string; readonly json: string };

/** A provider's response in one form. Texts that the provider omitted are empty. */
export interface ProviderResponse {
  readonly id: string;
  /** Model that responded. */
  readonly model: string;
  readonly content: string;
  /** Text of the model's refusal. */
  readonly refusal: string;
  readonly tools: readonly RequestedTool[];
  readonly stop: StopReason;
  /** Reason for `stop`, as the provider names it. */
  readonly reason: string;
  readonly usage: LLMUsage;
}

/** Problem of a body without a response: the provider's code, or the status of an error, and its message. */
export interface BodyProblem {
  readonly code: string | number;
  readonly message: string;
}

/** Reads a provider's body. */
export type ReadBody = (body: unknown) => Result<ProviderResponse, BodyProblem>;

/** Code of a body that doesn't have the documented form. */
export const MALFORMED = "malformed_body";

/**
 * Returns the problem of a body without a response; `missing` is the message of one without an error. Gateways report
 * errors with status 200, some of them with the actual status as the code.
 */
export function problemOf(body: unknown, missing: string): BodyProblem {
  const code = textAt(body, "error", "code") || textAt(body, "error", "type") || MALFORMED;
  return {
    code: errorStatusAt(body, "error", "code") ?? code,
    message: textAt(body, "error", "message") || missing,
  };
}

/** Assembles the chunks of a streamed response. */
export interface StreamFold {
  /** Takes a chunk; returns the text that it adds, which is often empty. */
  readonly add: (chunk: unknown) => string;
  /**
   * Body that the provider would have sent in one piece; undefined if the stream ended before the response. Throws an
   * error that the stream reported.
   */
  readonly body: () => unknown;
}

/** One request to one provider, ready to be sent. */
export interface Exchange {
  readonly provider: string;
  /** Requested model. */
  readonly model: string;
  /** Request as it's sent. */
  readonly body: object;
  readonly send: (signal: AbortSignal | undefined) => Promise<Sent>;
  readonly read: ReadBody;
  readonly fold: () => StreamFold;
}

/** Result of sending: a body, or the chunks of a stream. */
export interface Sent {
  readonly data: unknown;
  readonly requestId: string;
}
