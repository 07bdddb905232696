import { isArray } from "../../kernel/json/plain-data.ts";
import { classTag } from "./builtins.ts";

/** The data of a web object: pairs of names and values, or fields. */
export type WebData =
  | { readonly tag: "form" | "headers" | "params"; readonly pairs: readonly unknown[] }
  | { readonly tag: "instance"; readonly fields: Readonly<Record<string, unknown>> };

const PAIRS: ReadonlyMap<string, "form" | "headers" | "params"> = new Map([
  ["FormData", "form"],
  ["Headers", "headers"],
  ["URLSearchParams", "params"],
]);

/** The fields of objects whose content can only be read asynchronously. */
const FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Blob", ["type", "size"]],
  ["File", ["name", "type", "size"]],
  ["Request", ["method", "url", "headers"]],
]);

/** Returns the data of web objects, also of another realm or a polyfill; undefined for other objects. */
export function webData(value: object): WebData | undefined {
  const name = classTag(value);
  const tag = PAIRS.get(name);
  if (tag !== undefined) return isIterable(value) ? { tag, pairs: [...value] } : undefined;
  const fields = FIELDS.get(name);
  if (fields === undefined) return undefined;
  return { tag: "instance", fields: Object.fromEntries(fields.map((field) => [field, Reflect.get(value, field)])) };
}

function isIterable(value: object): value is Iterable<unknown> {
  return typeof Reflect.get(value, Symbol.iterator) === "function";
}

const CONTENT = /^(?:Promise|(?:Readable|Transform)Stream|(?:Async)?Generator|.+ Iterator)$/;

/** Returns true for an object with content that only its consumer can read, so that it isn't compared. */
export function hasUnreadContent(value: object): boolean {
  const name = classTag(value);
  if (name !== "Request" && name !== "Response") return CONTENT.test(name);
  return Boolean(Reflect.get(value, "body")) && Reflect.get(value, "bodyUsed") !== true;
}

/**
 * Rebuilds Headers or URLSearchParams from their pairs; undefined for malformed content. Returns the pairs if the
 * test's environment has no Headers.
 */
export function webPairs(kind: "headers" | "params", content: unknown): object | undefined {
  if (!isArray(content) || !content.every(isTextPair)) return undefined;
  const pairs = content.map(([name, value]): [string, string] => [name, value]);
  if (kind === "headers" && typeof Headers === "undefined") return pairs;
  try {
    return kind === "headers" ? new Headers(pairs) : new URLSearchParams(pairs);
  } catch {
    return undefined;
  }
}

function isTextPair(item: unknown): item is readonly [string, string] {
  return isArray(item) && item.length === 2 && item.every((part) => typeof part === "string");
}
