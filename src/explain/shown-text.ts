import { escapeInvisible, escapeText, escapesOf } from "../kernel/text.ts";

/**
 * Invisible characters, which could hide text from readers, and characters that XML can't contain; the selector that
 * makes an emoji doesn't hide text.
 */
const HIDDEN = /(?!\ufe0f)[\p{Default_Ignorable_Code_Point}\ufffe\uffff]/gu;

/**
 * Prefix of log commands, which CI systems execute anywhere in a line: `##[error]` in GitHub Actions (its runner's
 * ActionCommand.TryParse searches the line), `##vso[…]` in Azure Pipelines, `##teamcity[…]`. At the end of a text too,
 * because the next text may complete it.
 */
const LOG_COMMAND = /##(?=\w*(?:\[|$))/g;

/**
 * Escapes a string for display in any format: `escapeText`, and also invisible characters as `\uXXXX`, and commands of
 * a CI system's log. Keeps `\n` and `\t`.
 */
export function shownText(text: string): string {
  return escapeHidden(escapeText(text)).replace(LOG_COMMAND, "#\\u0023");
}

/** A text as `shownText` writes it, on one line: line ends and tabs are shown, not obeyed. */
export function shownLine(text: string): string {
  return shownText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** Escapes a JSON string for printing; it still parses to the same value. */
export function shownJson(json: string): string {
  return escapeHidden(escapeInvisible(json)).replace(LOG_COMMAND, "#\\u0023");
}

function escapeHidden(text: string): string {
  return text.replace(HIDDEN, escapesOf);
}
