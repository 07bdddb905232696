import { stableStringify } from "../../kernel/json/canonical-json.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { shownJson } from "../../explain/shown-text.ts";

/**
 * Writes a run as JSON: the fields in a fixed order with a line each, a line for each case and group with its keys
 * sorted, a final newline. What a terminal or the log of a CI system would obey is escaped, so the file may be printed
 * as it is; `parseRunModel` gives the same model back.
 */
export function renderJson(model: RunModel): string {
  const lines = FIELDS.map((name) => `  "${name}": ${stableStringify(model[name])},\n`);
  return shownJson(`{\n${lines.join("")}  "cases": ${list(model.cases)},\n  "groups": ${list(model.groups)}\n}\n`);
}

/** In the order of their lines; cases and groups come after them. */
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
  "settlement",
  "problems",
] as const satisfies readonly (keyof RunModel)[];

function list(items: readonly object[]): string {
  return items.length === 0 ? "[]" : `[\n${items.map((one) => `    ${stableStringify(one)}`).join(",\n")}\n  ]`;
}
