import type { Embedder } from "../../src/extras/grounding/adapters/embed.ts";

const DIMENSIONS = 1024;

/**
 * An embedder without a model: words and their groups of three letters, hashed to signed counts, square roots taken.
 * The same anywhere and offline. It knows spelling and nothing of meaning, so it shows what fusion does with a second
 * ranking of the same words, and not what a trained embedder would add.
 */
export const hashingEmbedder: Embedder = { embed: (texts) => texts.map(vectorOf) };

function vectorOf(text: string): Float32Array {
  const counts = new Float32Array(DIMENSIONS);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const framed = `<${word}>`;
    add(counts, framed, 2);
    for (let at = 0; at + 3 <= framed.length; at += 1) add(counts, framed.slice(at, at + 3), 1);
  }
  return counts.map((count) => Math.sign(count) * Math.sqrt(Math.abs(count)));
}

function add(counts: Float32Array, feature: string, weight: number): void {
  const hash = fnv(feature);
  const at = hash % DIMENSIONS;
  counts[at] = (counts[at] ?? 0) + (hash & 0x8000_0000 ? -weight : weight);
}

/** FNV-1a, 32 bits. */
function fnv(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193) >>> 0;
  return hash;
}
