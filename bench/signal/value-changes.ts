import type { Draw } from "./draw.ts";
import type { Entity, Extraction } from "./extraction.ts";
import { PROSE_CHANGES, TEXT_CHANGES } from "./text-changes.ts";

/** Makes another output of one; undefined where this one has nothing to change so. */
export type ValueChange = (found: Extraction, generated: Draw) => object | undefined;

/** Every way in which an output comes out otherwise, by name: each is to be caught. */
export const VALUE_CHANGES: Readonly<Record<string, ValueChange>> = {
  ...ofTexts(TEXT_CHANGES, ["company", "street"]),
  ...ofTexts(PROSE_CHANGES, ["summary"]),
  "number: another": (found, generated) => ({ ...found, total: found.total + 1 + generated.below(1000) }),
  "number: one cent": (found) => ({ ...found, total: Math.round(found.total * 100 + 1) / 100 }),
  "number: sign": (found) => ({ ...found, total: -found.total }),
  "number: decimal point": (found) => ({ ...found, total: found.total * 10 }),
  "number: last bit": (found) => ({ ...found, total: found.total * (1 + Number.EPSILON * 2) }),
  "number: zero": (found) => ({ ...found, total: 0 }),
  "number: its text": (found) => ({ ...found, total: String(found.total) }),
  "number: null": (found) => ({ ...found, total: null }),
  "date: next day": (found) => ({
    ...found,
    date: `${found.date.slice(0, 8)}${found.date.endsWith("15") ? "16" : "15"}`,
  }),
  "date: day and month": (found) => {
    const [year, month, day] = found.date.split("-");
    return month === day ? undefined : { ...found, date: [year, day, month].join("-") };
  },
  "date: written otherwise": (found) => ({ ...found, date: found.date.split("-").toReversed().join("/") }),
  "date: a time added": (found) => ({ ...found, date: `${found.date}T00:00:00.000Z` }),
  "enum: another": (found) => ({ ...found, state: found.state === "accepted" ? "rejected" : "accepted" }),
  "boolean: flipped": (found) => ({ ...found, paid: !found.paid }),
  "boolean: its text": (found) => ({ ...found, paid: String(found.paid) }),
  "boolean: 0 or 1": (found) => ({ ...found, paid: Number(found.paid) }),
  "null: a text": (found) => ({ ...found, remark: "none" }),
  "null: an empty text": (found) => ({ ...found, remark: "" }),
  "null: false": (found) => ({ ...found, remark: false }),
  "null: missing": ({ remark: _gone, ...found }) => found,
  "type: a list of it": (found) => ({ ...found, company: [found.company] }),
  "type: an object of it": (found) => ({ ...found, company: { value: found.company } }),
  "type: keyed list as record": (found) => ({
    ...found,
    entities: Object.fromEntries(found.entities.map((entity) => [entity.id, entity])),
  }),
  "field: missing": ({ company: _gone, ...found }) => found,
  "field: added": (found) => ({ ...found, extra: true }),
  "field: renamed": ({ company, ...found }) => ({ ...found, vendor: company }),
  "field: name in other case": ({ company, ...found }) => ({ ...found, Company: company }),
  "field: moved inside": ({ date, ...found }) => ({ ...found, place: { ...found.place, date } }),
  "field: two values swapped": (found) => ({ ...found, company: found.date, date: found.company }),
  "nested: value": (found) =>
    inPlace(found, { region: { ...found.place.region, code: `${found.place.region.code}1` } }),
  "nested: missing": (found) => inPlace(found, { region: { city: found.place.region.city } }),
  "nested: added": (found) => inPlace(found, { region: { ...found.place.region, country: "MY" } }),
  "nested: emptied": (found) => inPlace(found, { region: {} }),
  "list: two change places": (found, generated) => listed(found, generated.reorder(found.words)),
  "list: one added": (found, generated) =>
    listed(
      found,
      spliced(found.words, generated, (word) => [word, "added"]),
    ),
  "list: one removed": (found, generated) =>
    listed(
      found,
      spliced(found.words, generated, () => []),
    ),
  "list: one twice": (found, generated) =>
    listed(
      found,
      spliced(found.words, generated, (word) => [word, word]),
    ),
  "list: one changed": (found, generated) =>
    listed(
      found,
      spliced(found.words, generated, (word) => [`${word}s`]),
    ),
  "list: emptied": (found) => listed(found, []),
  "list of objects: another order": (found, generated) => rowed(found, generated.reorder(found.rows)),
  "list of objects: one field": (found, generated) =>
    rowed(
      found,
      spliced(found.rows, generated, (row) => [{ ...row, amount: row.amount + 1 }]),
    ),
  "list of objects: one twice": (found, generated) =>
    rowed(
      found,
      spliced(found.rows, generated, (row) => [row, row]),
    ),
  "keyed: one field": (found, generated) =>
    keyed(found, generated, (one) => [{ ...one, kind: one.kind === "name" ? "amount" : "name" }]),
  "keyed: field inside": (found, generated) =>
    keyed(found, generated, (one) => [{ ...one, span: { ...one.span, end: one.span.end + 1 } }]),
  "keyed: one removed": (found, generated) => keyed(found, generated, () => []),
  "keyed: one added": (found, generated) => keyed(found, generated, (one) => [one, { ...one, id: "new" }]),
  "keyed: one under another key": (found, generated) =>
    keyed(found, generated, (one) => [{ ...one, id: `${one.id}x` }]),
  "keyed: one twice": (found, generated) => keyed(found, generated, (one) => [one, one]),
  "keyed: key lost": (found, generated) => keyed(found, generated, ({ id: _gone, ...one }) => [one]),
  "keyed: key of another type": (found, generated) =>
    keyed(found, generated, (one) => [{ ...one, id: Number(one.id.slice(1)) }]),
  "keyed: emptied": (found) => ({ ...found, entities: [] }),
  "keyed: moved and changed": (found, generated) => {
    const changed = keyed(found, generated, (one) => [{ ...one, text: `${one.text}!` }]);
    return { ...changed, entities: changed.entities.toReversed() };
  },
  "all: nothing left": () => ({}),
};

function ofTexts(
  changes: typeof TEXT_CHANGES,
  fields: readonly ["company" | "summary", ...("company" | "street")[]],
): Readonly<Record<string, ValueChange>> {
  const change =
    (name: string): ValueChange =>
    (found, generated) => {
      const field = generated.pick(fields);
      const text = field === "street" ? found.place.street : found[field];
      const other = changes[name]?.(text, generated);
      if (other === undefined || other === text) return undefined;
      return field === "street" ? inPlace(found, { street: other }) : { ...found, [field]: other };
    };
  return Object.fromEntries(Object.keys(changes).map((name) => [name, change(name)]));
}

function inPlace(found: Extraction, part: object): object {
  return { ...found, place: { ...found.place, ...part } };
}

function listed(found: Extraction, words: readonly string[] | undefined): object | undefined {
  return words === undefined ? undefined : { ...found, words };
}

function rowed(found: Extraction, rows: readonly object[] | undefined): object | undefined {
  return rows === undefined ? undefined : { ...found, rows };
}

function keyed(
  found: Extraction,
  generated: Draw,
  change: (one: Entity) => readonly object[],
): Omit<Extraction, "entities"> & { readonly entities: readonly object[] } {
  return { ...found, entities: spliced<Entity, object>(found.entities, generated, change) };
}

/** The list with others in the place of one drawn element. */
function spliced<T, U = T>(items: readonly T[], generated: Draw, change: (one: T) => readonly U[]): (T | U)[] {
  const place = generated.below(items.length);
  return items.flatMap((item, index): readonly (T | U)[] => (index === place ? change(item) : [item]));
}
