import type { Envelope } from "../json-items.ts";
import type { Observation } from "../observation.ts";

/** A tool whose exports can be imported. */
export interface TraceSource {
  /** Name on the command line. */
  readonly name: string;
  /** Display name. */
  readonly title: string;
  /** Matches the beginning of its exports, to name the right source if a file is read with another one. */
  readonly signs: RegExp;
  readonly envelope: Envelope;
  /** Reads a record of an export; returns no observations if the record can't be part of a step. */
  readonly observe: (record: unknown, file: string) => readonly Observation[];
  /** Setting that makes the tool record inputs, outputs and calls. */
  readonly setting: string;
}
