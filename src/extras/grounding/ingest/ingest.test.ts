import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { makePdf } from "../../../../test-support/make-pdf.ts";
import type { IngestedDocument } from "./document.ts";
import { type DocumentInput, type IngestOptions, ingest } from "./ingest.ts";

const directory = mkdtempSync(join(tmpdir(), "ingest-"));
afterAll(() => rmSync(directory, { recursive: true }));

async function read(input: DocumentInput, options?: IngestOptions): Promise<IngestedDocument> {
  const document = await ingest(input, options);
  if (!document.ok) throw new Error(document.error.message);
  return document.value;
}

function fullPage(page: number): string {
  return Array.from(
    { length: 50 },
    (_, line) => `Line ${line} of page ${page} tells what the harbour office wrote down that day.`,
  ).join("\n");
}

test.each([
  {},
  { name: "a.txt" },
  { text: "It rained." },
  { path: 7 },
])("refuses %j, which isn't a document", async (value) => {
  const input: DocumentInput = JSON.parse(JSON.stringify(value));
  expect(await ingest(input)).toMatchObject({
    ok: false,
    error: {
      kind: "validation",
      code: "invalid_document",
      message:
        "Cannot ingest a document: it has neither a path nor a name with text or bytes. " +
        "Pass { path } or { name, text }.",
    },
  });
});

describe("a PDF", () => {
  test("becomes chunks with page and span, with broken words joined", { tags: "deep" }, async () => {
    const document = await read({
      name: "harbour.pdf",
      bytes: makePdf(["The har-\nbour (old) opened. It is open.", "", "Page three."]),
    });
    expect(document).toEqual({
      id: document.id,
      name: "harbour.pdf",
      kind: "pdf",
      pages: ["The harbour (old) opened. It is open.", "", "Page three."],
      blankPages: [2],
      chunks: [
        {
          id: `${document.id}#0`,
          document: "harbour.pdf",
          page: 1,
          text: "The harbour (old) opened. It is open.",
          start: 0,
          end: 37,
          tokens: 11,
        },
        { id: `${document.id}#1`, document: "harbour.pdf", page: 3, text: "Page three.", start: 0, end: 11, tokens: 3 },
      ],
    });
    expect(document.id).toMatch(/^doc-[0-9a-f]{16}$/);
  });

  test("keeps the caller's bytes unchanged", { tags: "deep" }, async () => {
    const bytes = makePdf(["Some words."]);
    await read({ name: "a.pdf", bytes });
    expect((await read({ name: "a.pdf", bytes })).pages).toEqual(["Some words."]);
  });

  test.each<[string, Uint8Array, IngestOptions, string, string]>([
    [
      "encrypted",
      makePdf(["Secret."], { encrypted: true }),
      {},
      "encrypted_pdf",
      "it is encrypted with a password. Save a copy without a password.",
    ],
    [
      "blank",
      makePdf(["", ""]),
      {},
      "empty_document",
      "none of its 2 pages contains text. If they are scanned images, run text recognition (OCR) on the file first.",
    ],
    [
      "damaged",
      Buffer.from("%PDF-1.7\nnothing follows"),
      {},
      "invalid_pdf",
      "it isn't a readable PDF (Invalid PDF structure.). Open it in a viewer and save it again.",
    ],
    [
      "empty",
      new Uint8Array(0),
      {},
      "invalid_pdf",
      "it isn't a readable PDF (The PDF file is empty, i.e. its size is zero bytes.). Open it in a viewer and save it again.",
    ],
    [
      "too large",
      makePdf(["Some words."]),
      { limits: { maxBytes: 100 } },
      "too_large",
      "it has 595 bytes, which is more than 100. Split it, or raise limits.maxBytes.",
    ],
    [
      "too long in pages",
      makePdf(["a", "b", "c"]),
      { limits: { maxPages: 2 } },
      "too_many_pages",
      "it has 3 pages, which is more than 2. Split it, or raise limits.maxPages.",
    ],
    [
      "too long in characters",
      makePdf(["Some words."]),
      { limits: { maxCharacters: 5 } },
      "too_long",
      "it has more than 5 characters. Split it, or raise limits.maxCharacters.",
    ],
    [
      "too slow",
      makePdf(["Some words."]),
      { limits: { maxMilliseconds: 1 } },
      "timed_out",
      "reading took longer than 1 ms. Raise limits.maxMilliseconds if you trust the file.",
    ],
    [
      "too hungry",
      makePdf(Array.from({ length: 200 }, (_, page) => fullPage(page))),
      { limits: { maxHeapMegabytes: 8 } },
      "out_of_memory",
      "reading took more than 8 MiB. Raise limits.maxHeapMegabytes if you trust the file.",
    ],
  ])("that is %s is a typed error", { tags: "deep" }, async (_, bytes, options, code, why) => {
    expect(await ingest({ name: "x.pdf", bytes }, options)).toMatchObject({
      ok: false,
      error: {
        kind: "validation",
        code,
        message: `Cannot ingest x.pdf: ${why}`,
        operation: "ingest",
        input: "x.pdf",
        retryable: false,
      },
    });
  });

  // Each run starts a thread, which takes its time on a busy machine.
  test("with any damage ends in a document or a typed error", { tags: "deep" }, async () => {
    const whole = makePdf(["Some words on a page.", "And more."]);
    const damaged = fc
      .array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 })), { maxLength: 40 })
      .map((changes) => {
        const bytes = new Uint8Array(whole);
        for (const [at, byte] of changes) bytes[at] = byte;
        return bytes;
      });
    await fc.assert(
      fc.asyncProperty(damaged, async (bytes) => {
        const document = await ingest({ name: "fuzz.pdf", bytes }, { limits: { maxMilliseconds: 10_000 } });
        expect(document.ok ? document.value.kind : document.error.kind).toMatch(/^(?:pdf|validation)$/);
      }),
      { numRuns: 10 },
    );
  });
});

describe("a text", () => {
  test("has spans into its original characters", async () => {
    const text = "# Bridge\n\nIt opened in 1932.";
    expect(await read({ name: "bridge.md", text })).toMatchObject({
      kind: "markdown",
      pages: [text],
      chunks: [{ document: "bridge.md", text, start: 0, end: text.length }],
    });
  });

  test("is read from a file, named by its base name", async () => {
    writeFileSync(join(directory, "note.txt"), "\ufeffIt opened in 1932.");
    expect(await read({ path: join(directory, "note.txt") })).toMatchObject({
      name: "note.txt",
      kind: "text",
      pages: ["It opened in 1932."],
    });
    expect(await read({ path: join(directory, "note.txt"), name: "notes" })).toMatchObject({ name: "notes" });
  });

  test("in UTF-16 is decoded", async () => {
    expect(await read({ name: "w.txt", bytes: Buffer.from("\ufeffIt opened.", "utf16le") })).toMatchObject({
      pages: ["It opened."],
    });
  });

  test.each<[string, DocumentInput, IngestOptions, string, string]>([
    [
      "binary bytes",
      { name: "x.bin", bytes: new Uint8Array([0xff, 0xfe, 0xfd]) },
      {},
      "not_text",
      "Cannot ingest x.bin: it is neither a PDF nor text in UTF-8 or UTF-16. Convert it first.",
    ],
    [
      "zero bytes",
      { name: "x.bin", text: "a\0b" },
      {},
      "not_text",
      "Cannot ingest x.bin: it is neither a PDF nor text in UTF-8 or UTF-16. Convert it first.",
    ],
    ["no words", { name: "x.txt", text: " \n…\n" }, {}, "empty_document", "Cannot ingest x.txt: it has no words."],
    [
      "too many characters",
      { name: "x.txt", text: "words" },
      { limits: { maxCharacters: 4 } },
      "too_long",
      "Cannot ingest x.txt: it has 5 characters, which is more than 4. Split it, or raise limits.maxCharacters.",
    ],
    ["a directory", { path: directory }, {}, "not_a_file", `Cannot ingest ${directory}: it isn't a regular file.`],
    [
      "a wrong path",
      { path: "/nowhere/x.txt" },
      {},
      "unreadable",
      "Cannot ingest /nowhere/x.txt: ENOENT: no such file or directory, stat '/nowhere/x.txt'. Check the path.",
    ],
    [
      "chunks too small",
      { name: "x.txt", text: "words" },
      { chunkTokens: 100 },
      "invalid_options",
      "Cannot ingest x.txt: chunkTokens must be a number from 256 to 1024, got 100.",
    ],
    [
      "too much overlap",
      { name: "x.txt", text: "words" },
      { overlapTokens: 300 },
      "invalid_options",
      "Cannot ingest x.txt: overlapTokens must be a number from 0 to half of chunkTokens, got 300.",
    ],
    [
      "too small a heap",
      { name: "x.txt", text: "words" },
      { limits: { maxHeapMegabytes: 4 } },
      "invalid_options",
      "Cannot ingest x.txt: limits.maxHeapMegabytes must be at least 8, got 4.",
    ],
    [
      "a limit of zero",
      { name: "x.txt", text: "words" },
      { limits: { maxPages: 0 } },
      "invalid_options",
      "Cannot ingest x.txt: limits.maxPages must be a number above 0, got 0.",
    ],
  ])("with %s is a typed error", async (_, input, options, code, message) => {
    expect(await ingest(input, options)).toMatchObject({ ok: false, error: { kind: "validation", code, message } });
  });

  test.skipIf(process.platform === "win32")("at a device path is refused instead of read forever", async () => {
    expect(await ingest({ path: "/dev/zero" })).toMatchObject({
      ok: false,
      error: { code: "not_a_file", message: "Cannot ingest /dev/zero: it isn't a regular file." },
    });
  });
});
