import { isObject } from "../json/plain-data.ts";
import { type OtelContext, type OtelSpan, type SpanContextData, otelApi, quietly } from "./otel.ts";

/** Key of a context's span. Equal in every copy of the API, which also takes it from the symbol registry. */
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

/** The active context. Empty if no context manager is registered. */
export function activeContext(): OtelContext {
  const context = quietly(() => otelApi()?.context?.active());
  return isContext(context) ? context : new OwnContext(new Map());
}

/** Key by which a context suppresses tracing. */
const SUPPRESSED = Symbol.for("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** True while an exporter of traces sends. Its requests don't belong to the active span. */
export function isTracingSuppressed(): boolean {
  if (otelApi()?.context === undefined) return false;
  return quietly(() => activeContext().getValue(SUPPRESSED)) === true;
}

/** A context whose span is another one. */
export function withSpan(context: OtelContext, span: OtelSpan): OtelContext {
  return context.setValue(SPAN, span);
}

/** The span of a context. */
export function spanOf(context: OtelContext): OtelSpan | undefined {
  const span = context.getValue(SPAN);
  return isSpan(span) ? span : undefined;
}

/** The active span in W3C's form for other processes. Undefined outside of every span. */
export function activeTraceparent(): string | undefined {
  if (otelApi()?.context === undefined) return undefined;
  return quietly(() => {
    const position = spanOf(activeContext())?.spanContext();
    return position === undefined ? undefined : traceparentOf(position);
  });
}

/** A span's context as text. Undefined for a span without a trace. */
function traceparentOf({ traceId, spanId, traceFlags }: SpanContextData): string | undefined {
  const text = `00-${traceId}-${spanId}-${(traceFlags & 1).toString().padStart(2, "0")}`;
  return parseTraceparent(text) === undefined ? undefined : text;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Parses a traceparent. Undefined if it's invalid. */
export function parseTraceparent(text: string | undefined): SpanContextData | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? "0", 16) & 1, isRemote: true };
}

/** A context below a span of another process. The active one if the text is invalid. */
export function contextBelow(traceparent: string | undefined): OtelContext {
  const remote = parseTraceparent(traceparent);
  const active = activeContext();
  return remote === undefined ? active : (quietly(() => withSpan(active, remoteSpan(remote))) ?? active);
}

/** Runs work in a context, exactly once, whatever the context manager does. */
export function runIn<T>(context: OtelContext, work: () => T): T {
  let ran: { readonly value: T } | { readonly thrown: unknown } | undefined;
  const once = (): void => {
    if (ran !== undefined) return;
    try {
      ran = { value: work() };
    } catch (thrown) {
      ran = { thrown };
    }
  };
  quietly(() => otelApi()?.context?.with(context, once));
  once();
  if (ran !== undefined && "value" in ran) return ran.value;
  throw ran?.thrown;
}

/** Reports each span that is begun and made active below a context. */
export function watchSpans(context: OtelContext, onSpan: (span: OtelSpan) => void): OtelContext {
  return new WatchedContext(context, onSpan);
}

class WatchedContext implements OtelContext {
  readonly #inner: OtelContext;
  readonly #onSpan: (span: OtelSpan) => void;

  constructor(inner: OtelContext, onSpan: (span: OtelSpan) => void) {
    this.#inner = inner;
    this.#onSpan = onSpan;
  }

  getValue(key: symbol): unknown {
    return this.#inner.getValue(key);
  }

  setValue(key: symbol, value: unknown): OtelContext {
    if (key === SPAN && isSpan(value)) this.#onSpan(value);
    return new WatchedContext(this.#inner.setValue(key, value), this.#onSpan);
  }

  deleteValue(key: symbol): OtelContext {
    return new WatchedContext(this.#inner.deleteValue(key), this.#onSpan);
  }
}

/** The API's own root context is in the package, which is not loaded. */
class OwnContext implements OtelContext {
  readonly #values: ReadonlyMap<symbol, unknown>;

  constructor(values: ReadonlyMap<symbol, unknown>) {
    this.#values = values;
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key);
  }

  setValue(key: symbol, value: unknown): OtelContext {
    return new OwnContext(new Map(this.#values).set(key, value));
  }

  deleteValue(key: symbol): OtelContext {
    return new OwnContext(new Map([...this.#values].filter(([name]) => name !== key)));
  }
}

/** A span of another process: it has a context and ignores all calls. */
function remoteSpan(position: SpanContextData): OtelSpan & { readonly isRecording: () => boolean } {
  const nothing = (): void => {};
  return {
    spanContext: () => position,
    setAttributes: nothing,
    addEvent: nothing,
    setStatus: nothing,
    end: nothing,
    isRecording: () => false,
  };
}

function isContext(value: unknown): value is OtelContext {
  return isObject(value) && ["getValue", "setValue"].every((name) => typeof Reflect.get(value, name) === "function");
}

function isSpan(value: unknown): value is OtelSpan {
  return isObject(value) && typeof Reflect.get(value, "spanContext") === "function";
}
