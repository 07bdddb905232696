import type { RunHistoryEntry, RunModel } from "../run-model.ts";
// Vitest empties what is called .css, so the style is called .txt.
import style from "./client/page.css.txt?raw";
import { contentPolicy } from "./content-policy.ts";
import { embedJson } from "./embed-json.ts";
import { pageData } from "./page-data.ts";
import { pageScript } from "./page-script.ts";

const pageStyle: string = style.replaceAll("\r\n", "\n");
const policy: string = contentPolicy({ script: pageScript, style: pageStyle });

/**
 * Makes a page of a run: one HTML file that holds all it needs, loads nothing and can be opened from disk. `history`
 * are earlier runs, the oldest first.
 */
export function renderHtml(
  model: RunModel,
  { history = [] }: { readonly history?: readonly RunHistoryEntry[] } = {},
): string {
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
<noscript><h1>veritest</h1><p>${escapeHtml(model.summary)}</p><p>The details of this report need JavaScript; it loads nothing from the network.</p></noscript>
<script type="application/json" id="veritest-data">${embedJson(pageData(model, history))}</script>
<script>${pageScript}</script>
</body>
</html>
`;
}

/**
 * For text between tags; the summary holds numbers and our own words, unless a run file was written by someone else.
 */
function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
