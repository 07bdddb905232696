import { basename, dirname, resolve } from "node:path";
import { diff } from "../../kernel/diff/diff.ts";
import type { DiffEntry, DiffResult } from "../../kernel/diff/entries.ts";
import { formatEntry } from "../../kernel/diff/format-diff.ts";
import { formatPath, sharedPart } from "../../kernel/text.ts";
import type { StepBaseline } from "../../baseline/baseline.ts";
import { isSharedLabel, labelOfCase, slug } from "../../baseline/baseline-paths.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { readText } from "../../kernel/files/read.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { isArray } from "../../kernel/json/plain-data.ts";
import type { NewCase } from "../../check/check.ts";
import { newOutageText } from "../../check/outages/lost-model-responses.ts";
import { type CaseRules, parseCaseRules } from "../../check/compare/case-rules.ts";
import { type PartDiff, RESULT_PARTS, compareOutcomes } from "../../check/compare/compare.ts";
import type { ChangeShape, Risk, ShapeLine, SideKind } from "../../check/update/change-shape.ts";
import { type CallChange, callEntries, diffCalls } from "../../record/calls/diff-calls.ts";
import { createRoleResolver } from "../../record/calls/infer-role.ts";
import type { PendingChange } from "../pending/pending-change.ts";

/** A baseline that a run didn't use. */
export interface UnusedBaseline {
  /** Absolute. */
  readonly path: string;
  /** False if a test may use it that didn't run, or not to its end. */
  readonly allTestsRan: boolean;
}

/** A new case that its run could not capture. */
export interface NewCaseOfTest extends NewCase {
  /** Titles of its test, joined by spaces. */
  readonly test: string;
}

/** A new case that replaces one whose input the test no longer passes, and decides otherwise. */
export interface ChangedInput {
  /** The change as its test staged it. */
  readonly added: PendingChange;
  /** The change as a replacement of the unused case, which is removed with it. */
  readonly change: PendingChange;
  /** Differences of the input and of the result. */
  readonly changes: readonly PartDiff[];
  /** One line on both differences. */
  readonly reason: string;
  /** Absolute path of the unused case. */
  readonly replaced: string;
  /** True if the new case has fewer responses of models, because of outages that its step handled. */
  readonly hasOutage: boolean;
}

/** Differences of a new case from the unused one that it replaces. */
export interface InputChange {
  readonly changes: readonly PartDiff[];
  readonly shape: ChangeShape;
  /** Differences, safe to print: the input's, then those of the result, of which at most some are shown. */
  readonly lines: readonly string[];
  /** File name of the unused case. */
  readonly earlier: string;
}

/** A new case and an unused one of the same step and test folder, with one label but for the input. */
interface Candidate<Case> {
  readonly added: Case;
  readonly unused: UnusedBaseline;
  readonly inputs: readonly DiffEntry[];
  /** Share of the inputs that both begin and end with. */
  readonly shared: number;
  readonly before: StepBaseline;
  readonly after: ComparedCase;
}

/** A new case and the unused one that it replaces. */
interface Pair<Case> extends Pick<Candidate<Case>, "added" | "unused" | "inputs"> {
  /** Parts of the result that differ; undefined if the result of the new case is unknown. */
  readonly outcomes: readonly PartDiff[] | undefined;
  /** Line on outages because of which the new case has fewer responses of models; undefined without any. */
  readonly outage: string | undefined;
}

type ComparedCase = Pick<StepBaseline, "input"> &
  Partial<Pick<StepBaseline, "name" | "output" | "commands" | "events" | "calls">>;

/** Minimum part of two inputs that is equal, to pair cases with different labels. */
const LEAST_SHARED = 0.5;

/** Entries that a sentence names before it counts the rest, and characters of each value. */
const MAX_NAMED = 3;
const MAX_VALUE = 60;
/** Maximum characters of each value in a review, which shows every difference. */
const MAX_REVIEWED = 2000;
/** Rest of the sentence on an outage. */
const RUN_AGAIN = ". The baseline of the earlier input has a response. Run the test again when the model responds.";
/** Unused cases of a step among which one with another label is looked for. */
const MAX_LABELS = 20;

/**
 * Finds the new cases of a run that replace a case which no test uses now: of the same step and label, each with
 * the unused case whose input is nearest. If all tests ran, the labels may differ in the values that the input changes.
 * Without the pairing, a changed fixture would hide a changed decision: the new case has no baseline to differ from. A
 * pair that decides the same is left out: the new case is captured, and the unused one is obsolete. A pair that lacks
 * responses because of an outage isn't left out, because the unused case is the only one that has them.
 */
export function findChangedInputs(
  changes: readonly PendingChange[],
  { unused, root }: { readonly unused: readonly UnusedBaseline[]; readonly root: string },
): readonly ChangedInput[] {
  const added = changes
    .filter(({ kind }) => kind === "add")
    .map((change) => ({
      change,
      path: resolve(root, change.target),
      test: change.test,
      rules: change.rules,
      read: () => stepBaseline(change.text),
    }));
  return pairsOf(added, unused, hasSharedLabel).flatMap((pair) =>
    pair.outcomes?.length === 0 && pair.outage === undefined ? [] : [changedInput(pair)],
  );
}

/**
 * Finds the new cases that a run which writes no baselines could not capture, with the unused case that each replaces.
 * The result is by path, and includes pairs with the same result.
 */
export function inputChangesOf(
  cases: ReadonlyMap<string, NewCaseOfTest>,
  unused: readonly UnusedBaseline[],
): ReadonlyMap<string, InputChange> {
  const added = [...cases].map(([path, { input, text, test, rules }]) => ({
    path,
    test,
    rules,
    read: () => (text === undefined ? { input } : stepBaseline(text)),
  }));
  return new Map(
    pairsOf(added, unused).map(({ added: { path }, unused, inputs, outcomes, outage }) => {
      const results =
        outcomes === undefined
          ? ["the result is unknown, because no responses are recorded for it"]
          : entriesOf(outcomes).map(entryText);
      const lines = [
        inputText(inputs),
        ...(results.length === 0 ? ["same result"] : firstOf(results)),
        ...(outage === undefined ? [] : [outage]),
      ];
      const changes = changesOf(inputs, outcomes);
      return [path, { changes, shape: shapeOfPair(inputs, outcomes ?? []), lines, earlier: basename(unused.path) }];
    }),
  );
}

interface AddedCase {
  readonly path: string;
  readonly test: string;
  /** Rules of its check, as JSON. */
  readonly rules: string | undefined;
  readonly read: () => ComparedCase | undefined;
}

/** Pairs each new case with an unused one; those with the fewest differences of the input first. */
function pairsOf<Case extends AddedCase>(
  cases: readonly Case[],
  unused: readonly UnusedBaseline[],
  mayBeOther: (added: Case) => boolean = () => false,
): readonly Pair<Case>[] {
  const folders = Map.groupBy(unused, ({ path }) => dirname(path));
  const stored = new Map<string, StepBaseline | undefined>();
  const storedAt = (path: string): StepBaseline | undefined => {
    if (!stored.has(path)) stored.set(path, stepBaseline(readText(path)));
    return stored.get(path);
  };
  const candidates = cases
    .flatMap((added) => {
      const label = labelAt(added.path);
      const inFolder = folders.get(dirname(added.path)) ?? [];
      const sameLabel = inFolder.filter(({ path }) => labelAt(path) === label);
      // A test's title may contain the input.
      const otherLabels = inFolder.length > MAX_LABELS ? [] : inFolder.filter(({ allTestsRan }) => allTestsRan);
      const earlier = sameLabel.length > 0 ? sameLabel : otherLabels;
      const after = earlier.length === 0 ? undefined : added.read();
      return after === undefined
        ? []
        : earlier.flatMap((unused): Candidate<Case>[] => {
            const before = storedAt(unused.path);
            if (before === undefined || before.name !== after.name) return [];
            if (!unused.allTestsRan && after.name === undefined && mayBeOther(added)) return [];
            const inputs = diff(before.input, after.input).entries;
            const shared = sharedPart(stableStringify(before.input), stableStringify(after.input));
            const isAlike = (): boolean => shared >= LEAST_SHARED && labelWith(inputs, labelAt(unused.path)) === label;
            if (sameLabel.length === 0 && !isAlike()) return [];
            return [{ added, unused, inputs, shared, before, after }];
          });
    })
    .toSorted((a, b) => a.inputs.length - b.inputs.length || b.shared - a.shared);
  const replaced = new Set<unknown>();
  return candidates.flatMap(({ added, unused, inputs, before, after }) => {
    if (replaced.has(added) || replaced.has(unused)) return [];
    replaced.add(added).add(unused);
    const rules = parseCaseRules(added.rules);
    const outcomes = differentParts(before, after, { inputs, rules });
    return [{ added, unused, inputs, outcomes, outage: outageOf(before, after, rules) }];
  });
}

/** True if the earlier case may be of another test that has the same label and didn't run. */
function hasSharedLabel({ path, test }: AddedCase): boolean {
  return isSharedLabel(labelOfCase(basename(path)), test);
}

function labelAt(path: string): string {
  return labelOfCase(basename(path));
}

/** Returns a label with the changed values of the input, as `test.each("ticket %s")` writes them into its titles. */
function labelWith(inputs: readonly DiffEntry[], label: string): string {
  const words = new Map(inputs.map(({ before, after }) => [slug(String(before)), slug(String(after))]));
  const longestFirst = [...words.keys()].toSorted((a, b) => b.length - a.length);
  // A slug has no character with a meaning in a regular expression.
  const pattern = new RegExp(`(?<=^|-)(?:${longestFirst.join("|")})(?=-|$)`, "g");
  return label.replaceAll(pattern, (word) => words.get(word) ?? word);
}

function stepBaseline(text: string | undefined): StepBaseline | undefined {
  const parsed = text === undefined ? undefined : parseBaseline(text, "the case");
  return parsed?.ok === true && parsed.value.kind === "step" ? parsed.value : undefined;
}

function differentParts(
  before: StepBaseline,
  after: ComparedCase,
  { inputs, rules }: { readonly inputs: readonly DiffEntry[]; readonly rules: CaseRules },
): readonly PartDiff[] | undefined {
  const { output, events, commands, calls } = after;
  if (events === undefined || commands === undefined || calls === undefined) return undefined;
  const { compared } = compareOutcomes(
    { output: before.output, events: before.events, commands: before.commands },
    { output, events, commands },
    { ...rules, parts: RESULT_PARTS, fallsBackToIndex: true },
  );
  const isOwnChange = (entry: DiffEntry): boolean => !inputs.some((input) => isSameChange(input, entry));
  const withEntries = <D extends DiffResult>(diff: D, entries: readonly DiffEntry[]): D => ({
    ...diff,
    entries,
    equal: entries.length === 0,
  });
  const scope = rules.calls;
  const [recorded, made] = [before.calls, calls].map((list) => (scope === "none" ? [] : list));
  const roleOf = createRoleResolver(rules.roles ?? {});
  const called = diffCalls(recorded ?? [], made ?? [], { roleOf, scope, compare: rules.compare });
  const changes = called.changes.flatMap((change): readonly CallChange[] => {
    if (change.kind !== "changed") return [change];
    const entries = change.entries.filter(isOwnChange);
    return entries.length === 0 ? [] : [{ ...change, entries }];
  });
  const parts: readonly PartDiff[] = [
    ...compared.map(
      (each): PartDiff =>
        each.part === "events"
          ? { ...each, diff: withEntries(each.diff, each.diff.entries.filter(isOwnChange)) }
          : each,
    ),
    { part: "calls", diff: { ...withEntries(called, changes.flatMap(callEntries)), changes } },
  ];
  return parts.filter(({ diff }) => !diff.equal);
}

/** Describes the outages of a new case, compared with the baseline of the earlier input. */
function outageOf(before: StepBaseline, { calls = [] }: ComparedCase, { roles = {} }: CaseRules): string | undefined {
  const outage = newOutageText(calls, before.calls, { roleOf: createRoleResolver(roles), isOtherInput: true });
  return outage === undefined ? undefined : `${outage}, and the step handled the error`;
}

/** Returns true if a field of an event or a call only passes on what the input changes. */
function isSameChange(input: DiffEntry, entry: DiffEntry): boolean {
  const [from, to] = [input.before, input.after];
  // A flag says nothing without its name, nor does a value that is added or removed.
  const needsName = [from, to].some((value) => value === undefined || value === null || typeof value === "boolean");
  if (needsName && input.path.at(-1) !== entry.path.at(-1)) return false;
  // A text can contain the value of the input, as a path contains an id.
  if (typeof from === "string" && from !== "" && typeof to === "string" && typeof entry.before === "string")
    return entry.before.replaceAll(from, () => to) === entry.after;
  return diff([input.before, input.after], [entry.before, entry.after]).equal;
}

/** Returns the differences with the part first: `output.priority`, `calls.tools.refund`. */
function entriesOf(parts: readonly PartDiff[]): readonly DiffEntry[] {
  return parts.flatMap(({ part, diff: { entries } }) =>
    entries.map((entry) => {
      const [adapter = "", ...rest] = entry.path;
      const path = part === "calls" ? [...String(adapter).split("."), ...rest] : entry.path;
      return { ...entry, path: [part, ...path] };
    }),
  );
}

function changedInput({
  added: { change },
  unused,
  inputs,
  outcomes = [],
  outage,
}: Pair<{ readonly change: PendingChange }>): ChangedInput {
  // A record is read as far as its text, which comes last.
  const { text, rules: _rules, ...head } = change;
  const input = inputText(inputs);
  const changes = changesOf(inputs, outcomes);
  const texts = entriesOf(outcomes).map(entryText);
  const outages = outage === undefined ? [] : [outage];
  const differences = [...(texts.length === 0 ? ["same result"] : [listed(texts, "; ")]), ...outages].join("; ");
  return {
    added: change,
    change: {
      ...head,
      verdict: "input_changed",
      shown: [
        ...entriesOf(changes).map((entry) => `  ${formatEntry(entry, MAX_REVIEWED)}`),
        ...outages.map((text) => `    ${text}`),
        `    compared with ${basename(unused.path)}`,
      ],
      shape: shapeOfPair(inputs, outcomes),
      // A test that didn't run may use the earlier case.
      ...(unused.allTestsRan && {
        replaces: basename(unused.path),
        replacedHash: hashText(readText(unused.path) ?? ""),
      }),
      text,
    },
    changes,
    reason: `${change.target}: ${input}; ${differences}${outage === undefined ? "" : RUN_AGAIN}`,
    replaced: unused.path,
    hasOutage: outage !== undefined,
  };
}

function changesOf(inputs: readonly DiffEntry[], outcomes: readonly PartDiff[] = []): readonly PartDiff[] {
  return [{ part: "input", diff: { equal: false, entries: inputs } }, ...outcomes];
}

function inputText(inputs: readonly DiffEntry[]): string {
  return `input changed (${listed(inputs.map((entry) => `${signOf(entry)}${formatPath(entry.path)}`))})`;
}

function entryText(entry: DiffEntry): string {
  return formatEntry(entry, MAX_VALUE).trim();
}

function shapeOfPair(inputs: readonly DiffEntry[], outcomes: readonly PartDiff[]): ChangeShape {
  const lines = [
    ...inputs.map((entry) => shapeLine({ ...entry, path: ["input", ...entry.path] })),
    ...entriesOf(outcomes).map(shapeLine),
  ];
  return { kind: "input_changed", cause: null, lines };
}

/** Risks of parts other than the output. The role of a call may be declared in the step, so each may be a write. */
const RISK: Readonly<Record<string, Risk>> = {
  input: "prose",
  commands: "commands",
  events: "events",
  calls: "writes",
};

function shapeLine({ path: [part, ...path], before, after }: DiffEntry): ShapeLine {
  const side = (value: unknown): ShapeLine["before"] => ({ kind: sideKindOf(value) });
  const risk = RISK[String(part)] ?? "label";
  return { part: String(part), path: formatPath(path), before: side(before), after: side(after), risk };
}

function sideKindOf(value: unknown): SideKind {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (isArray(value)) return "list";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" ? type : "object";
}

function signOf({ before, after }: DiffEntry): string {
  if (before === undefined) return "+ ";
  return after === undefined ? "- " : "";
}

function listed(texts: readonly string[], separator: string = ", "): string {
  return firstOf(texts).join(separator);
}

/** Returns the first of some texts; the last one of them counts the rest. */
function firstOf(texts: readonly string[]): readonly string[] {
  const rest = texts.length - MAX_NAMED;
  const more = rest > 0 ? ` and ${rest} more` : "";
  return texts.slice(0, MAX_NAMED).map((text, index) => (index === MAX_NAMED - 1 ? text + more : text));
}
