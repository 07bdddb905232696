import { hash } from "node:crypto";
import { basename } from "node:path";
import { type Result, err, ok } from "../../base/result.ts";
import type { GroundingError } from "../grounding-error.ts";
import { type ChunkOptions, chunkText } from "./chunk-text.ts";
import { cleanText } from "./clean-text.ts";
import { decodeText } from "./decode-text.ts";
import type { Chunk, DocumentKind, IngestedDocument } from "./document.ts";
import { type IngestLimits, defaultLimits } from "./ingest-limits.ts";
import { readBytes, tooLarge } from "./read-bytes.ts";
import { readPdf } from "./read-pdf.ts";
import { refuseDocument } from "./refuse-document.ts";

/**
 * A document to ingest: a file, bytes, or a text. `name` is what citations call it; a file's default is its base name.
 */
export type DocumentInput =
  | { readonly path: string; readonly name?: string }
  | { readonly name: string; readonly bytes: Uint8Array }
  | { readonly name: string; readonly text: string };

/** Options of {@link ingest}. */
export interface IngestOptions extends ChunkOptions {
  readonly limits?: Partial<IngestLimits>;
  /** Default: by the name's extension and the first bytes. */
  readonly kind?: DocumentKind;
}

/** In MiB. */
const LEAST_HEAP = 8;

interface Loaded {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly kind: DocumentKind;
  readonly limits: IngestLimits;
}

/**
 * Reads a PDF, Markdown or text document and cuts it into chunks for retrieval, each with its page and span; a chunk
 * stays within its page. Errors of kind `validation` name the document: unreadable, too large, too many pages,
 * encrypted, damaged, not text, empty, timed out, or options out of range.
 *
 * @example
 * const handbook = await ingest({ path: "docs/handbook.pdf" });
 * if (handbook.ok) console.log(handbook.value.id, handbook.value.chunks.length);
 */
export async function ingest(
  input: DocumentInput,
  options: IngestOptions = {},
): Promise<Result<IngestedDocument, GroundingError>> {
  const wrong = wrongOptions(options);
  if (wrong !== undefined) return err(refuseDocument(nameOf(input), { code: "invalid_options", why: wrong }));
  const loaded = await load(input, options);
  if (!loaded.ok) return loaded;
  const pages = await readPages(loaded.value);
  return pages.ok ? documentOf(loaded.value, pages.value, options) : pages;
}

async function load(input: DocumentInput, options: IngestOptions): Promise<Result<Loaded, GroundingError>> {
  const limits = { ...defaultLimits, ...options.limits };
  const name = nameOf(input);
  const bytes =
    "path" in input
      ? await readBytes(input.path, limits.maxBytes)
      : ok("text" in input ? new TextEncoder().encode(input.text) : input.bytes);
  if (!bytes.ok) return bytes;
  if (bytes.value.length > limits.maxBytes) return err(tooLarge(name, bytes.value.length, limits.maxBytes));
  return ok({ name, bytes: bytes.value, kind: options.kind ?? kindOf(name, bytes.value), limits });
}

function nameOf(input: DocumentInput): string {
  return input.name ?? ("path" in input ? basename(input.path) : "document");
}

function kindOf(name: string, bytes: Uint8Array): DocumentKind {
  // Some files have a few bytes before the header; readers accept that, so a look at the first kilobyte does too.
  if (/\.pdf$/i.test(name) || new TextDecoder("latin1").decode(bytes.subarray(0, 1024)).includes("%PDF-")) return "pdf";
  return /\.(?:md|mdx|markdown)$/i.test(name) ? "markdown" : "text";
}

async function readPages({ name, bytes, kind, limits }: Loaded): Promise<Result<readonly string[], GroundingError>> {
  if (kind === "pdf") {
    const pages = await readPdf({ name, bytes, limits });
    return pages.ok ? ok(pages.value.map(cleanText)) : pages;
  }
  const text = decodeText(bytes);
  if (text === undefined)
    return err(
      refuseDocument(name, {
        code: "not_text",
        why: "it is neither a PDF nor text in UTF-8 or UTF-16. Convert it first.",
      }),
    );
  if (text.length > limits.maxCharacters)
    return err(
      refuseDocument(name, {
        code: "too_long",
        why: `it has ${text.length} characters, the limit is ${limits.maxCharacters}. Split it, or raise limits.maxCharacters.`,
      }),
    );
  return ok([text]);
}

function documentOf(
  { name, bytes, kind }: Loaded,
  pages: readonly string[],
  options: ChunkOptions,
): Result<IngestedDocument, GroundingError> {
  const id = `doc-${hash("sha256", bytes, "hex").slice(0, 16)}`;
  const chunks = pages.flatMap((text, index) =>
    chunkText(text, options).map((chunk) => ({ ...chunk, ...(kind === "pdf" ? { page: index + 1 } : {}) })),
  );
  const numbered = chunks.map((chunk, index): Chunk => ({ id: `${id}#${index}`, document: name, ...chunk }));
  if (numbered.length > 0) return ok({ id, name, kind, pages, chunks: numbered });
  const why =
    kind === "pdf"
      ? `none of its ${pages.length} pages has text. If they are scanned images, run text recognition on it first.`
      : "it has no words.";
  return err(refuseDocument(name, { code: "empty_document", why }));
}

function wrongOptions({ chunkTokens = 512, overlapTokens = 50, limits = {} }: IngestOptions): string | undefined {
  const [limit] = Object.entries(limits).filter(([, value]) => !(value > 0));
  if (limit !== undefined) return `limits.${limit[0]} is ${limit[1]}. Give a number above 0.`;
  // With less the engine cannot even start the thread, and then it ends the process.
  if ((limits.maxHeapMegabytes ?? LEAST_HEAP) < LEAST_HEAP)
    return `limits.maxHeapMegabytes is ${limits.maxHeapMegabytes}. Give at least ${LEAST_HEAP}.`;
  if (!(chunkTokens >= 256 && chunkTokens <= 1024))
    return `chunkTokens is ${chunkTokens}. Give a number from 256 to 1024.`;
  return overlapTokens >= 0 && overlapTokens <= chunkTokens / 2
    ? undefined
    : `overlapTokens is ${overlapTokens}. Give a number from 0 to half of chunkTokens.`;
}
