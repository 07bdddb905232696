import { types } from "node:util";
import { hasToJson } from "./json-leaf.ts";
import { isArray, isPlainObject } from "./plain-data.ts";
import { formatPath } from "../text.ts";

// As deep as the quick writer goes; deeper values are checked without recursion.
const MAX_DEPTH = 500;

/**
 * A phrase on the first part of a value that JSON would silently change, with its path: NaN, an infinity or an invalid
 * Date (null), `undefined` or a hole in an array (null), `undefined` at the root (null), a symbol key (left out).
 * Undefined if there is no such part. Changes without loss don't count: a property that is `undefined` and one that is
 * absent, -0 and 0, a Date and its text. The value must be one that `stableStringify` takes.
 */
export function lossyPart(value: unknown): string | undefined {
  return isLossless(value, 0) ? undefined : firstLoss(value);
}

/** Throws a TypeError for a value with a {@link lossyPart}, with a fix. */
export function requireLossless(value: unknown): void {
  const part = lossyPart(value);
  if (part !== undefined)
    throw new TypeError(`${part}. Put null, a text or a number in its place, or leave the field out`);
}

/** Quick check without paths; false also if it is uncertain. */
function isLossless(value: unknown, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return value !== undefined;
  if (depth === MAX_DEPTH) return false;
  if (hasToJson(value)) return !isInvalidDate(value);
  if (isArray(value)) {
    for (let index = 0; index < value.length; index += 1) if (!isLossless(value[index], depth + 1)) return false;
    return true;
  }
  return isPlainObject(value) && areLossless(value, depth + 1) && symbolOf(value) === undefined;
}

function areLossless(fields: Readonly<Record<string, unknown>>, depth: number): boolean {
  // By `for in`, which makes no list: a third of the time. An inherited field can only have the careful pass look.
  for (const name in fields) {
    const field = fields[name];
    if (typeof field !== "string" && field !== undefined && !isLossless(field, depth)) return false;
  }
  return true;
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
  const symbol = isArray(value) ? undefined : symbolOf(value);
  return symbol === undefined ? undefined : [`a key that is a symbol (${symbol.description ?? ""})`, "leaves out"];
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
function symbolOf(value: object): symbol | undefined {
  const symbols = Object.getOwnPropertySymbols(value);
  return symbols.length === 0
    ? undefined
    : symbols.find((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol));
}
