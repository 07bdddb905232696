import { messageOf } from "../../../kernel/error-message.ts";
import type { GroundingError } from "../grounding-error.ts";

/** Plain value that describes a span. */
export type SpanAttribute = string | number | boolean;

/** Timed unit of work within a parent. A tracer, a log or a test can implement it. */
export interface Span {
  /** Begins a child span. */
  child(name: string, attributes?: Readonly<Record<string, SpanAttribute>>): Span;
  /** Adds attributes that became known during the work. */
  set(attributes: Readonly<Record<string, SpanAttribute>>): void;
  /** Ends the span. An error marks it as failed. */
  end(error?: GroundingError): void;
  /** Runs work with this span active, so that other traced spans become its children. Default: only runs the work. */
  within?<T>(work: () => T): T;
}

const NO_SPAN: Span = { child: () => NO_SPAN, set: () => {}, end: () => {} };

/** Safe spans, so that a stage within a stage doesn't wrap them again. */
const safe = new WeakSet<Span>();

/**
 * Wraps a span so that it never throws: tracing must not break the traced work. The first failure of the tracer calls
 * `warn`, once for a span and all its children. Later calls still reach the tracer.
 */
export function safeSpan(span: Span, warn: (warning: string) => void): Span {
  if (safe.has(span)) return span;
  let warned = false;
  return wrapped(span, (cause) => {
    if (!warned) warn(`Tracing failed: ${messageOf(cause)}. The work continues, but its spans might be missing.`);
    warned = true;
  });
}

function wrapped(span: Span, onProblem: (cause: unknown) => void): Span {
  const guard = <T>(work: () => T, fallback: T): T => {
    try {
      return work();
    } catch (cause) {
      onProblem(cause);
      return fallback;
    }
  };
  const safeWrapper: Span = {
    child: (name, attributes?: Readonly<Record<string, SpanAttribute>>) =>
      guard(() => wrapped(span.child(name, attributes), onProblem), NO_SPAN),
    set: (attributes) => guard(() => span.set(attributes), undefined),
    end: (error) => guard(() => span.end(error), undefined),
    within: (work) => (span.within === undefined ? work() : span.within(work)),
  };
  safe.add(safeWrapper);
  return safeWrapper;
}

/** Record of an open or ended span. Plain data: one line of a structured log. */
export interface SpanRecord {
  readonly id: number;
  /** Id of the parent span; absent at the root. */
  readonly parent?: number;
  readonly name: string;
  readonly attributes: Readonly<Record<string, SpanAttribute>>;
  readonly state: "open" | "ok" | "failed";
  /** Code of the error that ended the span. */
  readonly error?: string;
}

/**
 * Log of spans in memory, in the order they began; for logs and tests. It has no times, so it's the same in each run.
 */
export interface SpanLog {
  readonly root: Span;
  records(): readonly SpanRecord[];
}

/** Creates an empty log whose first span is `name`. */
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
