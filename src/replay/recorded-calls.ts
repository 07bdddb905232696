import { type AdapterCall, parseAdapterCall } from "../record/adapter-call.ts";
import type { Snapshot } from "../record/snapshot.ts";

/**
 * The adapter calls a snapshot keeps, read back from its artifacts. The kind is not reserved: an adapter may keep
 * metadata of its own under it, so what is no recorded call is left out (damage shows in the artifact's hash).
 */
export function recordedCalls(snapshot: Snapshot): readonly AdapterCall[] {
  return snapshot.artifacts
    .filter(({ kind, content }) => kind === "adapter-call" && content !== undefined)
    .map(({ content }) => parseAdapterCall(content))
    .filter((call) => typeof call !== "string");
}
