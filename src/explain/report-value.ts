import { isArray, isPlainObject, memberOf, typeName } from "../kernel/json/plain-data.ts";
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

/**
 * Returns both sides of a change in the form of a report. Different parts of them never read the same: NaN and its text
 * have different quotes, and long texts begin at their difference. A value that is cut has parts that read the same.
 */
export function reportSides(before: unknown, after: unknown): readonly [ShortenedValue, ShortenedValue] {
  const sides = [reportValue(before), reportValue(after)] as const;
  const [was, is] = sides;
  if (before === undefined || after === undefined) return sides;
  if (typeof was.value === "object" && (was.cut || is.cut)) return sides;
  const [left, right] = [
    { part: before, reported: was.value },
    { part: after, reported: is.value },
  ];
  return [
    { value: distinctValue(left, right), cut: was.cut },
    { value: distinctValue(right, left), cut: is.cut },
  ];
}

/** A part of a value, and its form in a report. */
interface ReportedPart<Reported = ReportValue> {
  readonly part: unknown;
  readonly reported: Reported;
}

/** Returns the form of a part, in which it doesn't read like the same part of the other side. */
function distinctValue({ part, reported }: ReportedPart, other: ReportedPart<unknown>): ReportValue {
  const member = (value: ReportValue, name: string | number): ReportValue =>
    distinctValue(
      { part: memberOf(part, name), reported: value },
      { part: memberOf(other.part, name), reported: memberOf(other.reported, name) },
    );
  if (isArray(reported)) return reported.map(member);
  if (isPlainObject(reported))
    return Object.fromEntries(Object.entries(reported).map(([name, value]) => [name, member(value, name)]));
  if (reported !== other.reported || Object.is(part, other.part)) return reported;
  const isText = typeof part === "string" && typeof other.part === "string";
  const texts = isText ? ([part, other.part] as const) : formatSides(part, other.part);
  const [own = "", current = ""] = texts.map((text) => currentRedactor().redactText(text));
  return own === current ? reported : cutSides(own, current, MAX_TEXT)[0];
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
