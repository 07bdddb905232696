import { ok } from "../../../kernel/result.ts";
import { type Embedder, cosine, embedAll } from "../adapters/embed.ts";
import { roundScore } from "./weights.ts";
import type { Verifier } from "./verifier.ts";

/** Maximum number of source sentences to embed: the closest by words. */
const MAX_SENTENCES = 512;

/**
 * Creates a verifier that uses embeddings. A claim's score is its best cosine with a source sentence, or 0 if no cosine
 * is above `similarityThreshold`. It doesn't detect changed numbers or negations. On most data sets that we
 * measured, the lexical rule agrees with people more often. Use this verifier only in a blend.
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

/**
 * Returns all sentences if there are few. If there are many, returns the lexical evidence, then the sources from their
 * beginning.
 */
function sentencesFor(evidence: readonly string[], all: readonly string[]): string[] {
  return [...new Set([...evidence, ...all])].slice(0, Math.max(MAX_SENTENCES, evidence.length));
}
