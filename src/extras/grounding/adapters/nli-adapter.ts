import { memberOf } from "../../../kernel/json/plain-data.ts";
import { listIn } from "../../../kernel/json/read-data.ts";

/** Input pair of an NLI model: does the premise entail the hypothesis? */
export interface NliPair {
  readonly premise: string;
  readonly hypothesis: string;
}

/** Probabilities of one pair, from an NLI model. */
export interface NliScore {
  readonly entailment: number;
  /** Probability that the premise contradicts the hypothesis. Absent if the model has no such class. */
  readonly contradiction?: number;
}

/** NLI model. Returns scores in the order of the pairs, or a `Result` of them. */
export interface NliAdapter {
  entail(pairs: readonly NliPair[]): unknown;
}

/** Function that posts a JSON body to an NLI service and returns the parsed response, such as a `fetch` with a key. */
export type PostJson = (body: unknown) => Promise<unknown>;

/** Reads a list of `{ label, score }`. Returns undefined if a label or number is missing. */
function labelledScores(answer: unknown): NliScore | undefined {
  const scores = new Map<string, number>();
  for (const pair of listIn(answer)) {
    const [label, score] = [memberOf(pair, "label"), memberOf(pair, "score")];
    if (typeof label !== "string" || typeof score !== "number") return undefined;
    scores.set(label.toLowerCase(), score);
  }
  const entailment = scores.get("entailment");
  const contradiction = scores.get("contradiction");
  return entailment === undefined
    ? undefined
    : { entailment, ...(contradiction === undefined ? {} : { contradiction }) };
}

/**
 * Creates an NLI adapter for a Text Embeddings Inference server. Pass a function that posts to its `/predict`. It sends
 * all pairs in one request. The model's labels must include `entailment`.
 *
 * @example const post = async (body: unknown) => (await fetch("http://127.0.0.1:8080/predict", { method: "POST",
 * headers: { "content-type": "application/json" }, body: JSON.stringify(body) })).json(); nliVerifier(teiNli(post));
 */
export function teiNli(post: PostJson): NliAdapter {
  return {
    async entail(pairs) {
      const inputs = pairs.map(({ premise, hypothesis }) => [premise, hypothesis]);
      const answer = await post({ inputs, raw_scores: false, truncate: true });
      return Array.isArray(answer)
        ? answer.map((labels: unknown): NliScore | undefined => labelledScores(labels))
        : undefined;
    },
  };
}
