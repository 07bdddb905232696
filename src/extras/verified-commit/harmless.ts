import { isBuiltin } from "node:module";

/** Global classes and functions that code can call without seeing or changing more than their arguments. */
const CALLED = words(
  "Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Error AggregateError EvalError " +
    "RangeError ReferenceError SyntaxError TypeError URIError Float32Array Float64Array Int8Array Int16Array " +
    "Int32Array Map Number Object Promise RegExp Set String Symbol Uint8Array Uint8ClampedArray Uint16Array " +
    "Uint32Array WeakMap WeakSet AbortController Blob DOMException File FormData Headers Request Response " +
    "TextDecoder TextEncoder URL URLSearchParams ReadableStream WritableStream TransformStream isFinite isNaN " +
    "parseFloat parseInt encodeURIComponent encodeURI decodeURIComponent structuredClone EventTarget Event " +
    "CustomEvent",
);
/** Members of globals that do the same. */
const MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  Math: words(
    "abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp expm1 floor fround hypot imul log log10 " +
      "log1p log2 max min pow round sign sin sinh sqrt tan tanh trunc E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2",
  ),
  JSON: words("parse stringify"),
  Object: words("keys values entries fromEntries freeze isFrozen is hasOwn groupBy assign create"),
  Array: words("isArray from of fromAsync"),
  Number: words(
    "isFinite isInteger isNaN isSafeInteger parseFloat parseInt EPSILON MAX_SAFE_INTEGER MAX_VALUE MIN_SAFE_INTEGER " +
      "MIN_VALUE NaN NEGATIVE_INFINITY POSITIVE_INFINITY",
  ),
  String: words("raw"),
  Promise: words("all allSettled any race reject resolve withResolvers try"),
  Symbol: words("iterator asyncIterator dispose asyncDispose toStringTag"),
  Date: words("UTC parse"),
  BigInt: words("asIntN asUintN"),
  Map: words("groupBy"),
  ArrayBuffer: words("isView"),
  Uint8Array: words("from of"),
  URL: words("parse canParse"),
  Response: words("json error redirect"),
  AbortSignal: words("abort any"),
  Buffer: words("from alloc concat byteLength compare isBuffer isEncoding"),
  Iterator: words("from"),
  Intl: words(
    "Collator DisplayNames DurationFormat ListFormat Locale NumberFormat PluralRules RelativeTimeFormat Segmenter " +
      "getCanonicalLocales",
  ),
  console: words(
    "assert count countReset debug dir error group groupCollapsed groupEnd info log table time timeEnd timeLog " +
      "trace warn",
  ),
};
/** Globals without members of their own, and functions that are often arguments: `.filter(Boolean)`. */
const VALUES = words("undefined NaN Infinity String Number Boolean BigInt parseFloat parseInt");
/** Exports of Node's modules that only depend on their arguments. `resolve` and `relative` depend on the folder. */
const EXPORTS: Readonly<Record<string, ReadonlySet<string>>> = {
  "node:path": words("join basename dirname extname isAbsolute normalize parse format sep delimiter"),
  "node:path/posix": words("join basename dirname extname isAbsolute normalize parse format sep delimiter"),
  "node:util": words("promisify isDeepStrictEqual TextEncoder TextDecoder"),
  "node:crypto": words("createHash createHmac timingSafeEqual"),
  "node:events": words("EventEmitter on once"),
  "node:buffer": words("Buffer Blob"),
  "node:url": words("URL URLSearchParams"),
  "node:querystring": words("parse stringify escape unescape"),
  "node:string_decoder": words("StringDecoder"),
  "node:stream": words("Readable Writable Transform Duplex PassThrough pipeline finished"),
  "node:stream/promises": words("pipeline finished"),
};
/** Abilities that a file can use again: each further line with another one counts, even if the file had some. */
const REPEATABLE = words(
  "setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate queueMicrotask " +
    "requestAnimationFrame cancelAnimationFrame Date Math performance crypto fetch document window navigator " +
    "location history localStorage sessionStorage alert confirm Buffer Intl this",
);
/** Modules that show the process, its callers or its modules. */
const OBSERVERS = words(
  "process module vm v8 worker_threads inspector async_hooks perf_hooks test diagnostics_channel cluster repl " +
    "trace_events",
);
/** Members by which code gets to the class, callers, source or matcher of any value, or to the time. */
const REVEALING = words(
  "constructor __proto__ prototype stack caller callee prepareStackTrace stackTraceLimit captureStackTrace " +
    "__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ asymmetricMatch _isMockFunction mainModule " +
    "defaultView contentWindow ownerDocument lastModified timeStamp",
);
/** Members that have a meaning for the code that gets an object with them. */
const MEANT = words("asymmetricMatch _isMockFunction __proto__ prepareStackTrace then");
/** Packages of test runners, and those that only they use. */
const RUNNERS =
  /^(?:(?:vitest|jest|vite|vite-node|chai|mocha|expect|sinon|ava|tap|bun:test)$|jest-|@(?:vitest|jest|sinonjs)\/)/;

/** How code uses a name. `test` is `instanceof` or `extends`. */
export type Usage = "value" | "call" | "new" | "test" | "write";

/** Returns true if a use of a global depends only on its arguments, and changes only these. */
export function isHarmlessGlobal(names: readonly string[], usage: Usage): boolean {
  const [root = "", member, ...rest] = names;
  if (isOwnExport(names)) return true;
  if (usage === "write") return false;
  if (member === undefined) {
    if (VALUES.has(root)) return true;
    if (usage === "test")
      return CALLED.has(root) || /^(?:HTML|SVG)\w*Element$|Event$|^(?:Date|Element|Node)$/.test(root);
    return (usage === "call" || usage === "new") && CALLED.has(root);
  }
  // Object.prototype.toString.call(value)
  if (member === "prototype")
    return CALLED.has(root) && /^\w+\.(?:call|apply)$/.test(rest.join(".")) && usage === "call";
  const isKnown = Object.hasOwn(MEMBERS, root) && MEMBERS[root]?.has(member) === true;
  return isKnown && !rest.some((name) => isRevealing(name) || name === "[…]");
}

/** CommonJS: `module.exports = …`, `exports.name = …`. */
function isOwnExport(names: readonly string[]): boolean {
  const [root, member] = names;
  return root === "module" ? member === "exports" : root === "exports" && member !== "[…]" && member !== "then";
}

/** Returns true if a use of a module's export depends only on its arguments. */
export function isHarmlessExport(module: string, names: readonly string[], usage: Usage): boolean {
  const name = builtinName(module);
  const [member, ...rest] = names[0] === "default" || names[0] === "posix" ? names.slice(1) : names;
  if (usage === "write") return false;
  if (name === undefined) {
    // Loaders give a default export without a name different ones.
    const isNameOfDefault = names.join(".") === "default.name" && !module.endsWith(".json");
    return names[0] !== "[…]" && !(usage === "call" && names[1] === "toString") && !isNameOfDefault;
  }
  if (!Object.hasOwn(EXPORTS, name)) return false;
  return member !== undefined && EXPORTS[name]?.has(member) === true && !rest.some(isRevealing);
}

/** The name of a module of Node with its prefix; undefined for another module. */
export function builtinName(module: string): string | undefined {
  if (!isBuiltin(module)) return undefined;
  return module.startsWith("node:") ? module : `node:${module}`;
}

/** Returns true for a member that reveals more than a value, on any object. */
export function isRevealing(name: string): boolean {
  return REVEALING.has(name);
}

/** Returns true for a member that must not be defined. */
export function isMeant(name: string): boolean {
  return MEANT.has(name);
}

/** Returns true if a file that has an ability may use it again: the others count with each line. */
export function isRepeatable(ability: string): boolean {
  const module = /^node:(?<name>\w+)/.exec(ability)?.groups?.["name"];
  if (module !== undefined) return !OBSERVERS.has(module);
  if (/^[.@\w-]*\//.test(ability)) return true;
  const [root = ""] = /^\w*/.exec(ability) ?? [];
  return REPEATABLE.has(root);
}

/** Returns true for a package that belongs to a test runner. */
export function isRunner(module: string): boolean {
  return RUNNERS.test(packageOf(module)) || RUNNERS.test(module);
}

/** The package of an import: `react` of `react/jsx-runtime`. */
export function packageOf(module: string): string {
  const [first = "", second = ""] = module.split("/");
  return first.startsWith("@") && first !== "@" ? `${first}/${second}` : first;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
