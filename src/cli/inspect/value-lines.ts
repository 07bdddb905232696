import { escapeJson, truncate } from "../../base/text.ts";

/** What is shown of one value unless all of it is asked for. */
const MAX_LINES = 24;
const MAX_LINE = 200;

/** A JSON value over as many lines as it needs, safe to print. Unless `full`, long ones are cut and say so. */
export function valueLines(value: unknown, full: boolean): string[] {
  const lines = escapeJson(JSON.stringify(value, undefined, 2) ?? "undefined").split("\n");
  if (full) return lines;
  const shown = lines.slice(0, MAX_LINES).map((line) => truncate(line, MAX_LINE));
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `… and ${left} more ${left === 1 ? "line" : "lines"}: --full`];
}

/** A JSON value on one line, safe to print; cut unless `full`. */
export function valueLine(value: unknown, full: boolean): string {
  const line = escapeJson(JSON.stringify(value) ?? "undefined");
  return full ? line : truncate(line, MAX_LINE);
}
