import { isArray, isPlainObject, typeName } from "../kernel/json/plain-data.ts";
import { truncate } from "../kernel/text.ts";
import { cutSides, formatSides } from "../kernel/diff/format-diff.ts";
import { formatValue } from "../kernel/diff/format-value.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import type { ReportValue } from "./report-case.ts";

/** Characters of one text, and of all texts of one value: a report is read by people. */
const MAX_TEXT = 16_384;
const MAX_VALUE = 65_536;
/** Levels of nesting, deeper than what anybody reads. */
const MAX_DEPTH = 64;

/** A value of a report, and whether anything of it was left out. */
export interface ShortenedValue {
  readonly value: ReportValue;
  readonly cut: boolean;
}

/**
 * Returns any value in the form of a report: JSON, redacted, its texts of at most about `room` characters together. A
 * value that JSON can't represent becomes a text.
 */
export function reportValue(value: unknown, limit: number = MAX_VALUE): ShortenedValue {
  const walk = new Walk(limit);
  const shortened = walk.take(value, 0);
  return { value: shortened, cut: walk.cut };
}

/** Returns both sides of a change in the form of a report. Texts that would read the same begin at their difference. */
export function reportSides(before: unknown, after: unknown): readonly [ShortenedValue, ShortenedValue] {
  const sides = [reportValue(before), reportValue(after)] as const;
  const [was, is] = sides;
  if (before === undefined || after === undefined) return sides;
  if (typeof was.value !== "string" || was.value !== is.value) return sides;
  const texts = typeof before === "string" && typeof after === "string" ? [before, after] : formatSides(before, after);
  const [old = "", current = ""] = texts.map((text) => currentRedactor().redactText(text));
  const [left, right] = cutSides(old, current, MAX_TEXT);
  return [
    { value: left, cut: was.cut },
    { value: right, cut: is.cut },
  ];
}

/** Returns a text in the form of a report: redacted, bounded in size. */
export function reportText(text: string): string {
  return truncate(currentRedactor().redactText(text), MAX_TEXT);
}

class Walk {
  cut = false;
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  take(value: unknown, depth: number): ReportValue {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "boolean" || value === null || (typeof value === "number" && Number.isFinite(value))) {
      this.#left -= 8;
      return value;
    }
    if (depth >= MAX_DEPTH || this.#left <= 0) return this.#leaveOut(value);
    if (isArray(value)) return this.#list(value, depth);
    if (isPlainObject(value)) return this.#record(value, depth);
    return this.#text(formatValue(value, MAX_TEXT));
  }

  #list(list: readonly unknown[], depth: number): ReportValue {
    const items: ReportValue[] = [];
    for (const element of list) {
      if (this.#left <= 0) {
        this.cut = true;
        return [...items, `… ${list.length - items.length} more`];
      }
      items.push(this.take(element, depth + 1));
    }
    return items;
  }

  #record(record: Readonly<Record<string, unknown>>, depth: number): ReportValue {
    const names = Object.keys(record);
    const entries: [string, ReportValue][] = [];
    for (const name of names) {
      if (this.#left <= 0) {
        this.cut = true;
        break;
      }
      entries.push([this.#text(name), this.take(record[name], depth + 1)]);
    }
    const left = names.length - entries.length;
    // By definition, not assignment: a name may be __proto__.
    return Object.fromEntries(left === 0 ? entries : [...entries, ["…", `${left} more`]]);
  }

  #text(text: string): string {
    const shortened = truncate(currentRedactor().redactText(text), Math.max(0, Math.min(MAX_TEXT, this.#left)));
    if (text.length > MAX_TEXT || text.length > this.#left) this.cut = true;
    this.#left -= shortened.length;
    return shortened;
  }

  #leaveOut(value: unknown): string {
    this.cut = true;
    return `… (${typeName(value)})`;
  }
}
