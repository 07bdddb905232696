/** One way to answer a case's question, by us, a peer, or the least that any way must do. */
export interface Contender {
  readonly name: string;
  readonly run: () => unknown;
  /** What is wrong with a result; undefined when it is right. A wrong answer is not worth timing. */
  readonly problemOf: (result: unknown) => string | undefined;
}

/** One question on one set of data. The first contender is ours; ratios are against it. */
export interface BenchCase {
  readonly name: string;
  readonly contenders: readonly Contender[];
}

/** Builds a group's cases; rejects when a peer is not installed. */
export type BenchGroup = () => Promise<readonly BenchCase[]>;
