import type { ToBeGroundedInOptions } from "../checks/to-be-grounded-in.ts";
import type { ToCiteOptions } from "../checks/to-cite.ts";
import type { ToCoverOptions } from "../checks/to-cover.ts";
import type { Sources } from "../verify/source.ts";

/** The matchers of grounding, as their callers see them. All work on texts and, with `path`, on step results. */
export interface GroundingMatchers {
  /** The answer is supported by the sources: its score reaches the threshold (0.85). Must be awaited. */
  toBeGroundedIn(sources: Sources, options?: ToBeGroundedInOptions): Promise<void>;
  /** Each citation marker of the answer names a source that supports its sentence. Must be awaited. */
  toCite(sources: Sources, options?: ToCiteOptions): Promise<void>;
  /** The chunks speak of what the query asks: their coverage reaches the threshold (0.80). Must be awaited. */
  toCover(query: string, options?: ToCoverOptions): Promise<void>;
}
