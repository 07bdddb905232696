import { FROM, type WaitingPlace } from "../../../explain/wording.ts";
import { visible } from "./visible.ts";

/** No system has longer paths: what is longer is no file. */
const MAX_PATH = 4096;

/**
 * The command that accepts a case's change; null where the file's name holds a `*`, which would accept other files too,
 * and where it can be no file's name.
 */
export function acceptLine(baseline: string, place: WaitingPlace) {
  if (baseline.includes("*") || baseline === "" || baseline.length > MAX_PATH) return null;
  const from = place === "upload" ? `${FROM} ` : "";
  return `npx veritest accept ${from}${baseline.startsWith("-") ? "-- " : ""}${shellQuote(baseline)}`;
}

/** The command that accepts all of one kind of change. */
export function acceptGroupLine(id: string, place: WaitingPlace) {
  return `npx veritest accept --group ${id}${place === "upload" ? ` ${FROM}` : ""}`;
}

/**
 * Quotes a word for POSIX shells, so that it is one argument whatever it holds. What a terminal would obey when it is
 * pasted, control and invisible characters, is written in escapes that bash, zsh and ksh read.
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
