import { hashWithContentSync } from "../kernel/json/hash.ts";
import { isArray } from "../kernel/json/plain-data.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import { firstArtifact } from "../record/read-snapshot.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { PARSED_INPUT } from "./cause/parsed-input.ts";

/** Fields of an output that its schema doesn't name and drops, by name. */
export type UnnamedFields = Readonly<Record<string, unknown>>;

/** Kind of the artifact with the names of such fields at capture. */
const KIND = "unnamed-output";

/** Returns the fields that a schema of named fields dropped from an output; undefined if there are none. */
export function unnamedFields(raw: object, parsed: object, { outputSchema }: AnyStep): UnnamedFields | undefined {
  const fields = Object.entries(raw).filter(([name, value]) => value !== undefined && !Object.hasOwn(parsed, name));
  if (fields.length === 0) return undefined;
  // A schema that converts an object may rename its fields.
  const shape = "shape" in outputSchema ? outputSchema.shape : undefined;
  if (typeof shape !== "object" || shape === null) return undefined;
  const unnamed = fields.filter(([name]) => !Object.hasOwn(shape, name));
  return unnamed.length === 0 ? undefined : Object.fromEntries(unnamed);
}

/** Creates the artifact with the names of such fields; undefined if there are none. */
export function unnamedArtifact(fields: UnnamedFields | undefined): Artifact | undefined {
  if (fields === undefined) return undefined;
  const names = Object.keys(fields).toSorted();
  return { hash: hashWithContentSync(names).hash, kind: KIND, content: names };
}

/** Returns the fields of a snapshot's capture, without their values; undefined if it was captured from a result. */
export function storedUnnamed(snapshot: Snapshot): UnnamedFields | undefined {
  if (firstArtifact(snapshot, PARSED_INPUT) === undefined) return undefined;
  const names = firstArtifact(snapshot, KIND)?.content;
  return isArray(names) ? Object.fromEntries(names.map((name) => [String(name), null])) : {};
}

/** Returns the fields that are new: their values don't count, because the schema drops them. */
export function newUnnamed(before: UnnamedFields, after: UnnamedFields): UnnamedFields {
  return Object.fromEntries(Object.entries(after).filter(([name]) => !Object.hasOwn(before, name)));
}
