/** Every key of a known issuer is a run of at least so many of the characters below; few words of prose are. */
const MIN_RUN = 20;

const RUN_CODES = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+=:-")
  RUN_CODES[character.charCodeAt(0)] = 1;

/** The long runs of token characters in a text, joined by spaces; empty when there are none. */
export function longRuns(text: string): string {
  let runs = "";
  let start = 0;
  while (start + MIN_RUN <= text.length) {
    // From the far end of what would be a run: most are refused after a few characters, and skipped whole.
    let index = start + MIN_RUN - 1;
    while (index >= start && isRunCode(text.charCodeAt(index))) index -= 1;
    if (index >= start) {
      start = index + 1;
      continue;
    }
    let end = start + MIN_RUN;
    while (end < text.length && isRunCode(text.charCodeAt(end))) end += 1;
    runs += `${text.slice(start, end)} ${afterEscape(text, start, end)}`;
    start = end + 1;
  }
  return runs;
}

/** A run that begins inside an escape (`\\nsk-…`, `%3Dsk-…`) once more without the rest of the escape; else nothing. */
function afterEscape(text: string, start: number, end: number): string {
  const before = text[start - 1];
  if (before === "%") return `${text.slice(start + 2, end)} `;
  return before === "\\" ? `${text.slice(start + (text[start] === "u" ? 5 : 1), end)} ` : "";
}

function isRunCode(code: number): boolean {
  return code < 128 && RUN_CODES[code] === 1;
}
