import { types } from "node:util";
import { formatPath } from "../text.ts";
import { hasToJson, keyOrder } from "./canonical-json.ts";
import { TAG, hasProperties, isArray, isOwnPlain, isPlainObject } from "./plain-data.ts";

// As deep as the quick writer of canonical JSON goes; deeper values take the careful way.
const MAX_DEPTH = 500;

type Fields = Readonly<Record<string, unknown>>;

const NO_ITEMS: readonly unknown[] = [];
const NO_FIELDS: Fields = {};

/**
 * A copy of JSON data with names in canonical order, so that `JSON.stringify` writes canonical JSON of it without loss.
 * Undefined if that is uncertain: for values with `toJSON`, instances, null prototypes, other realms, NaN, -0, values
 * that JSON cannot represent, names like `12` that objects keep in another order, `__proto__` and `$t`, a cycle. Each
 * field is read once. Parts that are equal at the same path of `like`, a result of `JSON.parse`, are taken from there:
 * a comparison of the two needs not look into them (a tenth of a failing check of 1 MB), and `like` itself is returned
 * for an equal value whose names are in order there.
 */
export function sortedCopy(value: unknown, like?: unknown): unknown {
  return copied(value, like, 0);
}

function copied(value: unknown, like: unknown, depth: number): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return isJsonNumber(value) ? value : undefined;
  if (typeof value !== "object" || depth === MAX_DEPTH || types.isProxy(value) || hasToJson(value)) return undefined;
  if (isArray(value))
    return hasProperties(value) ? undefined : copiedItems(value, isArray(like) ? like : NO_ITEMS, depth + 1);
  if (!isOwnPlain(value) || Object.getOwnPropertySymbols(value).length > 0) return undefined;
  return copiedFields(value, isFields(like) ? like : NO_FIELDS, depth + 1);
}

function isFields(like: unknown): like is Fields {
  return typeof like === "object" && like !== null && !isArray(like);
}

function copiedItems(
  items: readonly unknown[],
  like: readonly unknown[],
  depth: number,
): readonly unknown[] | undefined {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const item = copied(items[index], like[index], depth);
    if (item === undefined) return undefined;
    if (copy === undefined && item !== like[index]) copy = like.slice(0, index);
    copy?.push(item);
  }
  return copy ?? (items.length === like.length ? like : like.slice(0, items.length));
}

function copiedFields(fields: Fields, like: Fields, depth: number): Fields | undefined {
  // Few shapes are repeated often: sorting the names of each object was a third of the copy of 1 MB.
  const { names, isKept } = keyOrder(Object.keys(fields));
  if (!isKept) return undefined;
  const likeNames = Object.keys(like);
  // Made only at the first difference: filling an unneeded object field by field was half of a copy of 1 MB.
  let copy: Record<string, unknown> | undefined;
  let count = 0;
  for (const name of names) {
    const field = fields[name];
    if (field === undefined) continue;
    const part = typeof field === "string" ? field : copied(field, like[name], depth);
    if (part === undefined) return undefined;
    if (copy === undefined && (likeNames[count] !== name || part !== like[name]))
      copy = firstFields(like, likeNames, count);
    if (copy !== undefined) copy[name] = part;
    count += 1;
  }
  return copy ?? (count === likeNames.length ? like : firstFields(like, likeNames, count));
}

function firstFields(like: Fields, names: readonly string[], count: number): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (let index = 0; index < count; index += 1) {
    const name = names[index] ?? "";
    fields[name] = like[name];
  }
  return fields;
}

/**
 * A phrase on the first part of a value that JSON would silently change, with its path: NaN, an infinity or an invalid
 * Date (null), `undefined` or a hole in an array (null), `undefined` at the root (null), a symbol key or a
 * property of a list (left out). Undefined if there is no such part. Changes without loss don't count: a
 * property that is `undefined` and one that is absent, -0 and 0, a Date and its text. The value must be one that
 * `stableStringify` takes.
 */
export function lossyPart(value: unknown): string | undefined {
  return firstLoss(value);
}

/** As deep as data may be to be redacted. */
const MAX_PLAIN = 1000;

/**
 * Returns true for JSON data that a baseline stores as it is: no part needs an encoding, and no field is called `$t`.
 * False if that is uncertain.
 */
export function isPlainJson(value: unknown, depth: number = 0): boolean {
  if (typeof value === "number") return isJsonNumber(value);
  if (typeof value !== "object" || value === null)
    return typeof value === "string" || typeof value === "boolean" || value === null;
  if (depth === MAX_PLAIN || types.isProxy(value) || hasToJson(value)) return false;
  if (isArray(value)) {
    if (hasProperties(value)) return false;
    for (let index = 0; index < value.length; index += 1) if (!isPlainJson(value[index], depth + 1)) return false;
    return true;
  }
  return isPlainObject(value) && areJson(value, depth + 1) && symbolOf(value) === undefined;
}

function areJson(fields: Fields, depth: number): boolean {
  // By `for in`, which makes no list: a third of the time. An inherited field can only have the encoding look.
  for (const name in fields) {
    const field = fields[name];
    if (name === TAG || (typeof field !== "string" && field !== undefined && !isPlainJson(field, depth))) return false;
  }
  return true;
}

/** False for NaN, the infinities and -0, which JSON lacks. */
function isJsonNumber(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0);
}

interface ValueNode {
  readonly value: unknown;
  readonly key: string | number | undefined;
  readonly parent: ValueNode | undefined;
}

function firstLoss(root: unknown): string | undefined {
  const open: ValueNode[] = [{ value: root, key: undefined, parent: undefined }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const loss = lossOf(node.value);
    if (loss !== undefined) return `${loss[0]} at "${formatPath(pathOfNode(node))}", which JSON ${loss[1]}`;
    open.push(...partsOf(node).toReversed());
  }
  return undefined;
}

function lossOf(value: unknown): readonly [what: string, becomes: string] | undefined {
  if (value === undefined) return ["undefined", NULL];
  if (typeof value === "number") return Number.isFinite(value) ? undefined : [String(value), NULL];
  if (typeof value !== "object" || value === null) return undefined;
  if (hasToJson(value)) return isInvalidDate(value) ? ["an invalid Date", NULL] : undefined;
  if (isArray(value)) {
    const property = Object.keys(value).find((key) => !/^\d+$/.test(key));
    return property === undefined ? undefined : [`the property ${JSON.stringify(property)} of a list`, "leaves out"];
  }
  const symbol = symbolOf(value);
  return symbol === undefined ? undefined : [`a symbol key (${symbol.description ?? ""})`, "leaves out"];
}

const NULL = "keeps as null";

function partsOf(node: ValueNode): ValueNode[] {
  const { value } = node;
  if (typeof value !== "object" || value === null || hasToJson(value)) return [];
  // Not by `map`, which leaves holes out.
  if (isArray(value)) return Array.from(value, (part, key) => ({ value: part, key, parent: node }));
  const fields: [string, unknown][] = Object.entries(value);
  return fields.flatMap(([key, part]) => (part === undefined ? [] : [{ value: part, key, parent: node }]));
}

function pathOfNode(node: ValueNode): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: ValueNode | undefined = node; at?.key !== undefined; at = at.parent) path.unshift(at.key);
  return path;
}

function isInvalidDate(value: object): boolean {
  return types.isDate(value) && Number.isNaN(Date.prototype.getTime.call(value));
}

/** Only the symbol keys that both runners compare. */
export function symbolOf(value: object): symbol | undefined {
  const symbols = Object.getOwnPropertySymbols(value);
  return symbols.length === 0
    ? undefined
    : symbols.find((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol));
}
