import type { MessagePort } from "node:worker_threads";
import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import type { Places } from "../../../kernel/files/places.ts";
import type { CaseWords } from "../../inspect/stored-baseline.ts";
import type { SweepAnswer } from "../answer-case.ts";
import type { QuestionSpec } from "../case-checks.ts";
import type { WantedRequest } from "../nearest-words.ts";

/** What a worker of a sweep is started with. */
export interface WorkerStart {
  readonly places: Places;
  readonly spec: QuestionSpec;
  readonly targets: readonly WorkerTarget[];
  readonly words: CaseWords;
  readonly timeoutMs: number;
  /** Whether what differs is kept for review. */
  readonly holds: boolean;
  /** How many cases it asks at a time. */
  readonly concurrency: number;
  /** A line of its own: steps may use the thread's. */
  readonly port: MessagePort;
  /** See {@link PULSE}. */
  readonly pulse: Int32Array;
}

/** A target as another thread finds it again. */
export interface WorkerTarget {
  readonly step: string;
  readonly root: string;
  readonly only: string | undefined;
}

/** One file that is to be asked about. */
export interface Job {
  /** Its place among all of the sweep, from 0. */
  readonly place: number;
  /** The index of its target. */
  readonly target: number;
  /** The name of the file. */
  readonly name: string;
}

/** What the main thread says to a worker. */
export type ToWorker = { readonly kind: "jobs"; readonly jobs: readonly Job[] } | { readonly kind: "end" };

/** What a worker says to the main thread. `undefined` answers a file that is gone, or is not asked for. */
export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "answers"; readonly answers: readonly (readonly [number, SweepAnswer | undefined])[] }
  /** What no case can be blamed for: no baseline can be read, say. */
  | { readonly kind: "broke"; readonly message: string }
  | { readonly kind: "stray"; readonly message: string }
  | { readonly kind: "done"; readonly met: WantedRequest };

/**
 * Counters that both threads see at any time, also while one of them does not come to read a message: `beat` moves
 * while the worker gives way now and then, `begun` counts the jobs it began, in the order they were given, and `stop`
 * is 1 when it is to begin no more.
 */
export const PULSE = { beat: 0, begun: 1, stop: 2, size: 3 } as const;

/** Tells whether something is a worker's start. Only this package starts workers: what it is of is not looked into. */
export function isWorkerStart(value: unknown): value is WorkerStart {
  return isPlainObject(value) && "port" in value && value["pulse"] instanceof Int32Array && isArray(value["targets"]);
}

/** Tells whether something came from the main thread. */
export function isToWorker(value: unknown): value is ToWorker {
  return isPlainObject(value) && (value["kind"] === "jobs" || value["kind"] === "end");
}

const KINDS: ReadonlySet<unknown> = new Set([
  "ready",
  "refused",
  "answers",
  "broke",
  "stray",
  "done",
] satisfies FromWorker["kind"][]);

/** Tells whether something came from a worker. */
export function isFromWorker(value: unknown): value is FromWorker {
  return isPlainObject(value) && KINDS.has(value["kind"]);
}
