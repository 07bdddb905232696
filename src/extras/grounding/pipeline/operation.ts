import type { Result } from "../../../kernel/result.ts";
import { GEN_AI, VERA } from "../../../kernel/telemetry/attributes.ts";
import { measure } from "../../../kernel/telemetry/metrics.ts";
import { inSpan } from "../../../kernel/telemetry/spans.ts";
import type { GroundingError } from "../grounding-error.ts";
import { type Span, type SpanAttribute, safeSpan } from "./span.ts";

/** Tracing option of an operation. */
export interface Traced {
  /** Parent of the operation's span. Default: the active OpenTelemetry span, if a provider is registered. */
  readonly span?: Span;
}

type Facts = Readonly<Record<string, SpanAttribute>>;

/** Work of an operation, and the span attributes of its value. */
interface Operation<T> {
  readonly work: () => Promise<Result<T, GroundingError>>;
  readonly facts: (value: T) => Facts;
}

/**
 * Runs an operation in its own span with its name, duration and status, the attributes that `facts` returns for its
 * value, and `error.type` if it fails. A tracer that throws doesn't affect the operation.
 */
export async function traced<T>(
  name: string,
  { span: parent }: Traced,
  { work, facts }: Operation<T>,
): Promise<Result<T, GroundingError>> {
  const named = { [VERA.operation]: name };
  const started = performance.now();
  const resultFacts = (result: Result<T, GroundingError>): Facts => {
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
      span?.set(resultFacts(result));
      if (!result.ok) span?.fail(result.error.code);
      return result;
    });
  const span = safeSpan(parent, () => {}).child(name, named);
  const result = await work();
  span.set(resultFacts(result));
  span.end(result.ok ? undefined : result.error);
  return result;
}
