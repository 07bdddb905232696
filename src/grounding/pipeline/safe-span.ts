import { messageOf } from "../../base/thrown.ts";
import type { Span, SpanAttribute } from "./span.ts";

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
  };
  safe.add(made);
  return made;
}
