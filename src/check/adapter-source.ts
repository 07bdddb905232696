import type { AdapterCall } from "../record/adapter-call.ts";
import { recordAdapters } from "../record/record-adapters.ts";
import { type AdapterServer, type RecordingMiss, serveAdapters } from "../record/serve-adapters.ts";
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

/** Live adapters when some are given, recorded below them; else the recorded calls are served and nothing outside is touched. */
export function openAdapters(adapters: BaseAdapters | undefined, recorded: readonly AdapterCall[]): AdapterSource {
  if (adapters !== undefined) {
    const recorder = recordAdapters(adapters);
    return { kind: "live", ...recorder, misses: () => [], unused: () => [] };
  }
  const server = serveAdapters(recorded);
  const calls = (): readonly AdapterCall[] => {
    const unused = new Set(server.unused());
    return recorded.filter((call) => !unused.has(call));
  };
  // A property that was not read is no call that was not made.
  const unused = (): readonly string[] => server.unused().filter(({ returns }) => returns !== "property").map(({ adapter }) => adapter);
  return { kind: "recorded", adapters: server.adapters, within: server.within, calls, misses: () => server.misses(), unused, problems: () => [] };
}
