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

/**
 * Part of a source that a claim leaves out. `hedge`: a word such as "may". `condition`: a clause such as "if it rains".
 */
export type NoteKind = "hedge" | "condition";

/** Word of a claim, and the source's word in its position. */
export interface Difference<Kind> {
  readonly kind: Kind;
  readonly word: Token;
  /**
   * Word of the source in the same position. Undefined if the sources don't have one, for example for a number that
   * doesn't occur in any source.
   */
  readonly sourceWord?: string;
  readonly sentence?: SourceSentence;
}
