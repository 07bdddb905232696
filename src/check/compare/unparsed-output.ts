import { storedForm } from "../../record/encode/encode.ts";
import { firstArtifact } from "../../record/read-snapshot.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import { redactedHash } from "../../redact/placeholder.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";

/** Kind of the artifact with the hash of an unparsed output. It separates a changed schema from changed code. */
export const UNPARSED_OUTPUT = "unparsed-output";

/**
 * Creates the artifact of an output as its step returned it; undefined if the schema was not used, or if the value
 * can't be stored. It is only a hash, because a schema may drop fields so that they aren't stored.
 */
export function unparsedArtifact({
  raw,
  parsed,
}: {
  readonly raw: unknown;
  readonly parsed?: object;
}): Artifact | undefined {
  const hash = parsed === undefined ? undefined : unparsedHash(raw);
  return hash === undefined ? undefined : { hash, kind: UNPARSED_OUTPUT };
}

/** Returns true if a snapshot's step returned this output at capture. An older snapshot doesn't know it. */
export function isCapturedOutput(snapshot: Snapshot, raw: unknown): boolean {
  const artifact = firstArtifact(snapshot, UNPARSED_OUTPUT);
  return artifact !== undefined && artifact.hash === unparsedHash(raw);
}

/** Returns the hash of an output without its secrets; undefined if a field of it can't be stored. */
function unparsedHash(output: unknown): string | undefined {
  try {
    return redactedHash(currentRedactor().redact(storedForm(output, ["output"]), ["output"]).value);
  } catch {
    return undefined;
  }
}
