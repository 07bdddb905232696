import type * as otel from "@opentelemetry/api";
import { type Result, err, ok } from "../../base/result.ts";
import { groundingError, type GroundingError } from "../grounding-error.ts";
import type { Span } from "./span.ts";

/**
 * Begins an OpenTelemetry span, as a child of the active one, whose children are the stages of a pipeline. The span
 * names get the prefix `vera.`. Needs the optional package `@opentelemetry/api`; without it a `missing_package` error.
 *
 * @example
 * const span = await otelSpan("answer");
 * await pipeline.run({ adapters, ...(span.ok ? { span: span.value } : {}) }, question);
 */
export async function otelSpan(name: string): Promise<Result<Span, GroundingError>> {
  try {
    const api = await import("@opentelemetry/api");
    const tracer = api.trace.getTracer("veritest");
    return ok(begin({ api, tracer }, name, api.context.active()));
  } catch (cause) {
    const message = "Tracing needs the package @opentelemetry/api, which cannot be loaded. Run npm install @opentelemetry/api, or run without a span.";
    return err(groundingError({ kind: "validation", code: "missing_package", message, operation: "trace", cause }));
  }
}

interface Telemetry {
  readonly api: typeof otel;
  readonly tracer: otel.Tracer;
}

function begin(telemetry: Telemetry, name: string, parent: otel.Context): Span {
  const { api, tracer } = telemetry;
  const span = tracer.startSpan(`vera.${name}`, {}, parent);
  const within = api.trace.setSpan(parent, span);
  return {
    child(childName, attributes = {}) {
      const child = begin(telemetry, childName, within);
      child.set(attributes);
      return child;
    },
    set: (attributes) => void span.setAttributes({ ...attributes }),
    end(error) {
      if (error !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: error.code });
      span.end();
    },
  };
}
