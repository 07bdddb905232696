import { stableStringify } from "../base/canonical-json.ts";
import type { Result } from "../base/result.ts";
import { noteSecrets } from "../baseline/baseline-of.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { redactCalls } from "../record/redact-calls.ts";
import { steadyCalls } from "../record/steady-calls.ts";
import { projectSettings } from "../redact/current-redactor.ts";
import { secretsHere } from "../redact/recording-secrets.ts";
import type { StepError } from "../step/fail.ts";
import type { CaseRun } from "./run-case.ts";
import type { AdapterSource } from "./source.ts";

/** A source whose calls are told as a baseline keeps them. */
export interface SteadySource extends AdapterSource {
  /** The calls as they came; absent where they are told so. */
  readonly asCame?: () => readonly AdapterCall[];
}

/**
 * The source of a live run that ended, with what its end says is secret hidden in all its calls: what names a password
 * may come after the call that holds it.
 */
export function hiddenSource(source: AdapterSource, result: Result<CaseRun, StepError>): AdapterSource {
  if (source.kind === "recorded" || !result.ok) return source;
  const came = source.calls();
  if (came.length === 0) return source;
  noteSecrets(result.value);
  if (secretsHere()?.size === 0) return source;
  const calls = redactCalls(came);
  return { ...source, calls: () => calls, asked: () => calls };
}

/**
 * The source of a run that ended, with placeholders in place of what varies in live answers and nothing was made of:
 * two runs that differ in ids alone ask for the same, and write the same file. Recorded answers are as they are stored,
 * and so are those of a run that came to no end: what it read nobody knows.
 */
export function steadySource(source: AdapterSource, result: Result<CaseRun, StepError>): SteadySource {
  if (source.kind === "recorded" || !result.ok || projectSettings(process.env).keepIds) return source;
  const came = source.calls();
  const calls = steadyCalls(came, () => madeOf(result.value));
  if (calls === came) return source;
  return { ...source, calls: () => calls, asked: () => calls, asCame: () => came };
}

/** All that a run made of its answers, as text; of what no file can hold, nothing is proposed. */
function madeOf({ outcome, events, commands = [] }: CaseRun): string {
  try {
    return stableStringify([outcome.output ?? null, events, commands]);
  } catch {
    return "";
  }
}
