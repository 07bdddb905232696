/**
 * One thing that a tracer saw: a span, a run, an observation, a stored completion; every source's are made into
 * these.
 */
export interface Observation {
  readonly trace: string;
  readonly id: string;
  /** Undefined where nothing is above it. */
  readonly parent: string | undefined;
  /**
   * What it is called; the step it is of is told by one of these: what the tracer was told comes before what it made
   * up.
   */
  readonly names: readonly string[];
  /** The step it says that it is of. */
  readonly step?: string | undefined;
  /** Unix time in milliseconds, with fractions; 0 where it does not say. */
  readonly start: number;
  /** What it was given and gave, as the tracer wrote it; undefined where that is not there. */
  readonly input?: unknown;
  readonly output?: unknown;
  /** The call that it is of, where it is of one. */
  readonly call?: SeenCall | undefined;
}

/** A call as a tracer saw it, perhaps not the whole of it. */
export type SeenCall = SeenModel | SeenTool | SeenAdapter;

/** A call that names the adapter itself. */
export interface SeenAdapter {
  readonly kind: "adapter";
  readonly adapter: string;
  readonly request: readonly unknown[];
  /** Absent where it failed, or that was not written down. */
  readonly response?: { readonly value: unknown };
  readonly error: string | undefined;
}

/** What a model was asked, and answered. */
export interface SeenModel {
  readonly kind: "model";
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** The conversation it was asked with; none where that was not written down. */
  readonly turns: readonly Turn[];
  /** Undefined where that was not written down, or it failed. */
  readonly answer: ModelAnswer | undefined;
  /** Why it failed, in the tracer's words. */
  readonly error: string | undefined;
}

/** What a tool was called with, and gave. */
export interface SeenTool {
  readonly kind: "tool";
  readonly name: string;
  /** The id that the model gave the call. */
  readonly callId: string | undefined;
  readonly args: unknown;
  /** Absent where that was not written down, or it failed. */
  readonly result?: { readonly value: unknown };
  readonly error: string | undefined;
}

/** A tool that a model asked for. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** One turn of a conversation, whoever's notation it was written in. */
export interface Turn {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly reasoning: string;
  readonly asked: readonly AskedCall[];
  /** What tools answered, by the id of the call. */
  readonly results: readonly { readonly id: string; readonly value: unknown }[];
  readonly finish: string | undefined;
}

/** What a model answered. */
export interface ModelAnswer extends Pick<Turn, "text" | "reasoning" | "asked" | "finish"> {
  /** Tokens; 0 where they were not counted. */
  readonly usage: { readonly input: number; readonly output: number };
  readonly id: string | undefined;
  /** The provider's own answer, where the source keeps it. */
  readonly raw: unknown;
}
