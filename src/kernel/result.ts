/**
 * Outcome of an operation that can fail: a value or an error, never both. Expected failures are returned as values. A
 * thrown error means a bug in the calling program.
 */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/** Creates a successful result from a value: `{ ok: true, value }`. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** Creates a failed result from an error: `{ ok: false, error }`. */
export function err<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

/** Narrows a result to its success branch. */
export function isOk<T, E>(result: Result<T, E>): result is { readonly ok: true; readonly value: T } {
  return result.ok;
}

/** Narrows a result to its failure branch. */
export function isErr<T, E>(result: Result<T, E>): result is { readonly ok: false; readonly error: E } {
  return !result.ok;
}

/** Applies `transform` to the value of a success. A failure is returned unchanged. */
export function map<T, U, E>(result: Result<T, E>, transform: (value: T) => U): Result<U, E> {
  return result.ok ? ok(transform(result.value)) : result;
}

/** Applies `transform` to the error of a failure. A success is returned unchanged. */
export function mapErr<T, E, F>(result: Result<T, E>, transform: (error: E) => F): Result<T, F> {
  return result.ok ? result : err(transform(result.error));
}

/** Passes the value of a success to `transform` and returns its result. A failure is returned unchanged. */
export function flatMap<T, U, E, F>(result: Result<T, E>, transform: (value: T) => Result<U, F>): Result<U, E | F> {
  return result.ok ? transform(result.value) : result;
}

/** Returns the value of a success. Throws the error of a failure. */
export function unwrap<T, E>(result: Result<T, E>): T {
  if (result.ok) return result.value;
  // oxlint-disable-next-line typescript/only-throw-error -- the caller's own error, whatever it is
  throw result.error;
}
