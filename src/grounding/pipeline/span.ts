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
}
