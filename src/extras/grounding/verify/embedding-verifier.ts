import { ok } from "../../../kernel/result.ts";
import { type Embedder, cosine, embedAll } from "../adapters/embed.ts";
import { roundScore } from "./weights.ts";
import type { Verifier } from "./verifier.ts";

/** How many source sentences are embedded for one claim when there are more: its closest by words. */
const MAX_SENTENCES = 512;

/**
 * A verifier by embeddings: a claim's score is its best cosine with a source sentence, and 0 where none is above
 * `similarityThreshold`. It misses changed numbers and negations: measured, it agrees with people less than the lexical
 * rule on most sets, so use it in a blend.
 */
export function embeddingVerifier(embedder: Embedder): Verifier {
  return {
    name: "embeddings",
    async verify(claims, { index, config }) {
      const sentences = sentencesFor(
        claims.flatMap(({ lexical }) => lexical.evidence.map(({ sentence }) => sentence.text)),
        index.sentences.map(({ text }) => text),
      );
      const vectors = await embedAll(embedder, [...claims.map(({ text }) => text), ...sentences], "verify");
      if (!vectors.ok) return vectors;
      const sources = vectors.value.slice(claims.length);
      return ok(
        claims.map((_, at) => {
          const best = Math.max(0, ...sources.map((vector) => cosine(vectors.value[at] ?? [], vector)));
          return {
            score:
              best > config.similarityThreshold ? roundScore(Math.min(1, best), best >= 1 - Number.EPSILON * 8) : 0,
          };
        }),
      );
    },
  };
}

/** All sentences where they are few; else the lexical evidence first and then the sources from their beginning. */
function sentencesFor(evidence: readonly string[], all: readonly string[]): string[] {
  return [...new Set([...evidence, ...all])].slice(0, Math.max(MAX_SENTENCES, evidence.length));
}
