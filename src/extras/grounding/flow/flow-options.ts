import type { LlmAdapter } from "../adapters/llm-adapter.ts";
import type { GroundingConfig } from "../grounding-config.ts";
import type { IngestOptions } from "../ingest/ingest.ts";
import type { SearchIndex } from "../retrieve/search-index.ts";
import type { Verifier } from "../verify/verifier.ts";

/** The adapters the flow calls; each call is recorded and served like any other. A `verifier` may call more of them. */
export interface FlowAdapters {
  /** Writes answers, and queries where coverage is low. Not called by a flow that extracts. */
  readonly llm?: LlmAdapter;
  /** Searched for questions without documents. */
  readonly index?: SearchIndex;
}

/** Options of `groundedAnswer`. */
export interface FlowOptions<Adapters extends FlowAdapters = FlowAdapters> {
  /** Sent with each request; left out where the adapter has a default. */
  readonly model?: string;
  /**
   * What the model is told before it sees question and passages. Default: to use the passages alone, in plain
   * sentences.
   */
  readonly instructions?: string;
  /**
   * Who answers: the model, or the sentences of the passages nearest to the question, without any model. Default:
   * `model`.
   */
  readonly answer?: "model" | "extract";
  /**
   * Who widens a query whose passages cover too little: the model, or words of what was found. Default: as `answer`.
   */
  readonly expand?: "model" | "words";
  /** Judges the answer; made of the flow's adapters, so that its calls are recorded. Default: the lexical rule. */
  readonly verifier?: (adapters: Adapters) => Verifier;
  /** Passages that each hop may add. Default: 5. */
  readonly limit?: number;
  readonly config?: Partial<GroundingConfig>;
  readonly ingest?: IngestOptions;
}

/** Options with their defaults, and a configuration that was checked. */
export interface FlowSettings<Adapters extends FlowAdapters = FlowAdapters>
  extends Omit<FlowOptions<Adapters>, "config"> {
  readonly answer: "model" | "extract";
  readonly expand: "model" | "words";
  readonly limit: number;
  readonly config: GroundingConfig;
}
