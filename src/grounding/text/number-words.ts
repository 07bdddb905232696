const UNITS =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/** What one word adds to a number: below twenty, a round ten, or a factor. */
export type NumberWord =
  | { readonly kind: "unit"; readonly value: number }
  | { readonly kind: "ten"; readonly value: number }
  | { readonly kind: "factor"; readonly value: number };

/** The words of which numbers are made, in lower case. */
export const numberWords: ReadonlyMap<string, NumberWord> = new Map<string, NumberWord>([
  ...UNITS.map((word, value): [string, NumberWord] => [word, { kind: "unit", value }]),
  ...TENS.map((word, index): [string, NumberWord] => [word, { kind: "ten", value: (index + 2) * 10 }]),
  ["hundred", { kind: "factor", value: 1e2 }],
  ["thousand", { kind: "factor", value: 1e3 }],
  ["million", { kind: "factor", value: 1e6 }],
  ["billion", { kind: "factor", value: 1e9 }],
  ["trillion", { kind: "factor", value: 1e12 }],
]);
