import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { listIn, recordsIn } from "../../kernel/json/read-data.ts";
import { textField } from "./turns.ts";

/** A span of OpenTelemetry, whichever exporter wrote it. */
export interface RawSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  /** Unix time in milliseconds. */
  readonly start: number;
  readonly attributes: ReadonlyMap<string, unknown>;
  readonly events: readonly { readonly name: string; readonly attributes: ReadonlyMap<string, unknown> }[];
  /** Error of the span; undefined if it succeeded. */
  readonly error: string | undefined;
  /** True for a log record of an event, which is one part of a span. */
  readonly isEvent: boolean;
  /** True for a log record, whose time isn't the start of the span that it is written in. */
  readonly isLog: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a log record's time, best first: a record whose time isn't known has the time at which it was observed. */
const LOG_TIMES = [
  "timeUnixNano",
  "time_unix_nano",
  "observedTimeUnixNano",
  "observed_time_unix_nano",
  "observedTimestamp",
  "observed_timestamp",
];
/** Fields of the time of a span or a log record, best first. An exporter may write an unknown time as 0. */
const TIMES = ["startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time", "timestamp", ...LOG_TIMES];

/** Status of a failed span, as a number and as the enumeration's name. */
const FAILED = new Set<unknown>([2, "STATUS_CODE_ERROR", "Error", "ERROR"]);

/**
 * Reads a span as OTLP writes it in JSON, or as the exporters of OpenTelemetry for JavaScript print it, or a log
 * record of a span's event. Returns undefined for anything else.
 */
export function rawSpanOf(record: unknown): RawSpan | undefined {
  if (!isPlainObject(record)) return undefined;
  const context = [record["spanContext"], record["context"]].find(isPlainObject) ?? record;
  const traceId = idIn(context, "traceId", "trace_id") ?? idIn(record, "traceId", "trace_id");
  // Records of other tools have an `id` too, but no attributes.
  const ids = isPlainObject(record["attributes"]) ? ["spanId", "span_id", "id"] : ["spanId", "span_id"];
  const spanId = idIn(context, ...ids) ?? idIn(record, ...ids);
  if (traceId === undefined || spanId === undefined) return undefined;
  const attributes = attributesOf(record["attributes"]);
  const name = textField(record, "name", "eventName") ?? "";
  const named = name === "" ? attributes.get("event.name") : name;
  const event = typeof named === "string" ? named : "";
  const body = event === "" ? undefined : bodyOf(record["body"]);
  return {
    traceId,
    spanId,
    parentId:
      idIn(record, "parentSpanId", "parent_span_id", "parentId", "parent_id") ??
      idIn(record["parentSpanContext"], "spanId"),
    name: event,
    start: TIMES.map((field) => traceTime(record[field])).find((time) => time > 0) ?? 0,
    attributes,
    events: [
      ...recordsIn(record["events"]).map(eventOf),
      ...(body === undefined ? [] : [{ name: event, attributes: body }]),
    ],
    error: errorOf(record),
    isEvent: body !== undefined,
    isLog: "body" in record || LOG_TIMES.some((field) => field in record),
  };
}

/** Returns the error of a failed span, as OTLP, Phoenix or the Python SDK's console writes it. */
function errorOf({ status, status_code: code, ...record }: Fields): string | undefined {
  if (isPlainObject(status) && FAILED.has(status["code"] ?? status["status_code"]))
    return textField(status, "message", "description") ?? "it failed";
  return code === "ERROR" ? (textField(record, "status_message") ?? "it failed") : undefined;
}

function idIn(fields: unknown, ...names: readonly string[]): string | undefined {
  const id = textField(fields, ...names);
  return id === undefined || id === "" || /^0+$/.test(id) ? undefined : id;
}

function eventOf(event: Fields): RawSpan["events"][number] {
  return { name: textField(event, "name") ?? "", attributes: attributesOf(event["attributes"]) };
}

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*$/;

/**
 * Reads a time in nanoseconds as a text (OTLP), microseconds (the console's exporter), a pair of seconds and
 * nanoseconds, or ISO. A time without a zone is UTC, in which tracers of Python write it. Returns 0 for anything else.
 */
export function traceTime(value: unknown): number {
  if (isArray(value)) return Number(value[0]) * 1000 + Number(value[1]) / 1e6;
  if (typeof value === "string" && /\D/.test(value))
    return Date.parse(WITHOUT_ZONE.test(value) ? `${value}Z` : value) || 0;
  const count = Number(value ?? 0);
  if (!Number.isFinite(count)) return 0;
  // A number of this size is a time of this century in only one unit.
  if (count > 1e17) return count / 1e6;
  if (count > 1e14) return count / 1e3;
  return count > 1e11 ? count : count * 1000;
}

/** Reads attributes as OTLP lists them, or as one object. */
function attributesOf(value: unknown): ReadonlyMap<string, unknown> {
  if (isArray(value))
    return new Map(
      recordsIn(value).flatMap((attribute) => {
        const key = textField(attribute, "key");
        return key === undefined ? [] : [[key, anyValue(attribute["value"])] as const];
      }),
    );
  return isPlainObject(value) ? new Map(nestedEntries(value)) : new Map();
}

/** Reads the body of a log record, which has the content of an event. */
function bodyOf(body: unknown): ReadonlyMap<string, unknown> | undefined {
  const data = isPlainObject(body) && "kvlistValue" in body ? anyValue(body) : body;
  return isPlainObject(data) && !("stringValue" in data) ? new Map(Object.entries(data)) : undefined;
}

/** Yields the entries of nested objects under dotted names, as Phoenix writes attributes. */
function* nestedEntries(value: Fields, prefix = "", depth = 8): Generator<readonly [string, unknown]> {
  for (const [name, below] of Object.entries(value)) {
    yield [prefix + name, below];
    if (isPlainObject(below) && depth > 0) yield* nestedEntries(below, `${prefix}${name}.`, depth - 1);
  }
}

/** Converts a value of OTLP to data. */
function anyValue(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } = value;
  if (stringValue !== undefined) return stringValue;
  if (boolValue !== undefined) return boolValue;
  if (intValue !== undefined) return Number(intValue);
  if (doubleValue !== undefined) return Number(doubleValue);
  if (isPlainObject(arrayValue)) return listIn(arrayValue["values"]).map(anyValue);
  if (isPlainObject(kvlistValue)) return Object.fromEntries(attributesOf(kvlistValue["values"]));
  return undefined;
}
