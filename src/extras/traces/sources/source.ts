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
  /**
   * Returns the reader of one file, by its name. It's called with each record in turn, and returns no observations for
   * a record that can't be part of a step.
   */
  readonly observer: (file: string) => (record: unknown) => readonly Observation[];
  /** Setting that makes the tool record inputs, outputs and calls. */
  readonly setting: string;
}
