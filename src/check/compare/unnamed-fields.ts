import { isDeepStrictEqual } from "node:util";
import { hashWithContentSync } from "../../kernel/json/hash.ts";
import { isArray, isObject, isPlainObject } from "../../kernel/json/plain-data.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { formatPath } from "../../kernel/text.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { firstArtifact } from "../../record/read-snapshot.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import { PARSED_INPUT } from "./parsed-input.ts";

/**
 * Field of an output that its schema doesn't declare, so that parsing drops it. Its path has no indexes of lists and
 * keys of records.
 */
interface UnnamedField {
  readonly path: readonly string[];
  /** Its value, or those of all elements that have a field of this path. */
  readonly values: readonly unknown[];
  /** True if it's in an element of a list or a record: other elements may differ in a field of this path. */
  readonly isInElement?: true;
}

/** Undeclared fields of an output, by path as it is shown. */
export type UnnamedFields = Readonly<Record<string, UnnamedField>>;

/** Kind of the artifact with the names of the unnamed fields at capture. */
const KIND = "unnamed-output";

/** Returns the fields that a schema of named fields dropped from an output; undefined if there are none. */
export function unnamedFields(raw: unknown, parsed: unknown, { outputSchema }: AnyStep): UnnamedFields | undefined {
  if (raw === parsed) return undefined;
  const isZod = definitionOf(outputSchema) !== undefined;
  const unnamed = [...(isZod ? droppedFields(raw, parsed, [outputSchema]) : strippedFields(raw, parsed))];
  return unnamed.length === 0 ? undefined : byPath(unnamed);
}

function byPath(fields: readonly UnnamedField[]): UnnamedFields {
  return Object.fromEntries(
    [...Map.groupBy(fields, ({ path }) => formatPath(path))].flatMap(([name, [field, ...more]]) =>
      field === undefined
        ? []
        : [[name, { ...field, values: [field, ...more].flatMap(({ values }) => values) }] as const],
    ),
  );
}

function* inElement(fields: Iterable<UnnamedField>): Generator<UnnamedField> {
  for (const field of fields) yield { ...field, isInElement: true };
}

/** Yields the fields that a value has and its parsed form lacks, by the schemas that the value passed. */
function* droppedFields(raw: unknown, parsed: unknown, outer: readonly unknown[]): Generator<UnnamedField> {
  if (raw === parsed) return;
  const schemas = outer.flatMap((schema) => plainSchemas(schema, raw, parsed) ?? [CONVERSION]);
  if (schemas.length === 0 || schemas.includes(CONVERSION)) return;
  const [items, parsedItems] = [elementsOf(raw), elementsOf(parsed)];
  if (items !== undefined && items.length === parsedItems?.length)
    for (const [index, item] of items.entries())
      yield* inElement(droppedFields(item, parsedItems[index], elementSchemas(schemas, index)));
  if (items !== undefined || !isRecord(raw) || !isRecord(parsed)) return;
  const shapes = shapesOf(schemas);
  for (const [name, value] of Object.entries(raw)) {
    const named = shapes.flatMap((shape) => (Object.hasOwn(shape, name) ? [fieldOf(shape, name)] : []));
    if (named.length > 0) yield* below(name, droppedFields(value, fieldOf(parsed, name), named));
    else if (Object.hasOwn(parsed, name)) {
      const inner = droppedFields(value, fieldOf(parsed, name), valueSchemas(schemas));
      yield* shapes.length > 0 ? below(name, inner) : inElement(inner);
    } else if (shapes.length > 0 && value !== undefined) yield { path: [name], values: [value] };
  }
}

/**
 * Yields the fields that a schema of another library dropped: those that the parsed form lacks if the rest of it is
 * unchanged. If a value differs, the schema converts, and may have renamed them. `isPart` is true if the parsed form is
 * known to be unchanged, so that each level isn't compared again with all levels below it.
 */
function* strippedFields(raw: unknown, parsed: unknown, isPart: boolean = false): Generator<UnnamedField> {
  if (raw === parsed) return;
  const [items, parsedItems] = [elementsOf(raw), elementsOf(parsed)];
  if (items !== undefined && items.length === parsedItems?.length)
    for (const [index, item] of items.entries()) yield* inElement(strippedFields(item, parsedItems[index], isPart));
  if (items !== undefined || !isPlainObject(raw) || !isPlainObject(parsed)) return;
  if (!isPart && !isPartOf(parsed, raw)) return;
  for (const [name, value] of Object.entries(raw)) {
    if (Object.hasOwn(parsed, name)) yield* below(name, strippedFields(value, parsed[name], true));
    else if (value !== undefined) yield { path: [name], values: [value] };
  }
}

/** Returns true if a value has no field or leaf that differs from the other's. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (isArray(part))
    return isArray(whole) && part.length === whole.length && part.every((item, index) => isPartOf(item, whole[index]));
  if (!isPlainObject(part)) return isDeepStrictEqual(part, whole);
  return (
    isPlainObject(whole) &&
    Object.entries(part).every(([name, value]) => Object.hasOwn(whole, name) && isPartOf(value, whole[name]))
  );
}

function* below(name: string, fields: Iterable<UnnamedField>): Generator<UnnamedField> {
  for (const field of fields) yield { ...field, path: [name, ...field.path] };
}

/** Returns the elements of a list or Set, and the values of a Map; undefined for anything else. */
function elementsOf(value: unknown): readonly unknown[] | undefined {
  if (value instanceof Map || value instanceof Set) return Array.from<unknown>(value.values());
  return isArray(value) ? value : undefined;
}

function elementSchemas(schemas: readonly unknown[], index: number): readonly unknown[] {
  return schemas.flatMap((schema) => {
    const [items, rest] = [fieldOf(definitionOf(schema), "items"), fieldOf(definitionOf(schema), "rest")];
    if (isArray(items)) return items[index] ?? rest ?? [];
    return fieldOf(schema, "element") ?? fieldOf(definitionOf(schema), "element") ?? valueSchemas([schema]);
  });
}

/** Schemas of the values of a record, Map or Set, and of the fields that an object keeps without naming them. */
function valueSchemas(schemas: readonly unknown[]): readonly unknown[] {
  return schemas.flatMap((schema) => {
    const definition = definitionOf(schema);
    return fieldOf(definition, "valueType") ?? fieldOf(definition, "catchall") ?? [];
  });
}

/** Used instead of a schema that converts values: it may rename fields. */
const CONVERSION = Symbol("conversion");

/**
 * Returns the schemas of zod within one that a value passes: of a union, those that accept the value; of an
 * intersection or a pipe, both. Undefined if one converts values.
 */
function plainSchemas(schema: unknown, raw: unknown, parsed: unknown): readonly unknown[] | undefined {
  const definition = definitionOf(schema);
  const effect = fieldOf(fieldOf(definition, "effect"), "type");
  const isConversion = effect === "transform" || effect === "preprocess";
  if (isConversion || typeof fieldOf(definition, "transform") === "function") return undefined;
  const options = fieldOf(definition, "options");
  const inner = isArray(options) ? acceptingOptions(options, raw) : innerSchemas(definition);
  if (inner.length === 0) return isArray(options) ? undefined : [schema];
  const all = inner.map((each) => plainSchemas(each, raw, parsed));
  const plain = all.filter((each) => each !== undefined);
  // If several options may have accepted the value, the parsed form shows which of them can have parsed it.
  const likely = isArray(options) && all.length > 1 ? plain.filter((each) => canReturn(each, raw, parsed)) : [];
  if (likely.length > 0) return likely.flat();
  return plain.length === all.length ? plain.flat() : undefined;
}

/** Returns true if a parsed form has all fields that the schemas name, and only these and fields of the value. */
function canReturn(schemas: readonly unknown[], raw: unknown, parsed: unknown): boolean {
  if (!isRecord(raw) || !isRecord(parsed)) return true;
  const shapes = shapesOf(schemas);
  const isNamed = (name: string): boolean => shapes.some((shape) => Object.hasOwn(shape, name));
  const lost = Object.entries(raw).filter(([name, value]) => value !== undefined && !Object.hasOwn(parsed, name));
  const added = Object.keys(parsed).filter((name) => !Object.hasOwn(raw, name));
  return !lost.some(([name]) => isNamed(name)) && added.every(isNamed);
}

function shapesOf(schemas: readonly unknown[]): readonly object[] {
  return schemas.map((schema) => fieldOf(schema, "shape")).filter(isRecord);
}

function innerSchemas(definition: unknown): readonly unknown[] {
  const getter = fieldOf(definition, "getter");
  if (typeof getter === "function") {
    const inner: unknown = Reflect.apply(getter, undefined, []);
    return [inner];
  }
  const brand = fieldOf(definition, "typeName") === "ZodBranded" ? fieldOf(definition, "type") : undefined;
  const inner = ["innerType", "schema", "in", "out", "left", "right"].map((name) => fieldOf(definition, name));
  return [brand, ...inner].filter((each) => each !== undefined);
}

/** Returns the first option that accepts a value, after those that may because their refinements are asynchronous. */
function acceptingOptions(options: readonly unknown[], value: unknown): readonly unknown[] {
  const accepting: unknown[] = [];
  for (const option of options) {
    const isAccepted = accepts(option, value);
    if (isAccepted !== false) accepting.push(option);
    if (isAccepted === true) break;
  }
  return accepting;
}

/** Returns undefined if only an asynchronous parse can tell. */
function accepts(schema: unknown, value: unknown): boolean | undefined {
  const safeParse = fieldOf(schema, "safeParse");
  try {
    return typeof safeParse === "function" && fieldOf(safeParse.call(schema, value), "success") === true;
  } catch {
    return undefined;
  }
}

function definitionOf(schema: unknown): unknown {
  return fieldOf(schema, "def") ?? fieldOf(schema, "_def");
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? Reflect.get(value, name) : undefined;
}

function isRecord(value: unknown): value is object {
  return isObject(value) && !isArray(value);
}

/** Creates the artifact with the names of unnamed fields; undefined if there are none. */
export function unnamedArtifact(fields: UnnamedFields | undefined): Artifact | undefined {
  if (fields === undefined) return undefined;
  const names = Object.keys(fields).toSorted();
  return { hash: hashWithContentSync(names).hash, kind: KIND, content: names };
}

/**
 * Returns the unnamed fields of a snapshot's capture; undefined if it was captured from a result. Only names are
 * stored, so each field has its name as path and null as its value.
 */
export function storedUnnamed(snapshot: Snapshot): UnnamedFields | undefined {
  if (firstArtifact(snapshot, PARSED_INPUT) === undefined) return undefined;
  return Object.fromEntries(namesOfUnnamed(snapshot.artifacts).map((name) => [name, { path: [name], values: [null] }]));
}

/** Returns the names of unnamed fields in the artifacts of a capture. */
export function namesOfUnnamed(artifacts: readonly Artifact[]): readonly string[] {
  const names = artifacts.find(({ kind }) => kind === KIND)?.content;
  return isArray(names) ? names.map(String) : [];
}

/** Returns the unnamed fields that are new. Values don't count, because the schema drops them. */
export function newUnnamed(before: UnnamedFields, after: UnnamedFields): UnnamedFields {
  return Object.fromEntries(Object.entries(after).filter(([name]) => !Object.hasOwn(before, name)));
}

/** Returns the unnamed field that an entry removes: the step still returns it, and the schema no longer names it. */
export function droppedField({ path, after }: DiffEntry, unnamed: UnnamedFields): UnnamedField | undefined {
  const name = formatPath(path);
  const field = Object.hasOwn(unnamed, name) ? unnamed[name] : undefined;
  return after === undefined && field?.isInElement !== true ? field : undefined;
}
