import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { type ComparisonRules, type Outcome, diffOutcomes } from "../compare.ts";
import type { Evidence } from "./cause.ts";
import { type OfflineQuestion, type OfflineRun, runOffline } from "./run-offline.ts";

/**
 * What of a result is the code's doing though the step asks once more: nobody knows the answer to that, so the step is
 * run on two that are unlike each other. What differs from the baseline in the same way under both does not come from
 * it. Nothing where one of them leads to no result.
 */
export async function besideExtraCalls(
  run: OfflineRun | undefined,
  asked: { readonly question: OfflineQuestion | undefined; readonly stored: Outcome; readonly rules: ComparisonRules },
): Promise<Evidence[]> {
  const { question, stored, rules } = asked;
  if (question === undefined || run?.kind !== "unanswered" || run.miss.reason === "stream_exhausted") return [];
  const one = await runOffline({ ...question, extra: (nearest) => nearest });
  if (one.kind !== "ran") return [];
  const other = await runOffline({ ...question, extra: unlike });
  if (other.kind !== "ran") return [];
  const known = new Set(diffOutcomes(stored, other.outcome, rules).map((entry) => stableStringify(entry)));
  const entries = diffOutcomes(stored, one.outcome, rules).filter((entry) => known.has(stableStringify(entry)));
  return entries.length === 0 ? [] : [{ kind: "code", entries }];
}

/** A call with an answer of the same form, in which each text and number is another one. */
function unlike(call: AdapterCall): AdapterCall {
  return Object.hasOwn(call, "response") ? { ...call, response: otherValue(call.response) } : call;
}

function otherValue(value: unknown): unknown {
  if (typeof value === "string")
    return value.replace(/[a-z]/gi, otherLetter).replace(/[0-8]/g, (digit) => String(Number(digit) + 1));
  if (typeof value === "number") return value + 1;
  if (isArray(value)) return value.map(otherValue);
  if (!isPlainObject(value)) return value;
  // What names a kind of value, of ours or of the service, is part of the form.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, /^(?:\$t|type|role|kind)$/.test(key) ? item : otherValue(item)]),
  );
}

function otherLetter(letter: string): string {
  const base = letter < "a" ? 65 : 97;
  return String.fromCharCode(base + ((letter.charCodeAt(0) - base + 13) % 26));
}
