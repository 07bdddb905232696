import { isObject } from "../json/plain-data.ts";

/** Where a span stands in its trace, by the identifiers of W3C. */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote?: boolean;
}

/** What a span says of itself: plain values by name. */
export type OtelAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** A span of OpenTelemetry, as far as it is used here. */
export interface OtelSpan {
  spanContext(): SpanPlace;
  setAttributes(attributes: OtelAttributes): unknown;
  addEvent(name: string, attributes: OtelAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(): void;
}

/** What holds in one asynchronous context; it never changes, a value more makes another one. */
export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

/** How a span begins. */
export interface OtelSpanStart {
  readonly kind: number;
  readonly attributes: OtelAttributes;
  /** Unix milliseconds. Default: now. */
  readonly startTime?: number;
  readonly links?: readonly { readonly context: SpanPlace }[];
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
 * What a registered OpenTelemetry provider left for everybody: its API keeps all that is registered under one symbol of
 * the global object, so that copies of the package share it. Read from there, nothing is loaded, whatever copy of the
 * package a project has, and where nobody registered anything it costs one look.
 */
export interface OtelApi {
  readonly trace?: { getTracer(scope: string): OtelTracer };
  readonly context?: OtelContextManager;
  readonly metrics?: OtelMeterProvider;
}

const API = Symbol.for("opentelemetry.js.api.1");

/** What is registered in this realm; undefined where nobody registered anything. Its parts may be half implemented. */
export function otelApi(): OtelApi | undefined {
  const found: unknown = Reflect.get(globalThis, API);
  return isApi(found) ? found : undefined;
}

/** Who is told apart from other instrumentations by the readers of spans and metrics. */
export const SCOPE = "veritest";

/**
 * Does something with what is registered. What a provider throws is nobody's affair but its own: telemetry breaks no
 * work, and the answer is undefined then.
 */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // Told by the provider's own diagnostics, where it has any: a line for each span would drown the run's own.
    return undefined;
  }
}

function isApi(value: unknown): value is OtelApi {
  return isObject(value);
}
