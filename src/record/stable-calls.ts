import { TAG, isArray, isPlainObject, parsedJson, setOwnField } from "../kernel/json/plain-data.ts";
import type { AdapterCall } from "./adapter-call.ts";
import { tagged } from "./encode/tagged.ts";
import { PartSearch } from "../redact/part-search.ts";
import { isModelCall } from "./model-call.ts";
import { changeCalls } from "./redact-calls.ts";
import { REQUEST_ID, isHeaderPair } from "./response-headers.ts";
import { stableResponses } from "./stable-responses.ts";
import { type FieldPath, varyingPaths } from "./varying-fields.ts";

/**
 * Replaces values that vary from response to response and have no meaning by placeholders: ids, times and fingerprints
 * of models (`varying-fields.ts`). An id gets the same placeholder in every string that equals it, so that a request
 * that names a tool's call still matches it. Values in `made` (the text of what the step made of the responses), ids
 * within a longer text of a request, and ids of requests that a call of a tool sends back, are read by the step and
 * stay. Applying this twice has the same result.
 * Failed attempts that `recorded` has too stay.
 */
export function stableCalls(
  received: readonly AdapterCall[],
  made: () => string,
  recorded: readonly AdapterCall[] = [],
): readonly AdapterCall[] {
  let text: string | undefined;
  const output = (): string => (text ??= made());
  const calls = stableResponses(received, output, recorded);
  const varying = new VaryingValues();
  for (const { response, error } of calls) {
    varying.search(response);
    varying.search(error);
  }
  if (varying.isEmpty()) return calls;
  const read = readValues(varying.values(), output(), textsIn(calls.map(({ request }) => request)));
  if (varying.requestIds.size > 0)
    for (const sent of textsIn(calls.filter(isToolCall).map(({ request }) => request)))
      if (varying.requestIds.has(sent)) read.add(sent);
  const steady = new Steady(varying, read);
  return changeCalls(calls, {
    request: (_adapter, request) => steady.request(request),
    outcome: ({ response, error }) => ({
      ...(response !== undefined && { response: steady.response(response) }),
      ...(error !== undefined && { error: steady.response(error) }),
    }),
  });
}

function isToolCall(call: AdapterCall): boolean {
  return call.role !== "model" && !isModelCall(call);
}

type Fields = Readonly<Record<string, unknown>>;

/** Shorter ids are likely to be other words. */
const SHORTEST = 6;
const DIGITS = 6;
const SIGNATURE_DIGITS = 7;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PREFIX = /^[A-Za-z]+[-_]/;
/** Seconds: 2001. Smaller numbers are made up, and as likely to stand for something else. */
const FIRST_TIME = 1_000_000_000;
const EPOCH = "1970-01-01T00:00:00.000Z";
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Returns the values that are in the output, or inside a longer text of a request. */
function readValues(values: Iterable<string>, output: string, requests: readonly string[]): Set<string> {
  // Each event of a stream may have another value: each text is searched once for all of them.
  const search = new PartSearch(values);
  const inRequests = requests.flatMap((text) => [...search.partsIn(text)].filter((value) => value !== text));
  return new Set([...search.partsIn(output), ...inRequests]);
}

/** Varying values of responses, in order of appearance. */
class VaryingValues {
  readonly ids = new Set<string>();
  readonly signatures = new Set<string>();
  readonly requestIds = new Set<string>();
  readonly times = new Set<string | number>();

  isEmpty(): boolean {
    return this.ids.size + this.times.size === 0;
  }

  values(): ReadonlySet<string> {
    return new Set([...this.ids, ...Array.from(this.times, String)]);
  }

  search(value: unknown): void {
    if (typeof value === "string") for (const event of eventsIn(value)) this.search(event);
    if (isArray(value)) for (const item of value) this.search(item);
    if (!isPlainObject(value)) return;
    for (const { ids, signatures, requestIds, times } of varyingPaths(value)) {
      this.#add(valuesAt(value, ids));
      this.#add(valuesAt(value, signatures), this.signatures);
      this.#add(valuesAt(value, requestIds), this.requestIds);
      for (const time of valuesAt(value, times)) if (isTime(time)) this.times.add(time);
    }
    const pairs = value[TAG] === "headers" && isArray(value["v"]) ? value["v"].filter(isHeaderPair) : [];
    for (const [name, id] of pairs) if (REQUEST_ID.test(name) && id.length >= SHORTEST) this.ids.add(id);
    for (const item of Object.values(value)) this.search(item);
    // A JSON body that is kept as text.
    if (typeof value["text"] === "string" && isJsonText(value["text"])) this.search(parsedJson(value["text"]));
  }

  #add(values: readonly unknown[], kind?: Set<string>): void {
    for (const value of values)
      if (typeof value === "string" && value.length >= SHORTEST) {
        this.ids.add(value);
        kind?.add(value);
      }
  }
}

function isTime(value: unknown): value is string | number {
  return (typeof value === "number" && value >= FIRST_TIME) || (typeof value === "string" && ISO_TIME.test(value));
}

/** Puts placeholders in place of varying values. */
class Steady {
  readonly #ids = new Map<string, string>();
  /** The ids and their placeholders as JSON writes them. */
  readonly #quoted: ReadonlyMap<string, string>;
  readonly #times: ReadonlySet<string | number>;
  readonly #inTimes: RegExp | undefined;

  constructor({ ids, signatures, times }: VaryingValues, read: ReadonlySet<string>) {
    const counts = new Map<string, number>();
    for (const id of ids) {
      const prefix = UUID.test(id) ? "uuid" : (PREFIX.exec(id)?.[0] ?? "");
      // A signature begins with any letters.
      const kind = signatures.has(id) ? "signature" : prefix;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      if (!read.has(id)) this.#ids.set(id, placeholder(kind, count));
    }
    this.#quoted = new Map(Array.from(this.#ids, ([id, steady]) => [JSON.stringify(id), JSON.stringify(steady)]));
    this.#times = new Set([...times].filter((time) => !read.has(String(time))));
    const numbers = [...this.#times].filter((time) => typeof time === "number");
    if (numbers.length > 0) this.#inTimes = new RegExp(`("created(?:_at)?":\\s*)(?:${numbers.join("|")})\\b`, "g");
  }

  /** Replaces each id that is a complete string or a name: LangChain has maps by the id of a call. */
  request(value: unknown): unknown {
    return changed(value, (text) => this.#ids.get(text) ?? text);
  }

  /** The same, with ids in the events of a stream's text, and without times. */
  response(value: unknown): unknown {
    return changed(
      value,
      (text) => this.#ids.get(text) ?? (isEventText(text) || isJsonText(text) ? this.#inEvents(text) : text),
      (fields) => this.#timeless(fields),
    );
  }

  #timeless(fields: Fields): Fields {
    const times = varyingPaths(fields).flatMap((preset) => preset.times);
    return times.reduce<Fields>((kept, path) => replacedAt(kept, path, this.#times), fields);
  }

  /** As they are written: not one more blank changes. */
  #inEvents(text: string): string {
    const named = withQuoted(text, this.#quoted);
    return this.#inTimes === undefined ? named : named.replaceAll(this.#inTimes, "$10");
  }
}

/** A text in which texts in quotes are replaced. It may begin inside of one, so each quote counts as a first one. */
function withQuoted(text: string, replacements: ReadonlyMap<string, string>): string {
  if (replacements.size === 0) return text;
  let replaced = "";
  let from = 0;
  for (let open = text.indexOf('"'), close = endOfQuoted(text, open); close > open; close = endOfQuoted(text, open)) {
    const replacement = close - open > SHORTEST ? replacements.get(text.slice(open, close + 1)) : undefined;
    if (replacement === undefined) open = close;
    else {
      replaced += text.slice(from, open) + replacement;
      from = close + 1;
      open = text.indexOf('"', from);
      if (open === -1) break;
    }
  }
  return from === 0 ? text : replaced + text.slice(from);
}

/** Index of the next quote that isn't escaped; -1 without one. */
function endOfQuoted(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close > 0 && text[close - 1] === "\\") close = text.indexOf('"', close + 1);
  return close;
}

function placeholder(kind: string, count: number): string {
  const digits = String(count).padStart(DIGITS, "0");
  // Also base64, because a signature may be of bytes: they are decoded, and encoded again in the next request.
  if (kind === "signature") return `signature${digits.padStart(SIGNATURE_DIGITS, "0")}`;
  return kind === "uuid" ? `00000000-0000-4000-8000-${digits.padStart(12, "0")}` : `${kind}${digits}`;
}

/** A copy with every text and name changed, and every object before its fields. */
function changed(
  value: unknown,
  text: (text: string) => string,
  fields: (fields: Fields) => Fields = (same) => same,
): unknown {
  if (typeof value === "string") return text(value);
  if (isArray(value)) return value.map((item) => changed(item, text, fields));
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(fields(value))) setOwnField(copy, text(name), changed(item, text, fields));
  return copy;
}

/** The values at paths, of every element if one goes through a list; of a date its text, of bytes their base64. */
function valuesAt(value: unknown, paths: readonly FieldPath[]): readonly unknown[] {
  const values: unknown[] = [];
  for (const path of paths) collectAt(value, { path, depth: 0, values });
  return values;
}

interface Collected {
  readonly path: FieldPath;
  /** Number of names of the path that lead to the value. */
  readonly depth: number;
  readonly values: unknown[];
}

function collectAt(value: unknown, { path, depth, values }: Collected): void {
  const step = path[depth];
  if (step === undefined) {
    values.push(untagged(value));
    return;
  }
  if (!isPlainObject(value)) return;
  const inner = { path, depth: depth + 1, values };
  const isList = step.endsWith("[]");
  const name = isList ? step.slice(0, -2) : step;
  if (step === "*") for (const item of Object.values(value)) collectAt(item, inner);
  else if (Object.hasOwn(value, name)) {
    const item = value[name];
    if (!isList) collectAt(item, inner);
    else if (isArray(item)) for (const element of item) collectAt(element, inner);
  }
}

function untagged(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  const { [TAG]: tag, v: content } = value;
  if (tag === "bytes" && isPlainObject(content)) return content["base64"];
  return tag === "date" ? content : value;
}

/** A copy with the time at a path, which goes through no list, put back to the beginning of time. */
function replacedAt(fields: Fields, [name = "", ...rest]: FieldPath, times: ReadonlySet<unknown>): Fields {
  if (!Object.hasOwn(fields, name)) return fields;
  const inner = fields[name];
  if (rest.length > 0) return isPlainObject(inner) ? { ...fields, [name]: replacedAt(inner, rest, times) } : fields;
  const time = untagged(inner);
  if (!times.has(time)) return fields;
  const beginning = typeof time === "number" ? 0 : EPOCH;
  return { ...fields, [name]: time === inner ? beginning : tagged("date", beginning) };
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (isArray(value)) return value.flatMap(textsIn);
  return isPlainObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function isJsonText(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

function isEventText(text: string): boolean {
  return text.startsWith("data:") || text.includes("\ndata:");
}

/** The complete events in a piece of an event stream's text. */
function eventsIn(text: string): readonly unknown[] {
  if (!isEventText(text)) return [];
  // The end of the stream, and the rest of an event that began in another piece, aren't JSON.
  return text
    .split("\n")
    .map((line) => (line.startsWith("data:") ? parsedJson(line.slice("data:".length)) : undefined));
}
