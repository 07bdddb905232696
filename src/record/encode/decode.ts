import { parseUrl } from "../../kernel/parse-url.ts";
import { formatPath, quote } from "../../kernel/text.ts";
import { TAG, isArray, isOwnPlain, isPlainObject, setOwnField } from "../../kernel/json/plain-data.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { UnregisteredValue, codecNamed } from "../../kernel/value-codecs.ts";
import { decodeBytes } from "./builtins.ts";
import { decodeError } from "./errors.ts";
import { MAX_DEPTH, type Tag } from "./tagged.ts";
import { webPairs } from "./web-data.ts";

/** Stubs for the parts of a response that aren't data. Each is called with the path of the part. */
export interface ResponseMembers {
  readonly method: (path: string) => (...args: readonly unknown[]) => unknown;
  readonly getter: (path: string) => () => unknown;
}

interface Scope {
  readonly path: (string | number)[];
  readonly members: ResponseMembers | undefined;
  /** True for a comparison, which reads neither properties of lists nor private fields: both become objects. */
  readonly isCompared?: boolean;
  depth: number;
}

type Decoder = (content: unknown, scope: Scope) => unknown;

// Marks a content that doesn't fit its tag. A decoded value is never this symbol.
const MALFORMED = Symbol("malformed");

/** Decoder of each tag. */
const DECODERS_BY_TAG: Readonly<Record<Tag, Decoder>> = {
  "-0": () => -0,
  "-infinity": () => -Infinity,
  bigint: (content) => (typeof content === "string" && /^-?\d+$/.test(content) ? BigInt(content) : MALFORMED),
  bytes: (content) => decodeBytes(content) ?? MALFORMED,
  date: decodeDate,
  error: (content, scope) => decodeError(content, (value, key) => decodeAt(value, key, scope)) ?? MALFORMED,
  escaped: (content, scope) => (isPlainObject(content) ? decodeFields(content, scope) : MALFORMED),
  form: (content, scope) => (isArray(content) ? decodeItems(content, scope) : MALFORMED),
  headers: (content, scope) => decodePairs("headers", content, scope),
  infinity: () => Infinity,
  instance: (content, scope) => (isPlainObject(content) ? decodeInstance(content, scope) : MALFORMED),
  list: (content, scope) => (isPlainObject(content) ? decodeList(content, scope) : MALFORMED),
  map: (content, scope) => (isArray(content) && content.every(isPair) ? decodeMap(content, scope) : MALFORMED),
  nan: () => NaN,
  omitted: (content, scope) => (content === "function" ? scope.members?.method(formatPath(scope.path)) : undefined),
  params: (content, scope) => decodePairs("params", content, scope),
  promise: async (content, scope) => decodeValue(content, scope),
  regexp: decodeRegExp,
  set: (content, scope) => (isArray(content) ? new Set(decodeItems(content, scope)) : MALFORMED),
  undefined: () => undefined,
  url: (content) => (typeof content === "string" ? (parseUrl(content) ?? MALFORMED) : MALFORMED),
  value: (content, scope) => (isPlainObject(content) ? decodeByCodec(content, scope) : MALFORMED),
};

const DECODERS: ReadonlyMap<unknown, Decoder> = new Map(Object.entries(DECODERS_BY_TAG));

/**
 * Rebuilds the value that `encode` encoded; omitted values become undefined, and methods are those of `members`. Every
 * call makes fresh objects, and never executes the data. Throws a TypeError that names the path of an unknown tag or a
 * malformed content.
 */
export function decode(encoded: unknown, members?: ResponseMembers): unknown {
  return decodeValue(encoded, { path: [], depth: 0, members });
}

/**
 * Decodes a value without other references. Returns the value itself if it has no encoded part, like most inputs in
 * files; if not, returns the result of `decode`. Throws if `decode` throws. Saves half of a copy's work: a third of the
 * time to read a file's fields.
 */
export function decodeOwn(encoded: unknown): unknown {
  return isBare(encoded, 0) ? encoded : decode(encoded);
}

/**
 * Returns the value that a stored form is of. Data that no encoding wrote, such as a field `$t` of an older file, is
 * returned as it is.
 */
export function liveForm(stored: unknown): unknown {
  return liveOr(stored, false);
}

/**
 * Returns the value of a stored form for a comparison: a list with properties is an object with all of them, an
 * instance with a codec an object with its data under the codec's name.
 */
export function comparedForm(stored: unknown): unknown {
  return liveOr(stored, true);
}

function liveOr(stored: unknown, isCompared: boolean): unknown {
  if (isBare(stored, 0)) return stored;
  try {
    return decodeValue(stored, { path: [], depth: 0, members: undefined, isCompared });
  } catch {
    return stored;
  }
}

/** Returns the items of a stored list as the values that they are of. */
export function liveItems<T extends object>(items: readonly T[]): readonly T[] {
  return items.map((item) => {
    const live = liveForm(item);
    return isLiveItem(item, live) ? live : item;
  });
}

function isLiveItem<T extends object>(item: T, live: unknown): live is T {
  return isPlainObject(item) && isPlainObject(live);
}

function isBare(encoded: unknown, depth: number): boolean {
  if (typeof encoded !== "object" || encoded === null) return true;
  if (depth === MAX_DEPTH) return false;
  if (isArray(encoded)) {
    for (const item of encoded) if (typeof item === "object" && !isBare(item, depth + 1)) return false;
    return true;
  }
  if (!isOwnPlain(encoded) && !isPlainObject(encoded)) return false;
  for (const name in encoded) {
    const field = encoded[name];
    if (name === TAG || (typeof field === "object" && !isBare(field, depth + 1))) return false;
  }
  return true;
}

function decodeValue(encoded: unknown, scope: Scope): unknown {
  if (typeof encoded !== "object" || encoded === null) return encoded;
  if (scope.depth >= MAX_DEPTH) throw new TypeError(`cannot decode a value nested deeper than ${MAX_DEPTH} levels`);
  scope.depth += 1;
  const value = decodeObject(encoded, scope);
  scope.depth -= 1;
  return value;
}

function decodeObject(encoded: object, scope: Scope): unknown {
  if (isArray(encoded)) return decodeItems(encoded, scope);
  if (!Object.hasOwn(encoded, TAG)) return decodeFields(encoded, scope);
  const tag: unknown = Reflect.get(encoded, TAG);
  const decoder = DECODERS.get(tag);
  if (decoder === undefined) throw new TypeError(`cannot decode the unknown tag ${tagText(tag)}${at(scope)}`);
  const value = decoder(Reflect.get(encoded, "v"), scope);
  if (value === MALFORMED) throw new TypeError(`cannot decode a malformed ${tagText(tag)}${at(scope)}`);
  return value;
}

function decodeFields(encoded: object, scope: Scope): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(encoded)) setOwnField(fields, key, decodeAt(item, key, scope));
  return fields;
}

/**
 * Decodes an instance. Its getters and methods can be read and called, but only its data is listed, compared and
 * written.
 */
function decodeInstance(
  { fields, getters = {}, methods = [] }: Readonly<Record<string, unknown>>,
  scope: Scope,
): unknown {
  if (!isPlainObject(fields) || !(isPlainObject(getters) || isArray(getters)) || !isArray(methods)) return MALFORMED;
  const instance = decodeFields(fields, scope);
  const path = (name: unknown): string => formatPath([...scope.path, String(name)]);
  if (isPlainObject(getters)) {
    for (const [name, value] of Object.entries(decodeFields(getters, scope)))
      hide(instance, name, { value, writable: true });
  }
  if (scope.members === undefined) return instance;
  if (isArray(getters))
    for (const name of getters) hide(instance, String(name), { get: scope.members.getter(path(name)) });
  for (const name of methods) hide(instance, String(name), { value: scope.members.method(path(name)), writable: true });
  return instance;
}

function hide(instance: object, name: string, descriptor: PropertyDescriptor): void {
  if (!Object.hasOwn(instance, name)) Object.defineProperty(instance, name, { ...descriptor, configurable: true });
}

function decodeList({ items, fields }: Readonly<Record<string, unknown>>, scope: Scope): unknown {
  if (!isArray(items) || !isPlainObject(fields)) return MALFORMED;
  const list = decodeItems(items, scope);
  const target = scope.isCompared === true ? Object.fromEntries(list.entries()) : list;
  return Object.assign(target, decodeFields(fields, scope));
}

function decodeByCodec({ codec: name, data }: Readonly<Record<string, unknown>>, scope: Scope): unknown {
  if (typeof name !== "string") return MALFORMED;
  if (scope.isCompared === true) return { [name]: decodeValue(data, scope) };
  const codec = codecNamed(name);
  if (codec === undefined) return new UnregisteredValue(name, data);
  const decoded = decodeValue(data, scope);
  try {
    return codec.decode(decoded);
  } catch (cause) {
    throw new TypeError(`the codec ${quote(name)} cannot decode a value${at(scope)}: ${messageOf(cause)}`, { cause });
  }
}

/** A comparison reads pairs, not the private state of Headers. */
function decodePairs(kind: "headers" | "params", content: unknown, { isCompared }: Scope): unknown {
  return (isCompared === true && isArray(content) ? content : webPairs(kind, content)) ?? MALFORMED;
}

function decodeItems(encoded: readonly unknown[], scope: Scope): unknown[] {
  return encoded.map((item, index) => decodeAt(item, index, scope));
}

function decodeMap(pairs: readonly (readonly unknown[])[], scope: Scope): Map<unknown, unknown> {
  const map = new Map<unknown, unknown>();
  for (const [index, pair] of pairs.entries()) {
    scope.path.push(index);
    const [key, value] = decodeItems(pair, scope);
    map.set(key, value);
    scope.path.pop();
  }
  return map;
}

function decodeAt(encoded: unknown, key: string | number, scope: Scope): unknown {
  scope.path.push(key);
  const value = decodeValue(encoded, scope);
  scope.path.pop();
  return value;
}

function decodeDate(content: unknown): unknown {
  if (content === null) return new Date(NaN);
  const date = new Date(typeof content === "string" ? content : NaN);
  return Number.isNaN(date.getTime()) ? MALFORMED : date;
}

function decodeRegExp(content: unknown): unknown {
  if (!isPlainObject(content)) return MALFORMED;
  const { source, flags } = content;
  if (typeof source !== "string" || typeof flags !== "string") return MALFORMED;
  try {
    return new RegExp(source, flags);
  } catch {
    return MALFORMED;
  }
}

function isPair(item: unknown): item is readonly unknown[] {
  return isArray(item) && item.length === 2;
}

function tagText(tag: unknown): string {
  return typeof tag === "string" ? quote(tag) : typeof tag;
}

function at({ path }: Scope): string {
  return path.length === 0 ? "" : ` at "${formatPath(path)}"`;
}
