import type { Result } from "../../../kernel/result.ts";
import { VERA } from "../../../kernel/telemetry/attributes.ts";
import { measure } from "../../../kernel/telemetry/metrics.ts";
import { type Facts, inSpan } from "../../../kernel/telemetry/spans.ts";
import type { GroundingError } from "../grounding-error.ts";

/** Work of an operation, and the span attributes of its value. */
interface Operation<T> {
  readonly work: () => Promise<Result<T, GroundingError>>;
  readonly facts: (value: T) => Facts;
}

/**
 * Runs an operation in a span with its name, duration and status, the attributes that `facts` returns for its value,
 * and `error.type` if it fails.
 */
export async function traced<T>(name: string, { work, facts }: Operation<T>): Promise<Result<T, GroundingError>> {
  const named = { [VERA.operation]: name };
  return inSpan({ name: `vera.${name}`, facts: named }, async (span) => {
    const started = performance.now();
    const result = await work();
    const ms = performance.now() - started;
    const status = result.ok ? "ok" : "error";
    measure("groundingDuration", ms / 1000, { ...named, [VERA.status]: status });
    span?.set({
      [VERA.durationMs]: Math.round(ms),
      [VERA.status]: status,
      ...(result.ok && facts(result.value)),
    });
    if (!result.ok) span?.fail(result.error.code);
    return result;
  });
}
