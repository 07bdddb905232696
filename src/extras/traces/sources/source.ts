import type { Envelope } from "../json-items.ts";
import type { Observation } from "../observation.ts";

/** A tool whose exports can be imported. */
export interface TraceSource {
  /** As people call it. */
  readonly title: string;
  readonly envelope: Envelope;
  /** What a record of an export is about; nothing where it is about nothing that a step could be made of. */
  readonly observe: (record: unknown) => readonly Observation[];
  /** What to set so that inputs, outputs and calls are written down. */
  readonly setting: string;
}
