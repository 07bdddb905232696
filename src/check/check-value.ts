import { jsonOf, stableStringify } from "../kernel/json/canonical-json.ts";
import { TAG } from "../kernel/json/plain-data.ts";
import type { CompareBy, KeyBy } from "../kernel/diff/compare-rules.ts";
import { hashText, hashValueSync } from "../kernel/json/hash.ts";
import { sortedCopy } from "../kernel/json/stored-json.ts";
import { type CaseDetails, createValueBaseline } from "../baseline/create-baseline.ts";
import { storedForm } from "../record/encode/encode.ts";
import { type BaselineLibrary, type StoredCase, displayPath, storedBaselineOf } from "../baseline/baseline-library.ts";
import { normalizeForDiff } from "../kernel/diff/keyed-lists.ts";
import { formatSize } from "../kernel/text.ts";
import { unequalParts } from "../kernel/diff/unequal-parts.ts";
import { currentCheckRules } from "../redact/check-rules.ts";
import { projectSettings } from "../redact/project-settings.ts";
import { mayHoldPlaceholders } from "../redact/placeholder.ts";
import { type Comparable, type SecretsOf, comparable } from "../redact/comparable.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import { messageOf } from "../kernel/error-message.ts";
import { type Check, checkWithoutUpdate, failedNewCase, ruleFindings } from "./check.ts";
import { compareValues, verdictOfNewCase } from "./compare/compare.ts";
import { containsSecret, createUpdate, withDetails, hasOtherDetails } from "./update/create-update.ts";
import { ruleMatches, rulesByMatch } from "./compare/unmatched-rules.ts";
import { notStorable } from "./not-storable.ts";
import { type Verdict, verdictOf, verdictOfError } from "./verdict.ts";

/** A JSON value to compare with its baseline. */
export interface ValueRequest {
  /** The base name of the test file. */
  readonly test: string;
  readonly details: CaseDetails & { readonly name: string };
  readonly keyBy: KeyBy;
  /** Tolerances. Default: none. */
  readonly compare?: CompareBy | undefined;
  /** As in `CheckContext`. */
  readonly hidesStoredSecrets?: boolean | undefined;
}

/** A value in its stored form, its canonical JSON, and the hash of that. */
interface SerializedValue {
  /** For plain data a copy with sorted keys. */
  readonly value: unknown;
  readonly isCopy: boolean;
  readonly text: string;
  readonly hash: string;
}

/** Checks if a JSON value matches its baseline. */
export function checkValue(value: unknown, request: ValueRequest, library: BaselineLibrary): Check {
  const { test, details, compare = {} } = request;
  const { name } = details;
  const { path, stored } = library.find(test, { name }, name);
  const baseline = storedBaselineOf(stored);
  const isOutdated =
    baseline !== undefined &&
    (hasOtherDetails(baseline, details) || (request.hidesStoredSecrets === true && containsSecret(baseline)));
  const file = displayPath(path);
  const now = serialize(value, stored);
  if ("code" in now) {
    if (stored === undefined) return failedNewCase({ file, path }, now);
    return checkWithoutUpdate({ file, path }, { kind: "failed", error: now });
  }
  const verdict: Verdict =
    stored === undefined ? verdictOfNewCase(now.value, request.keyBy) : verdictOfStored(stored, now, request);
  const hasNoUpdate =
    (verdict.kind === "clean" && !isOutdated) || verdict.kind === "broken" || verdict.kind === "failed";
  const propose = (): ReturnType<typeof createUpdate> => {
    requireFits(now.text.length);
    const known = { hash: now.hash, content: now.text, ...(now.isCopy && { data: now.value }) };
    return createUpdate(withDetails(createValueBaseline(now.value, { ...details, test }, known), details, stored), {
      root: library.root,
      path,
      stored,
      known,
    });
  };
  const { keyBy } = request;
  const findings = {
    ...ruleFindings(compare, keyBy),
    ...rulesByMatch(ruleMatches({ compare, keyBy }, { outputs: [now.value, storedValue(stored)] })),
  };
  return { file, path, verdict, findings, update: hasNoUpdate ? undefined : { propose, keyBy } };
}

/**
 * Throws a TypeError for a value that exceeds a baseline's limit. Hiding its secrets, writing it and reading it back
 * takes ten times as long as the comparison, and then it is refused. A value stored as a hash isn't that long.
 */
function requireFits(length: number): void {
  const { maxBytes, hashOnly } = projectSettings();
  const isWhole = hashOnly.length + (currentCheckRules()?.hashOnly?.length ?? 0) === 0;
  if (length > maxBytes && isWhole)
    throw new TypeError(
      `it has ${formatSize(length)}, which is more than policy.maxBytes (${formatSize(maxBytes)}). Reduce ` +
        "it, or store only the hash of its large parts (redact.hashOnly)",
    );
}

function storedValue(stored: StoredCase | undefined): unknown {
  const baseline = storedBaselineOf(stored);
  return baseline?.kind === "value" ? baseline.value : undefined;
}

function verdictOfStored(
  { baseline, file, text }: StoredCase,
  now: SerializedValue,
  { keyBy, compare = {} }: ValueRequest,
): Verdict {
  if (!baseline.ok) return { kind: "broken", problem: baseline.error };
  const before = baseline.value;
  if (before.kind !== "value")
    return { kind: "broken", problem: `Cannot use ${file}: it is a baseline of a step. Delete it or move it.` };
  const same = now.hash === before.hash;
  // The same text under the same hash needs no check: neither is hashed, parsed or walked again.
  const isHashCorrect = same && (now.value === before.value || nativeText(before.value) === now.text);
  const actual = isHashCorrect ? before.hash : hashValueSync(before.value);
  if (actual !== before.hash) {
    return verdictOfError(
      kernelError("snapshot_corrupted", `hash mismatch of value: expected ${before.hash}, got ${actual}`),
      file,
    );
  }
  if (same && Object.keys(keyBy).length === 0) return { kind: "clean" };
  // Equal values with keys are compared too, because an invalid key must fail.
  try {
    // True without a tag (of a Date, a Map): then no value is decoded. Searching the values, not their text, took a
    // fifteenth of a passing check of 1 MB with keys. Searching for a tag's first quote is slow too.
    const isJson = now.isCopy && !text.includes(`${TAG}"`);
    const isPlain = Object.keys(keyBy).length + Object.keys(compare).length === 0 && isJson;
    const aligned = (side: unknown): unknown => normalizeForDiff(side, keyBy);
    const [maskedBefore, maskedAfter] = same
      ? [before.value, before.value]
      : comparablePair(before.value, now, { isPlain, secrets: { at: ["value"], aligned } });
    const { diff, tolerated } = compareValues(maskedBefore, maskedAfter, { keyBy, compare, isJson });
    return verdictOf({ compared: [{ part: "output", diff }], tolerated });
  } catch (thrown) {
    return verdictOfError(kernelError("normalization_failed", messageOf(thrown), thrown), file);
  }
}

/**
 * Returns both values for the comparison, without secrets. If no rule needs the complete values, it skips equal parts
 * without secrets. Searching two values for secrets took three fifths of a failing check of 1 MB, and four fifths of
 * one of 50 MB. It doesn't parse the equal parts of the text either, which took 200 MB for 50.
 */
function comparablePair(
  before: unknown,
  { value, isCopy, text }: SerializedValue,
  { isPlain, secrets }: { readonly isPlain: boolean; readonly secrets: SecretsOf },
): Comparable {
  if (isPlain) {
    const [partBefore, unequal] = unequalParts(before, value);
    const partAfter: unknown = isCopy ? unequal : jsonOf(unequal);
    const [maskedBefore, maskedAfter] = comparable(partBefore, partAfter, secrets);
    // With a secret on either side, the equal parts are needed too: they say which secrets correspond. If no part
    // differs although the hashes do, a getter returned another value the second time: then the text is compared.
    if (
      maskedBefore === partBefore &&
      maskedAfter === partAfter &&
      !hasPlaceholder(partBefore) &&
      !hasPlaceholder(partAfter) &&
      (isCopy || stableStringify(partAfter) !== stableStringify(partBefore))
    )
      return [partBefore, partAfter];
  }
  return comparable(before, isCopy ? value : JSON.parse(text), secrets);
}

function hasPlaceholder(value: unknown): boolean {
  const text = nativeText(value);
  return text === undefined || mayHoldPlaceholders(text);
}

/** Undefined if the native writer overflows the stack. */
function nativeText(parsed: unknown): string | undefined {
  try {
    return JSON.stringify(parsed);
  } catch {
    return undefined;
  }
}

/**
 * Serializes a value. Plain data is copied for the native writer. The copy can't change later and loses no data: a file
 * may contain it without parsing its text (a fifth of a failing check of 1 MB).
 */
function serialize(value: unknown, stored: StoredCase | undefined): SerializedValue | StepError {
  try {
    const copy = stored === undefined ? undefined : sortedCopy(value, storedValue(stored));
    const form = copy ?? storedForm(value);
    const text = copy === undefined ? stableStringify(form) : JSON.stringify(copy);
    return { value: form, isCopy: copy !== undefined, text, hash: hashText(text) };
  } catch (thrown) {
    return notStorable("value", thrown);
  }
}
