import type { Detail } from "./detail.ts";
import { withoutIndexes } from "./shape-of-check.ts";
import { formatCount, formatLocation } from "./wording.ts";

/** A text that is not for reading: an embedding, an image or a signature in base64. */
const ENCODED = /^[\w+/=-]{200,}$/;
/** Numbers of one list from which they are counted: an embedding, not a table. */
const MIN_NUMBERS = 32;

/** Returns details with changes of many encoded texts, or of many numbers of a list, as one line with their number. */
export function foldDetails(details: readonly Detail[]): readonly Detail[] {
  const families = details.map(familyOf);
  const counts = new Map<string, number>();
  for (const family of families) if (family !== undefined) counts.set(family.text, (counts.get(family.text) ?? 0) + 1);
  const folded = new Set<string>();
  return details.flatMap((detail, index): readonly Detail[] => {
    const family = families[index];
    const count = family === undefined ? 0 : (counts.get(family.text) ?? 0);
    if (family === undefined || count < family.least) return [detail];
    if (folded.has(family.text)) return [];
    folded.add(family.text);
    return [{ kind: "remark", text: `${family.text}: ${formatCount(count)} ${family.noun} differ` }];
  });
}

/** Changes that are shown together: their location without indexes, what they are, and from how many on. */
interface Family {
  readonly text: string;
  readonly noun: string;
  readonly least: number;
}

function familyOf(detail: Detail): Family | undefined {
  if (detail.kind !== "change") return undefined;
  const { before, after } = detail.change;
  const location = `${detail.lead}${formatLocation(detail.change)}`;
  if (isEncoded(before) && isEncoded(after)) return { text: withoutIndexes(location), noun: "encoded texts", least: 2 };
  if (typeof before !== "number" || typeof after !== "number" || !/\[\d+\]$/.test(location)) return undefined;
  return { text: location.replace(/\d+\]$/, "*]"), noun: "numbers", least: MIN_NUMBERS };
}

function isEncoded(value: unknown): boolean {
  return typeof value === "string" && ENCODED.test(value);
}
