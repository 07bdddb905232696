/** A span, run, observation or stored completion. Records of every source are converted to these. */
export interface Observation {
  readonly trace: string;
  readonly id: string;
  /** Id of the parent; undefined if the observation doesn't have a parent. */
  readonly parent?: string | undefined;
  /** Names that may identify the step. Names from a user come before generated names. */
  readonly names: readonly string[];
  /** Step that the observation names explicitly. */
  readonly step?: string | undefined;
  /** Unix time in milliseconds, with fractions; 0 if unknown. */
  readonly start: number;
  /** True for a log record of a span: its time isn't the span's start. */
  readonly isLog?: boolean;
  /** Input and output as the tracer wrote them; undefined if missing. */
  readonly input?: unknown;
  readonly output?: unknown;
  /** Call that it records, if any. */
  readonly call?: SeenCall | undefined;
}

/** A call as a tracer recorded it, possibly incomplete. */
export type SeenCall = SeenModel | SeenTool | SeenAdapter;

/** A call that names its adapter. */
export interface SeenAdapter {
  readonly kind: "adapter";
  readonly adapter: string;
  readonly request: readonly unknown[];
  /** Absent if it failed or wasn't recorded. */
  readonly response?: { readonly value: unknown };
  readonly error?: string | undefined;
  /** True if the step may not be what made the call: a page of an HTTP archive loads other things, too. */
  readonly isOptional?: boolean;
}

/** Request to a model, and its response. */
export interface SeenModel {
  readonly kind: "model";
  readonly provider?: string | undefined;
  readonly model: string | undefined;
  /** Conversation of the request; empty if it wasn't recorded. */
  readonly turns: readonly Turn[];
  /** True if the source has the conversation without the instructions. */
  readonly lacksInstructions?: boolean;
  /** The request's other parts, if they were recorded. */
  readonly request?: ModelRequestFacts | undefined;
  /** True if the tracer writes the call in several parts with one id. */
  readonly isPart?: boolean;
  /** Undefined if it failed or wasn't recorded. */
  readonly answer: ModelAnswer | undefined;
  /** Reason for the failure, in the tracer's words. */
  readonly error?: string | undefined;
}

/** Parts of a request to a model besides its messages. Absent parts weren't recorded. */
export interface ModelRequestFacts {
  /** Model that the request names; the response may name a dated version of it. */
  readonly model?: string;
  readonly tools?: readonly RequestTool[];
  /** Sampling parameters, under one name each. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A tool that a request offers. */
export interface RequestTool {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of its arguments. */
  readonly schema?: unknown;
}

/** Arguments and result of a tool. */
export interface SeenTool {
  readonly kind: "tool";
  readonly name: string;
  /** Id that the model gave the call. */
  readonly callId: string | undefined;
  readonly args?: unknown;
  /** Absent if it failed or wasn't recorded. */
  readonly result?: { readonly value: unknown };
  readonly error?: string | undefined;
}

/** A tool call that a model requested. */
export interface RequestedToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** One turn of a conversation, whichever notation it was written in. */
export interface Turn {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly RequestedToolCall[];
  /** Images and files: their URLs, or hashes of their content. */
  readonly media: readonly string[];
  /** Results of tools, by the id of the call. */
  readonly results: readonly { readonly id: string; readonly value: unknown }[];
  readonly finish?: string | undefined;
}

/** A model's response. */
export interface ModelAnswer extends Pick<Turn, "text" | "reasoning" | "toolCalls" | "finish"> {
  /** Tokens; undefined if the trace doesn't count both. */
  readonly usage: { readonly input: number; readonly output: number } | undefined;
  readonly id: string | undefined;
  /** The provider's own response, if the source has it. */
  readonly raw?: unknown;
}
