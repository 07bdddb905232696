import { isArray } from "../base/plain-data.ts";
import { isPlainObject } from "../base/plain-data.ts";
import type { ERROR_CLASSES } from "./encode-error.ts";

// AggregateError and DOMException take other arguments than a message.
type MessageOnly = Exclude<(typeof ERROR_CLASSES)[number], "AggregateError" | "DOMException">;

const CLASSES: Readonly<Record<MessageOnly, new (message: string) => Error>> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  Error,
};

/**
 * Rebuilds an error from what `encodeError` made: the same built-in class, with its name and data. Undefined for a
 * malformed content. `child` decodes what stands at a key.
 */
export function decodeError(content: unknown, child: (value: unknown, key: string) => unknown): Error | undefined {
  if (!isPlainObject(content)) return undefined;
  const { name, message, cause, errors, data = {} } = content;
  if (typeof name !== "string" || typeof message !== "string" || !isPlainObject(data)) return undefined;
  if (errors !== undefined && !isArray(errors)) return undefined;
  const error = construct(content["class"], name, message);
  if (error === undefined) return undefined;
  if (error.name !== name) define(error, "name", { value: name });
  if (cause !== undefined) define(error, "cause", { value: child(cause, "cause") });
  if (errors !== undefined) define(error, "errors", { value: child(errors, "errors") });
  for (const [key, item] of Object.entries(data)) restoreField(error, key, child(item, key));
  return error;
}

function construct(builtin: unknown, name: string, message: string): Error | undefined {
  if (builtin === "AggregateError") return new AggregateError([], message);
  if (builtin === "DOMException") return new DOMException(message, name);
  const known = Object.entries(CLASSES).find(([key]) => key === builtin);
  return known === undefined ? undefined : new known[1](message);
}

function restoreField(error: Error, key: string, value: unknown): void {
  // A DOMException already has its `code`, from its prototype.
  if (Reflect.get(error, key) !== value) define(error, key, { value, enumerable: true });
}

function define(
  error: Error,
  key: string,
  descriptor: { readonly value: unknown; readonly enumerable?: boolean },
): void {
  Object.defineProperty(error, key, { writable: true, configurable: true, ...descriptor });
}
