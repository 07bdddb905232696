import { hash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { type Result, ok } from "../../../kernel/result.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { VERA } from "../../../kernel/telemetry/attributes.ts";
import type { GroundingError } from "../grounding-error.ts";
import { type ChunkOptions, chunkText } from "./chunk-text.ts";
import {
  type Chunk,
  type DocumentKind,
  type IngestLimits,
  type IngestedDocument,
  defaultLimits,
  refuseDocument,
} from "./document.ts";
import { traced } from "../pipeline/operation.ts";
import { readPdf } from "./read-pdf.ts";

/** Document to ingest: a file, bytes, or a text. `name` is its name in citations. Default for a file: its base name. */
export type DocumentInput =
  | { readonly path: string; readonly name?: string }
  | { readonly name: string; readonly bytes: Uint8Array }
  | { readonly name: string; readonly text: string };

/** Options for {@link ingest}. */
export interface IngestOptions extends ChunkOptions {
  readonly limits?: Partial<IngestLimits>;
  /** Format of the document. Default: detected from the file extension and the first bytes. */
  readonly kind?: DocumentKind;
}

/** Minimum heap of the PDF thread in MiB. */
const MIN_HEAP = 8;

interface Loaded {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly kind: DocumentKind;
  readonly limits: IngestLimits;
}

/**
 * Reads a PDF, Markdown or text document and splits it into chunks for retrieval, each with its page and span. A chunk
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
  return traced("ingest", {
    work: () => readDocument(input, options),
    facts: ({ id, chunks }) => ({ [VERA.documentId]: id, [VERA.chunks]: chunks.length }),
  });
}

async function readDocument(
  input: DocumentInput,
  options: IngestOptions,
): Promise<Result<IngestedDocument, GroundingError>> {
  const name = nameOf(input);
  if (name === undefined)
    return refuseDocument("a document", {
      code: "invalid_document",
      why: "it has neither a path nor a name with text or bytes. Pass { path } or { name, text }.",
    });
  const wrong = wrongOptions(options);
  if (wrong !== undefined) return refuseDocument(name, { code: "invalid_options", why: wrong });
  const loaded = await load(input, name, options);
  if (!loaded.ok) return loaded;
  const pages = await readPages(loaded.value);
  return pages.ok ? documentOf(loaded.value, pages.value, options) : pages;
}

async function load(
  input: DocumentInput,
  name: string,
  options: IngestOptions,
): Promise<Result<Loaded, GroundingError>> {
  const limits = { ...defaultLimits, ...options.limits };
  const bytes =
    "path" in input
      ? await readBytes(input.path, limits.maxBytes)
      : ok("text" in input ? new TextEncoder().encode(input.text) : input.bytes);
  if (!bytes.ok) return bytes;
  if (bytes.value.length > limits.maxBytes) return tooLarge(name, bytes.value.length, limits.maxBytes);
  return ok({ name, bytes: bytes.value, kind: options.kind ?? kindOf(name, bytes.value), limits });
}

/** Returns the name of a document in citations. Undefined for a value that isn't a document, from JavaScript. */
function nameOf(input: DocumentInput): string | undefined {
  const { path, name, text, bytes }: { readonly [field: string]: unknown } = { ...input };
  if (typeof path === "string") return typeof name === "string" ? name : basename(path);
  return typeof name === "string" && (typeof text === "string" || bytes instanceof Uint8Array) ? name : undefined;
}

function kindOf(name: string, bytes: Uint8Array): DocumentKind {
  // Some files have a few bytes before the header. PDF readers accept that, so search the first kilobyte.
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
    return refuseDocument(name, {
      code: "not_text",
      why: "it is neither a PDF nor text in UTF-8 or UTF-16. Convert it first.",
    });
  if (text.length > limits.maxCharacters)
    return refuseDocument(name, {
      code: "too_long",
      why:
        `it has ${text.length} characters, which is more than ${limits.maxCharacters}. Split it, or raise ` +
        "limits.maxCharacters.",
    });
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
  const blank = kind === "pdf" ? pages.flatMap((text, index) => (text.trim() === "" ? [index + 1] : [])) : [];
  if (numbered.length > 0)
    return ok({ id, name, kind, pages, ...(blank.length === 0 ? {} : { blankPages: blank }), chunks: numbered });
  const why =
    kind === "pdf"
      ? `none of its ${pages.length} pages contains text. If they are scanned images, run text recognition (OCR) ` +
        "on the file first."
      : "it has no words.";
  return refuseDocument(name, { code: "empty_document", why });
}

function wrongOptions({ chunkTokens = 512, overlapTokens = 50, limits = {} }: IngestOptions): string | undefined {
  const [limit] = Object.entries(limits).filter(([, value]) => !(value > 0));
  if (limit !== undefined) return `limits.${limit[0]} must be a number above 0, got ${limit[1]}.`;
  // With less, the engine can't even start the thread and ends the process.
  if ((limits.maxHeapMegabytes ?? MIN_HEAP) < MIN_HEAP)
    return `limits.maxHeapMegabytes must be at least ${MIN_HEAP}, got ${limits.maxHeapMegabytes}.`;
  if (!(chunkTokens >= 256 && chunkTokens <= 1024))
    return `chunkTokens must be a number from 256 to 1024, got ${chunkTokens}.`;
  return overlapTokens >= 0 && overlapTokens <= chunkTokens / 2
    ? undefined
    : `overlapTokens must be a number from 0 to half of chunkTokens, got ${overlapTokens}.`;
}

/** Reads a file of at most `maxBytes`. Errors of kind `validation`: `unreadable`, `not_a_file`, `too_large`. */
async function readBytes(path: string, maxBytes: number): Promise<Result<Uint8Array, GroundingError>> {
  try {
    const stats = await stat(path);
    // Check before opening it: opening a named pipe waits for its writer.
    if (!stats.isFile()) return refuseDocument(path, { code: "not_a_file", why: "it isn't a regular file." });
    if (stats.size > maxBytes) return tooLarge(path, stats.size, maxBytes);
    return ok(new Uint8Array(await readFile(path)));
  } catch (cause) {
    return refuseDocument(path, { code: "unreadable", why: `${messageOf(cause)}. Check the path.`, cause });
  }
}

/** Creates the error of a document with too many bytes. */
function tooLarge(name: string, size: number, maxBytes: number): Result<never, GroundingError> {
  return refuseDocument(name, {
    code: "too_large",
    why: `it has ${size} bytes, which is more than ${maxBytes}. Split it, or raise limits.maxBytes.`,
  });
}

/**
 * Cleans a page's text: splits ligatures into letters, removes soft hyphens and the hyphens of broken lines, and
 * collapses spaces. Line breaks stay.
 */
export function cleanText(text: string): string {
  return (
    text
      .replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize("NFKC"))
      .replace(/\r\n?/g, "\n")
      .replace(/\u00ad\n?/g, "")
      // A capital or numeral after the break means a real hyphen: "Smith-\nJones".
      .replace(/(\p{Ll})[-\u2010][ \t]?\n[ \t]*(?=\p{Ll}{2})/gu, "$1")
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
  );
}

/**
 * Decodes a text file: UTF-8, or UTF-16 with a byte order mark, which is removed. Returns undefined for other bytes:
 * another encoding, or zero bytes in the text.
 */
function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = utf16Of(bytes) ?? "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    // A fatal decoder throws for another encoding, which is an expected result here.
    return undefined;
  }
}

function utf16Of([first, second]: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}
