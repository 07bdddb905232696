import { tokenize } from "../text/tokenize.ts";

/** Usual constants of BM25: repeated terms have diminishing weight, and passages longer than the mean count less. */
const K1 = 1.2;
const B = 0.75;

interface Postings {
  readonly ids: number[];
  /** Contribution of each occurrence to a score, computed once. */
  readonly impacts: number[];
}

/** Ranking of texts by the words they share with a query. */
export interface Bm25 {
  /** Returns the scores of all texts that share a word with the query, by their index. */
  score(query: string): Map<number, number>;
}

/** Builds a BM25 ranking over texts, with stems, aliases and numbers as terms. Linear in their length. */
export function createBm25(texts: readonly string[]): Bm25 {
  const counts = texts.map((text) => countKeys(text));
  const lengths = counts.map((keys) => [...keys.values()].reduce((sum, count) => sum + count, 0));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, texts.length);
  const postings = new Map<string, Postings>();
  for (const [id, keys] of counts.entries()) {
    const norm = K1 * (1 - B + (B * (lengths[id] ?? 0)) / Math.max(1, mean));
    for (const [key, count] of keys) addPosting(postings, key, { id, impact: (count * (K1 + 1)) / (count + norm) });
  }
  return { score: (query) => scoreAll(query, postings, texts.length) };
}

function countKeys(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of tokenize(text)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function addPosting(
  postings: Map<string, Postings>,
  key: string,
  { id, impact }: { readonly id: number; readonly impact: number },
): void {
  const list = postings.get(key) ?? { ids: [], impacts: [] };
  list.ids.push(id);
  list.impacts.push(impact);
  postings.set(key, list);
}

function scoreAll(query: string, postings: ReadonlyMap<string, Postings>, total: number): Map<number, number> {
  const scores = new Map<number, number>();
  for (const key of new Set(tokenize(query).map((token) => token.key))) {
    const { ids = [], impacts = [] } = postings.get(key) ?? {};
    const idf = Math.log(1 + (total - ids.length + 0.5) / (ids.length + 0.5));
    for (const [at, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + idf * (impacts[at] ?? 0));
  }
  return scores;
}
