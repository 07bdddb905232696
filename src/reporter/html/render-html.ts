import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { RunModel } from "../../explain/run-model.ts";
import fileScript from "./client/main.ts?page";
import style from "./client/page.css.txt?raw";
import { type PageData, type ServedPage, pageData } from "./page-data.ts";

/** The page's one script, its modules in one. */
export const pageScript: string = fileScript;

const NEEDS_SCRIPT = "Turn on JavaScript to see the details. This page loads nothing from the network.";
const pageStyle: string = style.replaceAll("\r\n", "\n");

/** Characters of data from which it's compressed: that makes a page of 20,000 changes a tenth as large. */
const MAX_PLAIN = 1_000_000;

/** Parts of a page. */
export interface PageParts {
  readonly model: RunModel;
  /** Null for a file. Only a served page may send requests, and only to its own server. */
  readonly served: ServedPage | null;
  readonly script: string;
}

/**
 * Creates a page of a run: one HTML file that contains all it needs, loads nothing and opens from disk. `history` are
 * earlier runs, the oldest first.
 */
export function renderHtml(model: RunModel): string {
  return pageHtml({ model, served: null, script: pageScript });
}

/** Puts a page together. */
export function pageHtml({ model, served, script }: PageParts): string {
  const policy = contentPolicy({ script, style: pageStyle, sendsRequests: served !== null });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>veritest: ${escapeHtml(model.summary)}</title>
<style>${pageStyle}</style>
</head>
<body>
<noscript><h1>veritest</h1><p>${escapeHtml(model.summary)}</p><p>${NEEDS_SCRIPT}</p></noscript>
${dataScript(pageData(model, served))}
<script>${script}</script>
</body>
</html>
`;
}

/** The element with the page's data. */
function dataScript(data: PageData): string {
  const json = embedJson(data);
  if (json.length <= MAX_PLAIN) return `<script type="application/json" id="veritest-data">${json}</script>`;
  return `<script type="application/gzip" id="veritest-data">${gzipSync(json).toString("base64")}</script>`;
}

/**
 * Escapes text between tags. The summary is numbers and veritest's words, unless another program wrote the run file.
 */
function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * Content security policy of a page with one script and one style. Only these two run, by their hashes. The page can't
 * load, send or frame anything, and no text can become markup.
 */
function contentPolicy({
  script,
  style,
  sendsRequests,
}: {
  readonly script: string;
  readonly style: string;
  readonly sendsRequests: boolean;
}): string {
  return [
    "default-src 'none'",
    `script-src ${source(script)}`,
    `style-src ${source(style)}`,
    "img-src 'none'",
    ...(sendsRequests ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

function source(text: string): string {
  return `'sha256-${hash("sha256", text, "base64")}'`;
}

/** Characters that could end or change the element around the JSON, and line ends that only JavaScript knows. */
const UNSAFE = /[<>&\u2028\u2029\p{Surrogate}]/gu;

/**
 * Writes a value as JSON for a `script` element. The characters of HTML are escaped, so the text contains no tag,
 * comment or entity, and lone surrogates survive UTF-8. Parsing it returns the value.
 */
export function embedJson(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
