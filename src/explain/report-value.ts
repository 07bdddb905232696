import { isArray, isPlainObject, typeName } from "../kernel/json/plain-data.ts";
import { truncate } from "../kernel/text.ts";
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
 * Any value as a report holds it: JSON, secrets hidden, its texts of about `room` characters together at most. What
 * JSON has no word for becomes a text.
 */
export function reportValue(value: unknown, room: number = MAX_VALUE): ShortenedValue {
  const walk = new Walk(room);
  const shortened = walk.take(value, 0);
  return { value: shortened, cut: walk.cut };
}

/** A text as a report holds it: secrets hidden, bounded in size. */
export function reportText(text: string): string {
  return truncate(currentRedactor().redactText(text), MAX_TEXT);
}

class Walk {
  cut = false;
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  take(value: unknown, depth: number): ReportValue {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "boolean" || value === null || (typeof value === "number" && Number.isFinite(value))) {
      this.#room -= 8;
      return value;
    }
    if (depth >= MAX_DEPTH || this.#room <= 0) return this.#leaveOut(value);
    if (isArray(value)) return this.#list(value, depth);
    if (isPlainObject(value)) return this.#record(value, depth);
    return this.#text(formatValue(value, MAX_TEXT));
  }

  #list(list: readonly unknown[], depth: number): ReportValue {
    const taken: ReportValue[] = [];
    for (const element of list) {
      if (this.#room <= 0) {
        this.cut = true;
        return [...taken, `… ${list.length - taken.length} more`];
      }
      taken.push(this.take(element, depth + 1));
    }
    return taken;
  }

  #record(record: Readonly<Record<string, unknown>>, depth: number): ReportValue {
    const names = Object.keys(record);
    const taken: [string, ReportValue][] = [];
    for (const name of names) {
      if (this.#room <= 0) {
        this.cut = true;
        break;
      }
      taken.push([this.#text(name), this.take(record[name], depth + 1)]);
    }
    const left = names.length - taken.length;
    // By definition, not assignment: a name may be __proto__.
    return Object.fromEntries(left === 0 ? taken : [...taken, ["…", `${left} more`]]);
  }

  #text(text: string): string {
    const shown = truncate(currentRedactor().redactText(text), Math.max(0, Math.min(MAX_TEXT, this.#room)));
    if (text.length > MAX_TEXT || text.length > this.#room) this.cut = true;
    this.#room -= shown.length;
    return shown;
  }

  #leaveOut(value: unknown): string {
    this.cut = true;
    return `… (${typeName(value)})`;
  }
}
