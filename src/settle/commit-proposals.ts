import { dirname, join } from "node:path";
import { type Baseline, groupOf, identityOf } from "../baseline/baseline.ts";
import { displayPath } from "../baseline/library.ts";
import { caseFileTest, caseHash } from "../baseline/names.ts";
import { parseBaseline } from "../baseline/parse-baseline.ts";
import type { Proposal } from "../baseline/proposal.ts";
import { listNames, readText, removeFile, writeAtomically } from "../baseline/store.ts";

/** What became of a set of proposals: what each wrote, or the one sentence on why nothing was written. */
export type Commitment =
  | { readonly kind: "committed"; readonly written: readonly Proposal[] }
  | { readonly kind: "refused"; readonly problem: string };

/**
 * Writes a set of proposals, all of them or none: the one place that changes baseline files. Refuses the set when a file
 * is no longer what its proposal was made from, or when a new case was captured elsewhere with another result. A file
 * that already holds the proposed text is left alone. Throws where the file system does.
 */
export function commitProposals(proposals: readonly Proposal[]): Commitment {
  const due: Proposal[] = [];
  for (const proposal of proposals) {
    const standing = standingOf(proposal);
    if (standing.kind === "stale") return { kind: "refused", problem: standing.problem };
    if (standing.kind === "due") due.push(proposal);
  }
  applyAll(due);
  const rival = due.filter(({ kind }) => kind === "add").map(rivalOf).find((path) => path !== undefined);
  if (rival === undefined) return { kind: "committed", written: due.filter(isKept) };
  takeBack(due);
  return { kind: "refused", problem: twice(displayPath(rival)) };
}

type Standing = { readonly kind: "due" } | { readonly kind: "done" } | { readonly kind: "stale"; readonly problem: string };

/** Compares what is on disk with what the proposal was made from. */
function standingOf(proposal: Proposal): Standing {
  const current = readText(proposal.path);
  if (current === proposal.after) return { kind: "done" };
  const file = displayPath(proposal.path);
  if (current !== undefined && proposal.before === undefined) return { kind: "stale", problem: twice(file) };
  if (current !== proposal.before) {
    return { kind: "stale", problem: `${file} changed while the test ran; nothing was written. Run the test again.` };
  }
  const twin = proposal.kind === "add" ? twinOf(proposal) : undefined;
  if (twin === undefined) return { kind: "due" };
  return twin.text === proposal.after ? { kind: "done" } : { kind: "stale", problem: twice(displayPath(twin.path)) };
}

function twice(file: string): string {
  return `${file} was captured by another test meanwhile, with another result; nothing was written. Give each case its own name: toMatchBaseline({ name: "…" }).`;
}

/** Applies all; where one fails, those before it are taken back and the failure is thrown. */
function applyAll(proposals: readonly Proposal[]): void {
  const applied: Proposal[] = [];
  try {
    for (const proposal of proposals) {
      apply(proposal);
      applied.push(proposal);
    }
  } catch (thrown) {
    takeBack(applied);
    throw thrown;
  }
}

function takeBack(applied: readonly Proposal[]): void {
  for (const proposal of applied.toReversed()) apply({ ...proposal, after: proposal.before });
}

function apply({ root, path, after }: Proposal): void {
  if (after === undefined) removeFile(root, path);
  else writeAtomically(root, path, after);
}

/** The file of another process that added the same case at the same moment with another result; whoever looks last gives way. */
function rivalOf(proposal: Proposal): string | undefined {
  const twin = twinOf(proposal);
  return twin === undefined || twin.text === proposal.after ? undefined : twin.path;
}

/** Two processes may add one case with one result under two labels at once: the file that sorts first stays. */
function isKept(proposal: Proposal): boolean {
  const twin = proposal.kind === "add" ? twinOf(proposal) : undefined;
  if (twin === undefined) return true;
  const mine = proposal.path < twin.path;
  removeFile(proposal.root, mine ? twin.path : proposal.path);
  return mine;
}

/** Another file that holds the same case as a proposed one, under another label. */
function twinOf({ path, after }: Proposal): { readonly path: string; readonly text: string } | undefined {
  const own = after === undefined ? undefined : read(after, path);
  if (own === undefined) return undefined;
  const directory = dirname(path);
  const others = listNames(directory).filter(caseFileTest(identityOf(own))).filter((name) => join(directory, name) !== path);
  for (const name of others) {
    const text = readText(join(directory, name));
    const other = text === undefined ? undefined : read(text, name);
    if (text !== undefined && other !== undefined && sameCase(own, other)) return { path: join(directory, name), text };
  }
  return undefined;
}

function read(text: string, path: string): Baseline | undefined {
  const parsed = parseBaseline(text, path);
  return parsed.ok ? parsed.value : undefined;
}

function sameCase(left: Baseline, right: Baseline): boolean {
  return groupOf(left) === groupOf(right) && caseHash(identityOf(left), 64) === caseHash(identityOf(right), 64);
}
