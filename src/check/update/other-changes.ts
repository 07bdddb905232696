import type { KeyBy } from "../../kernel/diff/compare-rules.ts";
import { jsonOf, stableStringify } from "../../kernel/json/canonical-json.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import type { Baseline, StepBaseline } from "../../baseline/baseline.ts";
import { numberedLike } from "../../baseline/number-placeholders.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { withToolNames } from "../../record/calls/tool-names.ts";
import { CHECKPOINT } from "../../record/read-snapshot.ts";
import { diffAligned } from "../../kernel/diff/diff-labelled-lists.ts";
import { diff } from "../../kernel/diff/diff.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { type KeyedItems, idsIfUnique, keyedPaths, mapKeyed } from "../../kernel/diff/keyed-lists.ts";
import type { CheckUpdate } from "../check.ts";
import type { Verdict } from "../verdict.ts";

/** A verdict, its update, and the texts of its file before and after. */
interface UpdateTexts extends Pick<CheckUpdate, "verification" | "keyBy"> {
  readonly verdict: Verdict;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * Returns the changes that an update writes besides those of its verdict: responses, requests, model traces, an order,
 * labels. Paths begin with the file's field. Empty for a new file, which is shown completely. Together with the
 * verdict, this covers each differing field except hashes, which follow from their content.
 */
export function otherChanges({
  before,
  after,
  verdict,
  verification,
  keyBy = verification?.step.keyBy ?? {},
}: UpdateTexts): DiffEntry[] {
  if (Object.keys(keyBy).length === 0 && before !== undefined && headOf(before) === headOf(after)) return [];
  const next = after === undefined ? undefined : numberedLike(before, after);
  const [resultBefore, resultAfter] = [before, next].map((text) =>
    text === undefined ? undefined : parseBaseline(text, "the file"),
  );
  if (resultBefore?.ok !== true || resultAfter?.ok !== true) return [];
  const [fileBefore, fileAfter] = [resultBefore.value, resultAfter.value];
  const header = HEADER.flatMap((field) =>
    below(field, diff(fieldOf(fileBefore, field), fieldOf(fileAfter, field)).entries),
  );
  if (fileBefore.kind !== "step" || fileAfter.kind !== "step")
    return [
      ...header,
      ...otherOrder({
        field: "value",
        before: fieldOf(fileBefore, "value"),
        after: fieldOf(fileAfter, "value"),
        keyBy,
      }),
    ];
  return [
    ...header,
    ...otherOrder({ field: "output", before: fileBefore.output, after: fileAfter.output, keyBy }),
    ...below("events", otherTraces(fileBefore.events, fileAfter.events)),
    ...below("calls", otherCalls(fileBefore, fileAfter, verdict)),
    ...below("artifacts", otherArtifacts(fileBefore, fileAfter)),
  ];
}

/**
 * Returns the text before the value in a value's file of this library's layout; the complete text of other files. If
 * these are equal, a value's update has no other changes. Not parsing saves a tenth of a failing check of 1 MB.
 */
function headOf(text: string | undefined): string | undefined {
  const end = text?.indexOf('\n  "value": ');
  return end === -1 ? text : text?.slice(0, end);
}

/** Fields that no verdict covers. */
const HEADER = ["name", "workflow", "labels", "meta"] as const;

function fieldOf(baseline: Baseline, field: string): unknown {
  return Reflect.get(baseline, field);
}

function below(field: string, entries: readonly DiffEntry[]): DiffEntry[] {
  return entries.map((entry) => ({ ...entry, path: [field, ...entry.path] }));
}

/** Returns keyed lists with another order of elements: that isn't a change, but the update writes the new order. */
function otherOrder({
  field,
  before,
  after,
  keyBy,
}: {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly keyBy: KeyBy;
}): DiffEntry[] {
  const [ordersBefore, ordersAfter] = [ordersOf(before, keyBy), ordersOf(after, keyBy)];
  return [...ordersBefore].flatMap(([location, { at, ids }]): DiffEntry[] => {
    const common = (some: readonly string[], rest: readonly string[]): readonly string[] => {
      const known = new Set(rest);
      return some.filter((id) => known.has(id));
    };
    const idsNow = ordersAfter.get(location)?.ids ?? [];
    const [idsBefore, idsAfter] = [common(ids, idsNow), common(idsNow, ids)];
    if (stableStringify(idsBefore) === stableStringify(idsAfter)) return [];
    return [{ path: [field, ...at, "(order)"], before: idsBefore, after: idsAfter }];
  });
}

type Order = Pick<KeyedItems, "at" | "ids">;

/** Returns the keyed lists of a value by path, the outermost first. */
function ordersOf(value: unknown, keyBy: KeyBy): ReadonlyMap<string, Order> {
  const orders: Order[] = [];
  const list = ({ at, ids, whole }: KeyedItems): unknown => {
    orders.push({ at, ids });
    return whole;
  };
  mapKeyed(value, keyedPaths(keyBy), { idsOf: idsIfUnique, list });
  const outer = orders.toSorted((a, b) => a.at.length - b.at.length);
  return new Map(outer.map((order) => [JSON.stringify(order.at), order]));
}

/** Compares the data of events on models and states, which the verdict's comparison ignores. */
function otherTraces(eventsBefore: StepBaseline["events"], eventsAfter: StepBaseline["events"]): readonly DiffEntry[] {
  const { entries } = diffAligned(eventsBefore.map(traceOf), eventsAfter.map(traceOf), { label: labelBy("type") });
  // An added or removed event is shown as one; the remaining difference is that of its trace.
  return entries.filter(({ path, before, after }) => path.length > 1 || [before, after].some(hasMoreDetail));
}

function traceOf({ type, payload, llmTrace }: StepBaseline["events"][number]): unknown {
  const stateHash = type === CHECKPOINT && isPlainObject(payload) ? payload["stateHash"] : undefined;
  return jsonOf({ type, llmTrace, ...(stateHash !== undefined && { payload: { stateHash } }) });
}

function hasMoreDetail(trace: unknown): boolean {
  return isPlainObject(trace) && Object.keys(trace).length > 1;
}

/** Compares calls in their order, without the requests that the verdict already shows. */
function otherCalls(
  { calls: callsBefore }: StepBaseline,
  { calls: callsAfter }: StepBaseline,
  verdict: Verdict,
): readonly DiffEntry[] {
  const reported = reportedCalls(verdict);
  const { entries } = diffAligned(callsBefore, callsAfter, { label: labelBy("adapter") });
  return entries.flatMap((entry): readonly DiffEntry[] => {
    const [index = 0, field] = entry.path;
    // Only a removed call has its old index; a removed field is in a call of the new file.
    const isRemoved = field === undefined && entry.after === undefined;
    const adapter = (isRemoved ? callsBefore : callsAfter)[Number(index)]?.adapter ?? "";
    if (field !== undefined)
      return field === "request" && reported.has(sidesOf(adapter, entry)) ? [] : [withToolNames(entry, callsAfter)];
    return partsOf(entry).filter((part) => part.path[1] !== "request" || !reported.has(sidesOf(adapter, part)));
  });
}

/** Splits an added or removed call into its parts: its response is long and would hide the rest. */
function partsOf({ path, before, after }: DiffEntry): readonly DiffEntry[] {
  const call = after ?? before;
  return Object.entries(isPlainObject(call) ? call : {}).map(([name, value]): DiffEntry => {
    const at = [...path, name];
    return after === undefined ? { path: at, before: value, after } : { path: at, before, after: value };
  });
}

function reportedCalls(verdict: Verdict): ReadonlySet<string> {
  const changes = "changes" in verdict ? verdict.changes : [];
  return new Set(
    changes.flatMap((change) => {
      if (change.part !== "calls") return [];
      return change.diff.changes.flatMap((call) => {
        switch (call.kind) {
          case "added":
            return [sidesOf(call.adapter, { before: undefined, after: call.request })];
          case "removed":
            return [sidesOf(call.adapter, { before: call.request, after: undefined })];
          case "changed":
            return call.entries.map((entry) => sidesOf(call.adapter, entry));
          case "moved":
            return [];
        }
      });
    }),
  );
}

/** Returns the key of a difference in an adapter's requests: a single argument equals its list. */
function sidesOf(adapter: string, { before, after }: Pick<DiffEntry, "before" | "after">): string {
  const side = (value: unknown): unknown => (isArray(value) && value.length === 1 ? value[0] : value);
  return stableStringify([adapter, side(before) ?? null, side(after) ?? null]);
}

const DERIVED_KINDS: ReadonlySet<string> = new Set(["step-output", "step-commands", "adapter-call"]);

/** Compares adapters' artifacts. The hash of stored content follows from it. */
function otherArtifacts(before: StepBaseline, after: StepBaseline): readonly DiffEntry[] {
  const own = ({ artifacts }: StepBaseline): readonly unknown[] =>
    artifacts
      .filter(({ kind }) => !DERIVED_KINDS.has(kind))
      .map(({ kind, hash, content }) => (content === undefined ? { kind, hash } : { kind, content }));
  return diffAligned(own(before), own(after), { label: labelBy("kind") }).entries;
}

function labelBy(field: string): (item: unknown) => string {
  return (item) => (isPlainObject(item) ? String(item[field]) : "");
}
