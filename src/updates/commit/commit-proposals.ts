import { dirname, join } from "node:path";
import { diskMessageOf } from "../../kernel/thrown.ts";
import { type Baseline, type Proposal, groupOf, identityOf } from "../../baseline/baseline.ts";
import { displayPath } from "../../baseline/library.ts";
import { caseFileTest, caseHash } from "../../baseline/names.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { makeState } from "../../kernel/files/durable.ts";
import type { Places } from "../../kernel/files/places.ts";
import { holdsText, listNames, readText } from "../../kernel/files/read.ts";
import type { Receipt } from "../receipts/receipt.ts";
import { acquireLock, idleGeneration } from "./lock.ts";
import { recoverTransactions } from "./recover.ts";
import { type Occasion, transact } from "./transact.ts";

/** What became of a set of proposals: what was written with its receipt, or the one sentence on why nothing was. */
export type Commitment =
  | {
      readonly kind: "committed";
      readonly written: readonly Proposal[];
      /** Undefined where nothing had to be written, or where `problem` says why there is none yet. */
      readonly receipt: Receipt | undefined;
      readonly problem: string | undefined;
    }
  | { readonly kind: "refused"; readonly problem: string }
  /** Nothing of it was begun: an older commit is neither finished nor undone, and only `veritest recover` can. */
  | { readonly kind: "blocked"; readonly problem: string }
  | { readonly kind: "unsettled"; readonly problem: string };

/** Where a commit happens and what its receipt says of it. */
export interface CommitContext {
  readonly places: Places;
  readonly occasion: Occasion;
  /** Milliseconds to wait for another run's commit. */
  readonly waitMs?: number | undefined;
}

type KeyOf = typeof caseKey;

const NOTHING: Commitment = { kind: "committed", written: [], receipt: undefined, problem: undefined };

/**
 * Writes a set of proposals, all of them or none: the one place that changes baseline files. Refuses the set when a
 * file is no longer what its proposal was made from, or when a new case was captured elsewhere with another result. A
 * file that already holds the proposed text is left alone. Never throws: what the file system refuses is a refusal
 * too.
 */
export function commitProposals(proposals: readonly Proposal[], context: CommitContext): Commitment {
  try {
    const keyOf = askedOnce(caseKey);
    const idle = idleGeneration(context.places.state);
    const early = dueOf(proposals, keyOf);
    if (typeof early === "string") return { kind: "refused", problem: early };
    if (early.length === 0) return NOTHING;
    return commitLocked(early, { ...context, keyOf, idle });
  } catch (thrown) {
    return { kind: "refused", problem: diskMessageOf(thrown) };
  }
}

interface LockedContext extends CommitContext {
  readonly keyOf: KeyOf;
  /** The generation of the lock before anything was looked at; undefined where somebody held it. */
  readonly idle: number | undefined;
}

function commitLocked(
  proposals: readonly Proposal[],
  { places, occasion, waitMs, keyOf, idle }: LockedContext,
): Commitment {
  const lock = acquireLock(makeState(places), waitMs);
  if (!lock.ok) return { kind: "refused", problem: lock.error };
  try {
    const { stuck, finished, undone } = recoverTransactions(places);
    if (stuck.length > 0) return { kind: "blocked", problem: stuck.join("\n") };
    // Looked at again where another process had the lock since, or something was recovered: it may have written.
    const isNext = idle !== undefined && lock.value.generation === idle + 1 && finished.length + undone.length === 0;
    const due = isNext ? proposals : dueOf(proposals, keyOf);
    if (typeof due === "string") return { kind: "refused", problem: due };
    if (due.length === 0) return NOTHING;
    const end = transact(due, { places, lock: lock.value, occasion });
    return end.kind === "committed" ? { ...end, written: due } : end;
  } finally {
    lock.value.release();
  }
}

/** What is left to write, one proposal for each case; a sentence where the set cannot be written as a whole. */
function dueOf(proposals: readonly Proposal[], keyOf: KeyOf): readonly Proposal[] | string {
  const due = new Map<string, Proposal>();
  const list = listedOnce();
  // Sorted, so that of one case under two labels the same file stays whichever test came first.
  for (const proposal of proposals.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const standing = standingOf(proposal, list);
    if (standing.kind === "stale") return standing.problem;
    if (standing.kind === "done") continue;
    const key = keyOf(proposal) ?? proposal.path;
    const other = due.get(key);
    if (other !== undefined && other.after !== proposal.after) return twice(displayPath(other.path));
    if (other === undefined) due.set(key, proposal);
  }
  return [...due.values()];
}

function listedOnce(): ListNames {
  const known = new Map<string, readonly string[]>();
  return (directory) => {
    const names = known.get(directory) ?? listNames(directory);
    known.set(directory, names);
    return names;
  };
}

/**
 * A proposal is looked at before and under the lock, and its text says the same: to parse it twice was a tenth of a
 * commit.
 */
function askedOnce(keyOf: KeyOf): KeyOf {
  const known = new Map<Proposal, string | undefined>();
  return (proposal) => {
    if (!known.has(proposal)) known.set(proposal, keyOf(proposal));
    return known.get(proposal);
  };
}

/** How a proposal stands against what is on disk now. */
type Standing =
  | { readonly kind: "due" }
  | { readonly kind: "done" }
  | { readonly kind: "stale"; readonly problem: string };

/** Lists a directory's names; one listing may serve a whole set of proposals. */
type ListNames = (directory: string) => readonly string[];

/**
 * Compares what is on disk with what a proposal was made from: `done` where the proposed text is there already, under
 * whatever label; `stale` where something else is.
 */
function standingOf(proposal: Proposal, list: ListNames): Standing {
  const { before, after } = proposal;
  const holdsOld = before !== undefined && before !== after && holdsText(proposal.path, before);
  const current = holdsOld ? before : readText(proposal.path);
  if (current === after) return { kind: "done" };
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
function twice(file: string): string {
  const found = `${file} was captured by another test meanwhile, with another result; nothing was written.`;
  return `${found} Give each case its own name: toMatchBaseline({ name: "…" }).`;
}

/**
 * What tells the case of a proposed text from every other: two labels of one case have the same. Undefined for
 * removals.
 */
function caseKey({ path, after }: Proposal): string | undefined {
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
