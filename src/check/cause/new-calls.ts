import { type AdapterCall, RESPONSE_MARK, isMethodCall } from "../../record/adapter-call.ts";
import { recordingRules } from "../../record/recording-rules.ts";
import { requestIdentity } from "../../record/request-keys.ts";
import type { OfflineRun } from "./replay-with-stubs.ts";
import type { OfflineChange } from "./stubbed-calls.ts";

/**
 * Adds the new calls after the first one, at which the run of a step ends, to its changed requests: those of `further`,
 * a run in which the first one has a response. A request isn't a changed one if that run also sends each recorded one.
 */
export function withFurtherCalls(
  changes: readonly OfflineChange[],
  { recorded, further: run }: { readonly recorded: readonly AdapterCall[]; readonly further: OfflineRun | undefined },
): readonly OfflineChange[] {
  if (run === undefined || !changes.some(({ kind }) => kind === "added")) return changes;
  const rules = recordingRules();
  const identityOf = ({ adapter, request }: Call): string => requestIdentity(adapter, rules.request(adapter, request));
  const made = run.made.filter(isCall);
  const missing = new Set(matchCalls(recorded, made, identityOf).rest.map(({ adapter }) => adapter));
  const known = changes.map((change): OfflineChange => {
    const isNew = change.kind === "changed" && !missing.has(change.adapter);
    return isNew ? { ...change, kind: "added", entries: [] } : change;
  });
  const sent = known.flatMap(({ kind, call }) => (kind === "dropped" ? [] : [call]));
  const added = matchCalls(made, [...recorded, ...sent], identityOf).rest;
  // Some of them are recorded requests that changed, such as a prompt with the response to the new call.
  const counted = [...recorded.filter(isCall), ...known.filter(({ kind }) => kind === "added")];
  const surplus = matchCalls<Pick<Call, "adapter">>(made, counted, ({ adapter }) => adapter).rest;
  const further = matchCalls<Call, Pick<Call, "adapter">>(added, surplus, ({ adapter }) => adapter).matched;
  return [...known, ...further.map((call) => ({ kind: "added" as const, adapter: call.adapter, entries: [], call }))];
}

/** Uses of a response belong to the call that got it. */
function isCall(call: AdapterCall): boolean {
  return isMethodCall(call) && !RESPONSE_MARK.test(call.adapter);
}

type Call = Pick<AdapterCall, "adapter" | "request">;

/** Splits calls into those that each match one of the compared calls, by their keys, and the rest. */
export function matchCalls<T extends U, U = T>(
  calls: readonly T[],
  compared: readonly U[],
  keyOf: (call: U) => string,
): { readonly matched: readonly T[]; readonly rest: readonly T[] } {
  const remaining = new Map<string, number>();
  for (const key of compared.map(keyOf)) remaining.set(key, (remaining.get(key) ?? 0) + 1);
  const matched: T[] = [];
  const rest: T[] = [];
  for (const call of calls) {
    const count = remaining.get(keyOf(call)) ?? 0;
    remaining.set(keyOf(call), count - 1);
    (count > 0 ? matched : rest).push(call);
  }
  return { matched, rest };
}
