import { readdirSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { numbered } from "../checks/explain-grounding.ts";
import { type IngestedDocument, blankPagesWarning } from "../ingest/document.ts";
import { type IngestOptions, ingest } from "../ingest/ingest.ts";
import { type StoredDocument, storedDocumentOf } from "../state/stored-document.ts";
import { cliPaths } from "../../../cli/terminal/cli-paths.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { printRefusal, oneLine, printLines, printJson, printWarning } from "../../../cli/terminal/print.ts";
import { deleteDocuments, readLibrary, storeDocument } from "./ground-library.ts";
import { seconds } from "./render-answer.ts";

/** Names of documents in a directory. */
const DOCUMENT = /\.(?:pdf|md|mdx|markdown|txt|text)$/i;

/**
 * Implements `veritest ground ingest <path…>`: reads files, and all documents below directories. Exit code 2 if any
 * can't be read.
 */
export async function ingestDocuments(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const paths = input.operands;
  if (paths.length === 0)
    return printRefusal(
      io,
      "Pass the files to read: npx veritest ground ingest docs/handbook.pdf. For a directory, veritest reads all " +
        "files below it.",
    );
  const project = cliPaths(io);
  const candidates = paths.flatMap((path) => filesAt(resolve(io.cwd, path)));
  const files = candidates.filter(({ isDocument }) => isDocument).map(({ path }) => path);
  const skipped = candidates.filter(({ isDocument }) => !isDocument).map(({ path }) => relative(project.root, path));
  if (skipped.length > 0) printWarning(io, skippedWarning(skipped));
  if (files.length === 0)
    return printRefusal(
      io,
      `There is no document below ${paths.join(", ")}. Documents are PDF, Markdown and text files.`,
    );
  const options = ingestOptions(input);
  const ingested: object[] = [];
  let failures = 0;
  for (const file of files) {
    const source = relative(project.root, file).split(sep).join("/");
    const started = performance.now();
    // Name it by its path in citations: many projects have more than one README.md.
    const document = await ingest({ path: file, name: source }, options);
    if (document.ok) {
      storeDocument(project, storedDocumentOf(document.value, source));
      const { blankPages = [], pages } = document.value;
      if (blankPages.length > 0) printWarning(io, blankPagesWarning(source, blankPages, pages.length));
      if (input.flag("json")) ingested.push(ingestedFacts(document.value, source));
      else printLines(io, [ingestedLine(document.value, source, performance.now() - started)]);
    } else {
      failures += 1;
      printWarning(io, document.error.message);
    }
  }
  if (input.flag("json")) printJson(io, ingested);
  if (failures === 0) return EXIT.clean;
  if (files.length > 1)
    printWarning(io, `${failures} of ${files.length} documents were not ingested; the rest are available.`);
  return EXIT.usage;
}

/**
 * Reads the chunk options. Omitted ones have their defaults; values that aren't numbers are rejected as out of range.
 */
function ingestOptions(input: CommandInput): IngestOptions {
  const [size, overlap] = [input.text("chunkSize"), input.text("overlap")];
  return {
    ...(size === undefined ? {} : { chunkTokens: Number(size) }),
    ...(overlap === undefined ? {} : { overlapTokens: Number(overlap) }),
  };
}

function ingestedLine({ id, pages, chunks, kind }: IngestedDocument, source: string, milliseconds: number): string {
  const size = kind === "pdf" ? `${numbered(pages.length, "page")}, ` : "";
  return oneLine(`${source}  ${id}  ${size}${numbered(chunks.length, "chunk")}, ${seconds(milliseconds)}`);
}

function ingestedFacts({ id, name, kind, pages, blankPages = [], chunks }: IngestedDocument, source: string): object {
  return { id, name, kind, pages: pages.length, blankPages, source, chunks: chunks.length };
}

/** Maximum number of skipped files that a warning names. */
const MAX_SKIPPED = 10;

function skippedWarning(skipped: readonly string[]): string {
  const more = skipped.length > MAX_SKIPPED ? `, … and ${skipped.length - MAX_SKIPPED} more` : "";
  return (
    `Skipped ${numbered(skipped.length, "file")}: ${skipped.slice(0, MAX_SKIPPED).map(oneLine).join(", ")}${more}. ` +
    "In a directory, veritest only reads files that end in .pdf, .md, .mdx, .markdown, .txt or .text. " +
    "To read another file, pass its own path."
  );
}

/** Lists the files at a path. Keeps a missing path, so that reading it fails with an error. */
function filesAt(path: string): { readonly path: string; readonly isDocument: boolean }[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [{ path, isDocument: true }];
  const below = readdirSync(path, { withFileTypes: true }).filter(
    ({ name }) => !name.startsWith(".") && name !== "node_modules",
  );
  return below
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      if (entry.isDirectory()) return filesAt(join(path, entry.name));
      return entry.isFile() ? [{ path: join(path, entry.name), isDocument: DOCUMENT.test(entry.name) }] : [];
    });
}

/** Implements `veritest ground remove <id or name…>`. Exit code 2, and none removed, if one is unknown. */
export function removeDocuments(input: CommandInput, io: CliIo): ExitCode {
  const names = input.operands;
  if (names.length === 0)
    return printRefusal(
      io,
      "Pass the id or name of each document to remove. To list the documents, run: npx veritest ground list",
    );
  const removed = deleteDocuments(cliPaths(io), names);
  if (!removed.ok)
    return printRefusal(
      io,
      `There is no document ${removed.error.map(oneLine).join(", ")}, so no documents were removed. ` +
        "To list the documents, run: npx veritest ground list",
    );
  printLines(io, [`Removed ${numbered(removed.value, "document")}.`]);
  return EXIT.clean;
}

/**
 * Implements `veritest ground list`: lists the ingested documents; with `--details` also their sizes and beginnings.
 */
export function listDocuments(input: CommandInput, io: CliIo): ExitCode {
  const { documents, problems } = readLibrary(cliPaths(io));
  for (const problem of problems) printWarning(io, problem);
  if (input.flag("json")) printJson(io, documents.map(factsOf));
  else if (documents.length === 0)
    printLines(io, ["No documents yet. Add a document: npx veritest ground ingest <path>"]);
  else
    printLines(
      io,
      documents.flatMap((document) => [lineOf(document), ...(input.flag("details") ? detailsOf(document) : [])]),
    );
  return problems.length === 0 ? EXIT.clean : EXIT.usage;
}

function factsOf({ id, name, kind, pages, source, chunks }: StoredDocument): object {
  return { id, name, kind, pages, source, chunks: chunks.length, tokens: tokensOf({ chunks }) };
}

function lineOf({ id, name, kind, pages, chunks }: StoredDocument): string {
  const size = [...(kind === "pdf" ? [numbered(pages, "page")] : []), numbered(chunks.length, "chunk")];
  return oneLine(`${id}  ${name}  ${kind}, ${size.join(", ")}`);
}

function detailsOf({ source, chunks }: StoredDocument): string[] {
  const beginning = (chunks[0]?.text ?? "").replaceAll(/\s+/g, " ").slice(0, 100);
  return [
    oneLine(`    read at  ${source}`),
    `    tokens   ${tokensOf({ chunks })} (estimated)`,
    oneLine(`    begins   ${beginning}`),
  ];
}

function tokensOf({ chunks }: Pick<StoredDocument, "chunks">): number {
  return chunks.reduce((sum, { tokens }) => sum + tokens, 0);
}
