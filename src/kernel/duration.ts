const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

/**
 * Reads a span of time such as `90s`, `30m` or `2h`; milliseconds, or undefined for anything else and for none at all.
 */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6}(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const ms = Math.round(Number(count) * (UNITS[unit ?? ""] ?? 0));
  return ms > 0 ? ms : undefined;
}

/** A span of time in the greatest unit that needs no fraction, else in seconds: `2h`, `30m`, `1.5s`; `40ms`. */
export function durationText(ms: number): string {
  if (ms < 100) return `${Math.round(ms)}ms`;
  const [unit, size] = Object.entries(UNITS).find(([, each]) => ms % each === 0) ?? ["s", 1000];
  return `${Math.round((ms / size) * 10) / 10}${unit}`;
}
