import type { Check } from "./check.ts";

/** HTTP status codes for which a later retry may help. */
const BUSY: ReadonlySet<unknown> = new Set([408, 425, 429, 500, 502, 503, 504, 529]);
const NETWORK = /^(?:ECONN(?:RESET|REFUSED|ABORTED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|UND_ERR_\w+)$/;
/** Maximum depth of nested errors. */
const MAX_CAUSES = 5;

/**
 * Returns true if a case failed because of a service's or the network's error, in a live adapter or in a request of the
 * step itself. Then no step, prompt or model is the cause.
 */
export function isOutage({
  verdict,
  source,
  networkAccess,
}: Pick<Check, "verdict" | "source" | "networkAccess">): boolean {
  if (verdict.kind !== "failed" || (source !== "live" && networkAccess === undefined)) return false;
  let thrown: unknown = verdict.error.cause;
  for (let depth = 0; depth < MAX_CAUSES && typeof thrown === "object" && thrown !== null; depth += 1) {
    const [status, statusCode, code, cause]: unknown[] = ["status", "statusCode", "code", "cause"].map(
      fieldReader(thrown),
    );
    if (BUSY.has(status) || BUSY.has(statusCode) || (typeof code === "string" && NETWORK.test(code))) return true;
    thrown = cause;
  }
  return false;
}

/** Reads fields of a client's error, whose getters may throw too. */
function fieldReader(thrown: object): (name: string) => unknown {
  return (name) => {
    try {
      const value: unknown = Reflect.get(thrown, name);
      return value;
    } catch {
      return undefined;
    }
  };
}
