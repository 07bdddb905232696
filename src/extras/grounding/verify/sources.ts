import { exactOptional } from "../../../kernel/exact-optional.ts";
import { z } from "zod/v4";
import { isArray, typeName, withArticle } from "../../../kernel/json/plain-data.ts";
import { type Result, ok } from "../../../kernel/result.ts";
import { type GroundingError, groundingFailure } from "../grounding-error.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { quantitiesOf } from "../text/quantities.ts";
import { BROKEN, type Token, tokenize } from "../text/tokenize.ts";
import { isOtherLanguage } from "./language.ts";
import { type Frame, clausesOf, frameOf, nameTokens } from "./frames.ts";

/** Sentence of a source with its comparison keys. */
export interface SourceSentence {
  readonly text: string;
  /** Index of the sentence's source in the list of sources. Only sentences of one source are neighbours. */
  readonly source: number;
  readonly document: string;
  readonly page?: number;
  /** Offsets within the page, or within the document if it has no pages. */
  readonly start: number;
  readonly end: number;
  readonly keys: ReadonlySet<string>;
  readonly tokens: readonly Token[];
  /** Indexes of the tokens with each key. */
  readonly positions: ReadonlyMap<string, readonly number[]>;
  /** Number of each token's clause. */
  readonly clauses: readonly number[];
  readonly frame: Frame;
  /** Keys of the names in the sentence. */
  readonly names: ReadonlySet<string>;
}

/** Sentences of all sources, and the ids of those that have a token. */
export interface SourceIndex {
  readonly sentences: readonly SourceSentence[];
  readonly postings: ReadonlyMap<string, readonly number[]>;
  /** Keys by which the sources write each quantity. */
  readonly quantities: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Keys of the names of all sentences. */
  readonly names: ReadonlySet<string>;
  /** True if the sources are in a language that the rules of contradictions don't know. */
  readonly isOtherLanguage: boolean;
}

/** Indexes sources for a verifier, a repeated one once. Linear in their length. */
export function indexSources(all: readonly GroundingSource[]): SourceIndex {
  const sources = distinctSources(all);
  const sentences = sources.flatMap((source, sourceIndex) => sentencesOf(source, sourceIndex));
  const postings = new Map<string, number[]>();
  for (const [id, { keys }] of sentences.entries()) {
    for (const key of keys) {
      const ids = postings.get(key);
      if (ids === undefined) postings.set(key, [id]);
      else ids.push(id);
    }
  }
  let names: ReadonlySet<string> | undefined;
  let other: boolean | undefined;
  let quantities: ReadonlyMap<string, readonly (readonly string[])[]> | undefined;
  return {
    sentences,
    postings,
    get quantities() {
      return (quantities ??= quantityForms(sentences));
    },
    get names() {
      return (names ??= new Set(sentences.flatMap((sentence) => [...sentence.names])));
    },
    get isOtherLanguage() {
      return (other ??= isOtherLanguage(sources.map(({ text }) => text.slice(0, 2000)).join("\n")));
    },
  };
}

function distinctSources(sources: readonly GroundingSource[]): readonly GroundingSource[] {
  const byContent = new Map(
    sources.map((source) => {
      const { document = "", page = "", start = 0, text } = source;
      return [`${document}\n${page}\n${start}\n${text}`, source];
    }),
  );
  return byContent.size === sources.length ? sources : [...byContent.values()];
}

/** Returns the weight of the given keys that each sentence has, by the sentence's id. */
export function massesOf(
  weights: Iterable<readonly [string, number]>,
  postings: SourceIndex["postings"],
): ReadonlyMap<number, number> {
  const masses = new Map<number, number>();
  for (const [key, weight] of weights)
    for (const id of postings.get(key) ?? []) masses.set(id, (masses.get(id) ?? 0) + weight);
  return masses;
}

function quantityForms(sentences: readonly SourceSentence[]): Map<string, (readonly string[])[]> {
  const forms = new Map<string, (readonly string[])[]>();
  for (const { tokens } of sentences)
    for (const { from, to, amount } of quantitiesOf(tokens)) {
      const keys = tokens.slice(from, to).map(({ key }) => key);
      const written = forms.get(amount) ?? [];
      if (!written.some((other) => other.join(" ") === keys.join(" "))) forms.set(amount, [...written, keys]);
    }
  return forms;
}

function sentencesOf(
  { text, document = "", page, start: offset = 0 }: GroundingSource,
  sourceIndex: number,
): SourceSentence[] {
  return splitSentences(text).map(({ text, start, end }) => {
    const tokens = tokenize(text);
    let frame: Frame | undefined;
    let clauses: readonly number[] | undefined;
    let positions: ReadonlyMap<string, readonly number[]> | undefined;
    let names: ReadonlySet<string> | undefined;
    return {
      text,
      source: sourceIndex,
      document,
      ...(page === undefined ? {} : { page }),
      start: offset + start,
      end: offset + end,
      keys: new Set([...tokens, ...wordsAtBreaks(text)].map(({ key }) => key)),
      tokens,
      // Computed lazily: only the few sentences that a claim is aligned with need them.
      get clauses() {
        return (clauses ??= clausesOf(text, tokens));
      },
      get positions() {
        return (positions ??= Map.groupBy(tokens.keys(), (at) => tokens[at]?.key ?? ""));
      },
      get frame() {
        return (frame ??= frameOf(text, tokens));
      },
      get names() {
        return (names ??= new Set(nameTokens(text, tokens).map(({ key }) => key)));
      },
    };
  });
}

/** Returns the tokens of a text whose broken words are compounds: "well-" and "known" of two lines. */
function wordsAtBreaks(text: string): readonly Token[] {
  return text.search(BROKEN) === -1 ? [] : tokenize(text.replace(BROKEN, " "));
}

/** Text to verify answers against, with its origin. */
export interface GroundingSource {
  /** Name in citations. Default: `source 1`, by its position. */
  readonly document?: string;
  readonly text: string;
  /** Page of the text, counted from 1. */
  readonly page?: number;
  /** Offset of `text` in its page, or in its document if that has no pages, in UTF-16 code units. Default: 0. */
  readonly start?: number;
}

/** Document of LangChain: its text, and where it's from. */
export interface LangChainDocument {
  readonly pageContent: string;
  readonly metadata?: object;
}

type Source = string | GroundingSource | LangChainDocument;

/** Sources of a verification: texts, or texts with their origin, such as retrieved chunks. */
export type Sources = Source | readonly Source[];

/**
 * Normalizes sources. The document of a bare text is named by its position. Returns a `validation` error for a value
 * that isn't a source, which JavaScript can pass.
 */
export function readSources(sources: Sources): Result<GroundingSource[], GroundingError> {
  const list: readonly unknown[] = isArray(sources) ? sources : [sources];
  const read: GroundingSource[] = [];
  for (const [at, source] of list.entries()) {
    const parsed = sourceSchema.safeParse(source);
    if (!parsed.success) return invalidSource(source, isArray(sources) ? ` at [${at}]` : "");
    read.push({ ...parsed.data, document: parsed.data.document ?? `source ${at + 1}` });
  }
  return ok(read);
}

function invalidSource(source: unknown, at: string): Result<never, GroundingError> {
  const value = source === undefined ? "undefined" : withArticle(typeName(source));
  const message =
    `The sources ${at === "" ? "are" : "have"} ${value}${at}. ` +
    "Pass strings, objects with a text, or LangChain documents.";
  return groundingFailure({ kind: "validation", code: "invalid_sources", message, operation: "verify" });
}

const sourceSchema: z.ZodType<GroundingSource> = z.union([
  z.string().transform((text) => ({ text })),
  z.object({
    text: z.string(),
    document: exactOptional(z.string()),
    page: exactOptional(z.number()),
    start: exactOptional(z.number()),
  }),
  z
    .object({
      pageContent: z.string(),
      metadata: z
        .object({
          source: z.string().optional().catch(undefined),
          loc: z.object({ pageNumber: z.int().optional() }).optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
    })
    .transform(({ pageContent, metadata: { source, loc } = {} }) => ({
      text: pageContent,
      ...(source === undefined ? {} : { document: source }),
      ...(loc?.pageNumber === undefined ? {} : { page: loc.pageNumber }),
    })),
]);

/** Number of indexes that are kept: tests check many answers against the same sources. */
const KEPT = 4;
const kept = new Map<string, SourceIndex>();

/** Returns the index of sources, and keeps it for the next verification against the same texts. */
export function keptIndex(sources: readonly GroundingSource[]): SourceIndex {
  const key = JSON.stringify(sources);
  const index = kept.get(key) ?? indexSources(sources);
  kept.delete(key);
  kept.set(key, index);
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  return index;
}

/** Orders sentences independently of the order of the sources. */
export function precedes(left: SourceSentence, right: SourceSentence): boolean {
  if (left.text !== right.text) return left.text < right.text;
  if (left.document !== right.document) return left.document < right.document;
  return (left.page ?? 0) === (right.page ?? 0) ? left.start < right.start : (left.page ?? 0) < (right.page ?? 0);
}
