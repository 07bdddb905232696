import { resolve } from "node:path";
import { type Result, err, ok } from "../../base/result.ts";
import { quote } from "../../base/text.ts";
import type { PendingChange } from "../../settle/pending/pending-change.ts";
import { fitsName } from "../../settle/gates/policy-gates.ts";
import { targetName } from "../../files/places.ts";

/** How many changes a message names before it only counts the rest. */
const MAX_NAMED = 5;

/** Where paths on the command line are relative to. */
export interface ChoiceContext {
  /** The project's root, which targets are relative to. */
  readonly root: string;
  /** Where the command was started, which paths may be relative to as well. */
  readonly cwd: string;
}

/**
 * The changes that somebody names: by key, by how a key begins, by target, or by a pattern of targets in which `*`
 * stands for any characters. In the order they are listed, each once. The error is one sentence on the first name
 * that fits nothing, or fits several keys, with those that come near.
 */
export function chooseChanges(
  changes: readonly PendingChange[],
  names: readonly string[],
  context: ChoiceContext,
): Result<readonly PendingChange[], string> {
  const chosen = new Set<PendingChange>();
  for (const name of names) {
    const found = named(changes, name, context);
    if (!found.ok) return found;
    for (const change of found.value) chosen.add(change);
  }
  return ok(changes.filter((change) => chosen.has(change)));
}

function named(
  changes: readonly PendingChange[],
  name: string,
  context: ChoiceContext,
): Result<readonly PendingChange[], string> {
  const byKey = /^[0-9a-f]{1,12}$/.test(name) ? changes.filter(({ key }) => key.startsWith(name)) : [];
  if (byKey.length > 1) return err(`${quote(name)} begins more than one key: ${list(byKey)}. Give more of it.`);
  if (byKey.length === 1) return ok(byKey);
  const byTarget = changes.filter(({ target }) => fits(name, target, context));
  if (byTarget.length > 0) return ok(byTarget);
  if (changes.length === 0) return err(`No change fits ${quote(name)}: nothing waits for review.`);
  return err(
    `No change fits ${quote(name)}. ${changes.length === 1 ? "This waits" : "These come nearest"}: ${list(nearest(changes, name))}. See: veritest pending`,
  );
}

function fits(name: string, target: string, { root, cwd }: ChoiceContext): boolean {
  if (name === "") return false;
  return name === target || fitsName(name, target) || targetName(root, resolve(cwd, name)) === target;
}

/** By how many pairs of neighbouring characters of the name occur in them too. */
function nearest(changes: readonly PendingChange[], name: string): readonly PendingChange[] {
  const pairs = Array.from({ length: Math.min(name.length - 1, 200) }, (_, index) => name.slice(index, index + 2));
  const closeness = ({ key, target }: PendingChange): number =>
    pairs.filter((pair) => key.includes(pair) || target.includes(pair)).length;
  const rated = changes.map((change) => ({ change, score: closeness(change) }));
  return rated.toSorted((a, b) => b.score - a.score).map(({ change }) => change);
}

function list(changes: readonly PendingChange[]): string {
  const named = changes.slice(0, MAX_NAMED).map(({ key, target }) => `${key} (${target})`);
  const rest = changes.length - named.length;
  return `${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
