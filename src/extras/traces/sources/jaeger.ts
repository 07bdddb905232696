import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { recordsIn } from "../../../kernel/json/read-data.ts";
import { rawSpanOf } from "../spans.ts";
import { textField } from "../turns.ts";
import { observationOf, otlpSource } from "./otlp.ts";
import type { TraceSource } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Spans of Jaeger, as its user interface and its API (`/api/traces`) write them in JSON. */
export const jaegerSource: TraceSource = {
  name: "jaeger",
  title: "Jaeger",
  signs: /"traceID"|^\s*\{\s*"data"\s*:\s*\[\s*\]\s*,\s*"total"/,
  envelope: { data: { spans: true } },
  observer: () => (record) => {
    const span = isPlainObject(record) ? rawSpanOf(spanOf(record)) : undefined;
    return span === undefined ? [] : [observationOf(span)];
  },
  setting: otlpSource.setting,
};

/** Converts a span to the fields of OTLP. */
function spanOf(record: Fields): Fields {
  const { references, logs, tags } = record;
  const attributes = fieldsOf(tags);
  const failed = attributes["error"] === true || attributes["otel.status_code"] === "ERROR";
  return {
    traceId: record["traceID"],
    spanId: record["spanID"],
    parentSpanId:
      recordsIn(references).find(({ refType }) => refType === "CHILD_OF")?.["spanID"] ?? record["parentSpanID"],
    name: record["operationName"],
    startTime: record["startTime"],
    attributes,
    events: recordsIn(logs).map((log) => eventOf(fieldsOf(log["fields"]))),
    ...(failed && { status: { code: 2, message: textField(attributes, "otel.status_description") ?? "it failed" } }),
  };
}

function eventOf({ event, ...attributes }: Fields): Fields {
  return { name: event, attributes };
}

function fieldsOf(tags: unknown): Fields {
  return Object.fromEntries(
    recordsIn(tags).flatMap((tag) => {
      const key = textField(tag, "key");
      return key === undefined ? [] : [[key, tag["value"]] as const];
    }),
  );
}
