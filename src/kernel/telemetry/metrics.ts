import { METRIC, VERITEST } from "./attributes.ts";
import {
  type OtelCounter,
  type OtelHistogram,
  type OtelLabels,
  type OtelMeterProvider,
  SCOPE,
  otelApi,
  quietly,
} from "./otel.ts";

type CounterName = "checks" | "calls" | "retries";
type HistogramName = "tokens" | "dispatchLag" | "groundingDuration";

const COUNTERS = {
  checks: { name: METRIC.checks, unit: "{check}", description: "Checks, by result." },
  calls: { name: METRIC.calls, unit: "{call}", description: "Calls of adapters, replayed or live." },
  retries: { name: METRIC.retries, unit: "{attempt}", description: "Commands of workflows that are retried." },
} as const;

const HISTOGRAMS = {
  tokens: { name: METRIC.tokens, unit: "{token}", description: "Number of input and output tokens used." },
  dispatchLag: {
    name: METRIC.dispatchLag,
    unit: "s",
    description: "Delay between the due time of a command and the time a worker leased it.",
  },
  groundingDuration: { name: METRIC.groundingDuration, unit: "s", description: "Duration of an operation." },
} as const;

/** Adds to a counter. Without a meter provider it only costs one lookup. A failing provider has no effect. */
export function addToCounter(what: CounterName, by: number, labels: OtelLabels): void {
  const provider = otelApi()?.metrics;
  if (provider !== undefined && by > 0) quietly(() => counterOf(provider, what).add(by, labels));
}

/** Notes a measured value, as {@link addToCounter} does. */
export function measure(what: HistogramName, value: number, labels: OtelLabels): void {
  const provider = otelApi()?.metrics;
  if (provider !== undefined) quietly(() => histogramOf(provider, what).record(value, labels));
}

/** Counts the calls that recordings replayed. Calls `replayed` only if there is a meter provider. */
export function tallyReplayed(replayed: () => readonly unknown[]): void {
  if (isMeasuring()) addToCounter("calls", replayed().length, { [VERITEST.callSource]: "replayed" });
}

/** True if a meter provider is registered. */
export function isMeasuring(): boolean {
  return otelApi()?.metrics !== undefined;
}

/** Instruments of each provider: making one is dearer than using it. */
const counters = new WeakMap<OtelMeterProvider, Map<string, OtelCounter>>();
const histograms = new WeakMap<OtelMeterProvider, Map<string, OtelHistogram>>();

function counterOf(provider: OtelMeterProvider, what: CounterName): OtelCounter {
  const { name, ...options } = COUNTERS[what];
  return known(counters, { provider, name }, () => provider.getMeter(SCOPE).createCounter(name, options));
}

function histogramOf(provider: OtelMeterProvider, what: HistogramName): OtelHistogram {
  const { name, ...options } = HISTOGRAMS[what];
  return known(histograms, { provider, name }, () => provider.getMeter(SCOPE).createHistogram(name, options));
}

function known<T>(
  instruments: WeakMap<OtelMeterProvider, Map<string, T>>,
  { provider, name }: { readonly provider: OtelMeterProvider; readonly name: string },
  make: () => T,
): T {
  const ofProvider = instruments.get(provider) ?? new Map<string, T>();
  instruments.set(provider, ofProvider);
  const instrument = ofProvider.get(name) ?? make();
  ofProvider.set(name, instrument);
  return instrument;
}
