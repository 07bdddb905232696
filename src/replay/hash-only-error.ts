import { escapeText } from "../base/text.ts";
import { adapterName } from "../record/adapter-name.ts";
import type { RecordingMiss } from "../record/serve-adapters.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { holdsHashOnly } from "../redact/hash-only.ts";
import { type StepError, kernelError } from "../step/step-error.ts";

/** The code of errors where something is asked of a recording of which it keeps only the hash. */
export const HASH_ONLY = "hash_only";

/** The error of running a step on a stored input that is not whole; undefined for one that is. */
export function hashedInput({ input, stepName }: Snapshot): StepError | undefined {
  if (!holdsHashOnly(input)) return undefined;
  const message = `Of the input of step "${stepName}" only the hash is kept (hashOnly): the step cannot run on it. Check it where its input is given: toMatchBaseline({ input }).`;
  return kernelError(HASH_ONLY, escapeText(message));
}

/** The error of asking for an answer of which only the hash is kept; undefined for another miss. */
export function hashedAnswer(miss: RecordingMiss): StepError | undefined {
  if (miss.reason !== "hash_only") return undefined;
  const message = `The recorded answer of ${adapterName(miss.adapter)} cannot be served: only its hash is kept (hashOnly). Check it with today's adapters: { adapters, mode: "live" }.`;
  return kernelError(HASH_ONLY, message, miss);
}
