/** A replacement of the part `[start, end)` of a text. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies edits to a text that came in parts. A replacement goes into the part where its edit begins; the parts it
 * reaches into lose what it covers. The number of parts stays. Edits are in order and apart from each other.
 */
export function editParts(parts: readonly string[], edits: readonly TextEdit[]): readonly string[] {
  if (edits.length === 0) return parts;
  const edited: string[] = [];
  let offset = 0;
  let next = 0;
  for (const part of parts) {
    const end = offset + part.length;
    while ((edits[next]?.end ?? Infinity) <= offset) next += 1;
    edited.push(editPart(part, offset, edits.slice(next, endIndex(edits, next, end))));
    offset = end;
  }
  return edited;
}

/** The index after the last edit that begins before `end`. */
function endIndex(edits: readonly TextEdit[], from: number, end: number): number {
  let index = from;
  while ((edits[index]?.start ?? Infinity) < end) index += 1;
  return index;
}

function editPart(part: string, offset: number, edits: readonly TextEdit[]): string {
  let text = "";
  let from = 0;
  for (const { start, end, text: replacement } of edits) {
    // An edit that began in an earlier part left its replacement there.
    if (start >= offset) text += part.slice(from, start - offset) + replacement;
    from = Math.min(end - offset, part.length);
  }
  return text + part.slice(from);
}
