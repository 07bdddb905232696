import { formatPath } from "../../kernel/text.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import { storedForm } from "../../record/encode/encode.ts";
import { firstArtifact } from "../../record/read-snapshot.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import { redactedHash } from "../../redact/placeholder.ts";
import { type UnnamedFields, namesOfUnnamed } from "./unnamed-fields.ts";

/** Kind of the artifact with the hash of an output before parsing. It separates a changed schema from changed code. */
export const RETURNED_OUTPUT = "returned-output";

/**
 * Creates the artifact of an output as its step returned it; undefined if the schema only drops fields of it, or if it
 * can't be stored. Dropped fields don't count, because they may vary from run to run.
 */
export function returnedArtifact(
  { raw, parsed }: { readonly raw: unknown; readonly parsed?: unknown },
  unnamed: UnnamedFields = {},
): Artifact | undefined {
  if (parsed === undefined || raw === parsed) return undefined;
  const hash = hashWithout(raw, new Set(Object.keys(unnamed)));
  return hash === undefined || hash === hashWithout(parsed, NONE) ? undefined : { hash, kind: RETURNED_OUTPUT };
}

/**
 * Returns true if a step returned the output that it returned at capture. False if the snapshot doesn't have its hash:
 * then the schema changed nothing, or the snapshot is of an older version. `unnamed` are the fields that the schema
 * drops today.
 */
export function isReturnedAsCaptured(returned: unknown, snapshot: Snapshot, unnamed: UnnamedFields = {}): boolean {
  const captured = firstArtifact(snapshot, RETURNED_OUTPUT);
  if (captured === undefined) return false;
  const names = namesOfUnnamed(snapshot.artifacts);
  const dropped = [new Set(names), new Set([...names, ...Object.keys(unnamed)])];
  return dropped.some((paths) => hashWithout(returned, paths) === captured.hash);
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the hash of an output without its secrets and the fields at some paths; undefined if it can't be stored. */
function hashWithout(output: unknown, dropped: ReadonlySet<string>): string | undefined {
  try {
    const kept = dropped.size === 0 ? output : withoutFields(output, dropped);
    return redactedHash(currentRedactor().redact(storedForm(kept, ["output"]), ["output"]).value);
  } catch {
    return undefined;
  }
}

/** Returns a value without the fields at some paths. Paths have no indexes of lists. */
function withoutFields(value: unknown, dropped: ReadonlySet<string>, path: readonly string[] = []): unknown {
  if (isArray(value)) return value.map((item) => withoutFields(item, dropped, path));
  if (!isPlainObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [[...path, name], field] as const);
  return Object.fromEntries(
    fields.flatMap(([inner, field]) =>
      dropped.has(formatPath(inner)) ? [] : [[inner.at(-1), withoutFields(field, dropped, inner)]],
    ),
  );
}
