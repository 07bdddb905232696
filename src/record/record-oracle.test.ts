import { isDeepStrictEqual, types } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatPath } from "../kernel/text.ts";
import { hashValueSync } from "../kernel/json/hash.ts";
import { isPlainObject, setOwnField, withArticle } from "../kernel/json/plain-data.ts";
import { anyText, propertyName } from "../../test-support/arbitraries.ts";
import { createRedactor } from "../redact/create-redactor.ts";
import { PLANTED_SECRETS } from "../../test-support/planted-secrets.ts";
import { isAdapterProxy } from "./proxy/mirror.ts";
import { type EncodeOptions, encode } from "./encode/encode.ts";
import { classTag, encodeBuiltin, isErrorObject } from "./encode/builtins.ts";
import { encodeError } from "./encode/errors.ts";
import { instanceMembers } from "./encode/members.ts";
import { recordAdapters } from "./proxy/record-adapters.ts";
import { recordingRules } from "./recording-rules.ts";
import { tagged } from "./encode/tagged.ts";
import { messageOf } from "../kernel/error-message.ts";
import { runCount } from "../../test-support/run-count.ts";

/** Where a value stands: all that the plain encoder knows of it is handed down, and nothing is shared. */
interface Place {
  readonly opaque?: EncodeOptions["opaque"];
  readonly methods?: EncodeOptions["methods"] | undefined;
  readonly details?: EncodeOptions["details"];
  readonly path: readonly (string | number)[];
  readonly above: ReadonlySet<object>;
}

/** Encodes as plainly as it can be: the judge of the encoder, which keeps one path and one list of what is above. */
function plainEncode(value: unknown, options: EncodeOptions): unknown {
  return present(plain(value, { ...options, path: [], above: new Set() }));
}

function plain(value: unknown, at: Place): unknown {
  if (typeof value === "bigint") return tagged("bigint", String(value));
  if (typeof value === "number") return plainNumber(value);
  if (typeof value === "function" && at.methods !== undefined && at.path.length > 0)
    return tagged("omitted", "function");
  if (typeof value === "function" || typeof value === "symbol") return leftOut(typeof value, at);
  return typeof value === "object" && value !== null ? plainObject(value, at) : value;
}

function plainNumber(value: number): unknown {
  if (Number.isNaN(value)) return tagged("nan");
  if (!Number.isFinite(value)) return tagged(value > 0 ? "infinity" : "-infinity");
  return Object.is(value, -0) ? tagged("-0") : value;
}

function plainObject(value: object, at: Place): unknown {
  if (isAdapterProxy(value)) return leftOut("adapter", at);
  const isPlain = Array.isArray(value) || isPlainObject(value);
  const builtin = isPlain ? undefined : encodeBuiltin(value);
  if (builtin !== undefined) return builtin;
  if (at.above.has(value)) return leftOut("cycle", at);
  if (at.above.size >= 500)
    throw new TypeError("cannot record a value nested deeper than 500 levels. Flatten it, or turn it into a string");
  const within = { ...at, above: new Set([...at.above, value]) };
  if (types.isMap(value)) return tagged("map", plainItems([...value], within));
  if (types.isSet(value)) return tagged("set", plainItems([...value], within));
  if (!isPlain && isErrorObject(value))
    return tagged(
      "error",
      encodeError(value, {
        child: (item, key) => plain(item, below({ ...within, opaque: "omit" }, key)),
        getters: [],
      }),
    );
  if (types.isBoxedPrimitive(value)) return plain(value.valueOf(), within);
  return plainView(value, within);
}

function plainView(value: object, at: Place): unknown {
  const toJson: unknown = Reflect.get(value, "toJSON");
  const view: unknown =
    typeof toJson === "function" ? Reflect.apply(toJson, value, [String(at.path.at(-1) ?? "")]) : value;
  if (typeof view !== "object" || view === null) return plain(view, at);
  const encodesItself =
    types.isMap(view) || types.isSet(view) || isErrorObject(view) || encodeBuiltin(view) !== undefined;
  return view !== value && encodesItself ? plain(view, at) : plainStructure(view, at);
}

function plainStructure(value: object, at: Place): unknown {
  if (Array.isArray(value)) return plainItems(value, at);
  const isOwn = isPlainObject(value) || Symbol.iterator in value || Symbol.asyncIterator in value || "then" in value;
  const members = at.methods === undefined || isOwn ? undefined : instanceMembers(value);
  if (Object.keys(value).length === 0 && classTag(value) !== "Object" && members === undefined)
    return leftOut(classTag(value), at);
  const isNamed = at.details === true && (value instanceof Answer || value instanceof Hidden);
  const details = isNamed ? { $instanceOf: value instanceof Answer ? "Answer" : "Hidden" } : {};
  const fields = { ...details, ...plainFields(Object.entries(value), at) };
  if (members === undefined) return Object.hasOwn(fields, "$t") ? tagged("escaped", fields) : fields;
  const read = [...members.getters].map(([name, get]) => [name, get()] as const);
  const kept = read.filter(([, item]) => typeof item !== "function" && !types.isPromise(item));
  const isApart = at.methods === "apart" && at.path.length === 0;
  const getters = isApart
    ? read.map(([name]) => name).toSorted()
    : plainFields(kept, { ...at, opaque: "omit", methods: undefined });
  const { methods } = members;
  return tagged("instance", {
    fields,
    ...(Object.keys(getters).length > 0 && { getters }),
    ...(methods.length > 0 && { methods }),
  });
}

function plainFields(entries: readonly (readonly [string, unknown])[], at: Place): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, item] of entries) {
    const encoded = plain(item, below(at, name));
    if (encoded !== undefined) setOwnField(fields, name, encoded);
  }
  return fields;
}

function plainItems(items: readonly unknown[], at: Place): unknown[] {
  return Array.from(items, (item, index) => present(plain(item, below(at, index))));
}

function below(at: Place, key: string | number): Place {
  return { ...at, path: [...at.path, key] };
}

function leftOut(name: string, { opaque, path }: Place): unknown {
  if (opaque === "omit") return tagged("omitted", name);
  throw new TypeError(`cannot record ${withArticle(name)}${path.length === 0 ? "" : ` at "${formatPath(path)}"`}`);
}

function present(encoded: unknown): unknown {
  return encoded === undefined ? tagged("undefined") : encoded;
}

class Answer {
  readonly value: unknown;
  readonly #hidden = 1;
  constructor(value: unknown) {
    this.value = value;
  }
  get doubled(): unknown {
    return [this.value, this.value];
  }
  get broken(): unknown {
    throw new Error("no");
  }
  method(): number {
    return this.#hidden;
  }
}

class Hidden {
  readonly #state = 1;
  static of(hidden: Hidden): number {
    return hidden.#state;
  }
}

/** Fields nested so deep, around the depth that is refused. */
function nested(value: unknown, depth: number): unknown {
  return depth === 0 ? value : { a: nested(value, depth - 1) };
}

function cyclic(value: unknown): unknown {
  const ring: Record<string, unknown> = { value };
  ring["again"] = [ring, { ring }];
  return ring;
}

const secret = fc.constantFrom(...PLANTED_SECRETS.map(({ text }) => text));
const name = fc.oneof(
  fc.constantFrom("$t", "v", "__proto__", "apiKey", "authorization", "name", "value", "0"),
  propertyName(),
  secret,
);
const leaf = fc.oneof(
  anyText(),
  secret.map((text) => `with ${text}!`),
  fc.double(),
  fc.bigInt(),
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    NaN,
    -0,
    Infinity,
    -Infinity,
    Symbol("s"),
    () => 1,
    4_111_111_111_111_111,
    4_111_111_111_111_111n,
  ),
  fc.constantFrom<unknown>(
    /a"b/giu,
    new URL("https://user:pass@example.org/a?token=abcdefgh12345678"),
    Object("boxed"),
    Object(1n),
    new Hidden(),
  ),
  fc.constantFrom<unknown>(
    new Float32Array([1, NaN]),
    new Uint8Array([1]).buffer,
    Object.create(null),
    recordAdapters({ a: 1 }).adapters,
    AbortSignal.abort(),
  ),
  fc.date({ noInvalidDate: false }),
  fc.uint8Array({ maxLength: 4 }),
  secret.map((text) => Buffer.from(text)),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.sparseArray(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: false }),
    fc.array(fc.tuple(fc.oneof(name, tie("value")), tie("value")), { maxLength: 2 }).map((pairs) => new Map(pairs)),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => new Set(items)),
    tie("value").map((shared) => ({ b: shared, a: [shared, { shared }] })),
    tie("value").map((answer) => ({ hidden: 1n, toJSON: () => answer })),
    tie("value").map((kept) => ({
      toJSON: 1,
      get read() {
        return kept;
      },
      method: () => kept,
    })),
    fc
      .tuple(secret, tie("value"))
      .map(([text, cause]) => Object.assign(new RangeError(text, { cause }), { code: text, data: cause })),
    fc.array(tie("value"), { maxLength: 2 }).map((errors) => new AggregateError(errors, "several")),
    tie("value").map((held) => new Answer(held)),
    tie("value").map(cyclic),
  ),
}));
const deepValue = fc.tuple(leaf, fc.integer({ min: 497, max: 502 })).map(([value, depth]) => nested(value, depth));

/** What encoding gives, or the message with which it refuses. */
function outcomeOf(encodeIt: () => unknown): unknown {
  try {
    return { encoded: encodeIt() };
  } catch (error) {
    return { refused: messageOf(error) };
  }
}

test("encodes like the plain encoder, with the same errors", () => {
  const options = fc.record({
    opaque: fc.constantFrom("refuse" as const, "omit" as const),
    methods: fc.constantFrom(undefined, "keep" as const, "apart" as const),
  });
  fc.assert(
    fc.property(
      fc.oneof({ arbitrary: anyValue, weight: 99 }, { arbitrary: deepValue, weight: 1 }),
      options,
      (value, { opaque, methods }) => {
        const chosen = { opaque, ...(methods !== undefined && { methods }) };
        const [ours, judge] = [encode, plainEncode].map((encoder) => outcomeOf(() => encoder(value, chosen)));
        expect(JSON.stringify(ours)).toBe(JSON.stringify(judge));
        expect(isDeepStrictEqual(ours, judge)).toBe(true);
      },
    ),
    { numRuns: runCount(10_000) },
  );
});

const redactor = createRedactor({ values: [{ name: "DB_PASSWORD", value: "p@ss/word1234" }] });

/** A call's argument and what it is answered with. */
const exchange = fc.record({
  argument: fc.oneof(anyValue, fc.constantFrom("a", "p@ss/word1234")),
  form: fc.constantFrom("value" as const, "promise" as const, "throws" as const, "rejects" as const),
  // In a list, so that no answer is itself a promise, a stream or an object with methods.
  answer: fc.oneof(
    anyValue.map((value) => [value]),
    anyText(),
    secret,
  ),
});
type Exchange = typeof exchange extends fc.Arbitrary<infer E> ? E : never;

/** The calls that are to be written down, by the plain encoder, one pass for each thing. */
function expectedCalls(exchanges: readonly Exchange[]): readonly unknown[] {
  const rules = recordingRules({ redact: redactor });
  const seen: string[] = [];
  return exchanges.flatMap(({ argument, form, answer }) => {
    const encoded = plainEncode([argument], { opaque: "omit", details: true });
    // An argument at the end that is undefined is left out.
    const request = isDeepStrictEqual(encoded, [{ $t: "undefined" }]) ? [] : redactor.redact(encoded).value;
    const hash = hashValueSync(["llm.complete", request]);
    const occurrence = seen.filter((before) => before === hash).length;
    seen.push(hash);
    const fails = form === "throws" || form === "rejects";
    const outcome = outcomeOf(() =>
      fails
        ? { error: rules.error("llm.complete", plainEncode(answer, { opaque: "omit" })) }
        : { response: rules.response("llm.complete", plainEncode(answer, { methods: "apart" })) },
    );
    const returns = form === "promise" || form === "rejects" ? "promise" : "value";
    return "encoded" in Object(outcome)
      ? [{ adapter: "llm.complete", request, occurrence, returns, ...Object(outcome).encoded }]
      : [];
  });
}

test("writes the same bytes as the plain encoder, the redactor and a count of hashes", { tags: "deep" }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(exchange, { minLength: 1, maxLength: 6 }), async (exchanges) => {
      let asked = 0;
      const complete = (_argument: unknown): unknown => {
        const { form, answer }: { readonly form?: Exchange["form"]; readonly answer?: unknown } =
          exchanges[asked] ?? {};
        asked += 1;
        if (form === "throws") throw answer;
        if (form === "rejects") return Promise.reject(answer);
        return form === "promise" ? Promise.resolve(answer) : answer;
      };
      const recorder = recordAdapters({ llm: { complete } }, { redact: redactor });
      for (const { argument } of exchanges) {
        try {
          await recorder.adapters.llm.complete(argument);
        } catch {
          // What the adapter threw; it is in the recording.
        }
      }
      const expected = expectedCalls(exchanges);
      expect(JSON.stringify(recorder.calls())).toBe(JSON.stringify(expected));
      expect(recorder.problems().length).toBe(exchanges.length - expected.length);
    }),
    { numRuns: runCount(1500) },
  );
});
