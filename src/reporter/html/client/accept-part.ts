import type { ReportCase } from "../../../explain/report-case.ts";
import { type PendingLocation, FROM, acceptGroupCommand, formatCount, reviewLine } from "../../../explain/wording.ts";
import type { ReportGroup } from "../../../explain/run-model.ts";
import { announce, button, el } from "./element.ts";
import { visible } from "./visible.ts";

/** Command that accepts a case's change. Null if none is pending. */
export function acceptPart({ updateState, baseline }: ReportCase, location: PendingLocation) {
  if (updateState !== "pending" && updateState !== "review") return null;
  return commandPart(acceptLine(baseline, location) ?? reviewLine(location), {
    id: "accept",
    label: "Copy accept command",
  });
}

/** Command that accepts all of a group. Null if none of it is pending. */
export function acceptGroupPart(
  { id, pending, count }: Pick<ReportGroup, "id" | "pending" | "count">,
  location: PendingLocation,
) {
  if (pending === 0) return null;
  const label = count === 1 ? "Copy accept command" : `Copy command to accept all ${formatCount(pending)}`;
  return commandPart(acceptGroupCommand(id, location), { id: `accept-${id}`, label });
}

/** A command with a button that copies it. */
function commandPart(command: string, { id, label }: { id: string; label: string }) {
  const code = el("code", { id, tabindex: 0, dir: "ltr" }, command);
  const copier = button(label, () => void copy({ command, code, copier, label }), { id: `copy-${id}` });
  return el("p", { class: "accept" }, copier, code);
}

/** Copies a text. If the browser doesn't allow that, selects it for the reader to copy. */
async function copy({
  command,
  code,
  copier,
  label,
}: {
  command: string;
  code: Element;
  copier: Element;
  label: string;
}) {
  const showText = (text: string) => {
    copier.textContent = text;
    setTimeout(() => (copier.textContent = label), 2000);
  };
  try {
    await navigator.clipboard.writeText(command);
    announce("Copied.");
    showText("Copied");
  } catch {
    getSelection()?.selectAllChildren(code);
    announce("Selected: copy it with Ctrl+C.");
    showText("Press Ctrl+C");
  }
}

/** No system has longer paths: a longer text isn't a file. */
const MAX_PATH = 4096;

/**
 * Command that accepts a case's change. Null if the file's name contains a `*`, which would match other files, too, or
 * if it isn't a valid file name.
 */
export function acceptLine(baseline: string, location: PendingLocation) {
  if (baseline.includes("*") || baseline === "" || baseline.length > MAX_PATH) return null;
  const from = location === "upload" ? `${FROM} ` : "";
  return `npx veritest accept ${from}${baseline.startsWith("-") ? "-- " : ""}${shellQuote(baseline)}`;
}

/**
 * Quotes a word for POSIX shells, so that it's always one argument. Control and invisible characters, which a terminal
 * would obey on paste, become escapes that bash, zsh and ksh read.
 */
export function shellQuote(word: string) {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word;
  if (visible(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${Array.from(word, quoteCharacter).join("")}'`;
}

function quoteCharacter(character: string) {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\\" || character === "'") return `\\${character}`;
  if (code >= 32 && code < 127) return character;
  if (code < 128) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
