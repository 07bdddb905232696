import { messageOf } from "../../../kernel/thrown.ts";
import type { GroundingError } from "../grounding-error.ts";

/** A plain value that describes a span. */
export type SpanAttribute = string | number | boolean;

/** One timed stretch of work, with what it was part of. What ends it is its own matter: a tracer, a log, a test. */
export interface Span {
  /** Begins a span within this one. */
  child(name: string, attributes?: Readonly<Record<string, SpanAttribute>>): Span;
  /** Adds what became known during the work. */
  set(attributes: Readonly<Record<string, SpanAttribute>>): void;
  /** Ends the span; with an error, as failed. */
  end(error?: GroundingError): void;
  /** Does something such that what is traced by others meanwhile belongs below this span. Default: it is only done. */
  within?<T>(work: () => T): T;
}

const NO_SPAN: Span = { child: () => NO_SPAN, set: () => {}, end: () => {} };

/** Spans that were made safe, so that a stage within a stage does not wrap them again. */
const safe = new WeakSet<Span>();

/**
 * A span that never throws: tracing must not break the work it watches. The first failure of the tracer is told in
 * words, once for a span and all its children; what it can still record is recorded.
 */
export function safeSpan(span: Span, warn: (warning: string) => void): Span {
  if (safe.has(span)) return span;
  let told = false;
  return wrapped(span, (cause) => {
    if (!told) warn(`Tracing failed: ${messageOf(cause)}. The work goes on; its spans may be missing.`);
    told = true;
  });
}

function wrapped(span: Span, onProblem: (cause: unknown) => void): Span {
  const guard = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (cause) {
      onProblem(cause);
      return otherwise;
    }
  };
  const made: Span = {
    child: (name, attributes?: Readonly<Record<string, SpanAttribute>>) =>
      guard(() => wrapped(span.child(name, attributes), onProblem), NO_SPAN),
    set: (attributes) => guard(() => span.set(attributes), undefined),
    end: (error) => guard(() => span.end(error), undefined),
    within: (work) => (span.within === undefined ? work() : span.within(work)),
  };
  safe.add(made);
  return made;
}

/** A span that has ended, or has not yet. Plain data: one line of a structured log. */
export interface SpanRecord {
  readonly id: number;
  /** The id of the span it was part of; absent at the root. */
  readonly parent?: number;
  readonly name: string;
  readonly attributes: Readonly<Record<string, SpanAttribute>>;
  readonly state: "open" | "ok" | "failed";
  /** Code of the error that ended it. */
  readonly error?: string;
}

/**
 * Spans kept in memory, in the order they began; for logs and tests. Without times, so that it is the same each run.
 */
export interface SpanLog {
  readonly root: Span;
  records(): readonly SpanRecord[];
}

/** Makes an empty log whose first span is `name`. */
export function createSpanLog(name: string): SpanLog {
  const records: SpanRecord[] = [];
  return { root: begin(records, { name }), records: () => [...records] };
}

function begin(
  records: SpanRecord[],
  from: Pick<SpanRecord, "name" | "parent"> & { readonly attributes?: SpanRecord["attributes"] },
): Span {
  const id = records.length;
  records.push({ attributes: {}, ...from, id, state: "open" });
  const update = (change: (record: SpanRecord) => Partial<SpanRecord>): void => {
    const record = records[id];
    if (record !== undefined) records[id] = { ...record, ...change(record) };
  };
  return {
    child: (name, attributes = {}) => begin(records, { name, attributes, parent: id }),
    set: (more) => update(({ attributes }) => ({ attributes: { ...attributes, ...more } })),
    end: (error?: GroundingError) =>
      update(() => (error === undefined ? { state: "ok" } : { state: "failed", error: error.code })),
  };
}
