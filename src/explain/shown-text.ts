import { escapeInvisible, escapeText, escapesOf } from "../kernel/text.ts";

/**
 * What is drawn as nothing and could hide text from who reads, and what XML cannot hold; what makes an emoji one
 * hides nothing.
 */
const HIDDEN = /(?!\ufe0f)[\p{Default_Ignorable_Code_Point}\ufffe\uffff]/gu;

/**
 * What the log of a CI system obeys wherever it stands in a line: `##[error]` in GitHub Actions (its runner's
 * ActionCommand.TryParse looks for it anywhere), `##vso[…]` in Azure Pipelines, `##teamcity[…]`. At the end of a text
 * too, where another text may complete it.
 */
const LOG_COMMAND = /##(?=\w*(?:\[|$))/g;

/**
 * Makes a text safe to show in any format: `escapeText`, and also whatever is drawn as nothing as `\uXXXX`, and what
 * the log of a CI system would obey. Keeps `\n` and `\t`.
 */
export function shownText(text: string): string {
  return escapeHidden(escapeText(text)).replace(LOG_COMMAND, "#\\u0023");
}

/** A text as `shownText` writes it, on one line: line ends and tabs are shown, not obeyed. */
export function shownLine(text: string): string {
  return shownText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** Makes a JSON text safe to print as it is; it still parses to the same value. */
export function shownJson(json: string): string {
  return escapeHidden(escapeInvisible(json)).replace(LOG_COMMAND, "#\\u0023");
}

function escapeHidden(text: string): string {
  return text.replace(HIDDEN, escapesOf);
}
