import { z } from "zod";
import { type GroundingError, groundingError } from "../grounding-error.ts";
import type { GroundingSource } from "../verify/sources.ts";

/** What kind of file a document is. */
export type DocumentKind = "pdf" | "markdown" | "text";

/** A passage of a document, as it is indexed, retrieved and cited. */
export interface Chunk extends GroundingSource {
  /** The document's id and the chunk's number: `doc-9f31c2d8a0b1c2d3#4`. */
  readonly id: string;
  /** The document's name. */
  readonly document: string;
  /** Offsets within the page, or within the text where there are no pages. */
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
}

/** A document that was read: its text by page, and its chunks. Plain data. */
export interface IngestedDocument {
  /** From the bytes alone: the same file has the same id anywhere. */
  readonly id: string;
  readonly name: string;
  readonly kind: DocumentKind;
  /** The text of each page; one entry for documents without pages. Spans of chunks and citations refer to it. */
  readonly pages: readonly string[];
  /**
   * Pages of a PDF without text, by their number: images, most often, whose words are not searched. Absent where there
   * are none.
   */
  readonly blankPages?: readonly number[];
  readonly chunks: readonly Chunk[];
}

const place = z.int().min(0);

/** The fields of a {@link Chunk}, as they are stored and as an index gives them. */
export const chunkSchema: z.ZodType<Chunk, Chunk> = z.object({
  id: z.string(),
  document: z.string(),
  text: z.string(),
  page: z.int().min(1).exactOptional(),
  start: place,
  end: place,
  tokens: place,
});

/** What a document may cost before it is refused. */
export interface IngestLimits {
  /** Default: 64 MiB. */
  readonly maxBytes: number;
  /** Pages of a PDF. Default: 2,000. */
  readonly maxPages: number;
  /** Characters of text in all. Default: 20 million. */
  readonly maxCharacters: number;
  /** Milliseconds for reading a PDF; then its thread is ended. Default: 60,000. */
  readonly maxMilliseconds: number;
  /** Memory of that thread's heap in MiB. Default: 1,024. */
  readonly maxHeapMegabytes: number;
}

/** Wide enough for books, narrow enough for a hostile file to end in an error within a minute. */
export const defaultLimits: IngestLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxPages: 2000,
  maxCharacters: 20_000_000,
  maxMilliseconds: 60_000,
  maxHeapMegabytes: 1024,
};

/** Why a document is refused. */
interface Refusal {
  readonly code: string;
  /** What was found and what to do, after `Cannot ingest …: `. */
  readonly why: string;
  readonly cause?: unknown;
}

/** The error of a document that cannot be ingested; `name` is what its messages call it. */
export function refuseDocument(name: string, { code, why, cause }: Refusal): GroundingError {
  const message = `Cannot ingest ${name}: ${why}`;
  return groundingError({
    kind: "validation",
    code,
    message,
    operation: "ingest",
    input: name,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The warning about pages whose words, if they have any, cannot be found. */
export function blankPagesWarning(name: string, blankPages: readonly number[], pages: number): string {
  const list = blankPages.slice(0, MAX_PAGES).join(", ");
  const more = blankPages.length > MAX_PAGES ? `, … and ${blankPages.length - MAX_PAGES} more` : "";
  return (
    `${blankPages.length} of ${pages} pages of ${name} have no text (${list}${more}). ` +
    "If they are scanned images, run text recognition on it first."
  );
}

const MAX_PAGES = 10;
