import type { Result } from "../../kernel/result.ts";
import type { LLMUsage, StopReason } from "./response.ts";

/** A tool call as a provider tells it: its input as a value, or as JSON text still to be parsed. */
export type AskedTool =
  | { readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly id: string; readonly name: string; readonly json: string };

/** A provider's answer in one form. Texts the provider left out are empty. */
export interface Answer {
  readonly id: string;
  /** The model that answered. */
  readonly model: string;
  readonly content: string;
  /** The words in which the model refused. */
  readonly refusal: string;
  readonly tools: readonly AskedTool[];
  readonly stop: StopReason;
  /** The provider's own word for `stop`. */
  readonly reason: string;
  readonly usage: LLMUsage;
}

/** Why a body holds no answer: the provider's code, where it gave one, and its words. */
export interface BodyProblem {
  readonly code: string;
  readonly message: string;
}

/** Reads a provider's body. */
export type ReadBody = (body: unknown) => Result<Answer, BodyProblem>;

/** The code of a body that does not have the form its provider documents. */
export const MALFORMED = "malformed_body";

/** Puts the chunks of a streamed answer back together. */
export interface StreamFold {
  /** Takes a chunk; gives back the text it adds, empty for most. */
  readonly add: (chunk: unknown) => string;
  /**
   * The body the provider would have sent in one piece; undefined when the stream ended before the answer did. Throws
   * what the stream reported as an error.
   */
  readonly body: () => unknown;
}

/** One request to one provider, ready to be sent. */
export interface Exchange {
  readonly provider: string;
  /** The model that is asked. */
  readonly model: string;
  /** The request as it is sent. */
  readonly body: object;
  readonly send: (signal: AbortSignal | undefined) => Promise<Sent>;
  readonly read: ReadBody;
  readonly fold: () => StreamFold;
}

/** What came back: a body, or the chunks of a stream. */
export interface Sent {
  readonly data: unknown;
  readonly requestId: string;
}
