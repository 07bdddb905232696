import type { OrderRules } from "../../kernel/call-role.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { escapeText } from "../../kernel/text.ts";
import { type AdapterCall, FETCH, isMethodCall } from "../adapter-call.ts";
import { mayMatchUrl } from "./hidden-url.ts";
import { callPath, createDeclaredRoles, rolePattern } from "./infer-role.ts";

/**
 * Returns a sentence on the first call that a run made too early, or undefined. A call that failed, or had no response
 * yet, doesn't count as made before another one.
 */
export function orderProblem(calls: readonly AdapterCall[], order: OrderRules): string | undefined {
  const made = calls.filter(isMethodCall);
  for (const [pattern, { after }] of Object.entries(order)) {
    // A redacted part of a URL may be what the pattern names.
    const isLater = rolePattern(pattern, false, mayMatchUrl);
    const earlier = after.map((name) => {
      const isEarlier = matcherOf(name);
      return { name, isEarlier, first: made.findIndex((call) => !hasFailed(call) && isEarlier(call)) };
    });
    for (const [index, call] of made.entries()) {
      const completed = index - (call.parallel ?? 0);
      // A pattern may also cover the calls that must come first: `tools.*` after `tools.login`.
      const isRuled = isLater(call) && !earlier.some(({ isEarlier }) => isEarlier(call));
      const missing = isRuled ? earlier.find(({ first }) => first === -1 || first >= completed) : undefined;
      if (missing !== undefined)
        return escapeText(
          `${callPath(call.adapter)} was called before ${missing.name} succeeded, but the step's order requires ` +
            `${pattern} after ${after.join(" and ")}.`,
        );
    }
  }
  return undefined;
}

/** Returns the names and patterns of an order, each with true if it matches one of these calls. */
export function nameMatches(
  calls: readonly AdapterCall[],
  order: OrderRules,
): readonly (readonly [name: string, isMatched: boolean])[] {
  const names = new Set(Object.entries(order).flatMap(([pattern, { after }]) => [pattern, ...after]));
  return [...names].map((name) => [name, calls.some(matcherOf(name))]);
}

function matcherOf(pattern: string): (call: AdapterCall) => boolean {
  const roleOf = createDeclaredRoles({ [pattern]: "read" });
  return (call) => roleOf(call) !== undefined;
}

function isQuestion({ request }: AdapterCall): boolean {
  const sent: unknown = isArray(request) ? request[0] : undefined;
  return isPlainObject(sent) && (sent["method"] === "GET" || sent["method"] === "HEAD");
}

/** Returns true for a call that threw, got no response, or whose response is an error of HTTP or MCP. */
function hasFailed(call: AdapterCall): boolean {
  const { adapter, response, open } = call;
  if (Object.hasOwn(call, "error") || open === true) return true;
  if (!isPlainObject(response)) return false;
  const { status, isError, content } = response;
  if (adapter !== FETCH || typeof status !== "number") return isError === true && isArray(content);
  // "Not found" is an answer to a question, such as whether a user exists.
  return status >= 400 && !(status === 404 && isQuestion(call));
}
