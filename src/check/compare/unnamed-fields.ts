import { hashWithContentSync } from "../../kernel/json/hash.ts";
import { isArray, isObject } from "../../kernel/json/plain-data.ts";
import { formatPath } from "../../kernel/text.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { firstArtifact } from "../../record/read-snapshot.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import { PARSED_INPUT } from "./parsed-input.ts";

/** Field of an output that its schema doesn't name and drops, without the indexes of lists in its path. */
interface UnnamedField {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Such fields of an output, by path as it is shown. */
export type UnnamedFields = Readonly<Record<string, UnnamedField>>;

/** Kind of the artifact with the names of such fields at capture. */
const KIND = "unnamed-output";

/** Returns the fields that a schema of named fields dropped from an output; undefined if there are none. */
export function unnamedFields(raw: unknown, parsed: unknown, { outputSchema }: AnyStep): UnnamedFields | undefined {
  const unnamed = [...droppedFields(raw, parsed, outputSchema)];
  return unnamed.length === 0 ? undefined : Object.fromEntries(unnamed.map((field) => [formatPath(field.path), field]));
}

function* droppedFields(raw: unknown, parsed: unknown, outer: unknown): Generator<UnnamedField> {
  const schema = innerSchema(outer);
  const element = fieldOf(schema, "element");
  if (isArray(raw) && isArray(parsed) && raw.length === parsed.length && element !== undefined)
    for (const [index, item] of raw.entries()) yield* droppedFields(item, parsed[index], element);
  // A schema that converts an object may rename its fields.
  const shape = fieldOf(schema, "shape");
  if (!isRecord(raw) || !isRecord(parsed) || !isRecord(shape)) return;
  for (const [name, value] of Object.entries(raw)) {
    const isNamed = Object.hasOwn(shape, name);
    if (isNamed) yield* below(name, droppedFields(value, fieldOf(parsed, name), fieldOf(shape, name)));
    else if (value !== undefined && !Object.hasOwn(parsed, name)) yield { path: [name], value };
  }
}

function* below(name: string, fields: Iterable<UnnamedField>): Generator<UnnamedField> {
  for (const { path, value } of fields) yield { path: [name, ...path], value };
}

/** Returns the schema in optional, nullable and similar ones of zod. */
function innerSchema(schema: unknown): unknown {
  const inner = fieldOf(fieldOf(schema, "def") ?? fieldOf(schema, "_def"), "innerType");
  return inner === undefined ? schema : innerSchema(inner);
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? Reflect.get(value, name) : undefined;
}

function isRecord(value: unknown): value is object {
  return isObject(value) && !isArray(value);
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
  return Object.fromEntries(namesOfUnnamed(snapshot.artifacts).map((name) => [name, { path: [name], value: null }]));
}

/** Returns the names of such fields, as artifacts of a capture have them. */
export function namesOfUnnamed(artifacts: readonly Artifact[]): readonly string[] {
  const names = artifacts.find(({ kind }) => kind === KIND)?.content;
  return isArray(names) ? names.map(String) : [];
}

/** Returns the fields that are new: their values don't count, because the schema drops them. */
export function newUnnamed(before: UnnamedFields, after: UnnamedFields): UnnamedFields {
  return Object.fromEntries(Object.entries(after).filter(([name]) => !Object.hasOwn(before, name)));
}
