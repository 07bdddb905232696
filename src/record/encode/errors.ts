import { isArray, isPlainObject, setOwnField } from "../../kernel/json/plain-data.ts";

/** Error classes of decoded errors. */
const ERROR_CLASSES = [
  "AggregateError",
  "DOMException",
  "EvalError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "TypeError",
  "URIError",
  "Error",
] as const;

// `stack` names files of one machine; the others have their own fields in the encoding.
const NOT_DATA: ReadonlySet<string> = new Set(["name", "message", "stack", "cause"]);

interface ErrorParts {
  /** Encodes a key's value. */
  readonly child: (value: unknown, key: string) => unknown;
  /** Names of getters of its class that are data. */
  readonly getters: readonly string[];
}

/**
 * Takes an error apart: its nearest built-in class, name, message, cause, an AggregateError's errors, and as `data` its
 * own enumerable fields with `code` and `status` from any source, without its socket, and as `symbols` those of
 * registered symbols, by which SDKs mark the classes of their errors.
 */
export function encodeError(error: object, { child, getters }: ErrorParts): Record<string, unknown> {
  const read = (key: string): unknown => Reflect.get(error, key);
  const builtin = builtinClass(error);
  const encoded: Record<string, unknown> = {
    class: builtin,
    name: String(read("name")),
    message: String(read("message")),
  };
  if (read("cause") !== undefined) encoded["cause"] = child(read("cause"), "cause");
  const errors = builtin === "AggregateError" ? read("errors") : undefined;
  if (isArray(errors)) encoded["errors"] = child(errors, "errors");
  const data = encodeData(error, { child, getters });
  if (Object.keys(data).length > 0) encoded["data"] = data;
  const symbols = encodeSymbols(error, child);
  if (Object.keys(symbols).length > 0) encoded["symbols"] = symbols;
  return encoded;
}

function encodeSymbols(error: object, child: (value: unknown, key: string) => unknown): Record<string, unknown> {
  const symbols: Record<string, unknown> = {};
  for (const symbol of Object.getOwnPropertySymbols(error)) {
    const key = Symbol.keyFor(symbol);
    const read: unknown = Reflect.get(error, symbol);
    // Those of Node's own `fetch` depend on its version.
    const encoded =
      key === undefined || key.startsWith("undici.") || typeof read === "function" ? undefined : child(read, key);
    if (key !== undefined && encoded !== undefined) setOwnField(symbols, key, encoded);
  }
  return symbols;
}

function encodeData(error: object, { child, getters }: ErrorParts): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(error), ...getters, "code", "status"])) {
    const read: unknown = NOT_DATA.has(key) ? undefined : Reflect.get(error, key);
    const value = isOfConnection(key, read) ? undefined : read;
    const encoded = typeof value === "function" ? undefined : child(value, key);
    if (encoded !== undefined) setOwnField(data, key, encoded);
  }
  return data;
}

/** Returns true for the end of a connection on this machine, as undici gives it: its ports differ each time. */
export function isOfConnection(key: string, value: unknown): boolean {
  if (key === "localPort" || key === "localAddress") return true;
  return key === "socket" && typeof value === "object" && value !== null;
}

function builtinClass(error: object): string {
  // By name, since under Jest an error may descend from the classes of another realm.
  for (let proto = prototypeOf(error); proto !== null; proto = prototypeOf(proto)) {
    const constructor: unknown = Object.hasOwn(proto, "constructor") ? Reflect.get(proto, "constructor") : undefined;
    const name = typeof constructor === "function" ? constructor.name : "";
    const known = ERROR_CLASSES.find((builtin) => builtin === name);
    if (known !== undefined) return known;
  }
  return "Error";
}

function prototypeOf(value: object): object | null {
  return Reflect.getPrototypeOf(value);
}

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
 * malformed content. `child` decodes the value of a key.
 */
export function decodeError(content: unknown, child: (value: unknown, key: string) => unknown): Error | undefined {
  if (!isPlainObject(content)) return undefined;
  const { name, message, cause, errors, data = {}, symbols = {} } = content;
  if (typeof name !== "string" || typeof message !== "string" || !isPlainObject(data)) return undefined;
  if (!isPlainObject(symbols)) return undefined;
  if (errors !== undefined && !isArray(errors)) return undefined;
  const error = construct(content["class"], name, message);
  if (error === undefined) return undefined;
  if (error.name !== name) define(error, "name", { value: name });
  if (cause !== undefined) define(error, "cause", { value: child(cause, "cause") });
  if (errors !== undefined) define(error, "errors", { value: child(errors, "errors") });
  for (const [key, item] of Object.entries(data)) restoreField(error, key, child(item, key));
  for (const [key, item] of Object.entries(symbols))
    define(error, Symbol.for(key), { value: child(item, key), enumerable: true });
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
  key: string | symbol,
  descriptor: { readonly value: unknown; readonly enumerable?: boolean },
): void {
  Object.defineProperty(error, key, { writable: true, configurable: true, ...descriptor });
}
