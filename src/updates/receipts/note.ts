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

/** The kinds that people and agents write; the others tell what veritest did, and only veritest writes them. */
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

/** What somebody holds for true until the test says otherwise, within a budget. */
export interface HypothesisNote extends NoteBase {
  readonly type: "hypothesis";
  /** What would show that it is wrong. */
  readonly test: string;
  /** What the test may cost: time, runs, money. */
  readonly budget: string;
}

/** A doubt about what the checks cannot see. */
export interface HyperthesisNote extends NoteBase {
  readonly type: "hyperthesis";
  readonly blindSpot: string;
  /** How far the damage can go. */
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
