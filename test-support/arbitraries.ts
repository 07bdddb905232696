import * as fc from "fast-check";

/** JSON data as `JSON.parse` can return it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** An array element with an identity, as `keyBy` paths name them. */
export interface KeyedItem {
  readonly id: string | number;
  readonly label: string;
  readonly data: Json;
}

/** Names that trip careless code: prototype names, integer-like names, names whose order depends on the encoding. */
const HOSTILE_NAMES: readonly string[] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "length",
  "toJSON",
  "",
  "0",
  "1",
  "9",
  "10",
  "-1",
  "01",
  "4294967295",
  "a.b",
  "a b",
  '"',
  "\u0000",
  "\u001b[31m",
  "\u202e",
  "\ud800",
  "\udfff",
  "\ue000",
  "😀",
  "é",
  "e\u0301",
];

/** Texts of any UTF-16 code units, lone surrogates among them, and the hostile names. */
export function anyText(): fc.Arbitrary<string> {
  return fc.oneof(fc.string(), fc.string({ unit: "binary" }), codeUnits(), fc.constantFrom(...HOSTILE_NAMES));
}

/** Property names; few enough to collide between values, hostile ones among them, none with a backslash. */
export function propertyName(): fc.Arbitrary<string> {
  const name = fc.oneof(fc.constantFrom("a", "b", "c"), fc.constantFrom(...HOSTILE_NAMES), anyText());
  // V8 13.6 (Node 24) misreads names: once an object has had the name `\`, JSON.parse reads a one-character name that
  // is escaped, such as `\n`, in its place as `\` too, in all tests of the worker. The properties use JSON.parse as
  // their judge.
  return name.filter((text) => !text.includes("\\"));
}

/** JSON data with hostile names and texts, nested a few levels; numbers are finite and never `-0`. */
export function jsonValue(): fc.Arbitrary<Json> {
  return fc.letrec<{ value: Json; list: Json[]; record: { [name: string]: Json } }>((tie) => ({
    value: fc.oneof({ depthSize: "small", withCrossShrink: true }, jsonLeaf(), tie("list"), tie("record")),
    list: fc.array(tie("value"), { maxLength: 5 }),
    record: fc.dictionary(propertyName(), tie("value"), { maxKeys: 5, noNullPrototype: false }),
  })).value;
}

/** JSON data of few shapes and values, so that two of them are often equal or nearly so. */
export function similarJson(): fc.Arbitrary<Json> {
  return fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(null, 0, 1, "", "a", true),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "__proto__", "1"), tie("value"), { maxKeys: 3, noNullPrototype: false }),
    ),
  })).value;
}

/** Whatever canonical JSON accepts beyond JSON: `undefined`, holes, NaN, `-0`, dates, `toJSON`, shared references. */
export function jsonLike(): fc.Arbitrary<unknown> {
  return fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      jsonLeaf(),
      fc.constantFrom<unknown>(undefined, Number.NaN, Infinity, -Infinity, -0),
      fc.date({ noInvalidDate: false }),
      fc.sparseArray(tie("value"), { maxLength: 5 }),
      fc.dictionary(propertyName(), tie("value"), { maxKeys: 5, noNullPrototype: false }),
      tie("value").map((answer) => ({ hidden: 1n, toJSON: () => toJsonAnswer(answer) })),
      tie("value").map((shared) => ({ b: shared, a: [shared, shared] })),
    ),
  })).value;
}

/** Arrays whose elements carry distinct ids; ids are texts (hostile ones too) or numbers, distinct as texts. */
export function keyedItems(minLength: number = 0): fc.Arbitrary<KeyedItem[]> {
  const item = fc.record({ id: fc.oneof(propertyName(), fc.integer()), label: fc.string(), data: similarJson() });
  return fc.uniqueArray(item, { minLength, maxLength: 12, selector: ({ id }) => String(id) });
}

/** The elements of an array in any order. */
export function permutationOf<T>(items: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });
}

function jsonLeaf(): fc.Arbitrary<null | boolean | number | string> {
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  return fc.oneof(
    fc.constant(null),
    fc.boolean(),
    anyText(),
    number.map((value) => (value === 0 ? 0 : value)),
  );
}

function codeUnits(): fc.Arbitrary<string> {
  return fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes));
}

/** JSON never asks an answer of `toJSON` for its own, so what would be asked, such as a Date, is answered as text. */
function toJsonAnswer(answer: unknown): unknown {
  return typeof Reflect.get(Object(answer), "toJSON") === "function" ? JSON.stringify(answer) : answer;
}
