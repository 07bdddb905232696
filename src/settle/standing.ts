import { dirname, join } from "node:path";
import { type Baseline, groupOf, identityOf } from "../baseline/baseline.ts";
import { displayPath } from "../baseline/library.ts";
import { caseFileTest, caseHash } from "../baseline/names.ts";
import { parseBaseline } from "../baseline/parse-baseline.ts";
import type { Proposal } from "../baseline/proposal.ts";
import { readText } from "../files/read.ts";

/** How a proposal stands against what is on disk now. */
export type Standing =
  | { readonly kind: "due" }
  | { readonly kind: "done" }
  | { readonly kind: "stale"; readonly problem: string };

/** Lists a directory's names; one listing may serve a whole set of proposals. */
export type ListNames = (directory: string) => readonly string[];

/**
 * Compares what is on disk with what a proposal was made from: `done` where the proposed text is there already, under
 * whatever label; `stale` where something else is.
 */
export function standingOf(proposal: Proposal, list: ListNames): Standing {
  const current = readText(proposal.path);
  if (current === proposal.after) return { kind: "done" };
  const file = displayPath(proposal.path);
  if (current !== undefined && proposal.before === undefined) return { kind: "stale", problem: twice(file) };
  if (current !== proposal.before) {
    return { kind: "stale", problem: `${file} changed while the test ran; nothing was written. Run the test again.` };
  }
  const twin = proposal.kind === "add" ? twinOf(proposal, list) : undefined;
  if (twin === undefined) return { kind: "due" };
  return twin.text === proposal.after ? { kind: "done" } : { kind: "stale", problem: twice(displayPath(twin.path)) };
}

/** The sentence where two tests give one case two results. */
export function twice(file: string): string {
  return `${file} was captured by another test meanwhile, with another result; nothing was written. Give each case its own name: toMatchBaseline({ name: "…" }).`;
}

/**
 * What tells the case of a proposed text from every other: two labels of one case have the same. Undefined for
 * removals.
 */
export function caseKey({ path, after }: Proposal): string | undefined {
  const baseline = after === undefined ? undefined : read(after, path);
  return baseline === undefined
    ? undefined
    : `${dirname(path)}\n${groupOf(baseline)}\n${caseHash(identityOf(baseline), 64)}`;
}

/** Another file that holds the same case as a proposed one, under another label. */
function twinOf(
  { path, after }: Proposal,
  list: ListNames,
): { readonly path: string; readonly text: string } | undefined {
  const own = after === undefined ? undefined : read(after, path);
  if (own === undefined) return undefined;
  const directory = dirname(path);
  const others = list(directory)
    .filter(caseFileTest(identityOf(own)))
    .filter((name) => join(directory, name) !== path);
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
