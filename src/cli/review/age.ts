const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

/**
 * How long ago a time was, roughly: `just now`, `5 min ago`, `3 h ago`, `2 d ago`; a time that cannot be read as it is.
 */
export function age(at: string, now: number): string {
  const passed = now - Date.parse(at);
  if (Number.isNaN(passed)) return at;
  const [name, ms] = UNITS.find(([, size]) => passed >= size) ?? ["", 0];
  return ms === 0 ? "just now" : `${Math.floor(passed / ms)} ${name} ago`;
}
