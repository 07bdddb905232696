import { SpanStatusCode, context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

/** A provider that keeps in memory what an exporter would get. */
export interface SpanLog {
  readonly spans: () => readonly ReadableSpan[];
  /** One line for each span, below its parent, siblings by name: name, attributes without ids and hashes, status. */
  readonly tree: () => readonly string[];
  /** One line for each metric and labels: how much, or how often it was measured. */
  readonly metrics: () => Promise<readonly string[]>;
  /** All that an exporter got, as one text to look in. */
  readonly text: () => Promise<string>;
  readonly forget: () => Promise<void>;
}

/** Registers a provider of spans, contexts and metrics in this process. */
export function registerSpanLog(): SpanLog {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const measured = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 2 ** 30 });
  const meters = new MeterProvider({ readers: [reader] });
  unregisterSpanLog();
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  metrics.setGlobalMeterProvider(meters);
  const points = async (): Promise<readonly string[]> => {
    await reader.forceFlush();
    return measured
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
      .flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ value, attributes }) => {
          const much = typeof value === "number" ? String(value) : `${String(value.count)} times`;
          return `${descriptor.name} ${JSON.stringify(attributes)}: ${much}`;
        }),
      )
      .toSorted();
  };
  return {
    spans: () => exporter.getFinishedSpans(),
    tree: () => treeOf(exporter.getFinishedSpans()),
    metrics: points,
    text: async () => {
      const spans = exporter.getFinishedSpans().map((span) => {
        const { name, attributes, status, events, links } = span;
        return { name, attributes, status, events, links };
      });
      return JSON.stringify([spans, await points()]);
    },
    forget: async () => {
      await reader.forceFlush();
      exporter.reset();
      measured.reset();
    },
  };
}

/** Leaves the process without a provider. */
export function unregisterSpanLog(): void {
  trace.disable();
  context.disable();
  metrics.disable();
}

function treeOf(spans: readonly ReadableSpan[]): readonly string[] {
  const known = new Set(spans.map((span) => span.spanContext().spanId));
  const below = (parent: string | undefined, indent: string): readonly string[] =>
    spans
      .filter(
        ({ parentSpanContext: of }) => (of !== undefined && known.has(of.spanId) ? of.spanId : undefined) === parent,
      )
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((span) => [`${indent}${lineOf(span)}`, ...below(span.spanContext().spanId, `${indent}  `)]);
  return below(undefined, "");
}

/** What differs from run to run. */
const UNSTABLE = /\.(?:hash|id|key)$/;

function lineOf({ name, attributes, status, events }: ReadableSpan): string {
  const stable = Object.entries(attributes)
    .map(([key, value]) => [key, UNSTABLE.test(key) ? "…" : value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const failed = status.code === SpanStatusCode.ERROR ? ` ERROR ${status.message ?? ""}` : "";
  const told = events.map((event) => ` | ${event.name} ${JSON.stringify(event.attributes)}`).join("");
  return `${name} ${JSON.stringify(Object.fromEntries(stable))}${failed}${told}`;
}
