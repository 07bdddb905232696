import type { SignalDocument } from "./documents.ts";

/** A thing that was found in a document, as extraction services give it: in no order, known by its id. */
export interface Entity {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly span: { readonly start: number; readonly end: number };
}

/** What a step makes of a document: a value of every sort that outputs have. */
export interface Extraction {
  readonly company: string;
  readonly date: string;
  readonly total: number;
  readonly paid: boolean;
  readonly state: "accepted" | "rejected";
  readonly remark: null;
  readonly place: { readonly street: string; readonly region: { readonly city: string; readonly code: string } };
  /** Keyed by `id`. */
  readonly entities: readonly Entity[];
  /** In the order of the text: no key says what is what. */
  readonly rows: readonly { readonly text: string; readonly amount: number }[];
  readonly words: readonly string[];
  readonly summary: string;
}

/** What a plain reader finds in a document; the same each time. */
export function extractionOf({ text }: SignalDocument): Extraction {
  const lines = text.split("\n").map((line) => line.trim());
  const filled = lines.filter((line) => line !== "");
  const amounts = [...text.matchAll(/\d+\.\d\d\b/g)].map(([found]) => Number(found));
  const [day = "01", month = "02", year = "2020"] = /(\d\d)[/-](\d\d)[/-](\d{4})/.exec(text)?.slice(1) ?? [];
  const at = filled.findIndex((line) => /\b\d{5}\b/.test(line));
  return {
    company: filled.find((line) => /[A-Z]{4}/i.test(line)) ?? "unknown",
    date: `${year}-${month}-${day}`,
    total: Math.max(1, ...amounts),
    paid: /cash|paid|card/i.test(text),
    state: amounts.length > 2 ? "accepted" : "rejected",
    remark: null,
    place: {
      street: filled[Math.max(0, at - 1)] ?? "unknown",
      region: { city: filled[Math.max(0, at)] ?? "unknown", code: /\b\d{5}\b/.exec(text)?.[0] ?? "00000" },
    },
    entities: entitiesOf(text),
    rows: filled.slice(0, 8).map((line, index) => ({ text: line, amount: (amounts[index] ?? 0) + index / 100 })),
    words: [...new Set(text.toLowerCase().match(/\p{L}{4,}/gu) ?? []), "one", "two"].slice(0, 12),
    summary: `The document reads: ${filled.join(" ")}`,
  };
}

function entitiesOf(text: string): readonly Entity[] {
  const found = [...text.matchAll(/\b(?:\d+\.\d\d|[A-Z][A-Z]{3,})\b/g)].slice(0, 14);
  const whole = { 0: text.slice(0, 8), index: 0 };
  return [...found, whole, { ...whole, index: 1 }].map(({ 0: word, index }, place) => ({
    id: `e${place}`,
    kind: /\d/.test(word) ? "amount" : "name",
    text: word,
    span: { start: index, end: index + word.length },
  }));
}
