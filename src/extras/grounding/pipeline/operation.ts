import type { Result } from "../../../kernel/result.ts";
import { GEN_AI, VERA } from "../../../kernel/telemetry/attributes.ts";
import { measure } from "../../../kernel/telemetry/metrics.ts";
import { inSpan } from "../../../kernel/telemetry/spans.ts";
import type { GroundingError } from "../grounding-error.ts";
import { type Span, type SpanAttribute, safeSpan } from "./span.ts";

/** Where an operation is traced. */
export interface Traced {
  /**
   * The span the operation is part of: it begins a child there. Default: a span of OpenTelemetry below the active one,
   * where a provider is registered.
   */
  readonly span?: Span;
}

type Facts = Readonly<Record<string, SpanAttribute>>;

/** An operation's work, and what its span says of the value. */
interface Operation<T> {
  readonly work: () => Promise<Result<T, GroundingError>>;
  readonly facts: (value: T) => Facts;
}

/**
 * Does the work of an operation in a span of its own, with its name, duration and status, what `facts` says of its
 * value, and `error.type` where it fails. A tracer that throws breaks nothing.
 */
export async function traced<T>(
  name: string,
  { span: parent }: Traced,
  { work, facts }: Operation<T>,
): Promise<Result<T, GroundingError>> {
  const named = { [VERA.operation]: name };
  const started = performance.now();
  const told = (result: Result<T, GroundingError>): Facts => {
    const ms = performance.now() - started;
    const status = result.ok ? "ok" : "error";
    measure("groundingDuration", ms / 1000, { ...named, [VERA.status]: status });
    return {
      [VERA.durationMs]: Math.round(ms),
      [VERA.status]: status,
      ...(result.ok ? facts(result.value) : { [GEN_AI.errorType]: result.error.code }),
    };
  };
  if (parent === undefined)
    return inSpan({ name: `vera.${name}`, facts: named }, async (span) => {
      const result = await work();
      span?.set(told(result));
      if (!result.ok) span?.fail(result.error.code);
      return result;
    });
  const span = safeSpan(parent, () => {}).child(name, named);
  const result = await work();
  span.set(told(result));
  span.end(result.ok ? undefined : result.error);
  return result;
}
