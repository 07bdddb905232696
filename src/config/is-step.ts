import { isPlainObject } from "../base/plain-data.ts";
import type { AnyStep } from "../step/define-step.ts";

/** Narrows any value to a step, by its parts: it may come from another copy of this package. */
export function isStep(value: unknown): value is AnyStep {
  return (
    isPlainObject(value) &&
    typeof value["name"] === "string" &&
    typeof value["run"] === "function" &&
    "inputSchema" in value &&
    "partialOutputSchema" in value
  );
}
