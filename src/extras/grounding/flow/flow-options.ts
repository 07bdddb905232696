import type { LlmAdapter } from "../adapters/llm-adapter.ts";
import type { GroundingConfig } from "../grounding-config.ts";
import type { IngestOptions } from "../ingest/ingest.ts";
import type { SearchIndex } from "../retrieve/search-index.ts";
import type { Verifier } from "../verify/verifier.ts";

/** Adapters that the flow calls. veritest records and replays their calls. A `verifier` may call more adapters. */
export interface FlowAdapters {
  /**
   * Model that writes answers, and expands queries if the coverage is low. A flow with `answer: "extract"` calls it
   * only if `expand` is `model`.
   */
  readonly llm?: LlmAdapter;
  /** Index that the flow searches if a question has no documents. */
  readonly index?: SearchIndex;
}

/** Options for `groundedAnswer`. */
export interface FlowOptions<Adapters extends FlowAdapters = FlowAdapters> {
  /** Model name sent with each request. Omit it if the adapter has a default. */
  readonly model?: string;
  /** System prompt of the model. Default: use only the passages, in plain sentences. */
  readonly instructions?: string;
  /**
   * Source of the answer: the model (`model`), or the passage sentences nearest to the question, without a model
   * (`extract`). Default: `model`.
   */
  readonly answer?: "model" | "extract";
  /**
   * Source of a wider query if the passages cover too little: the model, or words of the passages. Default: `model` if
   * `answer` is `model`, or else `words`.
   */
  readonly expand?: "model" | "words";
  /**
   * Creates the verifier of the answer from the flow's adapters, so that its calls are recorded. Default: the lexical
   * rule.
   */
  readonly verifier?: (adapters: Adapters) => Verifier;
  /** Maximum number of passages that each hop adds. Default: 5. */
  readonly limit?: number;
  readonly config?: Partial<GroundingConfig>;
  readonly ingest?: IngestOptions;
}

/** Options with defaults applied and a validated configuration. */
export interface FlowSettings<Adapters extends FlowAdapters = FlowAdapters>
  extends Omit<FlowOptions<Adapters>, "config"> {
  readonly answer: "model" | "extract";
  readonly expand: "model" | "words";
  readonly limit: number;
  readonly config: GroundingConfig;
}
