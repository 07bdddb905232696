import { basename, dirname, resolve } from "node:path";
import { diff } from "../../kernel/diff/diff.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { formatEntry } from "../../kernel/diff/format-diff.ts";
import { formatPath } from "../../kernel/text.ts";
import type { StepBaseline } from "../../baseline/baseline.ts";
import { labelOfCase } from "../../baseline/baseline-paths.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { readText } from "../../kernel/files/read.ts";
import { isArray } from "../../kernel/json/plain-data.ts";
import type { ShapeLine, SideKind } from "../../check/change-shape.ts";
import type { PendingChange } from "../pending/pending-change.ts";

/** A baseline that a run didn't use. */
export interface UnusedBaseline {
  /** Absolute. */
  readonly path: string;
  /** False if a test file that didn't run may use it. */
  readonly allFilesRan: boolean;
}

/** A new case that replaces one whose input the test no longer passes, and decides otherwise. */
export interface ChangedInput {
  /** The change as its test staged it. */
  readonly added: PendingChange;
  /** The change as a replacement of the unused case, which is removed with it. */
  readonly change: PendingChange;
  /** One line on both differences. */
  readonly reason: string;
}

/** A new case and an unused one of the same step, test folder and label. */
interface Candidate {
  readonly change: PendingChange;
  readonly unused: UnusedBaseline;
  readonly before: StepBaseline;
  readonly after: StepBaseline;
  readonly inputs: readonly DiffEntry[];
}

/** Entries that a sentence names before it counts the rest, and characters of each value. */
const MAX_NAMED = 3;
const MAX_VALUE = 60;

/**
 * Finds the new cases of a run that replace a case which no test uses now: of the same step and label, each with
 * the unused case whose input is nearest. Without the pairing, a changed fixture would hide a changed decision: the new
 * case has no baseline to differ from. A pair that decides the same is left out.
 */
export function findChangedInputs(
  changes: readonly PendingChange[],
  { unused, root }: { readonly unused: readonly UnusedBaseline[]; readonly root: string },
): readonly ChangedInput[] {
  const folders = Map.groupBy(unused, ({ path }) => folderAndLabel(path));
  const stored = new Map<string, StepBaseline | undefined>();
  const storedAt = (path: string): StepBaseline | undefined => {
    if (!stored.has(path)) stored.set(path, stepBaseline(readText(path)));
    return stored.get(path);
  };
  const candidates = changes
    .filter(({ kind }) => kind === "add")
    .flatMap((change) => {
      const earlier = folders.get(folderAndLabel(resolve(root, change.target))) ?? [];
      const after = earlier.length === 0 ? undefined : stepBaseline(change.text);
      return after === undefined
        ? []
        : earlier.flatMap((unused) => candidate({ change, unused, after }, storedAt(unused.path)));
    })
    .toSorted((a, b) => a.inputs.length - b.inputs.length);
  const replaced = new Set<unknown>();
  return candidates.flatMap((pair): readonly ChangedInput[] => {
    if (replaced.has(pair.change) || replaced.has(pair.unused)) return [];
    replaced.add(pair.change).add(pair.unused);
    const outcomes = outcomeEntries(pair);
    if (outcomes.length === 0) return [];
    return [changedInput(pair, outcomes)];
  });
}

function folderAndLabel(path: string): string {
  return `${dirname(path)}\n${labelOfCase(basename(path))}`;
}

function candidate(
  pair: Pick<Candidate, "change" | "unused" | "after">,
  before: StepBaseline | undefined,
): readonly Candidate[] {
  if (before === undefined || before.name !== pair.after.name) return [];
  return [{ ...pair, before, inputs: diff(before.input, pair.after.input).entries }];
}

function stepBaseline(text: string | undefined): StepBaseline | undefined {
  const parsed = text === undefined ? undefined : parseBaseline(text, "the case");
  return parsed?.ok === true && parsed.value.kind === "step" ? parsed.value : undefined;
}

function outcomeEntries({ before, after }: Candidate): readonly DiffEntry[] {
  return (["output", "commands"] as const).flatMap((part) =>
    diff(before[part], after[part]).entries.map((entry) => ({ ...entry, path: [part, ...entry.path] })),
  );
}

function changedInput({ change, unused, inputs }: Candidate, outcomes: readonly DiffEntry[]): ChangedInput {
  // A record is read as far as its text, which comes last.
  const { text, ...head } = change;
  const input = `input changed (${listed(inputs.map((entry) => `${signOf(entry)}${formatPath(entry.path)}`))})`;
  const texts = outcomes.map((entry) => formatEntry(entry, MAX_VALUE).trim());
  const lines = [
    ...inputs.map((entry) => shapeLine({ ...entry, path: ["input", ...entry.path] })),
    ...outcomes.map(shapeLine),
  ];
  return {
    added: change,
    change: {
      ...head,
      verdict: "input_changed",
      shown: [input, ...texts].map((text) => `    ${text}`),
      shape: { kind: "input_changed", cause: null, lines },
      // A test file that didn't run may use the earlier case.
      ...(unused.allFilesRan && { replaces: basename(unused.path) }),
      text,
    },
    reason: `${change.target}: ${input}; ${listed(texts, "; ")}`,
  };
}

function shapeLine({ path: [part, ...path], before, after }: DiffEntry): ShapeLine {
  const side = (value: unknown): ShapeLine["before"] => ({ kind: sideKindOf(value) });
  const risk = part === "input" ? "prose" : "label";
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
  const rest = texts.length - MAX_NAMED;
  return `${texts.slice(0, MAX_NAMED).join(separator)}${rest > 0 ? ` and ${rest} more` : ""}`;
}
