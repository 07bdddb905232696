import { Worker } from "node:worker_threads";
import { z } from "zod";
import { codeOf, messageOf } from "../../../kernel/error-message.ts";
import { recordIn } from "../../../kernel/json/read-data.ts";
import { type Result, ok } from "../../../kernel/result.ts";
import { MAX_TIMER_MS } from "../../../kernel/max-timer.ts";
import { findPackage } from "../find-package.ts";
import type { GroundingError } from "../grounding-error.ts";
import { type IngestLimits, refuseDocument } from "./document.ts";
import { textOfRuns } from "./reading-order.ts";

/** PDF to read, with its name in messages. */
interface PdfInput {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly limits: IngestLimits;
}

/**
 * Reads the text of each page of a PDF in a separate thread, with limits on time, memory, pages and characters. A
 * hostile file causes an error instead of a hung run. The bytes are copied. Needs the optional package `unpdf`. Errors
 * of kind `validation`: `missing_package`, `encrypted_pdf`, `invalid_pdf`, `too_many_pages`, `too_long`, `timed_out`,
 * `out_of_memory`.
 */
export async function readPdf({ name, bytes, limits }: PdfInput): Promise<Result<readonly string[], GroundingError>> {
  const unpdf = findPackage("unpdf");
  if (unpdf === undefined)
    return refuseDocument(name, {
      code: "missing_package",
      why: "reading PDFs needs the package unpdf, which isn't installed. Run npm install --save-dev unpdf.",
    });
  const { maxPages, maxCharacters, maxHeapMegabytes, maxMilliseconds } = limits;
  const worker = new Worker(PDF_WORKER, {
    eval: true,
    workerData: { unpdf, bytes: new Uint8Array(bytes), maxPages, maxCharacters },
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
    // Don't inherit loaders or output: the library may write a lot for a damaged file.
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const ended = await firstEvent(worker, maxMilliseconds);
  await worker.terminate();
  return outcome(name, ended, limits);
}

type Ending =
  | { readonly kind: "answer"; readonly answer: unknown }
  | { readonly kind: "error"; readonly error: unknown }
  | { readonly kind: "timeout" };

async function firstEvent(worker: Worker, maxMilliseconds: number): Promise<Ending> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Ending>((resolve) => {
      timer = setTimeout(() => resolve({ kind: "timeout" }), Math.min(maxMilliseconds, MAX_TIMER_MS));
      worker.once("message", (answer: unknown) => resolve({ kind: "answer", answer }));
      worker.once("error", (error) => resolve({ kind: "error", error }));
      worker.once("exit", (code) => resolve({ kind: "error", error: new Error(`the thread ended with code ${code}`) }));
    });
  } finally {
    clearTimeout(timer);
  }
}

function outcome(name: string, ending: Ending, limits: IngestLimits): Result<readonly string[], GroundingError> {
  if (ending.kind === "timeout")
    return refuseDocument(name, {
      code: "timed_out",
      why:
        `reading took longer than ${limits.maxMilliseconds} ms. ` +
        "Raise limits.maxMilliseconds if you trust the file.",
    });
  if (ending.kind === "error") return ofThread(name, ending.error, limits);
  const answer = recordIn(ending.answer);
  const pages = pagesSchema.safeParse(answer["pages"]);
  if (pages.success) return ok(pages.data.map((page) => (typeof page === "string" ? page : textOfRuns(page))));
  if ("tooMany" in answer)
    return refuseDocument(name, {
      code: "too_many_pages",
      why:
        `it has ${String(answer["tooMany"])} pages, which is more than ${limits.maxPages}. Split it, or ` +
        "raise limits.maxPages.",
    });
  if ("tooLong" in answer)
    return refuseDocument(name, {
      code: "too_long",
      why: `it has more than ${limits.maxCharacters} characters. Split it, or raise limits.maxCharacters.`,
    });
  return ofLibrary(name, answer);
}

/** Pages of the thread: their text, or their runs if some are read from right to left. */
const pagesSchema = z.array(z.union([z.string(), z.array(z.tuple([z.string(), z.number(), z.boolean()]))]));

function ofThread(name: string, error: unknown, { maxHeapMegabytes }: IngestLimits): Result<never, GroundingError> {
  if (codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY")
    return refuseDocument(name, {
      code: "out_of_memory",
      why: `reading took more than ${maxHeapMegabytes} MiB. Raise limits.maxHeapMegabytes if you trust the file.`,
      cause: error,
    });
  return refuseDocument(name, {
    code: "invalid_pdf",
    why: "the PDF reader stopped. The file is damaged, or isn't a PDF.",
    cause: error,
  });
}

function ofLibrary(name: string, thrown: Readonly<Record<string, unknown>>): Result<never, GroundingError> {
  const message = messageOf(thrown);
  if (thrown["name"] === "PasswordException")
    return refuseDocument(name, {
      code: "encrypted_pdf",
      why: "it is encrypted with a password. Save a copy without a password.",
      cause: message,
    });
  return refuseDocument(name, {
    code: "invalid_pdf",
    why: `it isn't a readable PDF (${message.slice(0, 200)}). Open it in a viewer and save it again.`,
    cause: message,
  });
}

/**
 * Source of the thread that reads a PDF, as text: a separate file would have to be located in every bundle. It receives
 * the URL of unpdf, the bytes and the limits, and posts one message: `{ pages }`, `{ tooMany }`, `{ tooLong: true }` or
 * `{ name, message }`.
 */
const PDF_WORKER: string = `
const { parentPort, workerData } = require("node:worker_threads");
const { unpdf, bytes, maxPages, maxCharacters } = workerData;
async function read() {
  const { getDocumentProxy } = await import(unpdf);
  const pdf = await getDocumentProxy(bytes, { verbosity: 0, isEvalSupported: false });
  if (pdf.numPages > maxPages) return { tooMany: pdf.numPages };
  const pages = [];
  let characters = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => (item.str ?? "") + (item.hasEOL ? "\\n" : "")).join("");
    characters += text.length;
    if (characters > maxCharacters) return { tooLong: true };
    const isRightToLeft = items.some((item) => item.dir === "rtl");
    const runOf = (item) => [item.str ?? "", item.transform?.[4] ?? 0, item.hasEOL === true];
    pages.push(isRightToLeft ? items.map(runOf) : text);
    page.cleanup();
  }
  return { pages };
}
read().then(
  (answer) => parentPort.postMessage(answer),
  (error) => parentPort.postMessage({ name: String(error && error.name), message: String(error && error.message) }),
);
`;
