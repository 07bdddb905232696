/** A key that stands twice in one object of a JSON text. */
export interface RepeatedKey {
  readonly key: string;
  /** The line of its second place, from 1. */
  readonly line: number;
}

/**
 * Finds a key that an object of a JSON text has twice. `JSON.parse` does not tell: it takes the last, and a reader may
 * see the first. `value` is what the text was parsed to. Undefined where there is none.
 *
 * A text that the native writer makes of the value has none, and that is nearly every file here. To write it anew takes
 * two thirds of counting its colons, and a tenth of going through it.
 */
export function repeatedKey(text: string, value: unknown): RepeatedKey | undefined {
  return isPrinted(text, value) ? undefined : findRepeated(text);
}

function isPrinted(text: string, value: unknown): boolean {
  try {
    const printed = `${JSON.stringify(value, undefined, 2)}\n`;
    // git may have given the lines other ends.
    return text === printed || text.replaceAll("\r\n", "\n") === printed;
  } catch {
    // Too deep for the native writer: a text from elsewhere may be of any depth.
    return false;
  }
}

/** Goes through a JSON text token by token: a string before a colon is a key of the innermost object. */
function findRepeated(text: string): RepeatedKey | undefined {
  const open: Set<string>[] = [];
  let string: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      string = text.slice(at, end);
      at = end - 1;
    } else if (character === "{" || character === "[") open.push(new Set());
    else if (character === "}" || character === "]") open.pop();
    else if (character === ":" && string !== undefined) {
      const key = String(JSON.parse(string));
      if (open.at(-1)?.has(key) === true) return { key, line: text.slice(0, at).split("\n").length };
      open.at(-1)?.add(key);
    }
  }
  return undefined;
}

/** Where a string ends that begins at a quote. No pattern: those overflow on texts of megabytes. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}
