import type { Token } from "../text/tokenize.ts";
import type { SourceSentence } from "./sources.ts";

/** Kind of a contradiction between a claim and a source. `judge`: an injected verifier rejects the claim. */
export type ContradictionKind =
  | "judge"
  | "negation"
  | "antonym"
  | "unit"
  | "bound"
  | "number"
  | "name"
  | "roles"
  | "cause"
  | "tense"
  | "condition"
  | "share"
  | "modality";

/** Kind of a qualification of the sources that a claim leaves out. */
export type NoteKind = "hedge" | "condition";

/** Word of a claim, and the source's word in its position. */
export interface Difference<Kind> {
  readonly kind: Kind;
  readonly word: Token;
  /** Undefined if no source has a word in this position, such as a number that no source has. */
  readonly sourceWord?: string;
  readonly sentence?: SourceSentence;
}
