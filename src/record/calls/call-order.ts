import type { OrderRules } from "../../kernel/call-role.ts";
import { escapeText } from "../../kernel/text.ts";
import type { AdapterCall } from "../adapter-call.ts";
import { callPath, createDeclaredRoles } from "./infer-role.ts";

/**
 * Returns a sentence on the first call that a run made too early, or undefined. A call that failed doesn't count as
 * made before another one.
 */
export function orderProblem(calls: readonly AdapterCall[], order: OrderRules): string | undefined {
  const made = calls.filter(({ returns }) => returns !== "property");
  for (const [pattern, { after }] of Object.entries(order)) {
    const isLater = matcherOf(pattern);
    const earlier = after.map((name) => {
      const isEarlier = matcherOf(name);
      return { name, first: made.findIndex((call) => !hasFailed(call) && isEarlier(call)) };
    });
    for (const [index, call] of made.entries()) {
      const missing = isLater(call) ? earlier.find(({ first }) => first === -1 || first >= index) : undefined;
      if (missing !== undefined)
        return escapeText(
          `${callPath(call.adapter)} was called before ${missing.name}, but the step's order requires ` +
            `${pattern} after ${after.join(" and ")}.`,
        );
    }
  }
  return undefined;
}

function matcherOf(pattern: string): (call: AdapterCall) => boolean {
  const roleOf = createDeclaredRoles({ [pattern]: "read" });
  return (call) => roleOf(call) !== undefined;
}

function hasFailed(call: AdapterCall): boolean {
  return Object.hasOwn(call, "error");
}
