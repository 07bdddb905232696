import { isArray, typeName, withArticle } from "../../../kernel/json/plain-data.ts";
import { escapeText } from "../../../kernel/text.ts";
import { isStepResult } from "../../../kernel/step/step-result.ts";
import type { GroundingError } from "../grounding-error.ts";

/** Received value of a check, and the path to the value to check. */
interface Received {
  readonly matcher: string;
  readonly received: unknown;
  /** Path in a step result's output, such as `answer` or `answers[0].text`. */
  readonly path?: string | undefined;
}

/**
 * Returns the value to check: the received value, or the value at `path` in the output of a step result (or of a
 * `Result` of one). Throws a TypeError that describes the received value if the path doesn't fit.
 */
export function receivedValue({ matcher, received, path }: Received): unknown {
  const result = isSuccess(received) ? received.value : received;
  if (!isStepResult(result)) {
    if (path === undefined) return received;
    throw new TypeError(
      `${matcher}: { path } is only for step results, got ${withArticle(typeName(received))}. Remove path.`,
    );
  }
  if (path === undefined)
    throw new TypeError(
      `${matcher}: to check a step result, pass { path }, e.g. { path: "answer" } for the output field "answer".`,
    );
  return valueAt(result.output, path, matcher);
}

/** Returns the text to check, like {@link receivedValue}. Throws a TypeError for any other value. */
export function receivedText(input: Received): string {
  const value = receivedValue(input);
  if (typeof value === "string") return value;
  const at = input.path === undefined ? "" : ` at ${escapeText(input.path)}`;
  throw new TypeError(
    `${input.matcher} expects a string or a step result with { path }, got ${withArticle(typeName(value))}${at}.`,
  );
}

function isSuccess(value: unknown): value is { readonly value: unknown } {
  return typeof value === "object" && value !== null && "ok" in value && value.ok === true && "value" in value;
}

function valueAt(output: object, path: string, matcher: string): unknown {
  let value: unknown = output;
  for (const name of path.split(/[.[\]]+/).filter((part) => part !== "")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
      const container =
        typeof value === "object" && value !== null && !isArray(value)
          ? `{ ${Object.keys(value).slice(0, 10).map(escapeText).join(", ")} }`
          : typeName(value);
      throw new TypeError(
        `${matcher}: the output doesn't have ${escapeText(path)}: ${escapeText(name)} isn't in ${container}.`,
      );
    }
    value = Reflect.get(value, name);
  }
  return value;
}

/**
 * Returns a valid threshold unchanged. Throws a TypeError unless it's a number from 0 to 1, because 85 would never pass
 * and -1 always.
 */
export function checkedThreshold(matcher: string, threshold: number): number {
  if (threshold >= 0 && threshold <= 1) return threshold;
  throw new TypeError(`${matcher}: threshold must be a number from 0 to 1, got ${threshold}.`);
}

/** Result of a check: the verdict, and its message, which is rendered on demand. */
export interface GroundingResult {
  readonly pass: boolean;
  /** Message of a failing check, or of a passing one under `.not`. Safe to print and limited in size. */
  readonly message: () => string;
  /** Warning of a passing check. */
  readonly warning?: string;
}

/** Throws the error of a check that couldn't run. It's neither a pass nor a failure, so `.not` must not invert it. */
export function throwGroundingError(matcher: string, { kind, code, message, cause }: GroundingError): never {
  throw new Error(`${matcher} could not check: ${escapeText(message)} (${kind}: ${escapeText(code)})`, { cause });
}
