import type { AdapterCall } from "../record/adapter-call.ts";
import { recordAdapters } from "../record/record-adapters.ts";
import type { AdapterServer, RecordingMiss } from "../record/serve-adapters.ts";
import type { BaseAdapters } from "../step/context.ts";

/** Where a check's adapter answers come from, and what was asked. */
export interface AdapterSource {
  readonly kind: "live" | "recorded";
  readonly adapters: BaseAdapters;
  /** The calls made so far, as a baseline keeps them. */
  calls(): readonly AdapterCall[];
  /** Requests that had no recorded answer; always empty when live. */
  misses(): readonly RecordingMiss[];
  /** The adapters of recorded calls that were not made, one name for each; always empty when live. */
  unused(): readonly string[];
  /** Calls that could not be recorded; always empty when recorded. */
  problems(): readonly string[];
  /** Runs the step's code so that what it asks past the adapters is recorded, or served, like their calls. */
  readonly within: AdapterServer["within"];
}

/** Today's adapters, recorded below them. */
export function openAdapters(adapters: BaseAdapters): AdapterSource {
  return { kind: "live", ...recordAdapters(adapters), misses: () => [], unused: () => [] };
}
