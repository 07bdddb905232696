import type { LogFields } from "./log-file.ts";

/** Kinds of note that need nothing beyond what every note has. */
export const PLAIN_NOTE_TYPES = [
  "observation",
  "conjecture",
  "status",
  "request_help",
  "request_verify",
  "run_started",
  "baseline_staged",
  "gate_failed",
  "committed",
  "held",
  "discarded",
  "accepted",
  "rejected",
  "spec_change_request",
] as const;

/** Types that people and agents write. Only veritest writes the others, which report its own actions. */
export const FREE_NOTE_TYPES = [
  "observation",
  "hypothesis",
  "hyperthesis",
  "conjecture",
  "status",
  "request_help",
  "request_verify",
  "spec_change_request",
] as const;

/** Every kind of note. */
export const NOTE_TYPES: readonly NoteType[] = ["hypothesis", "hyperthesis", ...PLAIN_NOTE_TYPES];

/** A kind of note. */
export type NoteType = "hypothesis" | "hyperthesis" | (typeof PLAIN_NOTE_TYPES)[number];

interface NoteBase {
  /** The run it belongs to. */
  readonly run: string;
  /** The work item it belongs to. */
  readonly item?: string;
  readonly mood?: string;
  readonly body: string;
  /** Ids of receipts and notes (`sha256:…`), and others with a prefix, such as `diff:…`. */
  readonly refs?: readonly string[];
}

/** An assumption that counts until its test refutes it, within a budget. */
export interface HypothesisNote extends NoteBase {
  readonly type: "hypothesis";
  /** Observation that would refute it. */
  readonly test: string;
  /** Limit for the cost of the test: time, runs, money. */
  readonly budget: string;
}

/** A doubt about what the checks cannot see. */
export interface HyperthesisNote extends NoteBase {
  readonly type: "hyperthesis";
  readonly blindSpot: string;
  /** Limit of the possible damage. */
  readonly bound: string;
}

/** A note that needs nothing beyond its body. */
export interface PlainNote extends NoteBase {
  readonly type: (typeof PLAIN_NOTE_TYPES)[number];
}

/** A note before it is written. */
export type NewNote = HypothesisNote | HyperthesisNote | PlainNote;

/** Note as it is read back. */
export type Note = NewNote & LogFields & { readonly ts: string; readonly refs: readonly string[] };
