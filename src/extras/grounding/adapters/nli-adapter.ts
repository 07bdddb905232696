import { isArray, memberOf } from "../../../kernel/json/plain-data.ts";
import { listIn } from "../../../kernel/json/read-data.ts";

/** Input pair of an NLI model: does the premise entail the hypothesis? */
export interface NliPair {
  readonly premise: string;
  readonly hypothesis: string;
}

/** Probabilities of one pair, from an NLI model. */
export interface NliScore {
  readonly entailment: number;
  /**
   * Probability that the premise contradicts the hypothesis. Absent if the model has no such class, as in the zero-shot
   * form.
   */
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

/**
 * Creates an NLI adapter for a hosted zero-shot classification model. It sends one request per pair, sequentially, with
 * the claim as the only label. That form has no neutral class, so it overstates support: raise the threshold, or blend.
 */
export function zeroShotNli(post: PostJson): NliAdapter {
  return {
    async entail(pairs) {
      const scores: ({ readonly entailment: number } | undefined)[] = [];
      for (const { premise, hypothesis } of pairs) {
        // Use an array, because the service would split a string at its commas.
        const parameters = { candidate_labels: [hypothesis], hypothesis_template: "{}", multi_label: true };
        scores.push(entailmentOf(await post({ inputs: premise, parameters })));
      }
      return scores;
    },
  };
}

/** Reads `{ labels, scores }` or `[{ label, score }]`, the two response forms of such services. */
function entailmentOf(answer: unknown): { readonly entailment: number } | undefined {
  const first: unknown = isArray(answer) ? answer[0] : answer;
  const scores = memberOf(first, "scores");
  const score: unknown = isArray(scores) ? scores[0] : memberOf(first, "score");
  return typeof score === "number" ? { entailment: score } : undefined;
}
