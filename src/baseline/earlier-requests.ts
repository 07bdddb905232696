import { jsonOf } from "../kernel/json/canonical-json.ts";
import { hashText, hashValueSync } from "../kernel/json/hash.ts";
import { TAG, isArray, isPlainObject, parsedJson, setOwnField } from "../kernel/json/plain-data.ts";
import { listIn } from "../kernel/json/read-data.ts";
import { parseAdapterCall } from "../record/adapter-call.ts";
import { JsonTexts, textOfJson } from "./json-texts.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Tag of parts of a request that are those of an earlier request of the same adapter: `{ "$t": "earlier" }` is the
 * value at the same path, and in a list `{ "$t": "earlier", "v": 6 }` the next six elements of the list at the same
 * path. With `"v": [2, 6]` they begin at index 2. `{ "$t": "earlier", "response": 1 }` is the response to the call
 * before, and `"request"` its first argument: an agent sends what its tools got and returned.
 * `{ "$t": "earlier", "then": "more" }` is the text at the same path, and more: some agents append to one prompt.
 * `{ "$t": "earlier", "json": {…} }` is a text of JSON, with references to the JSON in the text at the same path. With
 * `"indent": 2` the text has indents. User data can't have the tag: `encode` escapes its own tags.
 */
const EARLIER = "earlier";
/** End of the message on a reference to data that the file lacks. */
const MISSING = "which isn't in the file";
/** Fields of a reference to a call of any adapter: the number of calls back. */
const CALL_PARTS = ["response", "request"] as const;
/** Field of a call: number of its adapter's calls back to the one that its request refers to. Default 1. */
const BACK = "earlier";
/** Characters of JSON from which a part is written as a reference. */
const MIN_PART = 100;
/** Characters of JSON that the references of a file must save: short requests are easier to read in full. */
const MIN_SAVED = 2000;
/** Earlier calls that a request is compared with. */
const MAX_BASES = 4;
/** Characters of all requests in full, beyond which a file is refused. */
const MAX_EXPANDED = 2 ** 28;

/**
 * Returns the fields of a step's file with the parts of requests that repeat earlier ones as references, and one hash
 * of all calls: an agent sends its complete conversation in each request. Returns the same fields if that saves little.
 */
export function withReferences(fields: Fields): Fields {
  const { calls, artifacts } = fields;
  if (!isArray(calls) || !isArray(artifacts) || calls.length < 2) return fields;
  const hashes = artifacts.filter(isCallArtifact).map(({ hash }) => hash);
  const referring = new References().shorten(calls);
  if (referring === undefined || hashes.length !== calls.length) return fields;
  const entries = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (name === "calls")
      return [
        [name, referring],
        ["callsHash", hashOf(hashes)],
      ];
    return name === "artifacts" ? [[name, artifacts.filter((each) => !isCallArtifact(each))]] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the fields of a file with each request in full and the hash of each call: those that `withReferences` got.
 * Returns the same fields if there are no references. Throws a TypeError for a reference to nothing.
 */
export function withoutReferences(fields: Fields): Fields {
  const { calls, callsHash, artifacts } = fields;
  if (typeof callsHash !== "string" || !isArray(calls) || !isArray(artifacts)) return fields;
  const complete = completeCalls(calls);
  const hashes = complete.map((call) => {
    const parsed = parseAdapterCall(call);
    return typeof parsed === "string" ? "" : hashValueSync(parsed);
  });
  // If a call was edited, no hash fits its content.
  const isSound = hashOf(hashes) === callsHash;
  const own = artifacts.findIndex((artifact) => isPlainObject(artifact) && artifact["kind"] === "step-output");
  const made = hashes.map((hash) => ({ hash: isSound ? hash : callsHash, kind: CALL }));
  const { callsHash: _hash, ...rest } = fields;
  return { ...rest, calls: complete, artifacts: artifacts.toSpliced(own === -1 ? artifacts.length : own, 0, ...made) };
}

const CALL = "adapter-call";

function isCallArtifact(artifact: unknown): artifact is Fields {
  return isPlainObject(artifact) && artifact["kind"] === CALL;
}

function hashOf(hashes: readonly unknown[]): string {
  return hashText(hashes.join("\n"));
}

/** Requests of a file as references to earlier ones. */
class References {
  readonly #texts = new WeakMap<object, string>();
  /** Parts of earlier calls by their text: the index of the last one that has it. */
  readonly #parts = new Map<string, { readonly index: number; readonly part: (typeof CALL_PARTS)[number] }>();
  readonly #jsons = new JsonTexts();
  #index = 0;
  #saved = 0;

  /** Returns the calls with references; undefined if these save little. */
  shorten(calls: readonly unknown[]): readonly unknown[] | undefined {
    const adapters = new Map<unknown, AdapterRequests>();
    let total = 0;
    const shortened = calls.map((call, index) => {
      if (!isPlainObject(call)) return call;
      const { adapter, request } = call;
      this.#index = index;
      const known = adapters.get(adapter) ?? new AdapterRequests((value) => this.#textOf(value));
      adapters.set(adapter, known);
      let [best, back, saved] = [request, 0, 0];
      for (const base of known.candidates(request)) {
        this.#saved = 0;
        const value = this.#arguments(request, known.requests[base]);
        if (this.#saved > saved) [best, back, saved] = [value, known.requests.length - base, this.#saved];
      }
      known.add(request);
      for (const part of CALL_PARTS) this.#parts.set(this.#textOf(partOf(call, part)), { index, part });
      total += saved;
      if (back === 0) return call;
      const fields = { ...call, request: best, ...(back > 1 && { [BACK]: back }) };
      return Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    });
    return total < MIN_SAVED ? undefined : shortened;
  }

  /** Arguments by position: their list doesn't grow. */
  #arguments(request: unknown, base: unknown): unknown {
    return listIn(request).map((value, index) => this.#part(value, listIn(base)[index]));
  }

  #part(value: unknown, base: unknown): unknown {
    const text = this.#textOf(value);
    if (text.length < MIN_PART) return value;
    const known = base !== undefined && text === this.#textOf(base) ? {} : this.#partOfCall(text);
    if (known !== undefined) {
      this.#saved += text.length;
      return { [TAG]: EARLIER, ...known };
    }
    if (isArray(value)) return this.#elements(value, listIn(base));
    if (typeof value === "string") return this.#inJson(value, base) ?? this.#appended(value, base);
    if (!isPlainObject(value)) return value;
    const fields: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(value))
      setOwnField(fields, name, this.#part(field, fieldOf(base, name)));
    return fields;
  }

  /** Returns the reference of a text of JSON; undefined if it has no earlier part, or if it can't be restored. */
  #inJson(text: string, base: unknown): unknown {
    const [value, earlier] = [text, base].map((each) => this.#jsons.contentOf(each));
    if (value === undefined || earlier === undefined) return undefined;
    const saved = this.#saved;
    const json = this.#part(value.json, earlier.json);
    return this.#saved === saved ? undefined : { [TAG]: EARLIER, ...value, json };
  }

  #appended(text: string, base: unknown): unknown {
    if (typeof base !== "string" || base.length < MIN_PART || !text.startsWith(base)) return text;
    this.#saved += base.length;
    return { [TAG]: EARLIER, then: text.slice(base.length) };
  }

  #partOfCall(text: string): Readonly<Record<string, number>> | undefined {
    const known = this.#parts.get(text);
    return known && { [known.part]: this.#index - known.index };
  }

  #elements(value: readonly unknown[], base: readonly unknown[]): unknown {
    const elements: unknown[] = [];
    let next = 0;
    const texts = (list: readonly unknown[]): readonly string[] => list.map((item) => this.#textOf(item));
    for (const run of runsOf(texts(value), texts(base))) {
      if (run.from === undefined || run.size < MIN_PART)
        elements.push(...value.slice(run.start, run.start + run.count).map((item) => this.#part(item, undefined)));
      else {
        this.#saved += run.size;
        elements.push({ [TAG]: EARLIER, v: run.from === next ? run.count : [run.from, run.count] });
        next = run.from + run.count;
      }
    }
    return elements;
  }

  #textOf(value: unknown): string {
    if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    this.#texts.set(value, text);
    return text;
  }
}

/** Consecutive elements of a list: those from index `from` of the earlier one, or new ones. */
interface Run {
  readonly start: number;
  readonly from: number | undefined;
  count: number;
  size: number;
}

/** Splits a list into elements of an earlier one, each used once and in its order, and new ones. */
function runsOf(texts: readonly string[], base: readonly string[]): Run[] {
  const indexes = Map.groupBy(base.keys(), (index) => base[index] ?? "");
  const runs: Run[] = [];
  let next = 0;
  for (const [start, text] of texts.entries()) {
    const from = base[next] === text ? next : indexes.get(text)?.find((index) => index >= next);
    const last = runs.at(-1);
    const follows = last !== undefined && (from === undefined ? undefined : from - last.count) === last.from;
    if (follows) {
      last.count += 1;
      last.size += text.length;
    } else runs.push({ start, from, count: 1, size: text.length });
    if (from !== undefined) next = from + 1;
  }
  return runs;
}

/** Requests of one adapter, and the last one that has each long part. */
class AdapterRequests {
  readonly requests: unknown[] = [];
  readonly #last = new Map<string, number>();
  readonly #textOf: (value: unknown) => string;

  constructor(textOf: (value: unknown) => string) {
    this.#textOf = textOf;
  }

  add(request: unknown): void {
    for (const text of this.#parts(request)) this.#last.set(text, this.requests.length);
    this.requests.push(request);
  }

  /** Indexes of the requests with most in common with this one: the newest, and those that have most of its parts. */
  candidates(request: unknown): readonly number[] {
    if (this.requests.length === 0) return [];
    const shared = new Map<number, number>([[this.requests.length - 1, 0]]);
    for (const text of this.#parts(request)) {
      const index = this.#last.get(text);
      if (index !== undefined) shared.set(index, (shared.get(index) ?? 0) + text.length);
    }
    return [...shared]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, MAX_BASES)
      .map(([index]) => index);
  }

  /** Texts of the long parts of a request: strings, and elements of lists. */
  *#parts(value: unknown, depth: number = 0): Generator<string> {
    if (isPlainObject(value)) for (const field of Object.values(value)) yield* this.#parts(field, depth + 1);
    else if (isArray(value) && depth === 0) for (const argument of value) yield* this.#parts(argument, 1);
    else
      for (const part of isArray(value) ? value : [value]) {
        const text = typeof part === "number" ? "" : this.#textOf(part);
        if (text.length >= MIN_PART) yield text;
      }
  }
}

/** Calls with each request in full. The parts that requests have in common are the same objects. */
function completeCalls(calls: readonly unknown[]): readonly unknown[] {
  const all: unknown[] = [];
  const requests = new Map<unknown, unknown[]>();
  const sizes = new WeakMap<object, number>();
  let total = 0;
  for (const call of calls) {
    if (!isPlainObject(call)) {
      all.push(call);
      continue;
    }
    const { [BACK]: back = 1, request, ...rest } = call;
    const known = requests.get(call["adapter"]) ?? [];
    requests.set(call["adapter"], known);
    const base = listIn(typeof back === "number" ? known.at(-back) : undefined);
    const complete = listIn(request).map((value, index) => completed(value, base[index], all));
    total += sizeOf(complete, sizes);
    if (total > MAX_EXPANDED) throw new TypeError(`requests are longer than ${MAX_EXPANDED} characters in full`);
    known.push(complete);
    all.push({ ...rest, request: complete });
  }
  return all;
}

function completed(value: unknown, base: unknown, calls: readonly unknown[]): unknown {
  if (isArray(value)) return completedList(value, listIn(base), calls);
  if (!isPlainObject(value)) return value;
  if (value[TAG] === EARLIER) {
    const part = CALL_PARTS.find((name) => name in value);
    if (part !== undefined) return completePart(part, value[part], calls);
    if ("json" in value) {
      const earlier = typeof base === "string" ? parsedJson(base) : undefined;
      return textOfJson(completed(value["json"], earlier, calls), value["indent"]);
    }
    const { then = "" } = value;
    if (base === undefined || (then !== "" && (typeof base !== "string" || typeof then !== "string")))
      throw new TypeError(`a request reuses part of an earlier request, ${MISSING}`);
    return typeof base === "string" && typeof then === "string" ? base + then : base;
  }
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value))
    setOwnField(fields, name, completed(field, fieldOf(base, name), calls));
  return fields;
}

function completePart(part: (typeof CALL_PARTS)[number], back: unknown, calls: readonly unknown[]): unknown {
  const complete = isIndex(back) && back > 0 ? partOf(calls.at(-back), part) : undefined;
  if (complete === undefined) throw new TypeError(`a request reuses the ${part} of an earlier call, ${MISSING}`);
  return complete;
}

/** The response to a call, its keys in the order of requests, or its first argument. */
function partOf(call: unknown, part: (typeof CALL_PARTS)[number]): unknown {
  const value = fieldOf(call, part);
  return part === "response" && value !== undefined ? jsonOf(value) : listIn(value)[0];
}

function completedList(value: readonly unknown[], base: readonly unknown[], calls: readonly unknown[]): unknown[] {
  let next = 0;
  return value.flatMap((element) => {
    if (!isPlainObject(element) || element[TAG] !== EARLIER || CALL_PARTS.some((name) => name in element))
      return [completed(element, undefined, calls)];
    const { v } = element;
    const [from, count]: readonly unknown[] = isArray(v) ? v : [next, v];
    // Each element once and in order: otherwise lists could double from request to request.
    if (!isIndex(from) || !isIndex(count) || from < next || from + count > base.length)
      throw new TypeError("a request reuses list items of an earlier request that aren't in it");
    next = from + count;
    return base.slice(from, next);
  });
}

function fieldOf(value: unknown, name: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Characters of a value as JSON, roughly. */
function sizeOf(value: unknown, sizes: WeakMap<object, number>): number {
  if (typeof value !== "object" || value === null) return String(value).length;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 2;
  for (const [name, part] of Object.entries(value)) size += name.length + sizeOf(part, sizes);
  sizes.set(value, size);
  return size;
}
