const watched = new Map<unknown, (error: unknown) => void>();
let isListening = false;

/** The runner's timers: a test may have replaced the global ones. */
const { setTimeout: startTimer } = globalThis;

/**
 * Calls `note` with the error if no code handles a matcher's failure: an error, or a result that didn't pass. Vitest
 * reports such a failure after all tests, and counts the test as passed. Node reports it before the next turn of the
 * event loop.
 */
export function watchFailure(failure: unknown, note: (error: unknown) => void): void {
  if (!isListening) process.on("unhandledRejection", noteLost);
  isListening = true;
  watched.set(failure, note);
  startTimer(() => watched.delete(failure), 0);
}

function noteLost(reason: unknown): void {
  for (const [failure, note] of watched) if (failure === reason || isErrorOf(failure, reason)) note(reason);
}

/** Returns true if the runner made the error from a matcher's result. */
function isErrorOf(result: unknown, reason: unknown): boolean {
  const message: unknown = Reflect.get(Object(result), "message");
  if (typeof message !== "function") return false;
  const text: unknown = Reflect.apply(message, undefined, []);
  return text === Reflect.get(Object(reason), "message");
}
