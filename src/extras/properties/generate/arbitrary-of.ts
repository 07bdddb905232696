import { listIn } from "../../../kernel/json/read-data.ts";
import * as fc from "fast-check";
import { isArray, isPlainObject, memberOf } from "../../../kernel/json/plain-data.ts";
import { quote } from "../../../kernel/text.ts";
import type { Schema, SchemaInput } from "../../../kernel/step/schema.ts";
import { LimitedFilter } from "./limited-filter.ts";
import { nearArbitrary } from "./near-arbitrary.ts";
import { type SchemaNode, checksOf, schemaNode } from "./schema-node.ts";
import { numbersOf, textArbitrary } from "./text-arbitrary.ts";

/** Options for {@link arbitraryOf} in addition to the schema. */
export interface ArbitraryOptions {
  /**
   * Your arbitraries for parts of the schema, by dot path: `{ "lines.sku": fc.constant("a") }`. Use them if a part
   * can't be sampled, or needs certain values. Leave out list indexes and record keys: `lines.sku` is the `sku` of
   * every element of `lines`.
   */
  readonly given?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /**
   * Real inputs, such as the inputs of stored baselines. Two of three generated values are a real input, or a real
   * input with a small change.
   */
  readonly near?: readonly unknown[];
  /** Maximum depth of a recursive schema. Default: 3. */
  readonly maxDepth?: number;
}

/**
 * Creates an arbitrary of the inputs that a zod 4 schema accepts: fields with a default can be missing, and transforms
 * haven't run yet. Every generated and every shrunk value parses. Throws a TypeError that names the part and what to
 * pass for a schema of a different library, for kinds without data (functions, files, promises, symbols), for an
 * infinite recursion, and, once values are generated, for a refinement that none of 1,000 values passes.
 *
 * @example
 * fc.assert(fc.property(arbitraryOf(receipt), (input) => total(input) >= 0));
 */
export function arbitraryOf<S extends Schema>(schema: S, options?: ArbitraryOptions): fc.Arbitrary<SchemaInput<S>>;
export function arbitraryOf(schema: Schema, options: ArbitraryOptions = {}): fc.Arbitrary<unknown> {
  const node = schemaNode(schema);
  if (node === undefined)
    throw new TypeError(
      "arbitraryOf only generates values for schemas of zod 4. For other schemas, use your own fast-check arbitrary.",
    );
  const sampled = new Sampler(options).of(schema, { path: [], entered: [] });
  if (sampled === undefined)
    throw new TypeError(
      "arbitraryOf: the schema is recursive and has no finite value. Make the recursive field optional, or an array.",
    );
  const complete = filtered(sampled, node, []);
  return options.near === undefined || options.near.length === 0
    ? complete
    : nearArbitrary(complete, options.near, (value) => passes(node, value));
}

/** Path of a part, and the schemas that contain it. */
interface Position {
  readonly path: readonly string[];
  readonly entered: readonly unknown[];
}

/** Arbitrary of a part; undefined if a recursion must end. */
type Sampled = fc.Arbitrary<unknown> | undefined;

type Kind = (node: SchemaNode, position: Position) => Sampled;

/** Elements of what a schema does not bound. */
const USUAL_SIZE = 4;

class Sampler {
  readonly #given: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  readonly #maxDepth: number;
  readonly #kinds: Readonly<Record<string, Kind>>;

  constructor({ given: replaced = {}, maxDepth = 3 }: ArbitraryOptions) {
    this.#given = replaced;
    this.#maxDepth = maxDepth;
    this.#kinds = this.#kindsOf();
  }

  of(schema: unknown, { path, entered }: Position): Sampled {
    const own = this.#given[path.join(".")];
    if (own !== undefined) return own;
    const node = schemaNode(schema);
    if (node === undefined) throw unsampled(path, "it isn't a schema of zod 4");
    if (entered.filter((outer) => outer === schema).length > this.#maxDepth) return undefined;
    const position = { path, entered: [...entered, schema] };
    const kind = Object.hasOwn(this.#kinds, node.def.type) ? this.#kinds[node.def.type] : undefined;
    if (kind === undefined) throw unsampled(path, `its type is ${node.def.type}, which data can't have`);
    const sampled = kind(node, position);
    // The complete value is filtered anyway.
    const isRoot = entered.length === 0;
    return sampled === undefined || isRoot || !mayRefuse(node) ? sampled : filtered(sampled, node, path);
  }

  #inner({ def }: SchemaNode, position: Position, field = "innerType"): Sampled {
    return this.of(def[field], position);
  }

  #kindsOf(): Readonly<Record<string, Kind>> {
    const inner: Kind = (node, position) => this.#inner(node, position);
    return {
      string: ({ def }) => textArbitrary(def),
      number: numberArbitrary,
      bigint: bigintArbitrary,
      boolean: () => fc.boolean(),
      date: dateArbitrary,
      null: () => fc.constant(null),
      undefined: () => fc.constant(undefined),
      void: () => fc.constant(undefined),
      nan: () => fc.constant(Number.NaN),
      any: () => fc.jsonValue({ maxDepth: 2 }),
      unknown: () => fc.jsonValue({ maxDepth: 2 }),
      // The input of a transform is unknown: the schema behind it says more.
      transform: () => fc.jsonValue({ maxDepth: 1 }),
      custom: () => fc.jsonValue({ maxDepth: 1 }),
      literal: oneOfValues,
      enum: oneOfValues,
      template_literal: (node, position) => this.#template(node, position),
      optional: (node, position) => or(this.#inner(node, position), undefined),
      nullable: (node, position) => or(this.#inner(node, position), null),
      default: (node, position) => or(this.#inner(node, position), undefined),
      prefault: (node, position) => or(this.#inner(node, position), undefined),
      catch: inner,
      readonly: inner,
      success: inner,
      nonoptional: inner,
      lazy: ({ def: { getter } }, position) => {
        const next: unknown = typeof getter === "function" ? Reflect.apply(getter, undefined, []) : undefined;
        return this.of(next, position);
      },
      pipe: (node, position) => this.#pipe(node, position),
      union: ({ def: { options } }, position) => oneOf(listIn(options).map((option) => this.of(option, position))),
      intersection: (node, position) => this.#intersection(node, position),
      object: (node, position) => this.#object(node, position),
      array: (node, position) => listArbitrary(this.#inner(node, position, "element"), node),
      tuple: (node, position) => this.#tuple(node, position),
      set: (node, position) =>
        listArbitrary(this.#inner(node, position, "valueType"), node, true)?.map((list) => new Set(list)),
      map: (node, position) => this.#map(node, position),
      record: (node, position) => this.#record(node, position),
    };
  }

  #pipe(node: SchemaNode, position: Position): Sampled {
    // A schema that accepts a few texts alone, as `stringbool` does, names them in its error.
    const named = node.safeParse("\\0").error?.values;
    if (named !== undefined && named.length > 0) return oneOfValues({ ...node, values: named }, position);
    // A preprocess is a transform with a schema behind it.
    const takes = schemaNode(node.def["in"])?.def.type === "transform" ? "out" : "in";
    return this.#inner(node, position, takes);
  }

  #object({ def: { shape, catchall } }: SchemaNode, position: Position): Sampled {
    const fields: Record<string, fc.Arbitrary<unknown>> = {};
    const required: string[] = [];
    for (const [name, part] of Object.entries(shape ?? {})) {
      const optional = schemaNode(part)?.optional === true;
      const sampled = this.of(part, { ...position, path: [...position.path, name] });
      if (sampled === undefined && !optional) return undefined;
      if (sampled === undefined) continue;
      fields[name] = sampled;
      if (!optional) required.push(name);
    }
    const needed = new Set(required);
    // JSON has no undefined: what may be absent is absent.
    const own = fc
      .record(fields, { requiredKeys: required })
      .map((known) =>
        Object.fromEntries(Object.entries(known).filter(([name, value]) => value !== undefined || needed.has(name))),
      );
    const more =
      catchall === undefined || schemaNode(catchall)?.def.type === "never" ? undefined : this.of(catchall, position);
    if (more === undefined) return own;
    const additional = fc.dictionary(keyText(), more, { maxKeys: 2 });
    return fc.tuple(own, additional).map(([known, extra]) => ({ ...extra, ...known }));
  }

  #tuple({ def: { items, rest } }: SchemaNode, position: Position): Sampled {
    const parts = listIn(items);
    const sampled = parts.map((part) => this.of(part, position));
    // From the end: only trailing items may be left out.
    const needed = parts.findLastIndex((part) => schemaNode(part)?.optional !== true) + 1;
    if (sampled.slice(0, needed).includes(undefined)) return undefined;
    const present = sampled.filter((item) => item !== undefined);
    const more = rest === undefined || rest === null ? undefined : this.of(rest, position);
    const tail =
      more === undefined || present.length < parts.length ? fc.constant([]) : fc.array(more, { maxLength: 3 });
    return fc
      .tuple(fc.tuple(...present), fc.integer({ min: needed, max: present.length }), tail)
      .map(([own, length, added]) => (length < own.length ? own.slice(0, length) : [...own, ...added]));
  }

  #map({ def, ...node }: SchemaNode, position: Position): Sampled {
    const [key, value] = [this.of(def["keyType"], position), this.of(def["valueType"], position)];
    const pair = key === undefined || value === undefined ? undefined : fc.tuple(key, value);
    return listArbitrary(pair, { def, ...node }, (entry) => listIn(entry)[0])?.map(
      (pairs) => new Map(pairs.filter(isPair)),
    );
  }

  #record({ def: { keyType, valueType, partial } }: SchemaNode, position: Position): Sampled {
    const value = this.of(valueType, position);
    const names = schemaNode(keyType)?.values?.map(String);
    if (names !== undefined) {
      if (value === undefined) return partial === true ? fc.constant({}) : undefined;
      const fields = Object.fromEntries(names.map((name) => [name, value]));
      return fc.record(fields, partial === true ? { requiredKeys: [] } : {});
    }
    const key = this.of(keyType, position);
    if (value === undefined || key === undefined) return fc.constant({});
    const keys = key.map(String).filter((name) => name !== "__proto__");
    return fc.dictionary(keys, value, { maxKeys: USUAL_SIZE, noNullPrototype: true });
  }

  #intersection({ def: { left, right } }: SchemaNode, position: Position): Sampled {
    const [first, second] = [this.of(left, position), this.of(right, position)];
    if (first === undefined || second === undefined) return undefined;
    return fc
      .tuple(first, second)
      .map(([first, second]) => (isPlainObject(first) && isPlainObject(second) ? { ...first, ...second } : first));
  }

  #template({ def: { parts } }: SchemaNode, position: Position): Sampled {
    const sampled = listIn(parts).map((part) =>
      schemaNode(part) === undefined ? fc.constant(part) : this.of(part, position),
    );
    const present = sampled.filter((item) => item !== undefined);
    return present.length < sampled.length
      ? undefined
      : fc.tuple(...present).map((values) => values.map((value) => textOf(value)).join(""));
  }
}

/** The short ones first: towards them it shrinks. */
const oneOfValues: Kind = ({ values = [] }) => fc.constantFrom(...values.toSorted((a, b) => lengthOf(a) - lengthOf(b)));

/** As many characters as JSON has. */
function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length + 2 : String(value).length;
}

/** Kinds that may refuse what is made of their parts: others are as good as those. */
const REFUSING: ReadonlySet<string> = new Set([
  "custom",
  "intersection",
  "nonoptional",
  "pipe",
  "string",
  "template_literal",
  "union",
]);

function mayRefuse({ def }: SchemaNode): boolean {
  return REFUSING.has(def.type) || checksOf(def).length > 0;
}

function filtered(arbitrary: fc.Arbitrary<unknown>, node: SchemaNode, path: readonly string[]): fc.Arbitrary<unknown> {
  return new LimitedFilter(
    arbitrary,
    (value) => passes(node, value),
    (last) => refusedAll(node, path, last),
  );
}

function passes({ safeParse }: SchemaNode, value: unknown): boolean {
  return safeParse(value).success;
}

function refusedAll({ safeParse }: SchemaNode, path: readonly string[], last: unknown): TypeError {
  const why = safeParse(last).error?.message ?? "";
  return unsampled(path, `the schema rejected 1,000 generated values, the last one with the error "${why}"`);
}

function unsampled(path: readonly string[], why: string): TypeError {
  const name = path.join(".");
  const part = name === "" ? "the schema" : quote(name);
  const todo =
    name === ""
      ? "Use your own fast-check arbitrary instead"
      : `Pass an arbitrary for it: { given: { ${quote(name)}: fc.… } }`;
  return new TypeError(`arbitraryOf can't generate values for ${part}: ${why.replace(/\.$/, "")}. ${todo}.`);
}

function or(arbitrary: Sampled, alternative: null | undefined): fc.Arbitrary<unknown> {
  return arbitrary === undefined ? fc.constant(alternative) : fc.option(arbitrary, { nil: alternative, freq: 4 });
}

function oneOf(options: readonly Sampled[]): Sampled {
  const present = options.filter((option) => option !== undefined);
  return present.length === 0 ? undefined : fc.oneof(...present);
}

/** Returns a part of a template as text: zod doesn't put objects into one. */
function textOf(value: unknown): string {
  const isText = ["string", "number", "bigint", "boolean"].includes(typeof value) || value === null;
  return isText ? String(value) : "";
}

function isPair(value: unknown): value is [unknown, unknown] {
  return isArray(value) && value.length === 2;
}

/** Generates names that objects don't inherit. */
function keyText(): fc.Arbitrary<string> {
  return fc.string({ minLength: 1, maxLength: 6 }).filter((name) => !(name in {}));
}

/** Generates a list of an element's values; an empty one if there are none, and it may be empty. */
function listArbitrary(
  element: Sampled,
  { def }: SchemaNode,
  unique: boolean | ((item: unknown) => unknown) = false,
): fc.Arbitrary<unknown[]> | undefined {
  const checks = checksOf(def);
  const [exact] = [...numbersOf(checks, "length_equals", "length"), ...numbersOf(checks, "size_equals", "size")];
  const least = [...numbersOf(checks, "min_length", "minimum"), ...numbersOf(checks, "min_size", "minimum")];
  const most = [...numbersOf(checks, "max_length", "maximum"), ...numbersOf(checks, "max_size", "maximum")];
  const minLength = exact ?? Math.max(0, ...least);
  const maxLength = exact ?? Math.max(minLength, Math.min(minLength + USUAL_SIZE, ...most));
  if (element === undefined) return minLength === 0 ? fc.constant([]) : undefined;
  if (unique === false) return fc.array(element, { minLength, maxLength });
  const selector = typeof unique === "function" ? { selector: unique } : {};
  return fc.uniqueArray(element, { minLength, maxLength, comparator: "SameValueZero", ...selector });
}

const numberArbitrary: Kind = ({ def }) => {
  const checks = checksOf(def);
  const formats = checks.filter(({ check }) => check === "number_format").map(({ format }) => String(format));
  const whole = formats.some((format) => format.includes("int"));
  const [step] = numbersOf(checks, "multiple_of", "value");
  const { min, max } = numberBounds(checks, formats);
  if (step !== undefined) return multiples(step, { min, max });
  if (whole) return withEdges(fc.integer({ min: Math.ceil(min), max: Math.floor(max) }), { min, max });
  const single = formats.includes("float32");
  const double = fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
  const exact = single ? double.map((value) => Math.fround(value)) : double;
  const [low, high] = [Math.ceil(Math.max(min, -1e6)), Math.floor(Math.min(max, 1e6))];
  const plain = low <= high ? fc.oneof(fc.integer({ min: low, max: high }), exact) : exact;
  // JSON has no -0.
  return withEdges(
    plain.map((value) => (value === 0 ? 0 : value)),
    { min, max },
  );
};

/** Bounds of a number, both included. */
interface Bounds {
  readonly min: number;
  readonly max: number;
}

/**
 * Adds the edges of a range: bugs are near zero and near the bounds, which a hundred numbers of a great range would
 * miss.
 */
function withEdges(usual: fc.Arbitrary<number>, { min, max }: Bounds): fc.Arbitrary<number> {
  const whole = [Math.ceil(min), Math.floor(max)] as const;
  const nearest = Math.max(whole[0], Math.min(0, whole[1]));
  const small = fc.integer({ min: Math.max(whole[0], nearest - 100), max: Math.min(whole[1], nearest + 100) });
  const edges = [0, 1, -1, ...whole].filter((value) => value >= min && value <= max && Math.abs(value) < MAX_EDGE);
  if (whole[0] > whole[1] || edges.length === 0) return usual;
  return fc.oneof(
    { weight: 3, arbitrary: usual },
    { weight: 2, arbitrary: small },
    { weight: 1, arbitrary: fc.constantFrom(...edges) },
  );
}

/** Bound that is used if the schema has none: very large numbers are still generated now and then. */
const MAX_EDGE = 2 ** 31;

function numberBounds(checks: Parameters<typeof numbersOf>[0], formats: readonly string[]): Bounds {
  const [low, high] = formats.map((format) => RANGES[format]).find((range) => range !== undefined) ??
    RANGES["any"] ?? [0, 0];
  const least = numbersOf(checks, "greater_than", "value");
  const most = numbersOf(checks, "less_than", "value");
  return { min: Math.max(low, ...least), max: Math.min(high, ...most) };
}

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  any: [-Number.MAX_VALUE, Number.MAX_VALUE],
  safeint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  float32: [-3.4028234663852886e38, 3.4028234663852886e38],
};

/** Generates multiples, written with as many digits as their step has. */
function multiples(step: number, { min, max }: Bounds): fc.Arbitrary<number> {
  const digits = (String(step).split(".")[1] ?? "").length;
  const bound = (value: number): number => Math.max(-1e6, Math.min(1e6, value / step));
  return fc
    .integer({ min: Math.ceil(bound(min)), max: Math.floor(bound(max)) })
    .map((count) => Number((count * step).toFixed(digits)) + 0);
}

const bigintArbitrary: Kind = ({ def }) => {
  const checks = checksOf(def);
  const values = (kind: string): bigint[] =>
    checks.filter(({ check }) => check === kind).flatMap(({ value }) => (typeof value === "bigint" ? [value] : []));
  const [min] = values("greater_than");
  const [max] = values("less_than");
  const [step] = values("multiple_of");
  const integers = fc.bigInt({ ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) });
  return step === undefined ? integers : integers.map((value) => (value / step) * step);
};

/** Milliseconds of a span of dates that has no bound. */
const CENTURY = 100 * 365.25 * 86_400_000;

const dateArbitrary: Kind = ({ def }) => {
  const bound = (kind: string): Date | undefined => {
    const value = memberOf(
      checksOf(def).find(({ check }) => check === kind),
      "value",
    );
    return value instanceof Date ? value : undefined;
  };
  const [least, most] = [bound("greater_than"), bound("less_than")];
  const min = least ?? new Date(Math.min(0, most?.getTime() ?? 0));
  const max = most ?? new Date(Math.max(min.getTime(), 0) + CENTURY);
  return fc.date({ min, max, noInvalidDate: true });
};
