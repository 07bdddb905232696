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
  const missing = new Set(without(recorded, made, identityOf).map(({ adapter }) => adapter));
  const known = changes.map((change): OfflineChange => {
    const isNew = change.kind === "changed" && !missing.has(change.adapter);
    return isNew ? { ...change, kind: "added", entries: [] } : change;
  });
  const sent = known.flatMap(({ kind, call }) => (kind === "dropped" ? [] : [call]));
  const added = without(made, [...recorded, ...sent], identityOf);
  // Others of them are recorded requests that changed, such as a prompt with the response to the new call.
  const left = new Map(counts(made));
  const counted = [...recorded.filter(isCall), ...known.filter(({ kind }) => kind === "added")];
  for (const [adapter, count] of counts(counted)) left.set(adapter, (left.get(adapter) ?? 0) - count);
  const further = added.filter(({ adapter }) => {
    const count = left.get(adapter) ?? 0;
    left.set(adapter, count - 1);
    return count > 0;
  });
  return [...known, ...further.map((call) => ({ kind: "added" as const, adapter: call.adapter, entries: [], call }))];
}

/** Uses of a response belong to the call that got it. */
function isCall(call: AdapterCall): boolean {
  return isMethodCall(call) && !RESPONSE_MARK.test(call.adapter);
}

function counts(calls: readonly Pick<AdapterCall, "adapter">[]): readonly [string, number][] {
  return [...Map.groupBy(calls, ({ adapter }) => adapter)].map(([adapter, { length }]) => [adapter, length]);
}

type Call = Pick<AdapterCall, "adapter" | "request">;

/** Returns the calls that are left if each of `subtracted` takes an equal one away. */
function without(
  calls: readonly AdapterCall[],
  subtracted: readonly Call[],
  identityOf: (call: Call) => string,
): readonly AdapterCall[] {
  const left = new Map<string, number>();
  for (const identity of subtracted.map(identityOf)) left.set(identity, (left.get(identity) ?? 0) + 1);
  return calls.filter((call) => {
    const count = left.get(identityOf(call)) ?? 0;
    left.set(identityOf(call), count - 1);
    return count <= 0;
  });
}
