import { observationOf } from "../span-observation.ts";
import { rawSpanOf } from "../spans.ts";
import type { TraceSource } from "./source.ts";

const observe: TraceSource["observe"] = (record) => {
  const span = rawSpanOf(record);
  return span === undefined ? [] : [observationOf(span)];
};

/**
 * OTLP in JSON as the collector's file exporter writes it, spans and log records, in lines or whole (opentelemetry-
 * proto 1.x, `trace/v1/trace.proto`, `logs/v1/logs.proto`); spans one by one as exporters for JavaScript print them.
 */
export const otlpSource: TraceSource = {
  title: "OpenTelemetry",
  envelope: {
    resourceSpans: { scopeSpans: { spans: true } },
    resourceLogs: { scopeLogs: { logRecords: true } },
  },
  observe,
  setting:
    "let the instrumentation write content: OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and " +
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_and_event",
};

/** The same of the AI SDK: `@ai-sdk/otel`, and the attributes `ai.*` of its versions 5 and 6. */
export const aiSdkSource: TraceSource = {
  ...otlpSource,
  title: "AI SDK",
  setting: "leave recordInputs and recordOutputs out of the call's telemetry, or set them to true",
};
