const UNITS: readonly (readonly [bytes: number, unit: string])[] = [
  [1_000_000_000, "GB"],
  [1_000_000, "MB"],
  [1000, "kB"],
];

/** A number of bytes for people: `812 B`, `1.8 kB`, `24 MB`. */
export function sizeWords(bytes: number): string {
  const [size, unit] = UNITS.find(([least]) => bytes >= least) ?? [1, "B"];
  const count = bytes / size;
  return `${count < 10 && size > 1 ? count.toFixed(1) : Math.round(count)} ${unit}`;
}
