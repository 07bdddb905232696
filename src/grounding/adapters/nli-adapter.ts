/** One question to an NLI model: does the premise entail the hypothesis? */
export interface NliPair {
  readonly premise: string;
  readonly hypothesis: string;
}

/** An NLI model's answer to one pair, as probabilities. */
export interface NliScore {
  readonly entailment: number;
  /** Absent where the model has no such class, as in the zero-shot form. */
  readonly contradiction?: number;
}

/** An NLI model behind one call: the scores come in the order of the pairs, or as a `Result` of them. */
export interface NliAdapter {
  entail(pairs: readonly NliPair[]): unknown;
}

/** Sends a body to an NLI service as JSON and gives its parsed answer: a `fetch` with address and key filled in. */
export type PostJson = (body: unknown) => Promise<unknown>;

/** Reads an NLI answer's list of `{ label, score }`; undefined where a label or number is missing. */
export function labelledScores(answer: unknown): NliScore | undefined {
  if (!Array.isArray(answer)) return undefined;
  const scores = new Map<string, number>();
  for (const item of answer) {
    const pair: unknown = item;
    if (typeof pair !== "object" || pair === null || !("label" in pair) || !("score" in pair)) return undefined;
    if (typeof pair.label !== "string" || typeof pair.score !== "number") return undefined;
    scores.set(pair.label.toLowerCase(), pair.score);
  }
  const entailment = scores.get("entailment");
  const contradiction = scores.get("contradiction");
  return entailment === undefined
    ? undefined
    : { entailment, ...(contradiction === undefined ? {} : { contradiction }) };
}
