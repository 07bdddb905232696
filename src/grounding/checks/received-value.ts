import { isArray } from "../../base/plain-data.ts";
import { escapeText } from "../../base/text.ts";
import { typeName, withArticle } from "../../base/plain-data.ts";
import { isStepResult } from "../../step/step-result.ts";

/** What a check was given, and where in it to look. */
export interface Received {
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
        `${matcher}: the output has no ${escapeText(path)}; at ${escapeText(name)} there is ${names === "" ? "nothing" : names}.`,
      );
    }
    value = Reflect.get(value, name);
  }
  return value;
}
