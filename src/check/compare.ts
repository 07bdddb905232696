import type { CallsDiff } from "../record/calls/diff-calls.ts";
import { jsonOf, stableStringify } from "../kernel/json/canonical-json.ts";
import type { CompareBy, KeyBy } from "../kernel/diff/compare-rules.ts";
import { hashText } from "../kernel/json/hash.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../kernel/result.ts";
import { messageOf } from "../kernel/thrown.ts";
import { diffAligned, diffMultiset } from "../kernel/diff/diff-lists.ts";
import { diff } from "../kernel/diff/diff.ts";
import { entriesWithoutKeys, normalizeForDiff } from "../kernel/diff/normalize-for-diff.ts";
import {
  type Compared as TolerantSides,
  type Tolerated,
  type TolerantDiff,
  tolerate,
} from "../kernel/diff/tolerate.ts";
import { type DiffEntry, type DiffResult, NO_DIFFERENCES } from "../kernel/diff/entries.ts";
import { firstArtifact, outputContent, storedCommands } from "../record/read-snapshot.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { comparable, inOrderOfKinds } from "../redact/comparable.ts";
import { type Command, normalizeCommands } from "../kernel/step/command.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";

/** A part of what a case came to. A new one is a name here, a side of `Outcome`, and a row of `COMPARERS`. */
export type Part = "input" | "output" | "commands" | "events";

/** A part that can be told of: calls are compared by what they are, see `compareCalls`. */
export type ChangedPart = Part | "calls";

/** The parts a step decides by: those its verdict and its cause go by. */
export const DECIDED: readonly Part[] = ["output", "commands", "events"];

/** What a case came to, or what is kept of it. A part that is not kept is absent: then it cannot be compared. */
export interface Outcome {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly commands?: readonly Command[] | undefined;
  readonly events?: unknown;
  /** Tells whether a text is the output's canonical JSON, where that is known without writing the output. */
  readonly isOutput?: ((text: string) => boolean) | undefined;
}

/** How two outcomes are compared. */
export interface ComparisonRules {
  /** The parts that count. */
  readonly parts: readonly Part[];
  /** Identity of array elements of the output, and what is tolerated of it. */
  readonly keyBy: KeyBy;
  readonly compare: CompareBy;
  /** True where only the same bytes will do: then keys and tolerances say nothing. */
  readonly exact?: boolean;
  /** True where keys or rules that do not fit are left out of account; else they are an error. */
  readonly lenient?: boolean;
}

/** A part that was compared, and where it differs. */
export type Change =
  | { readonly part: Part; readonly diff: DiffResult }
  | { readonly part: "calls"; readonly diff: CallsDiff };

/** What a comparison found: each part that both sides keep, equal ones too. */
export interface Comparison {
  readonly compared: readonly Change[];
  /** Differences of the output that a rule of `compare` let pass: they are in no diff. */
  readonly tolerated: readonly Tolerated[];
}

/**
 * Compares two outcomes part by part, without the secrets in them. Throws a TypeError where keys or a rule do not fit,
 * and for what JSON cannot hold.
 */
export function compareOutcomes(before: Outcome, after: Outcome, rules: ComparisonRules): Comparison {
  const compared: Change[] = [];
  const tolerated: Tolerated[] = [];
  for (const part of rules.parts) {
    if (!Object.hasOwn(before, part) || !Object.hasOwn(after, part)) continue;
    const comparer = rules.exact === true ? byBytes : COMPARERS[part];
    const found = comparer({ before, after, rules, part });
    compared.push({ part, diff: found.diff });
    tolerated.push(...found.tolerated);
  }
  return { compared, tolerated };
}

/** How a part differs; undefined where it was not compared. */
export function diffOf({ compared }: Comparison, part: ChangedPart): DiffResult | undefined {
  return compared.find((change) => change.part === part)?.diff;
}

/** A comparison with that of the calls, where there is one. */
export function withCalls(found: Comparison, calls: CallsDiff | undefined): Comparison {
  if (calls === undefined) return found;
  const { compared, tolerated } = found;
  return {
    ...found,
    compared: [...compared, { part: "calls", diff: calls }],
    tolerated: [...tolerated, ...calls.tolerated],
  };
}

/** The differences in one list: those of the output as they are, those of other parts below the part's name. */
export function entriesIn(changes: readonly Change[]): readonly DiffEntry[] {
  return changes.flatMap(({ part, diff: { entries } }) =>
    part === "output" ? entries : entries.map((entry) => ({ ...entry, path: [part, ...entry.path] })),
  );
}

/** The differences of two outcomes in one list, keys and rules that do not fit left out of account. */
export function diffOutcomes(
  before: Outcome,
  after: Outcome,
  rules: Omit<ComparisonRules, "lenient">,
): readonly DiffEntry[] {
  return entriesIn(compareOutcomes(before, after, { ...rules, lenient: true }).compared);
}

/**
 * Compares what a verified snapshot keeps with what came out now. Errors: `normalization_failed`, where keys or a rule
 * do not fit.
 */
export function compareStored(snapshot: Snapshot, now: Outcome, rules: ComparisonRules): Result<Comparison, StepError> {
  const stored = { ...storedOutcome(snapshot), isOutput: (text: string) => isOutputOf(snapshot, text) };
  try {
    return ok(compareOutcomes(stored, now, rules));
  } catch (cause) {
    return err(kernelError("normalization_failed", messageOf(cause), cause));
  }
}

/** The verdict on a new case: missing, unless its keys do not hold, so that nothing could be compared with it. */
export function newCase(
  output: unknown,
  keyBy: KeyBy,
): { readonly kind: "missing" } | { readonly kind: "failed"; readonly error: StepError } {
  if (Object.keys(keyBy).length === 0) return { kind: "missing" };
  try {
    normalizeForDiff(jsonOf(output), keyBy);
    return { kind: "missing" };
  } catch (cause) {
    const message = `Nothing could be compared with this: ${messageOf(cause)}. Mend keyBy or the output.`;
    return { kind: "failed", error: kernelError("normalization_failed", message, cause) };
  }
}

/** What a snapshot keeps. */
export function storedOutcome(snapshot: Snapshot): Outcome {
  const stored = outputContent(snapshot);
  const commands = storedCommands(snapshot);
  return {
    input: snapshot.input,
    ...(stored === undefined ? {} : { output: stored.output, events: stored.events ?? [] }),
    ...(commands === undefined ? {} : { commands }),
  };
}

/**
 * Whether the stored content would have the hash it has with this output: a verified snapshot's own where the outputs
 * are the same JSON. So an equal output, most of the data of most checks, is written once and not twice.
 */
function isOutputOf(snapshot: Snapshot, output: string): boolean {
  const content = outputContent(snapshot);
  if (content === undefined) return false;
  const { events, output: _output, ...rest } = content;
  if (events === undefined || Object.keys(rest).length > 0) return false;
  const hash = hashText(`{"events":${stableStringify(events)},"output":${output}}`);
  return hash === firstArtifact(snapshot, "step-output")?.hash;
}

/** Two values by key, and what is tolerated of their differences. Throws a TypeError where keys or rules do not fit. */
export function compareValues(
  before: unknown,
  after: unknown,
  { keyBy, compare }: Pick<ComparisonRules, "keyBy" | "compare">,
): TolerantDiff {
  const found = diffByKey({ before, after, keyBy });
  const judged = tolerate(found, { before, after, keyBy, compare });
  if (judged.diff.equal || Object.keys(keyBy).length === 0) return judged;
  return { diff: entriesWithoutKeys(judged.diff), tolerated: judged.tolerated };
}

/** Says of keys that do not hold in the stored value alone that it is that one: nothing of today's needs mending. */
function diffByKey({ before, after, keyBy }: Omit<TolerantSides, "compare">): DiffResult {
  try {
    return diff(before, after, keyBy);
  } catch (thrown) {
    if (newCase(after, keyBy).kind === "failed") throw thrown;
    throw new TypeError(`${messageOf(thrown)}${STORED_ONLY}`, { cause: thrown });
  }
}

/** What is said of keys that hold today and not in the baseline. */
export const STORED_ONLY = ", in the stored value alone";

interface Sides {
  readonly before: Outcome;
  readonly after: Outcome;
  readonly rules: ComparisonRules;
  readonly part: Part;
}

const SAME: TolerantDiff = { diff: NO_DIFFERENCES, tolerated: [] };

const COMPARERS: Readonly<Record<Part, (sides: Sides) => TolerantDiff>> = {
  input: byPlace,
  output: byRules,
  commands: asMultiset,
  events: byType,
};

/** As JSON, element by element. */
function byPlace({ before, after, part }: Sides): TolerantDiff {
  const [left, right] = comparable(jsonOf(before[part]), jsonOf(after[part]), { at: [part] });
  return { diff: diff(left, right), tolerated: [] };
}

/** By key, beyond what is tolerated. Values are compared as a baseline holds them: a Date equals its own ISO string. */
function byRules({ before, after, rules }: Sides): TolerantDiff {
  const text = stableStringify(after.output);
  const same = before.isOutput?.(text) === true;
  // Of equal values only the errors of keyBy are left to find.
  if (same && Object.keys(rules.keyBy).length === 0) return SAME;
  const now: unknown = JSON.parse(text);
  const aligned = (side: unknown): unknown => normalizeForDiff(side, rules.keyBy);
  const [left, right] = same ? [now, now] : comparable(jsonOf(before.output), now, { at: ["output"], aligned });
  try {
    return compareValues(left, right, rules);
  } catch (thrown) {
    if (rules.lenient !== true) throw thrown;
    // Keys that are not unique: then the elements are told apart by place.
    return { diff: diff(left, right), tolerated: [] };
  }
}

/** So that order does not count and one insertion is one entry, at its type and target: `invoke verify`. */
function asMultiset({ before, after }: Sides): TolerantDiff {
  const [was, is] = [before.commands ?? [], normalizeCommands(after.commands)];
  if (was.length + is.length === 0) return SAME;
  const [left, right] = [was.map(jsonOf), is.map(jsonOf)];
  const found = diffMultiset(left, right, commandLabel);
  if (found.equal) return { diff: found, tolerated: [] };
  const asked = { at: ["commands"], aligned: inOrderOfKinds };
  const [hiddenLeft, hiddenRight] = comparable(left, right, asked);
  const hidden =
    isArray(hiddenLeft) && isArray(hiddenRight) ? diffMultiset(hiddenLeft, hiddenRight, commandLabel) : found;
  return { diff: hidden, tolerated: [] };
}

/** Aligned by type, so that one event more is one entry, beyond what a rule of `compare` below `events` lets pass. */
function byType({ before, after, rules }: Sides): TolerantDiff {
  const [was, is] = [withoutTraces(before.events), withoutTraces(after.events)];
  if (was.length + is.length === 0 || stableStringify(was) === stableStringify(is)) return SAME;
  const [left, right] = comparable(was, is, { at: ["events"] });
  if (!isArray(left) || !isArray(right)) return { diff: diff(left, right), tolerated: [] };
  const { entries, partners } = diffAligned(left, right, eventLabel);
  const whole = {
    equal: entries.length === 0,
    entries: entries.map((entry) => ({ ...entry, path: [EVENTS, ...entry.path] })),
  };
  const compare = Object.fromEntries(Object.entries(rules.compare).filter(([path]) => path.split(".")[0] === EVENTS));
  const judged = tolerate(whole, { before: { [EVENTS]: partners }, after: { [EVENTS]: right }, keyBy: {}, compare });
  const told = judged.diff.entries.map((entry) => ({ ...entry, path: entry.path.slice(1) }));
  return { diff: { equal: told.length === 0, entries: told }, tolerated: judged.tolerated };
}

const EVENTS = "events";

/**
 * What happened, without what a model's answer cost (`llmTrace`), and without the hashes of states that grounded
 * answers report: they differ with every value, also with one that may.
 */
function withoutTraces(events: unknown): readonly unknown[] {
  if (!isArray(events) || events.length === 0) return NO_EVENTS;
  return events.map((event) => {
    if (!isPlainObject(event)) return jsonOf(event);
    const { llmTrace: _trace, payload, ...told } = event;
    if (told["type"] !== "vera_checkpoint" || !isPlainObject(payload)) return jsonOf({ ...told, payload });
    const { stateHash: _hash, ...rest } = payload;
    return jsonOf({ ...told, payload: rest });
  });
}

const NO_EVENTS: readonly unknown[] = [];

function eventLabel(event: unknown): string {
  return isPlainObject(event) ? String(event["type"]) : "event";
}

function commandLabel(command: unknown): string {
  if (!isPlainObject(command)) return "command";
  const target = command["step"] ?? command["topic"];
  return typeof target === "string" ? `${String(command["type"])} ${target}` : String(command["type"]);
}

/** What is stored holds no secrets: where the sides differ, what is now must hold none either. */
function byBytes({ before, after, part }: Sides): TolerantDiff {
  const was = before[part];
  const is = part === "commands" ? normalizeCommands(after.commands) : after[part];
  if (stableStringify(was) === stableStringify(is)) return SAME;
  const aligned = part === "commands" ? inOrderOfKinds : undefined;
  const asked = { at: [part], ...(aligned !== undefined && { aligned }) };
  const [left, right] = comparable(jsonOf(was), jsonOf(is), asked);
  const [old, now] = [aligned?.(left) ?? left, aligned?.(right) ?? right];
  return stableStringify(old) === stableStringify(now) ? SAME : { diff: diff(old, now), tolerated: [] };
}
