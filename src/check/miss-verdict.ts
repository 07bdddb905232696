import type { RecordingMiss } from "../record/serve-adapters.ts";
import { HASH_ONLY, hashedAnswer } from "../replay/hash-only-error.ts";
import type { Verdict } from "./verdict.ts";

/** What it means for a case of so many recorded calls that a request has no recorded answer. */
export function missVerdict(miss: RecordingMiss, recorded: number): Verdict {
  const error = hashedAnswer(miss);
  return error === undefined ? { kind: "request_changed", miss, recorded } : { kind: "failed", error };
}

/** Tells whether a case that was served recorded answers could be checked with live ones alone. */
export function needsLive(verdict: Verdict): boolean {
  return verdict.kind === "request_changed" || (verdict.kind === "failed" && verdict.error.code === HASH_ONLY);
}
