import { isArray } from "../../base/plain-data.ts";
import type { NliAdapter, PostJson } from "./nli-adapter.ts";

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
