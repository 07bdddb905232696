import { type NliAdapter, type NliScore, type PostJson, labelledScores } from "./nli-adapter.ts";

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
