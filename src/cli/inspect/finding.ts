/**
 * What `check` may find. `damaged` and `unreadable`: a run cannot use the file. `secret`: it holds one. `duplicate`:
 * two files of one case. `stray`: no baseline is looked for there. `orphan`: nothing of the project uses it. `size`:
 * larger than the policy lets a run write.
 */
export type FindingKind = "damaged" | "unreadable" | "secret" | "duplicate" | "stray" | "orphan" | "size";

/** Something wrong with a file that is kept. */
export interface Finding {
  readonly kind: FindingKind;
  /** Relative to the project's root, with forward slashes; of what is not below it, absolute. */
  readonly file: string;
  /** Where in the file, as a path into its JSON. */
  readonly path?: string;
  /** What is wrong and what to do. Holds no secret. Not safe to print. */
  readonly message: string;
}

/** Whether a finding makes a file useless, rather than wrong. */
export function isDamage({ kind }: Finding): boolean {
  return kind === "damaged" || kind === "unreadable";
}
