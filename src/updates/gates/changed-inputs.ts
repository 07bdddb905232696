import { basename, dirname, resolve } from "node:path";
import { diff } from "../../kernel/diff/diff.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { formatEntry } from "../../kernel/diff/format-diff.ts";
import { formatPath } from "../../kernel/text.ts";
import type { StepBaseline } from "../../baseline/baseline.ts";
import { labelOfCase } from "../../baseline/baseline-paths.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { readText } from "../../kernel/files/read.ts";
import type { PendingChange } from "../pending/pending-change.ts";

/** A new case that replaces one whose input the test no longer passes, and decides otherwise. */
export interface ChangedInput {
  readonly change: PendingChange;
  /** One sentence on both differences. */
  readonly reason: string;
}

/** A new case and an unused one of the same step, test folder and label. */
interface Candidate {
  readonly change: PendingChange;
  readonly unused: string;
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
 * case has no baseline to differ from. A pair that decides the same is left out. `unused` are absolute paths.
 */
export function findChangedInputs(
  changes: readonly PendingChange[],
  { unused, root }: { readonly unused: readonly string[]; readonly root: string },
): readonly ChangedInput[] {
  const folders = Map.groupBy(unused, folderAndLabel);
  const stored = new Map<string, StepBaseline | undefined>();
  const storedAt = (path: string): StepBaseline | undefined => {
    if (!stored.has(path)) stored.set(path, stepBaseline(readText(path)));
    return stored.get(path);
  };
  const candidates = changes
    .filter(({ kind }) => kind === "add")
    .flatMap((change) => {
      const paths = folders.get(folderAndLabel(resolve(root, change.target))) ?? [];
      const after = paths.length === 0 ? undefined : stepBaseline(change.text);
      return after === undefined
        ? []
        : paths.flatMap((unused) => candidate({ change, unused, after }, storedAt(unused)));
    })
    .toSorted((a, b) => a.inputs.length - b.inputs.length);
  const replaced = new Set<unknown>();
  return candidates.flatMap((pair): readonly ChangedInput[] => {
    if (replaced.has(pair.change) || replaced.has(pair.unused)) return [];
    replaced.add(pair.change).add(pair.unused);
    const outcomes = outcomeEntries(pair);
    if (outcomes.length === 0) return [];
    return [{ change: pair.change, reason: reasonOf(pair, outcomes) }];
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

function reasonOf({ change, inputs }: Candidate, outcomes: readonly DiffEntry[]): string {
  const input = listed(inputs.map((entry) => `${signOf(entry)}${formatPath(entry.path)}`));
  const output = listed(
    outcomes.map((entry) => formatEntry(entry, MAX_VALUE).trim()),
    "; ",
  );
  return `${change.target}: the input of the test "${change.test}" changed (${input}), and the result: ${output}.`;
}

function signOf({ before, after }: DiffEntry): string {
  if (before === undefined) return "+ ";
  return after === undefined ? "- " : "";
}

function listed(texts: readonly string[], separator: string = ", "): string {
  const rest = texts.length - MAX_NAMED;
  return `${texts.slice(0, MAX_NAMED).join(separator)}${rest > 0 ? ` and ${rest} more` : ""}`;
}
