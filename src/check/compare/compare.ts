import type { CallsDiff } from "../../record/calls/diff-calls.ts";
import { jsonOf, stableStringify } from "../../kernel/json/canonical-json.ts";
import type { CompareBy, KeyBy } from "../../kernel/diff/compare-rules.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { type ItemView, diffAligned, diffMultiset } from "../../kernel/diff/diff-labelled-lists.ts";
import { diff } from "../../kernel/diff/diff.ts";
import { entriesWithoutKeys, normalizeForDiff } from "../../kernel/diff/keyed-lists.ts";
import {
  type Compared as TolerantSides,
  type Tolerated,
  type TolerantDiff,
  ComparisonError,
  rulesForCounts,
  tolerate,
} from "../../kernel/diff/tolerate.ts";
import { type DiffEntry, type DiffResult, NO_DIFFERENCES } from "../../kernel/diff/entries.ts";
import { formatValue } from "../../kernel/diff/format-value.ts";
import { comparedForm } from "../../record/encode/decode.ts";
import { storedForm } from "../../record/encode/encode.ts";
import { CHECKPOINT, firstArtifact, outputContent, storedCommands } from "../../record/read-snapshot.ts";
import { type Snapshot, inputHashOf } from "../../record/snapshot.ts";
import { comparable, inOrderOfKinds } from "../../redact/comparable.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import { projectTolerance } from "./case-rules.ts";
import { type UnnamedFields, droppedField, newUnnamed, storedUnnamed } from "./unnamed-fields.ts";
import { type Command, normalizeCommands } from "../../kernel/step/command.ts";
import { type StepError, kernelError } from "../../kernel/step/fail.ts";

/** A part of a case's outcome. A new part needs a name here, a field of `Outcome`, and a row of `COMPARERS`. */
export type Part = "input" | "output" | "commands" | "events";

/** A part that a report can show: calls are compared by their identity, see `compareCalls`. */
export type ReportedPart = Part | "calls";

/** Parts of a step's result: with the calls, they determine the verdict and the cause. */
export const RESULT_PARTS: readonly Part[] = ["output", "commands", "events"];

/**
 * Outcome of a case, or its stored parts. Parts are in their stored form, except for the input. A part that one side
 * lacks isn't compared.
 */
export interface Outcome {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly commands?: readonly Command[] | undefined;
  readonly events?: unknown;
  /** Fields of the output that aren't in its schema, so parsing drops them. */
  readonly unnamed?: UnnamedFields | undefined;
  /** For the stored side: returns true if `text` is its output's canonical JSON. It compares hashes. */
  readonly isStoredOutput?: ((text: string) => boolean) | undefined;
}

/** Rules of a comparison of two outcomes. */
export interface ComparisonRules {
  /** The parts that count. */
  readonly parts: readonly Part[];
  /** Keys of the output's list elements. */
  readonly keyBy: KeyBy;
  /** Tolerances, by path. */
  readonly compare: CompareBy;
  /** True if only the same bytes pass, without keys and tolerances. */
  readonly exact?: boolean;
  /** True to compare by position if keys don't fit, instead of throwing. */
  readonly fallsBackToIndex?: boolean;
}

/** A compared part and its differences. */
export type PartDiff =
  | { readonly part: Part; readonly diff: DiffResult }
  | { readonly part: "calls"; readonly diff: CallsDiff };

/** Result of a comparison: each part that both sides store, equal ones too. */
export interface Comparison {
  readonly compared: readonly PartDiff[];
  /** Differences that a rule of `compare` tolerates, in any part; no diff includes them. */
  readonly tolerated: readonly Tolerated[];
  /** True if the output differs only in the order of lists that are compared by key. */
  readonly isReordered?: true;
}

/**
 * Compares two outcomes part by part, without their secrets. Throws a TypeError if keys or a rule don't fit, and for an
 * input without a stored form.
 */
export function compareOutcomes(before: Outcome, after: Outcome, rules: ComparisonRules): Comparison {
  const compared: PartDiff[] = [];
  const tolerated: Tolerated[] = [];
  let isReordered = false;
  for (const part of rules.parts) {
    if (!Object.hasOwn(before, part) || !Object.hasOwn(after, part)) continue;
    const comparer: (sides: Sides) => PartComparison = rules.exact === true ? byBytes : COMPARERS[part];
    const partDiff = comparer({ before, after, rules, part });
    const countsUnnamed = part === "output" && rules.exact !== true;
    compared.push({ part, diff: countsUnnamed ? withUnnamed(partDiff.diff, before, after) : partDiff.diff });
    tolerated.push(...partDiff.tolerated);
    isReordered ||= partDiff.isReordered === true;
  }
  return { compared, tolerated, ...(isReordered && { isReordered }) };
}

/** Returns a field's value as it is shown: the schema drops the field, so its value may have no stored form. */
function shownForm(value: unknown): unknown {
  return typeof value === "boolean" || typeof value === "string" ? value : formatValue(value);
}

/** Returns the value of an unnamed field without secrets. */
function shownUnnamed(path: readonly string[], value: unknown): unknown {
  // With its key, because the name of a field may say that its value is a secret.
  const key = String(path.at(-1));
  const { value: hidden } = currentRedactor().redact({ [key]: shownForm(value) }, ["output", ...path.slice(0, -1)]);
  // The name itself may be hidden.
  return isPlainObject(hidden) ? Object.values(hidden)[0] : undefined;
}

/** Values of an unnamed field in elements of a list that are shown. */
const MAX_VALUES = 3;

function atMost(values: readonly string[]): readonly string[] {
  return values.length > MAX_VALUES ? [...values.slice(0, MAX_VALUES), "…"] : values;
}

/** Adds the fields that the output has now and its schema doesn't name: `ssn`, `isAdmin`. */
function withUnnamed(difference: DiffResult, before: Outcome, after: Outcome): DiffResult {
  if (before.unnamed === undefined || after.unnamed === undefined) return difference;
  const unnamed = newUnnamed(before.unnamed, after.unnamed);
  // The entry of a field that the schema named before says that it's removed.
  const dropped = new Set(difference.entries.map((entry) => droppedField(entry, unnamed)));
  const fields = Object.values(unnamed).filter((field) => !dropped.has(field));
  const added = fields.map(({ path, values }): DiffEntry => {
    const all = values.map((value) => shownUnnamed(path, value));
    const distinct = [...new Set(all.map(String))];
    const after = all.length > 1 ? `in ${all.length} elements: ${atMost(distinct).join(", ")}` : all[0];
    return { path, before: undefined, after };
  });
  return added.length === 0 ? difference : { equal: false, entries: [...difference.entries, ...added] };
}

/** Returns the differences of a part; undefined if it wasn't compared. */
export function diffOf({ compared }: Comparison, part: ReportedPart): DiffResult | undefined {
  return compared.find((change) => change.part === part)?.diff;
}

/** Adds the comparison of the calls to a comparison, if there is one. */
export function addCallsDiff(comparison: Comparison, calls: CallsDiff | undefined): Comparison {
  if (calls === undefined) return comparison;
  const { compared, tolerated } = comparison;
  return {
    ...comparison,
    compared: [...compared, { part: "calls", diff: calls }],
    tolerated: [...tolerated, ...calls.tolerated],
  };
}

/**
 * Returns the differences in one list. Paths in the output stay as they are; other paths begin with the part's name.
 */
export function entriesOfChanges(changes: readonly PartDiff[]): readonly DiffEntry[] {
  return changes.flatMap(({ part, diff: { entries } }) =>
    part === "output" ? entries : entries.map((entry) => ({ ...entry, path: [part, ...entry.path] })),
  );
}

/** Returns the differences of two outcomes in one list. Ignores keys and rules that don't fit. */
export function diffOutcomes(
  before: Outcome,
  after: Outcome,
  rules: Omit<ComparisonRules, "fallsBackToIndex">,
): readonly DiffEntry[] {
  return entriesOfChanges(compareOutcomes(before, after, { ...rules, fallsBackToIndex: true }).compared);
}

/**
 * Compares the stored parts of a verified snapshot with the current outcome. Errors: `normalization_failed` if keys or
 * a rule don't fit, of which `verdictOfError` makes a failed verdict.
 */
export function compareStored(snapshot: Snapshot, now: Outcome, rules: ComparisonRules): Result<Comparison, StepError> {
  const stored: Outcome = { ...storedOutcome(snapshot), isStoredOutput: (text) => isOutputOf(snapshot, text) };
  try {
    return ok(compareOutcomes(stored, now, rules));
  } catch (cause) {
    return err(kernelError("normalization_failed", messageOf(cause), cause));
  }
}

/** Returns the verdict on a new case: missing, unless its keys are invalid, so that a comparison with it would fail. */
export function verdictOfNewCase(
  output: unknown,
  keyBy: KeyBy,
): { readonly kind: "missing" } | { readonly kind: "failed"; readonly error: StepError } {
  if (Object.keys(keyBy).length === 0) return { kind: "missing" };
  try {
    normalizeForDiff(jsonOf(output), keyBy);
    return { kind: "missing" };
  } catch (cause) {
    const message = `This value can't be compared: ${messageOf(cause)}. Fix keyBy or the output.`;
    return { kind: "failed", error: kernelError("normalization_failed", message, cause) };
  }
}

/** Returns the stored parts of a snapshot. */
export function storedOutcome(snapshot: Snapshot): Outcome {
  const stored = outputContent(snapshot);
  const commands = storedCommands(snapshot);
  return {
    input: snapshot.input,
    unnamed: storedUnnamed(snapshot),
    ...(stored === undefined ? {} : { output: stored.output, events: stored.events ?? [] }),
    ...(commands === undefined ? {} : { commands }),
  };
}

/**
 * Returns true if an output equals the stored one, by the hash of the stored content with this output. This avoids
 * serializing the stored output, which is most of the data of most checks.
 */
function isOutputOf(snapshot: Snapshot, output: string): boolean {
  const content = outputContent(snapshot);
  if (content === undefined) return false;
  const { events, output: _output, ...rest } = content;
  if (events === undefined || Object.keys(rest).length > 0) return false;
  const hash = hashText(`{"events":${stableStringify(events)},"output":${output}}`);
  return hash === firstArtifact(snapshot, "step-output")?.hash;
}

/** Compares two stored forms by key with tolerances. Throws a TypeError if keys or rules don't fit. */
export function compareValues(
  storedBefore: unknown,
  storedAfter: unknown,
  { keyBy, compare, isJson = false }: Pick<ComparisonRules, "keyBy" | "compare"> & { readonly isJson?: boolean },
): TolerantDiff {
  const form = isJson ? (value: unknown): unknown => value : comparedForm;
  const before = form(storedBefore);
  const after = storedAfter === storedBefore ? before : form(storedAfter);
  const difference = diffByKey({ before, after, keyBy });
  const judged = difference.equal
    ? { diff: difference, tolerated: [] }
    : tolerate(difference, { before, after, keyBy, compare: { ...compare, ...projectTolerance(compare) } });
  if (judged.diff.equal || Object.keys(keyBy).length === 0) return judged;
  return { diff: entriesWithoutKeys(judged.diff), tolerated: judged.tolerated };
}

/** If `keyBy` fails only on the stored value, says so in the error: the current value needs no fix. */
function diffByKey({ before, after, keyBy }: Omit<TolerantSides, "compare">): DiffResult {
  try {
    return diff(before, after, keyBy);
  } catch (thrown) {
    if (verdictOfNewCase(after, keyBy).kind === "failed") throw thrown;
    const fix = "Fix keyBy, or delete that file and capture the case again.";
    throw new ComparisonError(`${messageOf(thrown)}, only in the stored value`, fix, thrown);
  }
}

/** Differences of a part, and whether only the order of its keyed lists differs. */
interface PartComparison extends TolerantDiff {
  readonly isReordered?: boolean;
}

/**
 * Outcomes that a comparer gets. Inside a comparer, `partBefore` and `partAfter` are the values of the part, and
 * `maskedBefore` and `maskedAfter` are these values without their secrets.
 */
interface Sides {
  readonly before: Outcome;
  readonly after: Outcome;
  readonly rules: ComparisonRules;
  readonly part: Part;
}

const SAME: PartComparison = { diff: NO_DIFFERENCES, tolerated: [] };

const COMPARERS: Readonly<Record<Part, (sides: Sides) => PartComparison>> = {
  input: byPosition,
  output: byKey,
  commands: asMultiset,
  events: inOrder,
};

/** Compares inputs, element by element; a Date is the same input as its text. */
function byPosition({ before, after, part }: Sides): TolerantDiff {
  if (inputHashOf(before[part]) === inputHashOf(after[part])) return SAME;
  const [partBefore, partAfter] = [before[part], after[part]].map((input) => jsonOf(storedForm(input)));
  const [maskedBefore, maskedAfter] = comparable(partBefore, partAfter, { at: [part] });
  return { diff: decodedDiff(maskedBefore, maskedAfter), tolerated: [] };
}

/** Compares two stored forms after decoding them: two Maps by their keys. */
function decodedDiff(before: unknown, after: unknown): DiffResult {
  return diff(comparedForm(before), comparedForm(after));
}

/** Compares by key. Differences that the rules of `compare` tolerate don't count. */
function byKey({ before, after, rules }: Sides): PartComparison {
  const text = stableStringify(after.output);
  const same = before.isStoredOutput?.(text) === true;
  // Equal values are compared by key too, because an invalid key must fail.
  if (same && Object.keys(rules.keyBy).length === 0) return SAME;
  const partAfter: unknown = JSON.parse(text);
  // Pairs the secrets of both sides by key. The sides themselves stay lists, so that they show the order.
  const aligned = (side: unknown): unknown => normalizeForDiff(side, rules.keyBy);
  const [maskedBefore, maskedAfter] = same
    ? [partAfter, partAfter]
    : comparable(jsonOf(before.output), partAfter, { at: ["output"], aligned });
  try {
    const compared = compareValues(maskedBefore, maskedAfter, rules);
    const isKeyed = Object.keys(rules.keyBy).length > 0;
    const isEqual = !same && isKeyed && compared.diff.equal && compared.tolerated.length === 0;
    return isEqual
      ? { ...compared, isReordered: stableStringify(maskedBefore) !== stableStringify(maskedAfter) }
      : compared;
  } catch (thrown) {
    if (rules.fallsBackToIndex !== true) throw thrown;
    // Keys that aren't unique: then elements are matched by index.
    return { diff: decodedDiff(maskedBefore, maskedAfter), tolerated: [] };
  }
}

/** Compares commands without order. An added command is one entry, with the path `invoke verify`. */
function asMultiset({ before, after }: Sides): TolerantDiff {
  const partBefore = (before.commands ?? []).map(jsonOf);
  const partAfter = normalizeCommands(after.commands).map(jsonOf);
  if (partBefore.length + partAfter.length === 0) return SAME;
  const contentOf = (commands: readonly unknown[]): string => commands.map(stableStringify).sort().join("\n");
  if (contentOf(partBefore) === contentOf(partAfter)) return SAME;
  const [maskedBefore, maskedAfter] = comparable(partBefore, partAfter, { at: ["commands"], aligned: inOrderOfKinds });
  const [listBefore, listAfter] =
    isArray(maskedBefore) && isArray(maskedAfter) ? [maskedBefore, maskedAfter] : [partBefore, partAfter];
  return { diff: diffMultiset(listBefore, listAfter, COMMANDS), tolerated: [] };
}

/**
 * Compares events like a list, so that one additional event is one entry. Differences that the rules of `compare` below
 * `events` tolerate don't count.
 */
function inOrder({ before, after, rules }: Sides): TolerantDiff {
  const [partBefore, partAfter] = [withoutTraces(before.events), withoutTraces(after.events)];
  if (partBefore.length + partAfter.length === 0 || stableStringify(partBefore) === stableStringify(partAfter))
    return SAME;
  const [maskedBefore, maskedAfter] = comparable(partBefore, partAfter, { at: ["events"] });
  if (!isArray(maskedBefore) || !isArray(maskedAfter))
    return { diff: decodedDiff(maskedBefore, maskedAfter), tolerated: [] };
  const view = { label: eventLabel, decode: comparedForm };
  // In an output with a field of that name, the rules are the field's.
  const isOfOutput = [before, after].some(({ output }) => isPlainObject(output) && Object.hasOwn(output, EVENTS));
  const compare = Object.fromEntries(
    Object.entries(isOfOutput ? {} : rules.compare).filter(([path]) => path.split(".")[0] === EVENTS),
  );
  const sides = {
    before: { [EVENTS]: comparedForm(maskedBefore) },
    after: { [EVENTS]: comparedForm(maskedAfter) },
    keyBy: {},
  };
  // All rules apply to parts of paired events. Only rules without `**` at their end allow added and removed events.
  const judge = (alignment: "content" | "label"): TolerantDiff => {
    const { entries } = diffAligned(maskedBefore, maskedAfter, { ...view, alignment });
    const whole: readonly DiffEntry[] = entries.map((entry) => ({ ...entry, path: [EVENTS, ...entry.path] }));
    const { events = [], parts = [] } = Object.groupBy(whole, ({ path }) => (path.length === 2 ? "events" : "parts"));
    const judged = [
      tolerate({ equal: parts.length === 0, entries: parts }, { ...sides, compare }),
      tolerate({ equal: events.length === 0, entries: events }, { ...sides, compare: rulesForCounts(compare) }),
    ];
    const changed = new Set(judged.flatMap(({ diff: { entries: kept } }) => kept));
    const withoutRoot = whole
      .filter((entry) => changed.has(entry))
      .map((entry) => ({ ...entry, path: entry.path.slice(1) }));
    const tolerated = judged.flatMap((each) => each.tolerated);
    return { diff: { equal: withoutRoot.length === 0, entries: withoutRoot }, tolerated };
  };
  const byContent = judge("content");
  if (byContent.diff.equal || Object.keys(compare).length === 0) return byContent;
  // If a tolerated value changed, it may now equal that of another event, so pairs of equal events would be wrong.
  // Pairs of events of the same type are then the better ones.
  const byLabel = judge("label");
  return byLabel.diff.entries.length < byContent.diff.entries.length ? byLabel : byContent;
}

const EVENTS = "events";

/**
 * Returns an event without the cost of a model's response (`llmTrace`) and without the hashes of states that grounded
 * responses report. These hashes change with each value, even a tolerated one.
 */
function withoutTraces(events: unknown): readonly unknown[] {
  if (!isArray(events) || events.length === 0) return NO_EVENTS;
  return events.map((event) => {
    if (!isPlainObject(event)) return jsonOf(event);
    const { llmTrace: _trace, payload, ...fields } = event;
    if (fields["type"] !== CHECKPOINT || !isPlainObject(payload)) return jsonOf({ ...fields, payload });
    const { stateHash: _hash, ...rest } = payload;
    return jsonOf({ ...fields, payload: rest });
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

const COMMANDS: ItemView = { label: commandLabel, decode: comparedForm };

/** Compares the canonical JSON of a part, without keys, tolerances and secrets. */
function byBytes({ before, after, part }: Sides): TolerantDiff {
  const partBefore = before[part];
  const partAfter = part === "commands" ? normalizeCommands(after.commands) : after[part];
  if (stableStringify(partBefore) === stableStringify(partAfter)) return SAME;
  const aligned = part === "commands" ? inOrderOfKinds : undefined;
  const options = { at: [part], ...(aligned !== undefined && { aligned }) };
  const sides = comparable(jsonOf(partBefore), jsonOf(partAfter), options);
  const [maskedBefore, maskedAfter] = sides.map((side) => aligned?.(side) ?? side);
  return stableStringify(maskedBefore) === stableStringify(maskedAfter)
    ? SAME
    : { diff: decodedDiff(maskedBefore, maskedAfter), tolerated: [] };
}
