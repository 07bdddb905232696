import type { Result } from "../../base/result.ts";
import { GEN_AI, VERA } from "../../telemetry/attributes.ts";
import type { GroundingError } from "../grounding-error.ts";
import { type Span, type SpanAttribute, safeSpan } from "./span.ts";

/** Where an operation is traced. */
export interface Traced {
  /** The span the operation is part of: it begins a child there. Without one nothing is traced. */
  readonly span?: Span;
}

/**
 * Does the work of an operation in a span of its own, with its name, duration and status, what `facts` says of its
 * value, and `error.type` where it fails. A tracer that throws breaks nothing.
 */
export async function traced<T>(
  name: string,
  { span: parent }: Traced,
  {
    work,
    facts,
  }: {
    readonly work: () => Promise<Result<T, GroundingError>>;
    readonly facts: (value: T) => Readonly<Record<string, SpanAttribute>>;
  },
): Promise<Result<T, GroundingError>> {
  if (parent === undefined) return work();
  const span = safeSpan(parent, () => {}).child(name, { [VERA.operation]: name });
  const started = performance.now();
  const result = await work();
  span.set({
    [VERA.durationMs]: Math.round(performance.now() - started),
    [VERA.status]: result.ok ? "ok" : "error",
    ...(result.ok ? facts(result.value) : { [GEN_AI.errorType]: result.error.code }),
  });
  span.end(result.ok ? undefined : result.error);
  return result;
}
