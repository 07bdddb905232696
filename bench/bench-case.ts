/** What a contender is: veritest, a library that does the same, or the least that any way must do. */
export type Role = "ours" | "peer" | "limit";

/** One way to answer a case's question. */
export interface Contender {
  readonly name: string;
  readonly role: Role;
  /** May answer by a promise. */
  readonly run: () => unknown;
  /** What is wrong with a result; undefined when it is right. A wrong answer is not worth timing. */
  readonly problemOf: (result: unknown) => string | undefined;
}

/** One question on one set of data. The first contender is ours; ratios are of its time to the others'. */
export interface BenchCase {
  readonly name: string;
  readonly contenders: readonly Contender[];
  /** Rounds, where a call is so slow that the usual number would take minutes. */
  readonly rounds?: number;
}
