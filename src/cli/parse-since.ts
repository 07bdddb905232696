import { type Result, err, ok } from "../kernel/result.ts";
import { quote } from "../kernel/text.ts";
import type { CommandInput } from "./terminal/command-input.ts";

/** Returns the time of `--since` or another option, as {@link parseSince} reads it; undefined if it wasn't given. */
export function sinceOption(input: CommandInput, name = "since"): Result<number | undefined, string> {
  const text = input.text(name);
  const since = text === undefined ? undefined : parseSince(text, Date.now());
  return text === undefined || since !== undefined
    ? ok(since)
    : err(`${quote(text)} is neither a date nor a time span. Use a value such as 2026-05-01, 30m, 6h or 2d.`);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a date (ISO 8601), or a span before `now` such as `30m`, `6h` or `2d`; milliseconds since 1970, undefined for
 * anything else.
 */
export function parseSince(text: string, now: number): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  // Date.parse alone accepts many texts that aren't dates, such as "1".
  const time = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
