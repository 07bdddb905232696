import type { GroundingSource } from "../verify/source.ts";

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
  readonly chunks: readonly Chunk[];
}
