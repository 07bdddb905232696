import { isArray, isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { isPartlyRecorded } from "../../record/replay/unrecorded-request.ts";
import { type ComparisonRules, type Outcome, diffOutcomes } from "../compare/compare.ts";
import type { Evidence } from "./cause.ts";
import { differenceKey } from "./code-evidence.ts";
import { type OfflineRunOptions, type OfflineRun, replayWithStubs } from "./replay-with-stubs.ts";

/**
 * Runs a step that ended at a new request on, with the response to the nearest recorded one. Undefined if it didn't end
 * at such a request.
 */
export async function runPastNewCall(
  run: OfflineRun | undefined,
  options: OfflineRunOptions | undefined,
): Promise<OfflineRun | undefined> {
  if (options === undefined || run?.kind !== "unrecorded" || isPartlyRecorded(run.unrecorded.reason)) return undefined;
  return replayWithStubs({ ...options, extra: (nearest) => nearest, after: run });
}

/**
 * Returns the evidence for code of a step that makes a new request, whose response is unknown. So the step runs on two
 * dissimilar responses; `pastNewCall` is the first of these runs. A difference from the baseline that is the same in
 * both runs doesn't come from the response. Empty if one of the runs has no result.
 */
export async function evidencePastNewCall(
  run: OfflineRun | undefined,
  {
    pastNewCall,
    options,
    stored,
    rules,
  }: {
    readonly pastNewCall: OfflineRun | undefined;
    readonly options: OfflineRunOptions | undefined;
    readonly stored: Outcome;
    readonly rules: ComparisonRules;
  },
): Promise<Evidence[]> {
  if (options === undefined || run?.kind !== "unrecorded" || pastNewCall === undefined) return [];
  const differencesOf = (ended: OfflineRun): readonly DiffEntry[] =>
    ended.kind === "ran" ? diffOutcomes(stored, ended.outcome, rules) : [];
  const differences = differencesOf(pastNewCall);
  if (differences.length === 0) return [];
  const other = await replayWithStubs({ ...options, extra: dissimilarCall, after: run });
  const known = new Set(differencesOf(other).map(differenceKey));
  const entries = differences.filter((entry) => known.has(differenceKey(entry)));
  return entries.length === 0 ? [] : [{ kind: "code", entries }];
}

/** Returns a call with a response of the same form in which each string, number and boolean differs. */
export function dissimilarCall(call: AdapterCall): AdapterCall {
  return Object.hasOwn(call, "response") ? { ...call, response: otherValue(call.response) } : call;
}

function otherValue(value: unknown): unknown {
  if (typeof value === "string") {
    const data = parsedJson(value);
    // The names in structured output are part of its form.
    if (isArray(data) || isPlainObject(data)) return JSON.stringify(otherValue(data));
    const other = value
      .replace(/[a-z]/gi, otherLetter)
      .replace(/\d/g, (digit) => String((Number(digit) + 1) % 10))
      .replace(/[^\p{ASCII}]/gu, "x");
    return other === value ? `${value}x` : other;
  }
  // Above 2^53 a number plus 1 is the number itself.
  if (typeof value === "number") return value + 1 === value ? value / 2 : value + 1;
  if (typeof value === "boolean") return !value;
  if (isArray(value)) return value.map(otherValue);
  // An encoded date or number of another form can't be decoded.
  if (!isPlainObject(value) || Object.hasOwn(value, "$t")) return value;
  // A field that names the kind of a value is part of the form.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, /^(?:type|role|kind)$/.test(key) ? item : otherValue(item)]),
  );
}

function otherLetter(letter: string): string {
  const base = letter < "a" ? 65 : 97;
  return String.fromCharCode(base + ((letter.charCodeAt(0) - base + 13) % 26));
}
