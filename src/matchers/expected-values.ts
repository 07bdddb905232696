import { types } from "node:util";
import { isAnyError } from "../kernel/error-message.ts";
import { formatValue } from "../kernel/diff/format-value.ts";
import { isArray, isPlainObject, typeName, withArticle } from "../kernel/json/plain-data.ts";
import { pathGlob } from "../record/calls/infer-role.ts";
import { containsPart } from "../record/calls/trajectory.ts";
import { quote } from "../kernel/text.ts";
import { testHidden, withExpected } from "./hidden-values.ts";
import { mayBeEqual, refuseDotPaths } from "./loose-values.ts";
import type { AsymmetricMatcher, MatcherContext } from "./matcher-context.ts";

/** Test of a name or a value. */
type Test<Value> = (actual: Value) => boolean;

/** Name of a call, an event type or a step: exact, a pattern as in `roles`, or a RegExp. */
export type ExpectedName = string | RegExp;

/**
 * Returns the test of a name. A name also matches the end of a dot path, so that `lookup` finds `tools.lookup`. As in
 * `roles`, a pattern covers the names below those it matches. Under `.not` the case of a pattern is ignored, a path
 * without `*` covers what is below it too, `tools/lookup` is `tools.lookup`, and a RegExp can match an end. An
 * assertion that a call was not made must not pass because of how the call is spelled. A RegExp that excludes a start
 * (`/^(?!tools\.)/`) is tested on complete names only, because an end lacks that start.
 */
export function nameTest(matcher: string, expected: unknown, isNot: boolean = false): Test<string> {
  if (types.isRegExp(expected)) {
    const triesEnds = isNot && !excludesStart(expected);
    return (name) => (triesEnds ? endsOf(name) : [name]).some((end) => end.search(expected) !== -1);
  }
  if (typeof expected !== "string" || expected.trim() === "" || expected.trim() !== expected)
    throw new TypeError(`${matcher}: expected a name, a pattern or a RegExp, got ${kindOf(expected)}.`);
  if (isNot) refuseRegExpText(matcher, expected);
  if (isNot && /[?!|()[\]{}\\^]/.test(expected))
    throw new TypeError(
      `${matcher}: under .not, ${quote(expected)} can only use the wildcards * and **. ` +
        "Use a RegExp for other patterns.",
    );
  const path = isNot ? withDots(expected) : expected;
  const parts = path.split(".");
  if (isNot && parts.includes("")) {
    const complete = parts.filter((part) => part !== "").join(".") || "**";
    throw new TypeError(
      `${matcher}: under .not, ${quote(expected)} has an empty part, which no name has. ` +
        `Use ${quote(complete)}, which also covers the names below it, or a RegExp.`,
    );
  }
  const isCovering = isNot || path.includes("*");
  const end = isCovering ? "(?:\\.|$)" : "$";
  const bounds = { start: "(?:^|\\.)", end, flags: isNot ? "siu" : "su" };
  if (!isNot) return pathGlob(path, bounds);
  const matches = pathGlob(path.normalize("NFC"), bounds);
  return (name) => matches((path === expected ? name : withDots(name)).normalize("NFC"));
}

/** Throws a TypeError for a RegExp in quotes, which no name matches. */
export function refuseRegExpText(matcher: string, text: string): void {
  if (!/^\/.+\/[dgimsuvy]*$/s.test(text)) return;
  throw new TypeError(
    `${matcher}: under .not, ${quote(text)} looks like a RegExp in quotes. Pass the RegExp without quotes. ` +
      `For a request, pass its method and URL, such as "fetch POST https://api.shop.test/*".`,
  );
}

/** Other separators than the dot that people write in a path: `tools/lookup`, `tools::lookup`, `tools -> lookup`. */
const SEPARATORS = /(?:->|[\s/:#>])+/g;

function withDots(path: string): string {
  return path.replaceAll(SEPARATORS, ".");
}

/** An exclusion before any other character in the source of a RegExp. */
const EXCLUSION = /^[\^(?:]*(?:\(\?!|\[\^|\\[DSWP])/;
/** A lookbehind there, which also needs what is before an end. */
const LOOKBEHIND = /^[\^(?:]*\(\?<!/;

/**
 * Returns true if a RegExp excludes starts of names and accepts any other name. One that excludes characters before a
 * word (`/^[^.]*delete/`) names what it's about, so it's tested on ends too.
 */
function excludesStart(expected: RegExp): boolean {
  const { source } = expected;
  return LOOKBEHIND.test(source) || (EXCLUSION.test(source) && ANY_NAME.search(expected) !== -1);
}

/** A name without letters, digits or separators that a RegExp could ask for. */
const ANY_NAME = "\u{e6}\u{e6}";

/** Returns a dot path, or a method and a URL after `fetch`, and each end of it. */
function endsOf(name: string): readonly string[] {
  return [name, ...Array.from(name.matchAll(/[. ]/g), ({ index }) => name.slice(index + 1))];
}

/** Equality of the runner, and whether the assertion is negated. */
export interface RunnerEquality extends Pick<MatcherContext, "equals"> {
  readonly customTesters?: readonly unknown[] | undefined;
  readonly isNot?: boolean | undefined;
  /** True if a value that contains the expected one is a match. Default: under `.not`. */
  readonly isPart?: boolean | undefined;
  /** True if a match that depends on a redacted value counts. Default: under `.not`. */
  readonly mayMatch?: boolean | undefined;
}

/**
 * Returns the test of a value: equal by the runner's own equality, in which a function of the value and a RegExp of its
 * text match too. Under `.not` a value that contains the expected one is a match, since the assertion would otherwise
 * pass because of a field it doesn't mention. Throws a TypeError for a value that can't be matched.
 */
export function valueTest(
  matcher: string,
  expected: unknown,
  { equals, customTesters, isNot = false, isPart = isNot, mayMatch = isNot }: RunnerEquality,
): Test<unknown> {
  if (expected === undefined && isNot) return () => true;
  const asymmetric = toAsymmetric(expected, { matcher, mayMatch, above: new Set() });
  const isEqual = (actual: unknown, wanted: unknown): boolean => equals(actual, wanted, customTesters);
  const contains = (actual: unknown, wanted: unknown): boolean => containsPart(actual, wanted, how);
  const how = {
    equals: isEqual,
    isLoose: isNot,
    ...(isNot && { mayBeEqual: (actual: unknown, wanted: unknown) => mayBeEqual(actual, wanted, contains) }),
  };
  if (isPart)
    return (actual) => {
      if (isNot) refuseDotPaths(matcher, expected, actual);
      return isEqual(actual, asymmetric) || containsPart(actual, asymmetric, how);
    };
  return (actual) => isEqual(actual, asymmetric) || (mayMatch && isEqual(withExpected(actual, asymmetric), asymmetric));
}

/** Classes whose instances a recorded value can contain. */
const DATA_CLASSES = [
  types.isDate,
  types.isMap,
  types.isSet,
  isAnyError,
  types.isAnyArrayBuffer,
  types.isArrayBufferView,
  (value: unknown) => value instanceof URL,
] as const;

/** Conversion of an expected value. */
interface Conversion {
  readonly matcher: string;
  readonly mayMatch: boolean;
  /** Values that contain the one that is converted. */
  readonly above: ReadonlySet<unknown>;
}

/**
 * Copies an expected value with its functions and RegExps as asymmetric matchers, which both runners know. All of them
 * pass what a recording hides to `testHidden`.
 */
function toAsymmetric(expected: unknown, how: Conversion): unknown {
  const { matcher, mayMatch, above } = how;
  const asymmetricOf = (test: Test<unknown>, source: string, isOfType: boolean = false): object => {
    const asymmetricMatch = (actual: unknown): boolean => testHidden(actual, { test, source, isOfType, mayMatch });
    const toString = (): string => "matching";
    return { $$typeof: Symbol.for("jest.asymmetricMatcher"), asymmetricMatch, toString, toAsymmetricMatcher: toString };
  };
  if (isPredicate(expected))
    return asymmetricOf((actual) => predicateResult(matcher, expected(actual)), String(expected));
  if (typeof expected === "symbol") return refuse(matcher, expected);
  if (typeof expected !== "object" || expected === null) return expected;
  if (isAsymmetric(expected)) {
    const { sample } = expected;
    const source = types.isRegExp(sample) ? String(sample) : formatValue(sample);
    return asymmetricOf((actual) => expected.asymmetricMatch(actual), source, OF_TYPE.test(String(expected)));
  }
  if (types.isRegExp(expected)) return asymmetricOf((actual) => matchesRegExp(actual, expected), String(expected));
  if (DATA_CLASSES.some((isInstance) => isInstance(expected))) return expected;
  if (above.has(expected)) throw new TypeError(`${matcher}: the expected value contains itself.`);
  const inner = { ...how, above: new Set(above).add(expected) };
  if (isArray(expected)) return expected.map((item) => toAsymmetric(item, inner));
  if (!isPlainObject(expected) || "~standard" in expected) return refuse(matcher, expected);
  return Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, toAsymmetric(value, inner)]));
}

/** Names of asymmetric matchers for which all strings are alike. */
const OF_TYPE = /^(?:Any|Object|Array|Number|closeTo)/;

function isAsymmetric(value: object): value is AsymmetricMatcher & { readonly sample?: unknown; toString(): string } {
  return "asymmetricMatch" in value;
}

function isPredicate(value: unknown): value is (actual: unknown) => unknown {
  return typeof value === "function";
}

function predicateResult(matcher: string, result: unknown): boolean {
  if (typeof result === "boolean") return result;
  const returned = typeof result === "string" ? formatValue(result) : kindOf(result);
  throw new TypeError(`${matcher}: the function must return a boolean, got ${returned}.`);
}

function matchesRegExp(actual: unknown, expected: RegExp): boolean {
  if (types.isRegExp(actual)) return String(actual) === String(expected);
  return (typeof actual === "string" ? actual : formatValue(actual)).search(expected) !== -1;
}

function refuse(matcher: string, expected: unknown): never {
  throw new TypeError(
    `${matcher}: can't match ${kindOf(expected)}. Use data, a function, a RegExp or an asymmetric matcher.`,
  );
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return value.trim() === "" ? "a blank string" : `${JSON.stringify(value)} with spaces`;
  const name = typeName(value);
  return name === "null" || name === "undefined" ? name : withArticle(name);
}
