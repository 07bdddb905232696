import { type CallRow, type IndexedRow, alignRows } from "./align-calls.ts";
import type { CallRole, CallScope } from "../../kernel/call-role.ts";
import type { CompareBy } from "../../kernel/diff/compare-rules.ts";
import { diff } from "../../kernel/diff/diff.ts";
import { editOf } from "../../kernel/diff/edit.ts";
import { type Tolerated, rulesForCounts, tolerate } from "../../kernel/diff/tolerate.ts";
import type { DiffEntry, DiffResult } from "../../kernel/diff/entries.ts";
import { type AdapterCall, argumentsOf, callLocation, nested } from "../adapter-call.ts";
import { requestIdentity } from "../request-keys.ts";
import { nearestCall } from "../replay/nearest-call.ts";
import { recordingRules } from "../recording-rules.ts";
import { isFailure, lastAttempts } from "../recorded-retries.ts";
import { type RoleEvidence, httpRequestOf } from "../model-call.ts";
import { comparable, sameSecrets } from "../../redact/comparable.ts";
import { callPath } from "./infer-role.ts";
import { movedPairs } from "./moved-pairs.ts";
import { haveSameAttempts } from "./same-attempts.ts";
import { toolListChanges } from "./tool-lists.ts";
import { unknownToolChanges } from "./unknown-tools.ts";

/** One change of a step's calls. `request` is the encoded arguments; a single argument is written without the list. */
export type CallChange =
  | {
      readonly kind: "added" | "removed";
      readonly adapter: string;
      readonly role: CallRole;
      readonly request: unknown;
      /** Number of equal calls that were added or removed. */
      readonly times: number;
    }
  | {
      readonly kind: "changed";
      readonly adapter: string;
      readonly role: CallRole;
      /**
       * Differences of the arguments. With one argument, paths start inside it; with several, they start with the index
       * of the argument.
       */
      readonly entries: readonly DiffEntry[];
    }
  | {
      readonly kind: "moved";
      readonly adapter: string;
      readonly role: CallRole;
      readonly request: unknown;
      /**
       * Nearest write that the call moved before or after. It has a request if an adapter's name doesn't say which of
       * its calls moved.
       */
      readonly movedTo: { readonly side: "before" | "after"; readonly adapter: string; readonly request?: unknown };
    };

/** Differences between the calls of two runs: `entries` by path, as in a diff of values, `changes` by call. */
export interface CallsDiff extends DiffResult {
  readonly changes: readonly CallChange[];
  /** The calls of both runs side by side, in the current order; empty if they don't differ. */
  readonly rows: readonly CallRow[];
  /** Differences that a rule of `compare` for `calls.<path>` tolerates. */
  readonly tolerated: readonly Tolerated[];
}

/** Options to compare calls. */
export interface CallComparison {
  readonly roleOf: (call: RoleEvidence) => CallRole;
  readonly scope?: CallScope | undefined;
  /**
   * Rules under `calls.<path>`: the path of a call gets the numbers of equal calls, unless it ends in `**`. Paths below
   * it get its arguments.
   */
  readonly compare?: CompareBy | undefined;
}

/** A call as it is compared. */
interface Made {
  readonly call: AdapterCall;
  readonly path: string;
  readonly role: CallRole;
  /** Equal for equal requests of one adapter. */
  readonly identity: string;
  readonly request: unknown;
  /** Its index among all calls of its run. */
  readonly index: number;
  /** Number of attempts, with those that failed before it. */
  readonly attempts: number;
}

/** Calls of both sides that stand for each other: equal and in order, equal, or alike. */
interface Pair {
  readonly before: Made;
  readonly after: Made;
  readonly kind: "steady" | "twin" | "alike";
}

/**
 * Compares the calls of two runs of a step: writes in order, reads in any order. Requests to models are causes of
 * change and not compared, except for unknown tools that they ask for; reads of properties aren't calls, but the lists
 * of tools of servers are compared. A failed call and its retries count once, unless the retry that succeeded is gone.
 * Calls of one path with different arguments are paired by similarity, so that a changed argument is one change.
 */
export function diffCalls(
  before: readonly AdapterCall[],
  after: readonly AdapterCall[],
  { roleOf, scope = "all", compare = {} }: CallComparison,
): CallsDiff {
  const rules = rulesForCalls(compare);
  // A call's role of today counts: a tool that now declares itself a writer was always one.
  const roles = new Map<string, CallRole>();
  for (const call of [...before, ...after]) roles.set(callPath(call.adapter), roleOf(call));
  // Requests of fetch share a path, and each has its own role.
  const todaysRole = (call: AdapterCall): CallRole =>
    httpRequestOf(call) === undefined ? (roles.get(callPath(call.adapter)) ?? "read") : roleOf(call);
  const [was, is] = [madeBy(before, todaysRole, scope), madeBy(after, todaysRole, scope)];
  const [recorded, now] = haveSameAttempts(was, is) ? [was, is] : [lastAttempts(was, before), lastAttempts(is, after)];
  const paired = pairUp(inOrderOf(now, recorded, before), now);
  const alike = paired.pairs.filter(
    ({ kind, before: was, after: is }) => kind === "alike" || !sameSecrets(was.request, is.request),
  );
  const judged = [
    ...lonely(paired, rules),
    ...droppedRetries(paired, rules),
    ...alike.map((pair) => ({ ...changed(pair, rules), of: [pair.after] })),
    ...moves(paired.pairs),
  ];
  const lists = scope === "all" ? toolListChanges(before, after) : [];
  const changes: readonly CallChange[] = [
    ...judged.flatMap(({ change }) => change ?? []),
    ...(scope === "all" ? unknownToolChanges(before, after, roleOf) : []),
    ...lists.map((list) => ({ kind: "changed" as const, role: "read" as const, ...list })),
  ];
  return {
    equal: changes.length === 0,
    entries: changes.flatMap(callEntries),
    changes,
    rows: changes.length === 0 ? [] : rowsOf(paired, judged),
    tolerated: judged.flatMap(({ tolerated }) => tolerated),
  };
}

function rowsOf({ pairs, removed, added }: Paired, judged: readonly Judged[]): readonly CallRow[] {
  const kinds = new Map<Made, CallRow["kind"]>();
  for (const { change, of } of judged)
    for (const made of of) if (change !== undefined && !kinds.has(made)) kinds.set(made, change.kind);
  const row = (before: Made | undefined, after: Made | undefined): readonly IndexedRow[] => {
    const made = after ?? before;
    if (made === undefined) return [];
    const side = (call: Made | undefined): CallRow["before"] =>
      call === undefined ? null : { request: argumentsOf(call.request) };
    const { path: adapter, role } = made;
    const indexes = { before: before?.index, after: after?.index };
    return [{ kind: kinds.get(made) ?? "same", adapter, role, before: side(before), after: side(after), indexes }];
  };
  return alignRows([
    ...pairs.flatMap(({ before, after }) => row(before, after)),
    ...removed.flatMap((made) => row(made, undefined)),
    ...added.flatMap((made) => row(undefined, made)),
  ]);
}

function madeBy(
  calls: readonly AdapterCall[],
  roleOf: (call: AdapterCall) => CallRole,
  scope: CallScope,
): readonly Made[] {
  const rules = recordingRules();
  return calls.flatMap((call, index) => {
    const path = callPath(call.adapter);
    const role = roleOf(call);
    const counts = role === "write" ? scope !== "none" : role === "read" && scope === "all";
    if (!counts || call.returns === "property") return [];
    // By the current rules, as in replay: a field that is ignored today wasn't part of the recorded request either.
    const request = rules.request(call.adapter, call.request);
    return [{ call, path, role, request, identity: requestIdentity(path, request), index, attempts: 1 }];
  });
}

/** The calls of two runs, those that stand for each other together. */
interface Paired {
  readonly pairs: readonly Pair[];
  readonly removed: readonly Made[];
  readonly added: readonly Made[];
}

function pairUp(before: readonly Made[], after: readonly Made[]): Paired {
  const pairs: Pair[] = inOrder(before.filter(isWrite), after.filter(isWrite));
  const [pairedBefore, pairedAfter] = [
    new Set(pairs.map((pair) => pair.before)),
    new Set(pairs.map((pair) => pair.after)),
  ];
  const unpairedBefore = Map.groupBy(
    before.filter((made) => !pairedBefore.has(made)),
    ({ identity }) => identity,
  );
  const unpaired: Made[] = [];
  for (const made of after) {
    if (pairedAfter.has(made)) continue;
    const twin = unpairedBefore.get(made.identity)?.shift();
    if (twin === undefined) unpaired.push(made);
    else pairs.push({ before: twin, after: made, kind: "twin" });
  }
  const left = new Set([...unpairedBefore.values()].flat());
  const added: Made[] = [];
  for (const made of unpaired) {
    const alike = nearestOf(
      [...left].filter(({ path, role }) => path === made.path && role === made.role),
      made,
    );
    if (alike === undefined) added.push(made);
    else {
      left.delete(alike);
      pairs.push({ before: alike, after: made, kind: "alike" });
    }
  }
  return { pairs, removed: before.filter((made) => left.has(made)), added };
}

/**
 * Recorded calls with the writes that were sent in parallel in the order in which they are sent now: their order has no
 * meaning. A write that was sent after the response to another one stays after it.
 */
function inOrderOf(after: readonly Made[], before: readonly Made[], recorded: readonly AdapterCall[]): readonly Made[] {
  const writes = before.filter(isWrite);
  if (!writes.some(({ call }) => call.parallel !== undefined)) return before;
  const ranks = ranksIn(after.filter(isWrite), writes);
  // Reads of properties aren't calls.
  const positions = new Map(recorded.filter(({ returns }) => returns !== "property").map((call, at) => [call, at]));
  const at = ({ call }: Made): number => positions.get(call) ?? 0;
  const ordered: Made[] = [];
  const left = [...writes];
  for (let [first] = left; first !== undefined; [first] = left) {
    const oldest = at(first);
    const free = left.filter((made) => made === first || at(made) - (made.call.parallel ?? 0) <= oldest);
    const next = free.reduce(
      (soonest, made) => ((ranks.get(made) ?? 0) < (ranks.get(soonest) ?? 0) ? made : soonest),
      first,
    );
    left.splice(left.indexOf(next), 1);
    ordered.push(next);
  }
  const sorted = new Map(writes.map((made, index) => [made, { ...(ordered[index] ?? made), index: made.index }]));
  return before.map((made) => sorted.get(made) ?? made);
}

/** Positions of recorded writes among those of now: of the equal one, or of the most similar one of the same path. */
function ranksIn(after: readonly Made[], before: readonly Made[]): ReadonlyMap<Made, number> {
  const ranks = new Map<Made, number>();
  const unused = new Set(after);
  const positions = new Map(after.map((made, rank) => [made, rank]));
  const byIdentity = Map.groupBy(after, identityOf);
  const twinOf = (made: Made): Made | undefined => byIdentity.get(made.identity)?.shift();
  const alikeOf = (made: Made): Made | undefined =>
    nearestOf(
      [...unused].filter(({ path }) => path === made.path),
      made,
    );
  for (const counterpartOf of [twinOf, alikeOf])
    for (const made of before) {
      const counterpart = ranks.has(made) ? undefined : counterpartOf(made);
      if (counterpart === undefined) continue;
      ranks.set(made, positions.get(counterpart) ?? 0);
      unused.delete(counterpart);
    }
  return ranks;
}

function isWrite({ role }: Made): boolean {
  return role === "write";
}

/** The longest list of writes that have the same order on both sides. */
function inOrder(before: readonly Made[], after: readonly Made[]): Pair[] {
  const [left, right] = [before.values(), after.values()];
  const pairs: Pair[] = [];
  for (const { kind } of editOf(before.map(identityOf), after.map(identityOf))) {
    const was = kind === "added" ? undefined : left.next().value;
    const is = kind === "removed" ? undefined : right.next().value;
    if (was !== undefined && is !== undefined) pairs.push({ before: was, after: is, kind: "steady" });
  }
  return pairs;
}

function identityOf({ identity }: Made): string {
  return identity;
}

/** Comparing each with each costs a second for a thousand calls of one adapter: then they pair in their order. */
const MOST_COMPARED = 100;

function nearestOf(candidates: readonly Made[], { request }: Made): Made | undefined {
  if (candidates.length > MOST_COMPARED) return candidates[0];
  const nearest = nearestCall(
    candidates.map((made) => ({ ...made.call, request: made.request })),
    request,
  );
  return candidates.find((made) => made.request === nearest?.request);
}

interface Judged {
  readonly change?: CallChange;
  readonly tolerated: readonly Tolerated[];
  /** The calls that were judged: today's, or those that are gone. */
  readonly of: readonly Made[];
}

/** Calls without a counterpart, equal ones together. */
function lonely({ pairs, removed, added }: Paired, rules: CompareBy): readonly Judged[] {
  const paired = (identity: string): number => pairs.filter(({ after }) => after.identity === identity).length;
  const judge = (kind: "added" | "removed", group: readonly Made[]): Judged => {
    const [first] = group;
    if (first === undefined) return { tolerated: [], of: group };
    const kept = paired(first.identity);
    const counts = kind === "added" ? [kept, kept + group.length] : [kept + group.length, kept];
    const tolerated = toleratedAt(first, counts, rules);
    if (tolerated.length > 0) return { tolerated, of: group };
    const { path: adapter, role } = first;
    const change = { kind, adapter, role, request: argumentsOf(first.request), times: group.length };
    return { change, tolerated: [], of: group };
  };
  const groups = (made: readonly Made[]): readonly (readonly Made[])[] => [
    ...Map.groupBy(made, ({ identity }) => identity).values(),
  ];
  return [
    ...groups(removed).map((group) => judge("removed", group)),
    ...groups(added).map((group) => judge("added", group)),
  ];
}

/** Retries that succeeded, and that the step doesn't make any longer: its last attempt is a failure. */
function droppedRetries({ pairs, added }: Paired, rules: CompareBy): readonly Judged[] {
  return pairs.flatMap(({ before, after, kind }) => {
    const times = before.attempts - after.attempts;
    if (kind === "alike" || times <= 0 || isFailure(before.call) || !isFailure(after.call)) return [];
    if (added.some(({ identity }) => identity === after.identity)) return [];
    const tolerated = toleratedAt(after, [before.attempts, after.attempts], rules);
    const { path: adapter, role, request } = after;
    const change = { kind: "removed" as const, adapter, role, request: argumentsOf(request), times };
    return [{ ...(tolerated.length === 0 && { change }), tolerated, of: [after] }];
  });
}

function toleratedAt(
  made: Made,
  [before, after]: readonly (number | undefined)[],
  rules: CompareBy,
): readonly Tolerated[] {
  const at = callLocation(made.call);
  const difference = { equal: false, entries: [{ path: at, before, after }] };
  const compare = rulesForCounts(rules);
  return tolerate(difference, { before: nested(at, before), after: nested(at, after), keyBy: {}, compare }).tolerated;
}

/** Differences of the arguments of a pair, except those that rules tolerate. */
function changed({ before, after }: Pair, rules: CompareBy): Omit<Judged, "of"> {
  const at = callLocation(after.call);
  const [was, is] = comparable(argumentsOf(before.request), argumentsOf(after.request), {
    at: ["calls", ...at.slice(1)],
  });
  const difference = diff(was, is);
  const located = {
    equal: difference.equal,
    entries: difference.entries.map((entry) => ({ ...entry, path: [...at, ...entry.path] })),
  };
  const judged = tolerate(located, { before: nested(at, was), after: nested(at, is), keyBy: {}, compare: rules });
  const entries = judged.diff.entries.map((entry) => ({ ...entry, path: entry.path.slice(at.length) }));
  if (entries.length === 0) return { tolerated: judged.tolerated };
  return {
    change: { kind: "changed", adapter: after.path, role: after.role, entries },
    tolerated: judged.tolerated,
  };
}

/** Writes that have another order than before, relative to those that stayed in order. */
function moves(pairs: readonly Pair[]): readonly Judged[] {
  const writes = pairs.filter(({ after }) => isWrite(after));
  const isOne = (path: string): boolean => writes.filter(({ after }) => after.path === path).length === 1;
  return movedPairs(writes).map(({ pair: { after }, neighbour, side }) => {
    const { path: adapter, role, request } = after;
    const other = neighbour.after;
    const movedTo = {
      side,
      adapter: other.path,
      ...(!(isOne(adapter) && isOne(other.path)) && { request: argumentsOf(other.request) }),
    };
    const change = { kind: "moved" as const, adapter, role, request: argumentsOf(request), movedTo };
    return { change, tolerated: [], of: [after] };
  });
}

function rulesForCalls(compare: CompareBy): CompareBy {
  return Object.fromEntries(Object.entries(compare).filter(([path]) => path.startsWith("calls.")));
}

/** A change of calls as differences by path, like a diff of values, with the adapter first. */
export function callEntries(change: CallChange): readonly DiffEntry[] {
  switch (change.kind) {
    case "added":
      return [{ path: [change.adapter], before: undefined, after: change.request ?? null }];
    case "removed":
      return [{ path: [change.adapter], before: change.request ?? null, after: undefined }];
    case "changed":
      return change.entries.map((entry) => ({ ...entry, path: [change.adapter, ...entry.path] }));
    case "moved": {
      const { side, adapter } = change.movedTo;
      return [
        {
          path: [change.adapter],
          before: `${side === "before" ? "after" : "before"} ${adapter}`,
          after: `${side} ${adapter}`,
        },
      ];
    }
  }
}
