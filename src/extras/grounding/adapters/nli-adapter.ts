import { isArray } from "../../../kernel/json/plain-data.ts";

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

/**
 * An NLI adapter for a Text Embeddings Inference server: pass what posts to its `/predict`. All pairs go in one
 * request. The model's labels must name `entailment`.
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
        ? answer.map((one: unknown): NliScore | undefined => labelledScores(one))
        : undefined;
    },
  };
}

/**
 * An NLI adapter for a hosted zero-shot classification model: one request for each pair, one after the other, with the
 * claim as the only label. That form has no neutral class, so it overstates support: raise the threshold, or blend.
 */
export function zeroShotNli(post: PostJson): NliAdapter {
  return {
    async entail(pairs) {
      const scores: ({ readonly entailment: number } | undefined)[] = [];
      for (const { premise, hypothesis } of pairs) {
        // In an array, because a label in a text would be split at its commas.
        const parameters = { candidate_labels: [hypothesis], hypothesis_template: "{}", multi_label: true };
        scores.push(entailmentOf(await post({ inputs: premise, parameters })));
      }
      return scores;
    },
  };
}

/** Reads `{ labels, scores }` or `[{ label, score }]`, the two forms such services answer in. */
function entailmentOf(answer: unknown): { readonly entailment: number } | undefined {
  const first: unknown = isArray(answer) ? answer[0] : answer;
  if (typeof first !== "object" || first === null) return undefined;
  const score: unknown = "scores" in first && isArray(first.scores) ? first.scores[0] : Reflect.get(first, "score");
  return typeof score === "number" ? { entailment: score } : undefined;
}
