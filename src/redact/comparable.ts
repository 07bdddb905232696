import { stableStringify } from "../kernel/json/canonical-json.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { currentRedactor, learnSecrets } from "./current-redactor.ts";
import type { PathSegment } from "./path-pattern.ts";
import { PLACEHOLDER, kindOf, mayHoldPlaceholders, withBytesRead } from "./placeholder.ts";
import { RevealedSecrets, withRevealedSecrets, currentRevealedSecrets } from "./revealed-secrets.ts";
import { PlaceholderNumbers } from "./placeholder-numbers.ts";

/** Options to pair the secrets of two sides. */
export interface SecretsOf {
  /** Path of both sides, for values that are hidden by their path. */
  readonly at: readonly PathSegment[];
  /**
   * Returns a side in the form in which its elements correspond to those of the other: by key, in order. If it throws,
   * the side stays as it is, and the comparison reports the error. Default: as it is.
   */
  readonly aligned?: (side: unknown) => unknown;
}

/** Two sides as they compare. */
export type Comparable = readonly [before: unknown, after: unknown];

/**
 * The stored and the current value in a form that compares: both without secrets, and those of the current value with
 * the numbers of their stored counterparts in the current recording. Both must be JSON; a side that needs no change is
 * returned unchanged.
 */
export function comparable(before: unknown, after: unknown, { at, aligned }: SecretsOf): Comparable {
  const secrets = currentRevealedSecrets();
  if (secrets === undefined) {
    const numbers = new PlaceholderNumbers({ stored: () => before, live: () => after, isIndependent: true });
    return withRevealedSecrets(new RevealedSecrets(numbers), () =>
      comparable(before, after, { at, ...(aligned && { aligned }) }),
    );
  }
  const redactor = currentRedactor();
  learnSecrets(before, after);
  const [was, hidden] = [redactor.redact(before, at).value, redactor.redact(after, at).value];
  if (!containsPlaceholder(was) || !containsPlaceholder(hidden)) return [was, hidden];
  pairSecrets(formed(was, aligned), formed(secrets.numbers.paired(hidden), aligned), secrets.numbers);
  return [secrets.numbers.resolvedStored(was), secrets.numbers.resolved(hidden)];
}

/** Returns true if two requests that differ only in their placeholders have the same ones. */
export function sameSecrets(before: unknown, after: unknown): boolean {
  if (stableStringify(before) === stableStringify(after)) return true;
  const [was, is] = comparable(before, after, { at: [] });
  return stableStringify(was) === stableStringify(is);
}

function formed(side: unknown, aligned: SecretsOf["aligned"]): unknown {
  try {
    return aligned?.(side) ?? side;
  } catch {
    return side;
  }
}

/** By the native writer, which is much faster: most values have no placeholder. */
function containsPlaceholder(value: unknown): boolean {
  const text: unknown = JSON.stringify(value);
  return typeof text === "string" && mayHoldPlaceholders(text);
}

const PLACEHOLDERS = new RegExp(PLACEHOLDER, "g");

/**
 * Pairs the placeholders of two sides by their positions: one for one, so that secrets that were alike and no longer
 * are, or the other way round, differ.
 */
export function pairSecrets(before: unknown, after: unknown, numbers: PlaceholderNumbers): void {
  walkPairs(withBytesRead(before), withBytesRead(after), (was, is) => {
    const [left, right] = [was.match(PLACEHOLDERS) ?? [], is.match(PLACEHOLDERS) ?? []];
    if (left.length !== right.length || was.replace(PLACEHOLDERS, "") !== is.replace(PLACEHOLDERS, "")) return;
    for (const [index, mine] of right.entries()) numbers.pair(left[index] ?? mine, mine);
  });
}

/** Pairs the secrets of the current recording; does nothing outside of a recording. */
export function pairHere(stored: unknown, live: unknown): void {
  const secrets = currentRevealedSecrets();
  if (secrets !== undefined) pairSecrets(stored, live, secrets.numbers);
}

function walkPairs(before: unknown, after: unknown, pair: (was: string, is: string) => void): void {
  if (typeof before === "string" && typeof after === "string") pair(before, after);
  else if (isArray(before) && isArray(after))
    for (const [index, item] of after.entries()) walkPairs(before[index], item, pair);
  else if (isPlainObject(before) && isPlainObject(after)) {
    const [left, right] = [before, after].map((side) => Object.keys(side));
    for (const name of right ?? []) if (Object.hasOwn(before, name)) walkPairs(before[name], after[name], pair);
    // Names may contain secrets, too.
    const gone = (left ?? []).filter((name) => !Object.hasOwn(after, name));
    const added = (right ?? []).filter((name) => !Object.hasOwn(before, name));
    for (const [index, name] of added.entries()) {
      const was = gone[index];
      if (was === undefined || blank(was) !== blank(name)) continue;
      pair(was, name);
      walkPairs(before[was], after[name], pair);
    }
  }
}

function blank(text: string): string {
  return text.replace(PLACEHOLDERS, "«redacted»");
}

/**
 * Items in an order that doesn't depend on numbers of placeholders except of items that are alike, for lists whose
 * order has no meaning.
 */
export function inOrderOfKinds(side: unknown): unknown {
  if (!isArray(side)) return side;
  const keyed = side.map((item) => {
    const text = JSON.stringify(item) ?? "";
    return { item, key: `${text.replace(PLACEHOLDERS, (placeholder) => `«${kindOf(placeholder)}»`)}${text}` };
  });
  return keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))).map(({ item }) => item);
}
