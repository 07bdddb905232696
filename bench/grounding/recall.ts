import { unwrap } from "../../src/kernel/result.ts";
import type { Embedder } from "../../src/extras/grounding/adapters/embed.ts";
import {
  type IndexData,
  type MemoryIndex,
  createMemoryIndex,
  indexOfData,
} from "../../src/extras/grounding/retrieve/memory-index.ts";
import { hashingEmbedder } from "./hashing-embedder.ts";
import { installedEmbedder } from "./installed-embedder.ts";
import { type PackageSection, packageSections } from "./package-sections.ts";

/** How often the section that a query names is the first, or among the best five. */
export interface Recall {
  readonly method: string;
  readonly at1: number;
  readonly at5: number;
}

/** The recall of each way to rank, over one set. */
export interface RecallTable {
  readonly passages: number;
  readonly queries: number;
  readonly rows: readonly Recall[];
}

/**
 * Ranks the sections of installed packages by words alone, and with each embedder by halves and by reciprocal ranks.
 */
export async function measureRecall(): Promise<RecallTable> {
  const sections = packageSections();
  const chunks = sections.map(({ chunk }) => chunk);
  const rows = [await recallOf("words alone (BM25)", unwrap(await createMemoryIndex(chunks)), sections)];
  const trained = await installedEmbedder();
  const embedders = {
    "hashed letters": hashingEmbedder,
    ...(trained === undefined ? {} : { "sentence encoder": trained }),
  };
  for (const [name, embedder] of Object.entries(embedders)) {
    const remembering = remember(embedder);
    const { data } = unwrap(await createMemoryIndex(chunks, { embedder: remembering }));
    rows.push(...(await fusedRecalls(name, { data, embedder: remembering, asked: sections })));
  }
  return { passages: sections.length, queries: sections.length, rows };
}

interface Fused {
  readonly data: IndexData;
  readonly embedder: Embedder;
  readonly asked: readonly PackageSection[];
}

async function fusedRecalls(name: string, { data, embedder, asked }: Fused): Promise<Recall[]> {
  return [
    await recallOf(`${name} alone`, unwrap(indexOfData(data, { embedder, vectorWeight: 1 })), asked),
    await recallOf(`half words, half ${name}`, unwrap(indexOfData(data, { embedder })), asked),
  ];
}

async function recallOf(method: string, index: MemoryIndex, asked: readonly PackageSection[]): Promise<Recall> {
  let [first, firstFive] = [0, 0];
  for (const { query, chunk } of asked) {
    const { hits } = unwrap(await index.search(query));
    const rank = hits.findIndex((hit) => hit.chunk.id === chunk.id);
    if (rank === 0) first += 1;
    if (rank >= 0) firstFive += 1;
  }
  return { method, at1: first / asked.length, at5: firstFive / asked.length };
}

/** Embeds each text once: the same queries are asked of several rankings. */
function remember(embedder: Embedder): Embedder {
  const known = new Map<string, unknown>();
  return {
    async embed(texts) {
      const fresh = texts.filter((text) => !known.has(text));
      const vectors: unknown = fresh.length === 0 ? [] : await embedder.embed(fresh);
      if (!Array.isArray(vectors)) throw new Error("the embedder gave no list");
      for (const [at, text] of fresh.entries()) known.set(text, vectors[at]);
      return texts.map((text) => known.get(text));
    },
  };
}
