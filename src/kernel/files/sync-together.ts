import { fsyncSync } from "node:fs";
import { getSystemErrorName } from "node:util";
import { Worker } from "node:worker_threads";

/** Threads that wait for the disk beside this one. */
const THREADS = 4;
/** Files that are synced together at most. */
export const MOST_TOGETHER = 128;

/**
 * Places in what the threads share: how many files were given so far, taken, and synced; 1 when there will be no more.
 * They only grow, so that a late thread never mistakes one round for another.
 */
const AT = { given: 0, taken: 1, done: 2, over: 3, size: 4 } as const;

/** Syncs open files, several at a time. */
export interface Syncing {
  /** Waits until the bytes of all of them are on the disk. Throws where one cannot be synced. */
  sync(descriptors: readonly number[]): void;
  /** Lets the threads end. */
  close(): void;
}

/**
 * Starts threads that sync files together with this one: a file system writes down at once what is asked for at the
 * same time. 1,000 files took half as long as one after the other. Threads that cannot start leave their share
 * to this one.
 */
export function syncTogether(): Syncing {
  const shared = (length: number): Int32Array =>
    new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
  const [state, files, codes] = [shared(AT.size), shared(MOST_TOGETHER), shared(MOST_TOGETHER)];
  const workerData = { state, files, codes, at: AT, most: MOST_TOGETHER };
  for (let thread = 0; thread < THREADS; thread += 1) {
    // Without what a project loads into each thread of its own.
    const worker = new Worker(THREAD, { eval: true, workerData, execArgv: [], env: {} });
    worker.on("error", () => undefined).unref();
  }
  return {
    sync(descriptors) {
      for (let from = 0; from < descriptors.length; from += MOST_TOGETHER)
        syncRound(descriptors.slice(from, from + MOST_TOGETHER), { state, files, codes });
    },
    close() {
      Atomics.store(state, AT.over, 1);
      Atomics.notify(state, AT.given);
    },
  };
}

interface Shared {
  readonly state: Int32Array;
  readonly files: Int32Array;
  /** The system's number of an error, 0 for none. */
  readonly codes: Int32Array;
}

function syncRound(descriptors: readonly number[], { state, files, codes }: Shared): void {
  const first = Atomics.load(state, AT.given);
  const slots = descriptors.map((_, index) => (first + index) % MOST_TOGETHER);
  for (const [index, slot] of slots.entries()) {
    files[slot] = descriptors[index] ?? -1;
    codes[slot] = 0;
  }
  const given = first + descriptors.length;
  Atomics.store(state, AT.given, given);
  Atomics.notify(state, AT.given);
  for (let taken = takeOne(state); taken !== undefined; taken = takeOne(state)) {
    const slot = taken % MOST_TOGETHER;
    codes[slot] = syncOne(files[slot] ?? -1);
    Atomics.add(state, AT.done, 1);
  }
  for (let done = Atomics.load(state, AT.done); done < given; done = Atomics.load(state, AT.done))
    Atomics.wait(state, AT.done, done);
  const failed = slots.find((slot) => codes[slot] !== 0);
  if (failed !== undefined) throw notSynced(codes[failed] ?? 0);
}

/** The next file nobody has taken. */
function takeOne(state: Int32Array): number | undefined {
  for (let taken = Atomics.load(state, AT.taken); taken < Atomics.load(state, AT.given); ) {
    const found = Atomics.compareExchange(state, AT.taken, taken, taken + 1);
    if (found === taken) return taken;
    taken = found;
  }
  return undefined;
}

function syncOne(descriptor: number): number {
  try {
    fsyncSync(descriptor);
    return 0;
  } catch (thrown) {
    const errno: unknown = Reflect.get(Object(thrown), "errno");
    return typeof errno === "number" ? errno : UNKNOWN;
  }
}

/** The system's number for trouble with a disk: of an error without one. */
const UNKNOWN = -5;

/** As Node would have thrown it: who asks for its code finds it. */
function notSynced(errno: number): Error {
  const code = getSystemErrorName(errno);
  return Object.assign(new Error(`${code}: a file could not be synced, fsync`), { code, errno, syscall: "fsync" });
}

/** What runs in a thread, as text: a file of its own would have to be found again in every bundle. */
const THREAD = `
const { fsyncSync } = require("node:fs");
const { workerData: { state, files, codes, at, most } } = require("node:worker_threads");
while (Atomics.load(state, at.over) === 0) {
  const [given, taken] = [Atomics.load(state, at.given), Atomics.load(state, at.taken)];
  if (taken >= given) { Atomics.wait(state, at.given, given, 1000); continue; }
  if (Atomics.compareExchange(state, at.taken, taken, taken + 1) !== taken) continue;
  try { fsyncSync(files[taken % most]); } catch (thrown) { codes[taken % most] = thrown.errno ?? ${UNKNOWN}; }
  Atomics.add(state, at.done, 1);
  Atomics.notify(state, at.done);
}
`;
