import type { GroundingError } from "../grounding-error.ts";
import type { Span, SpanAttribute } from "./span.ts";

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
