import { stableStringify } from "../base/canonical-json.ts";
import { type AdapterCall, answerPath } from "../record/adapter-call.ts";

/**
 * The calls that go wrong in their turn, each with those of what it answered: of a stream all, of a promise
 * `withResponse()`, which is the same call once more. What else is made of an answer can fail by itself.
 */
export function usesByCall(calls: readonly AdapterCall[]): ReadonlyMap<AdapterCall, readonly AdapterCall[]> {
  const ofAnswers = calls.filter(({ adapter }) => adapter.includes(")."));
  const uses = new Map<AdapterCall, readonly AdapterCall[]>();
  for (const call of calls) {
    if (call.returns === "property") continue;
    const path = `${answerPath(call)}.`;
    const own = ofAnswers.filter(({ adapter }) => adapter.startsWith(path));
    uses.set(call, call.returns === "stream" ? own : own.filter(({ adapter }) => adapter === `${path}withResponse`));
  }
  for (const use of [...uses.values()].flat()) uses.delete(use);
  return uses;
}

/** A call and its uses, with the next number of its request: more of them are served than were recorded. */
export function renumbered(
  call: AdapterCall,
  uses: readonly AdapterCall[],
  counts: Map<string, number>,
): readonly [AdapterCall, ...AdapterCall[]] {
  const line = `${call.adapter} ${stableStringify(call.request)}`;
  const occurrence = counts.get(line) ?? 0;
  counts.set(line, occurrence + 1);
  const copy = { ...call, occurrence };
  const [from, to] = [answerPath(call), answerPath(copy)];
  return [copy, ...uses.map((use) => ({ ...use, adapter: use.adapter.replace(from, () => to) }))];
}
