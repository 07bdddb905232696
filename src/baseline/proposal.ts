/** A change of one baseline file that a test asks for. Nothing is written until it is settled. */
export interface Proposal {
  readonly kind: "add" | "update" | "remove";
  /** The directory all baselines of the test's directory lie under; nothing outside it is ever written. */
  readonly root: string;
  readonly path: string;
  /** The step the baseline is of, or the test file of a value. */
  readonly group: string;
  /** The file's text when the proposal was made; undefined when there was no file. */
  readonly before: string | undefined;
  /** The text to write; undefined to remove the file. */
  readonly after: string | undefined;
}
