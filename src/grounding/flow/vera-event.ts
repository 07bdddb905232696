import type { VeraPhase } from "./vera-state.ts";

/** What a run of the flow reports while it works. Times are here and in no state. */
export type VeraEvent =
  /** A state was reached: it can be stored, and gone on from. */
  | {
      readonly type: "checkpoint";
      readonly phase: VeraPhase;
      /** The hash of the state's canonical JSON. */
      readonly stateHash: string;
      /** Unix milliseconds. */
      readonly at: number;
      /** Milliseconds since the state before; 0 for the first. */
      readonly durationMs: number;
    }
  /** Worth knowing, and no error: low coverage, a missing embedder. */
  | { readonly type: "warning"; readonly phase: VeraPhase; readonly warning: string; readonly at: number };
