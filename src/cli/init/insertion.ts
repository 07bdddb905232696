import { objectProperties } from "./object-properties.ts";
import { type SourceCode, indentAt, lineBreakOf, sameLine } from "./source-code.ts";

/** A text to put in at an offset. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Puts texts into a text; what stands there stays byte for byte. */
export function applyInsertions(text: string, insertions: readonly Insertion[]): string {
  return insertions
    .toSorted((a, b) => b.at - a.at)
    .reduce((result, { at, text: added }) => result.slice(0, at) + added + result.slice(at), text);
}

/** Puts an entry first into the object literal whose opening brace stands at an index. */
export function intoObject(code: SourceCode, open: number, entry: string): Insertion {
  const { text, tokens, pairs } = code;
  const brace = tokens[open]?.end ?? 0;
  const close = tokens[pairs.get(open) ?? open]?.start ?? brace;
  const first = tokens[open + 1];
  if (first === undefined || objectProperties(code, open).length === 0)
    return intoEmpty(code, { from: brace, to: close, entry });
  if (sameLine(text, brace, first.start)) return { at: first.start, text: `${entry}, ` };
  return { at: first.start, text: `${entry},${lineBreakOf(text)}${indentAt(text, first.start)}` };
}

/** Puts an element last into the list whose opening bracket stands at an index. */
export function intoList(code: SourceCode, open: number, element: string): Insertion[] {
  const { text, tokens, pairs } = code;
  const close = pairs.get(open) ?? open;
  const last = tokens[close - 1];
  const bracket = tokens[close]?.start ?? 0;
  if (last === undefined || close - 1 === open) return [{ at: tokens[open]?.end ?? 0, text: element }];
  const ended = last.text === ",";
  if (sameLine(text, last.end, bracket)) return [{ at: last.end, text: ended ? ` ${element}` : `, ${element}` }];
  // After a comment that belongs to the element before.
  const lineEnd = text.slice(last.end, bracket).search(/\r?\n/) + last.end;
  const line = { at: lineEnd, text: `${lineBreakOf(text)}${indentAt(text, last.start)}${element}${ended ? "," : ""}` };
  return ended ? [line] : [{ at: last.end, text: "," }, line];
}

function intoEmpty(
  { text }: SourceCode,
  { from, to, entry }: { readonly from: number; readonly to: number; readonly entry: string },
): Insertion {
  const inside = text.slice(from, to);
  if (!inside.includes("\n")) return { at: from, text: inside === "" ? ` ${entry} ` : ` ${entry}` };
  return { at: from, text: `${lineBreakOf(text)}${indentAt(text, from)}  ${entry}` };
}
