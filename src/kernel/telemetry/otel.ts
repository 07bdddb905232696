import { isObject } from "../json/plain-data.ts";

/** Position of a span in its trace, by the identifiers of W3C. */
export interface SpanContextData {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote?: boolean;
}

/** Attributes of a span: plain values by name. */
export type OtelAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** A span of OpenTelemetry, as far as it is used here. */
export interface OtelSpan {
  spanContext(): SpanContextData;
  setAttributes(attributes: OtelAttributes): unknown;
  addEvent(name: string, attributes: OtelAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(): void;
}

/** Values of one asynchronous context. Immutable: setting a value returns a new one. */
export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

/** Options for starting a span. */
export interface OtelSpanStart {
  readonly kind: number;
  readonly attributes: OtelAttributes;
  /** Time in Unix milliseconds. */
  readonly startTime?: number;
  readonly links?: readonly { readonly context: SpanContextData }[];
}

interface OtelTracer {
  startSpan(name: string, options: OtelSpanStart, context: OtelContext): OtelSpan;
}

interface OtelContextManager {
  active(): OtelContext;
  with(context: OtelContext, work: () => void): unknown;
}

/** An instrument's labels. */
export type OtelLabels = Readonly<Record<string, string>>;

interface OtelInstrument {
  readonly unit: string;
  readonly description: string;
}

interface OtelMeter {
  createCounter(name: string, options: OtelInstrument): OtelCounter;
  createHistogram(name: string, options: OtelInstrument): OtelHistogram;
}

/** A sum. */
export interface OtelCounter {
  add(by: number, labels: OtelLabels): void;
}

/** A distribution. */
export interface OtelHistogram {
  record(value: number, labels: OtelLabels): void;
}

/** Makes instruments. */
export interface OtelMeterProvider {
  getMeter(scope: string): OtelMeter;
}

/**
 * The registered OpenTelemetry provider. Its API stores all registrations under one symbol of the global object, so
 * that copies of the package share it. Reading it there loads no package and works with any copy in the project. If
 * none is registered, it costs one lookup.
 */
export interface OtelApi {
  readonly trace?: { getTracer(scope: string): OtelTracer };
  readonly context?: OtelContextManager;
  readonly metrics?: OtelMeterProvider;
}

const API = Symbol.for("opentelemetry.js.api.1");

/** Registrations of this realm. Undefined if there are none. Its parts may be half implemented. */
export function otelApi(): OtelApi | undefined {
  const api: unknown = Reflect.get(globalThis, API);
  return isApi(api) ? api : undefined;
}

/** Name by which readers of spans and metrics distinguish veritest from other instrumentations. */
export const SCOPE = "veritest";

/**
 * Calls a registered provider. Ignores its errors and returns undefined then, because telemetry must not break the
 * work.
 */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // The provider's own diagnostics report it, if it has any. A line for each span would hide the run's output.
    return undefined;
  }
}

function isApi(value: unknown): value is OtelApi {
  return isObject(value);
}
