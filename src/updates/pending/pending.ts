import { rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../kernel/thrown.ts";
import { listNames, readBeginning, readText } from "../../kernel/files/read.ts";
import type { Places } from "../../kernel/files/places.ts";
import { stateRoom } from "../../kernel/files/state-room.ts";
import { makeDirectory, publishAll, makeState } from "../../kernel/files/durable.ts";
import { acquireLock } from "../commit/lock.ts";
import { type PendingChange, type PendingHead, parsePendingChange, peekPendingChange } from "./pending-change.ts";

const DAY_MS = 86_400_000;

const NO_TEXTS: ReadonlyMap<PendingChange, string> = new Map();

/**
 * The changes that wait for somebody to decide on them, and the files among them that cannot be read, a phrase each.
 */
export interface PendingList {
  readonly changes: readonly PendingChange[];
  readonly unreadable: readonly string[];
}

/** Where pending changes lie below a state directory, this project's or one that a CI run uploaded. */
export function pendingDirectory(state: string): string {
  return stateRoom(state, "pending");
}

/** Reads all pending changes, by target. Reads nothing more than one directory listing where there are none. */
export function readPending(state: string): PendingList {
  const directory = pendingDirectory(state);
  return parseAll(
    listNames(directory)
      .filter((name) => name.endsWith(".json"))
      .map((name) => ({ name, text: readText(join(directory, name)) ?? "" })),
  );
}

/**
 * The pending changes that `isDue` names, by target: of the others only the beginning is read. What {@link readPending}
 * calls unreadable is never among them. `isAsked` names the files to look into; all where undefined.
 */
export function pendingOf(
  state: string,
  isDue: (change: PendingHead) => boolean,
  isAsked: (name: string) => boolean = () => true,
): PendingChange[] {
  const directory = pendingDirectory(state);
  const names = listNames(directory).filter((name) => name.endsWith(".json") && isAsked(name));
  const due = names.flatMap((name) => {
    const path = join(directory, name);
    const head = peekPendingChange(readBeginning(path) ?? "");
    if (head !== undefined && !isDue(head)) return [];
    const change = parsePendingChange(readText(path) ?? "");
    return change.ok && isDue(change.value) ? [change.value] : [];
  });
  return due.toSorted(order);
}

/** Parses the files of a pending directory, wherever they come from. */
export function parseAll(files: readonly { readonly name: string; readonly text: string }[]): PendingList {
  const read = files.map(({ name, text }) => ({ name, change: parsePendingChange(text) }));
  const changes = read.flatMap(({ change }) => (change.ok ? [change.value] : []));
  return {
    changes: changes.toSorted(order),
    unreadable: read.flatMap(({ name, change }) => (change.ok ? [] : [`${name}: ${change.error}`])),
  };
}

/**
 * Keeps changes for review, on the disk before it returns: a paid model's answer must not be lost. Each takes the place
 * of older ones for the same target, under the lock: of two at once that hold the same case one stays. `texts` are
 * those that changes were read from: they are written as they are.
 */
export function keepPending(
  places: Places,
  changes: readonly PendingChange[],
  texts: ReadonlyMap<PendingChange, string> = NO_TEXTS,
): void {
  if (changes.length === 0) return;
  const lock = acquireLock(makeState(places));
  try {
    publishChanges(places, changes, texts);
  } finally {
    // Where another holds it for long nothing is lost: both changes may wait then, and accept says so.
    if (lock.ok) lock.value.release();
  }
}

function publishChanges(
  places: Places,
  changes: readonly PendingChange[],
  texts: ReadonlyMap<PendingChange, string>,
): void {
  const directory = pendingDirectory(places.state);
  makeDirectory(directory);
  const targets = new Set(changes.map(({ target }) => target));
  const names = new Set(changes.map(nameOf));
  const older = pendingOf(
    places.state,
    (change) => targets.has(change.target) && !names.has(nameOf(change)),
    (name) => !names.has(name),
  );
  publishAll(
    directory,
    new Map(changes.map((change) => [nameOf(change), `${texts.get(change) ?? JSON.stringify(change)}\n`])),
  );
  // Last: should the new ones not find room, the older ones are still there.
  dropPending(places, older);
}

/**
 * Removes pending changes that were settled or have no more meaning. Never throws, because what became of them holds
 * whether or not their files go: one sentence where one stays.
 */
export function dropPending(
  { state }: Pick<Places, "state">,
  changes: readonly Pick<PendingChange, "key">[],
): string | undefined {
  try {
    const directory = pendingDirectory(state);
    for (const change of changes) rmSync(join(directory, nameOf(change)), { force: true });
    return undefined;
  } catch (thrown) {
    return `What waited for review is not all removed: ${messageOf(thrown)}`;
  }
}

/** Those of the changes that are older than the policy keeps them. */
export function expired(
  changes: readonly PendingChange[],
  { pendingDays, now }: { readonly pendingDays: number; readonly now: number },
): PendingChange[] {
  return changes.filter((change) => isExpired(change, { pendingDays, now }));
}

/** Tells whether a change is older than the policy keeps it. */
export function isExpired(
  { at }: Pick<PendingChange, "at">,
  { pendingDays, now }: { readonly pendingDays: number; readonly now: number },
): boolean {
  return now - Date.parse(at) > pendingDays * DAY_MS;
}

function nameOf({ key }: Pick<PendingChange, "key">): string {
  return `${key}.json`;
}

function order(a: PendingChange, b: PendingChange): number {
  if (a.target !== b.target) return a.target < b.target ? -1 : 1;
  return a.key < b.key ? -1 : 1;
}
