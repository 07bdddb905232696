import type { Check } from "./check.ts";

/** What HTTP answers where asking again later may help. */
const BUSY: ReadonlySet<unknown> = new Set([408, 425, 429, 500, 502, 503, 504, 529]);
const NETWORK = /^(?:ECONN(?:RESET|REFUSED|ABORTED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|UND_ERR_\w+)$/;
/** Errors within errors that are looked into. */
const MAX_CAUSES = 5;

/**
 * Tells whether a case failed by what a service or the network said, which a live adapter asked or the step itself,
 * past its adapters: no step, prompt or model is to blame.
 */
export function isOutage({ verdict, source, reached }: Pick<Check, "verdict" | "source" | "reached">): boolean {
  if (verdict.kind !== "failed" || (source !== "live" && reached === undefined)) return false;
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

/** Reads fields of what a client threw, whose getters may throw in turn. */
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
