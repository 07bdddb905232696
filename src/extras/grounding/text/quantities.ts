import type { Token } from "./tokenize.ts";

/** Units of one dimension: each word's stem with its size in the dimension's smallest unit. Only exact factors. */
const DIMENSIONS: Readonly<Record<string, string>> = {
  time: "second 1 sec 1 minut 60 min 60 hour 3600 hr 3600 dai 86400 week 604800 wk 604800 fortnight 1209600",
  months: "month 1 quarter 3 year 12 yr 12 decad 120 centuri 1200",
  length: "millimet 1 mm 1 centimet 10 cm 10 meter 1000 m 1000 kilomet 1000000",
  feet: "inch 1 foot 12 feet 12 ft 12 yard 36 mile 63360 mi 63360",
  mass:
    "microgram 1 mcg 1 milligram 1000 mg 1000 gram 1000000 g 1000000 kilogram 1000000000 " +
    "tonn 1000000000000 ton 1000000000000",
  pounds: "ounc 1 oz 1 lb 16",
  volume: "millilitr 1 millilit 1 ml 1 centilitr 10 cl 10 liter 1000 litr 1000 l 1000",
  area: "m2 1 sqm 1 hectar 10000 ha 10000 km2 1000000",
  acres: "acr 1",
  bytes: "byte 1 kilobyt 1000 kb 1000 megabyt 1000000 mb 1000000 gigabyt 1000000000 gb 1000000000 tb 1000000000000",
  watts: "watt 1 w 1 kilowatt 1000 kw 1000 megawatt 1000000 mw 1000000 gigawatt 1000000000",
  dollars: "cent 1 dollar 100",
  euros: "euro 1",
  sterling: "penc 1 pound 100",
  yen: "yen 1",
  share: "percent 1",
  nights: "night 1",
  degrees: "degre 1",
  celsius: "celsiu 1",
  fahrenheit: "fahrenheit 1",
  speed: "kph 1 mph 1",
  pressure: "bar 1",
  psi: "psi 1",
  energy: "wh 1 kwh 1000 mwh 1000000",
  joules: "joul 1",
  calories: "calori 1 kcal 1000",
  spoons: "teaspoon 1 tsp 1 tablespoon 3 tbsp 3",
  pints: "pint 1 quart 2 gallon 8",
  frequency: "hz 1 hertz 1 mhz 1000000 ghz 1000000000",
};

/** Dimensions of one family measure the same thing: a unit of one can be mistaken for a unit of the other. */
const FAMILIES: Readonly<Record<string, string>> = {
  months: "time",
  nights: "time",
  celsius: "degrees",
  fahrenheit: "degrees",
  feet: "length",
  pounds: "mass",
  acres: "area",
  psi: "pressure",
  joules: "energy",
  calories: "energy",
  pints: "volume",
  spoons: "volume",
  dollars: "money",
  euros: "money",
  sterling: "money",
  yen: "money",
};

interface Unit {
  readonly dimension: string;
  readonly family: string;
  readonly size: number;
}

const UNITS: ReadonlyMap<string, Unit> = new Map(
  Object.entries(DIMENSIONS).flatMap(([dimension, list]) =>
    [...list.matchAll(/(\S+) (\d+)/g)].map(([, stem = "", size]): [string, Unit] => [
      stem,
      { dimension, family: FAMILIES[dimension] ?? dimension, size: Number(size) },
    ]),
  ),
);

const FREQUENCIES: ReadonlyMap<string, string> = new Map([
  ["hourli", "hour"],
  ["daili", "dai"],
  ["weekli", "week"],
  ["monthli", "month"],
  ["yearli", "year"],
  ["annual", "year"],
  ["annuali", "year"],
]);

/** Returns true if two stems are units of one family. A pound is money or a mass. */
export function areRivalUnits(first: string, second: string): boolean {
  const [left, right] = [unitFamily(first), unitFamily(second)];
  if (left === undefined || right === undefined || isSameUnit(first, second)) return false;
  return left === right || [first, second].some((key) => key === "pound" && (left === "mass" || right === "mass"));
}

/** Returns the family of a unit's stem, such as `time` for `week` and `monthli`. Undefined for other words. */
export function unitFamily(key: string): string | undefined {
  return unitOf(FREQUENCIES.get(key) ?? key)?.family;
}

/** Returns the unit of a stem: `week`, `#km²`. */
function unitOf(key: string): Unit | undefined {
  return UNITS.get(key.normalize("NFKC").replace(/^#/, ""));
}

/** Returns true if two stems are one unit: `dai` and `daili`. */
function isSameUnit(first: string, second: string): boolean {
  return (FREQUENCIES.get(first) ?? first) === (FREQUENCIES.get(second) ?? second);
}

/** Amount with its unit in a text: `two years`, `half an hour`, `$0.20`, `three fifths`, `20 %`. */
export interface Quantity {
  /** Index of its first token and after its last. */
  readonly from: number;
  readonly to: number;
  /** Dimension and amount. Equal for equal quantities: `24 months` and `two years`. */
  readonly amount: string;
}

const FRACTIONS: ReadonlyMap<string, number> = new Map([
  ["half", 2],
  ["halv", 2],
  ["third", 3],
  ["quarter", 4],
  ["fourth", 4],
  ["fifth", 5],
  ["sixth", 6],
  ["seventh", 7],
  ["eighth", 8],
  ["tenth", 10],
]);

/** Finds the quantities of a text by exact arithmetic. Approximate conversions, such as miles to kilometres, differ. */
export function quantitiesOf(tokens: readonly Token[]): Quantity[] {
  const quantities: Quantity[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const quantity = quantityAt(tokens, at);
    if (quantity === undefined) continue;
    quantities.push(quantity);
    at = quantity.to - 1;
  }
  return quantities;
}

/** Returns the amount of the quantity that a token is part of; undefined for a token outside of quantities. */
export function amountAt(tokens: readonly Token[], at: number): string | undefined {
  return quantitiesOf(tokens).find(({ from, to }) => from <= at && at < to)?.amount;
}

function quantityAt(tokens: readonly Token[], at: number): Quantity | undefined {
  const keys = tokens.slice(at, at + 6).map(({ key }) => key);
  const [first = "", second = "", third = ""] = keys;
  if (first === "half") {
    const skip = second === "a" || second === "an" ? 2 : 1;
    return withUnit(0.5, keys[skip], [at, at + skip + 1]) ?? amountOf("share", 50, [at, at + 1]);
  }
  const value = valueOf(first);
  // A sign of money comes before its number.
  if (value === undefined)
    return /^[$€£¥]$/.test(tokens[at]?.text ?? "") ? withUnit(valueOf(second), first, [at, at + 2]) : undefined;
  // "One and a half hours", "a year and a half".
  if (second === "and" && third === "a" && keys[3] === "half") return withUnit(value + 0.5, keys[4], [at, at + 5]);
  if (keys[2] === "and" && keys[3] === "a" && keys[4] === "half") return withUnit(value + 0.5, second, [at, at + 5]);
  const parts = FRACTIONS.get(second.replace(/s$/, ""));
  if (parts !== undefined && third !== "a" && third !== "an")
    return amountOf("share", (value / parts) * 100, [at, at + 2]);
  return compound(value, keys, at) ?? withUnit(value, second, [at, at + 2]);
}

/** Returns a quantity in two units: "3 hours 20 minutes", "2 years and 6 months". */
function compound(value: number, keys: readonly string[], at: number): Quantity | undefined {
  const skip = keys[2] === "and" ? 3 : 2;
  const [large, small] = [unitOf(keys[1] ?? ""), unitOf(keys[skip + 1] ?? "")];
  const rest = valueOf(keys[skip] ?? "");
  if (large === undefined || rest === undefined || small?.dimension !== large.dimension || small.size >= large.size)
    return undefined;
  return amountOf(large.dimension, value * large.size + rest * small.size, [at, at + skip + 2]);
}

function valueOf(key: string): number | undefined {
  if (key === "a" || key === "an" || key === "one") return 1;
  const [, digits] = /^#(-?\d+(?:\.\d+)?)$/.exec(key) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function withUnit(
  value: number | undefined,
  key: string | undefined,
  span: readonly [number, number],
): Quantity | undefined {
  const unit = unitOf(key ?? "");
  if (unit === undefined || value === undefined) return undefined;
  return amountOf(unit.dimension, value * unit.size, span);
}

function amountOf(dimension: string, value: number, [from, to]: readonly [number, number]): Quantity {
  return { from, to, amount: `${dimension} ${Number(value.toPrecision(12))}` };
}
