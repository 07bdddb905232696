import { isArray, typeName, withArticle } from "../../../kernel/json/plain-data.ts";
import { escapeText } from "../../../kernel/text.ts";
import { isStepResult } from "../../../kernel/step/step-result.ts";
import type { GroundingError } from "../grounding-error.ts";

/** What a check was given, and where in it to look. */
interface Received {
  readonly matcher: string;
  readonly received: unknown;
  /** A path into a step result's output, such as `answer` or `answers[0].text`. */
  readonly path?: string | undefined;
}

/**
 * The value a check is about: what was received, or the value at `path` in the output of a step result (or of a
 * `Result` of one). Throws a TypeError that says what was found where there is nothing to look at.
 */
export function receivedValue({ matcher, received, path }: Received): unknown {
  const result = isSuccess(received) ? received.value : received;
  if (!isStepResult(result)) {
    if (path === undefined) return received;
    throw new TypeError(
      `${matcher}: { path } goes with a step result, found ${withArticle(typeName(received))}. Leave the path out.`,
    );
  }
  if (path === undefined)
    throw new TypeError(
      `${matcher}: a step result needs { path }, e.g. { path: "answer" } for its output's field "answer".`,
    );
  return valueAt(result.output, path, matcher);
}

/** Like {@link receivedValue}, for a text. Throws a TypeError for anything else. */
export function receivedText(given: Received): string {
  const value = receivedValue(given);
  if (typeof value === "string") return value;
  const where = given.path === undefined ? "" : ` at ${escapeText(given.path)}`;
  throw new TypeError(
    `${given.matcher} expects a string or a step result with { path }, found ${withArticle(typeName(value))}${where}.`,
  );
}

function isSuccess(value: unknown): value is { readonly value: unknown } {
  return typeof value === "object" && value !== null && "ok" in value && value.ok === true && "value" in value;
}

function valueAt(output: object, path: string, matcher: string): unknown {
  let value: unknown = output;
  for (const name of path.split(/[.[\]]+/).filter((part) => part !== "")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
      const names =
        typeof value === "object" && value !== null && !isArray(value)
          ? Object.keys(value).slice(0, 10).map(escapeText).join(", ")
          : typeName(value);
      throw new TypeError(
        `${matcher}: the output has no ${escapeText(path)}; ` +
          `at ${escapeText(name)} there is ${names === "" ? "nothing" : names}.`,
      );
    }
    value = Reflect.get(value, name);
  }
  return value;
}

/**
 * A threshold as it is, if it can be one; throws a TypeError for what is no number from 0 to 1, because 85 would
 * never pass and -1 always.
 */
export function checkedThreshold(matcher: string, threshold: number): number {
  if (threshold >= 0 && threshold <= 1) return threshold;
  throw new TypeError(`${matcher}: threshold is ${threshold}. Give a number from 0 to 1.`);
}

/** What a check answers a matcher: the verdict, and the words for it, which are only made when they are shown. */
export interface GroundingAnswer {
  readonly pass: boolean;
  /** For a failing check, or for a passing one under `.not`. Safe to print, and bounded. */
  readonly message: () => string;
  /** Worth showing although the check passed. */
  readonly warning?: string;
}

/**
 * Throws the error of a check that could not be made: neither a pass nor a failure, so `.not` must not turn it round.
 */
export function throwGroundingError(matcher: string, { kind, code, message, cause }: GroundingError): never {
  throw new Error(`${matcher} could not check: ${escapeText(message)} (${kind}: ${escapeText(code)})`, { cause });
}
