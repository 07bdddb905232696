import { type Result, err, ok } from "../../../kernel/result.ts";
import { type GroundingError, isGroundingError, providerError, groundingFailure } from "../grounding-error.ts";

/** Call of an adapter, with its name for messages. */
export interface AdapterUse<T> {
  readonly operation: string;
  readonly name: string;
  /** Description of the expected response, for the message. */
  readonly expected: string;
  readonly call: () => unknown;
  /** Reads a response. Returns undefined if it has another shape. */
  readonly read: (answer: unknown) => T | undefined;
}

/**
 * Calls an adapter and reads its response, which may be a value or a `Result` of it. Returns an error of kind
 * `provider` if the adapter throws, rejects, returns an error value, or returns another shape.
 */
export async function callAdapter<T>({
  operation,
  name,
  expected,
  call,
  read,
}: AdapterUse<T>): Promise<Result<T, GroundingError>> {
  try {
    const answer = unwrapped(await call());
    if (!answer.ok)
      return err(isGroundingError(answer.error) ? answer.error : providerError(operation, name, answer.error));
    const value = read(answer.value);
    if (value !== undefined) return ok(value);
  } catch (cause) {
    return err(providerError(operation, name, cause));
  }
  const message = `${name} must return ${expected}, but its response was different. Check the adapter or its model.`;
  return groundingFailure({ kind: "provider", code: "invalid_answer", message, operation, retryable: true });
}

function unwrapped(answer: unknown): Result<unknown, unknown> {
  if (typeof answer !== "object" || answer === null || !("ok" in answer)) return ok(answer);
  if (answer.ok === true && "value" in answer) return ok(answer.value);
  return answer.ok === false && "error" in answer ? err(answer.error) : ok(answer);
}
