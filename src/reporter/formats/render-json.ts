import { stableStringify } from "../../kernel/json/canonical-json.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { shownJson } from "../../explain/shown-text.ts";

/**
 * Writes a run as JSON: the fields in a fixed order with a line each, a line for each case and group with its keys
 * sorted, a final newline. Characters that control a terminal or a CI log are escaped, so you can print the file as it
 * is. `parseRunModel` returns the same model.
 */
export function renderJson(model: RunModel): string {
  const lines = FIELDS.map((name) => `  "${name}": ${stableStringify(model[name])},\n`);
  return shownJson(`{\n${lines.join("")}  "cases": ${list(model.cases)},\n  "groups": ${list(model.groups)}\n}\n`);
}

/** In the order of their lines. Cases and groups follow. */
const FIELDS = [
  "version",
  "status",
  "summary",
  "counts",
  "startedAt",
  "durationMs",
  "environment",
  "usage",
  "trials",
  "applied",
  "problems",
] as const satisfies readonly (keyof RunModel)[];

function list(items: readonly object[]): string {
  return items.length === 0 ? "[]" : `[\n${items.map((item) => `    ${stableStringify(item)}`).join(",\n")}\n  ]`;
}
