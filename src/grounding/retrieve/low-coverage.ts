/** A retrieval that ended at its limit. */
export interface LowCoverage {
  readonly score: number | null;
  /** Words of the query that no chunk has. */
  readonly missing: readonly string[];
  readonly hops: number;
  readonly wanted: number;
}

/** The warning about a retrieval that covers too little: how much, after how many hops, and what is missing. */
export function lowCoverage({ score, missing, hops, wanted }: LowCoverage): string {
  const words = missing.map((text) => JSON.stringify(text)).join(", ");
  return `Coverage is ${score ?? 0} after ${hops} ${hops === 1 ? "hop" : "hops"}, ${wanted} was wanted. Not covered: ${words}.`;
}
