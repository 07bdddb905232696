import { exactOptional } from "../../../kernel/exact-optional.ts";
import { z } from "zod/v4";
import type { Result } from "../../../kernel/result.ts";
import { type GroundingError, groundingFailure } from "../grounding-error.ts";
import type { GroundingSource } from "../verify/sources.ts";

/** File type of a document. */
export type DocumentKind = "pdf" | "markdown" | "text";

/** Passage of a document, as indexed, retrieved and cited. */
export interface Chunk extends GroundingSource {
  /** Document id and chunk number: `doc-9f31c2d8a0b1c2d3#4`. */
  readonly id: string;
  /** Name of the document. */
  readonly document: string;
  /** Offsets within the page, or within the text if it has no pages. */
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
}

/** Ingested document: its text by page, and its chunks. Plain data. */
export interface IngestedDocument {
  /** Hash of the bytes: the same file has the same id on every machine. */
  readonly id: string;
  readonly name: string;
  readonly kind: DocumentKind;
  /** Text of each page; one entry for documents without pages. Spans of chunks and citations refer to it. */
  readonly pages: readonly string[];
  /**
   * Page numbers of PDF pages without text, such as scanned images. Words in these images aren't searched. Absent if
   * empty.
   */
  readonly blankPages?: readonly number[];
  readonly chunks: readonly Chunk[];
}

const count = z.int().min(0);

/** Schema of a {@link Chunk}, as stored and as returned by an index. */
export const chunkSchema: z.ZodType<Chunk, Chunk> = z.object({
  id: z.string(),
  document: z.string(),
  text: z.string(),
  page: exactOptional(z.int().min(1)),
  start: count,
  end: count,
  tokens: count,
});

/** Limits beyond which a document is rejected. */
export interface IngestLimits {
  /** Maximum size of a document, in bytes. Default: 64 MiB. */
  readonly maxBytes: number;
  /** Maximum number of pages of a PDF. Default: 2,000. */
  readonly maxPages: number;
  /** Maximum number of characters of text. Default: 20 million. */
  readonly maxCharacters: number;
  /** Maximum time to read a PDF, in milliseconds. After that, its thread is terminated. Default: 60,000. */
  readonly maxMilliseconds: number;
  /** Maximum heap of that thread in MiB. Default: 1,024. */
  readonly maxHeapMegabytes: number;
}

/** Default limits: enough for books, and a hostile file still fails within a minute. */
export const defaultLimits: IngestLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxPages: 2000,
  maxCharacters: 20_000_000,
  maxMilliseconds: 60_000,
  maxHeapMegabytes: 1024,
};

/** Reason for a rejected document. */
interface Refusal {
  readonly code: string;
  /** Problem and fix, after `Cannot ingest …: `. */
  readonly why: string;
  readonly cause?: unknown;
}

/** Creates the error of a document that can't be ingested; `name` is its name in the message. */
export function refuseDocument(name: string, { code, why, cause }: Refusal): Result<never, GroundingError> {
  const message = `Cannot ingest ${name}: ${why}`;
  return groundingFailure({
    kind: "validation",
    code,
    message,
    operation: "ingest",
    input: name,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Returns the warning about pages without searchable text. */
export function blankPagesWarning(name: string, blankPages: readonly number[], pages: number): string {
  const list = blankPages.slice(0, MAX_PAGES).join(", ");
  const more = blankPages.length > MAX_PAGES ? `, … and ${blankPages.length - MAX_PAGES} more` : "";
  return (
    `${blankPages.length} of ${pages} pages of ${name} have no text (${list}${more}). ` +
    "If they are scanned images, run text recognition (OCR) on the file first."
  );
}

const MAX_PAGES = 10;
