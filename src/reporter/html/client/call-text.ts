import { isCommandPath } from "../../../explain/wording.ts";
import type { ReportChange, ReportValue } from "../../../explain/report-case.ts";

/** A value in one line, as it's written in code: `{ order: 1005 }`. Untrusted text. */
export function inlineValue(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "";
  if (Array.isArray(value)) return `[${value.map(inlineValue).join(", ")}]`;
  const entries = Object.entries(value).map(([name, inner]) => `${nameText(name)}: ${inlineValue(inner)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

/** Fields that name a command: they are its first argument, wherever a file has them. */
const NAMES: ReadonlySet<string> = new Set(["topic", "step", "reason"]);

/**
 * A complete call or command of a change, as it's written in code: `tools.mail({ order: 1005 })`,
 * `emit("order.closed", { order: 1005 })`. Undefined for a change of a part of one. Untrusted text.
 */
export function writtenCall({ part, path, call }: ReportChange, value: ReportValue | undefined): string | undefined {
  if (call?.kind === "added" || call?.kind === "removed")
    return `${path}(${value === undefined ? "" : inlineValue(value)})`;
  if (part !== "commands" || !isCommandPath(path) || value === null || typeof value !== "object") return undefined;
  const { type, ...rest } = Object.fromEntries(Object.entries(value));
  const args = Object.entries(rest).toSorted(([a], [b]) => Number(NAMES.has(b)) - Number(NAMES.has(a)));
  return typeof type === "string" ? `${type}(${args.map(([, arg]) => inlineValue(arg)).join(", ")})` : undefined;
}

/** Splits a written call into its name and its arguments. Null if those aren't JSON that a parser keeps as it is. */
export function parsedCall(text: string): { name: string; value: object } | null {
  const at = text.indexOf("(");
  if (at < 0 || !text.endsWith(")")) return null;
  const args = text.slice(at + 1, -1);
  try {
    const value: unknown = JSON.parse(args);
    const isKept = typeof value === "object" && value !== null && JSON.stringify(value) === args;
    return isKept ? { name: text.slice(0, at), value } : null;
  } catch {
    // Arguments that were cut, or none.
    return null;
  }
}

function nameText(name: string) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
