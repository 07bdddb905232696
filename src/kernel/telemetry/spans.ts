import { asyncScope } from "../async-scope.ts";
import { GEN_AI } from "./attributes.ts";
import {
  type OtelAttributes,
  type OtelContext,
  type OtelSpan,
  type SpanContextData,
  SCOPE,
  otelApi,
  quietly,
} from "./otel.ts";
import { activeContext, contextBelow, parseTraceparent, runIn, withSpan } from "./span-context.ts";

/** Short attributes of a span: names, numbers, hashes, but no text of a prompt, a response or an error. */
export type Facts = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The roles of a span in a trace, by the numbers of OpenTelemetry. */
export const SPAN_KIND = { internal: 0, client: 2, producer: 3, consumer: 4 } as const;

/** A span to begin. */
export interface SpanSpec {
  readonly name: string;
  readonly kind?: (typeof SPAN_KIND)[keyof typeof SPAN_KIND];
  readonly facts?: Facts;
  /** W3C `traceparent` of the parent span, if it's in a different process. Default: the active span. */
  readonly below?: string | undefined;
}

/** A started span. Its methods never throw. */
export interface LiveSpan {
  readonly set: (facts: Facts) => void;
  readonly event: (name: string, facts: Facts) => void;
  /** Marks the span as failed, with a code. `message` only if content is captured. */
  readonly fail: (code: string, message?: string) => void;
}

/** OpenTelemetry's status code of an error. */
const ERROR = 2;

/**
 * Runs work in a span, so that the spans it starts are its children. Without a tracer provider there is no span, and
 * only the work runs. A failing provider doesn't change the work's result.
 */
export function inSpan<T>(spec: SpanSpec, work: (span: LiveSpan | undefined) => Promise<T>): Promise<T> {
  return isTracing() ? inLiveSpan(spec, work) : work(undefined);
}

async function inLiveSpan<T>(spec: SpanSpec, work: (span: LiveSpan | undefined) => Promise<T>): Promise<T> {
  const parent = contextBelow(spec.below);
  const span = begin(spec, parent);
  if (span === undefined) return work(undefined);
  try {
    const within = quietly(() => withSpan(parent, span)) ?? parent;
    return await runIn(within, async () => work(liveSpan(span)));
  } finally {
    quietly(() => span.end());
  }
}

/** A span that is reported after its end. */
export interface PastSpan extends SpanSpec {
  /** Time in Unix milliseconds. */
  readonly startedAt: number;
  readonly failed?: { readonly code: string; readonly message?: string | undefined } | undefined;
  /** Other traces that the span belongs to, each as a W3C `traceparent`. */
  readonly links?: readonly (string | undefined)[];
  /** Context of the span. Default: the active context. */
  readonly context?: OtelContext;
}

/** Records a span of finished work. */
export function recordPastSpan(past: PastSpan): void {
  if (!isTracing()) return;
  const span = quietly(() => begin(past, past.context ?? contextBelow(past.below)));
  if (span === undefined) return;
  const { failed } = past;
  if (failed !== undefined) liveSpan(span).fail(failed.code, failed.message);
  quietly(() => span.end());
}

/** True if a tracer provider is registered. Otherwise values for spans needn't be computed. */
export function isTracing(): boolean {
  return otelApi()?.trace !== undefined && scope.get() !== UNTRACED;
}

const UNTRACED = "untraced";
const scope = /* @__PURE__ */ asyncScope("telemetry", (value): value is typeof UNTRACED => value === UNTRACED);

/** Runs work without tracing it. */
export function untraced<T>(work: () => T): T {
  return scope.run(UNTRACED, work);
}

function begin(spec: SpanSpec & Partial<PastSpan>, parent: OtelContext = activeContext()): OtelSpan | undefined {
  const { name, kind = SPAN_KIND.internal, facts = {}, startedAt, links = [] } = spec;
  const attributes = attributesOf(facts);
  return quietly(() =>
    otelApi()
      ?.trace?.getTracer(SCOPE)
      .startSpan(
        name,
        {
          kind,
          attributes,
          ...(startedAt === undefined ? {} : { startTime: startedAt }),
          ...(links.length === 0 ? {} : { links: links.flatMap(linkTo) }),
        },
        parent,
      ),
  );
}

function linkTo(traceparent: string | undefined): readonly { readonly context: SpanContextData }[] {
  const context = parseTraceparent(traceparent);
  return context === undefined ? [] : [{ context }];
}

function liveSpan(span: OtelSpan): LiveSpan {
  return {
    set: (facts) => void quietly(() => span.setAttributes(attributesOf(facts))),
    event: (name, facts) => void quietly(() => span.addEvent(name, attributesOf(facts))),
    fail: (code, message = code) => {
      quietly(() => span.setAttributes({ [GEN_AI.errorType]: code }));
      quietly(() => span.setStatus({ code: ERROR, message }));
    },
  };
}

function attributesOf(facts: Facts): OtelAttributes {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => {
      if (value === undefined) return [];
      return [[name, typeof value === "object" ? [...value] : value]];
    }),
  );
}
