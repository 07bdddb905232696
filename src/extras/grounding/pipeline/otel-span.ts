import type * as otel from "@opentelemetry/api";
import { type Result, ok } from "../../../kernel/result.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { type GroundingError, groundingFailure } from "../grounding-error.ts";
import { runIn } from "../../../kernel/telemetry/span-context.ts";
import { type Span, safeSpan } from "./span.ts";

/** Options for {@link otelSpan}. */
export interface OtelSpanOptions {
  /** Called once if the tracer fails. The span itself never throws. Default: no warning. */
  readonly warn?: (warning: string) => void;
}

/**
 * Begins an OpenTelemetry span as a child of the active span. The stages of a pipeline become its children. Span names
 * begin with `vera.`. Without the optional package `@opentelemetry/api`, returns the error `missing_package` (kind
 * `validation`). If the package or the tracer provider fails, returns the error `tracing_failed` (kind `provider`). If
 * the tracer fails later, the pipeline continues without tracing.
 *
 * @example
 * const span = await otelSpan("answer");
 * await pipeline.run({ adapters, ...(span.ok ? { span: span.value } : {}) }, question);
 */
export async function otelSpan(name: string, options: OtelSpanOptions = {}): Promise<Result<Span, GroundingError>> {
  return otelSpanBy(() => import("@opentelemetry/api"), name, options);
}

/** Implements {@link otelSpan} with the package loaded by `load`. */
export async function otelSpanBy(
  load: () => Promise<typeof otel>,
  name: string,
  { warn = () => {} }: OtelSpanOptions = {},
): Promise<Result<Span, GroundingError>> {
  try {
    const api = await load();
    const tracer = api.trace.getTracer("veritest");
    return ok(safeSpan(begin({ api, tracer }, name, api.context.active()), warn));
  } catch (cause) {
    return isMissing(cause) ? missing(cause) : broken(cause);
  }
}

/** Returns true if the package isn't installed. An installed one that lacks a file or another package is broken. */
function isMissing(cause: unknown): boolean {
  return /Cannot find (?:package|module) '@opentelemetry\/api'/.test(messageOf(cause));
}

function missing(cause: unknown): Result<never, GroundingError> {
  const message =
    "Tracing needs the package @opentelemetry/api, which isn't installed. Run npm install " +
    "@opentelemetry/api, or run without a span.";
  return groundingFailure({ kind: "validation", code: "missing_package", message, operation: "trace", cause });
}

function broken(cause: unknown): Result<never, GroundingError> {
  const message =
    `Tracing failed: ${messageOf(cause)}. ` +
    "Check the registered tracer provider and the package @opentelemetry/api, or run without a span " +
    '(in flow.run: span: "none").';
  return groundingFailure({ kind: "provider", code: "tracing_failed", message, operation: "trace", cause });
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
    // Runs `work` once, whatever the context manager does.
    within: (work) => runIn(within, work),
  };
}
