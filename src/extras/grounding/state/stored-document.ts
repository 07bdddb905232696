import { z } from "zod/v4";
import { parseBySchema } from "./parse-by-schema.ts";
import { type Result } from "../../../kernel/result.ts";
import { type Chunk, type DocumentKind, type IngestedDocument, chunkSchema } from "../ingest/document.ts";

/** Ingested document as stored by the command line: its chunks, without the texts of pages. */
export interface StoredDocument {
  readonly version: 1;
  readonly id: string;
  readonly name: string;
  readonly kind: DocumentKind;
  readonly pages: number;
  /** Path of the document, relative to the project. A document read from there again replaces it. */
  readonly source: string;
  readonly chunks: readonly Chunk[];
}

const schema: z.ZodType<StoredDocument> = z.object({
  version: z.literal(1),
  id: z.string().regex(/^doc-[0-9a-f]{16}$/),
  name: z.string(),
  kind: z.enum(["pdf", "markdown", "text"]),
  pages: z.int().min(1),
  source: z.string(),
  chunks: z.array(chunkSchema),
});

/** Returns the stored form of a document. */
export function storedDocumentOf({ id, name, kind, pages, chunks }: IngestedDocument, source: string): StoredDocument {
  return { version: 1, id, name, kind, pages: pages.length, source, chunks };
}

/** Parses a stored document, or returns a description of the issues. */
export function parseStoredDocument(text: string): Result<StoredDocument, string> {
  return parseBySchema(schema, text);
}
