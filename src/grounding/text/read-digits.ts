const ORDINAL = /^(\p{N}+)(?:st|nd|rd|th)$/iu;
const SCALED = /^(\p{N}+(?:\.\p{N}+)?)(k|K|M|bn|B|BN)$/u;
const SCALES: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6, bn: 1e9, B: 1e9, BN: 1e9 };
const GROUPED = /^\p{N}{1,3}(?:,\p{N}{3})+(?:\.\p{N}+)?$/u;
const PLAIN = /^\p{N}+(?:\.\p{N}+)?$/u;

/**
 * Reads a number written in digits: `1,200`, `0.5`, `21st`, `5k`, `3bn`. Undefined for what is no plain number, such as
 * a version (`6.15.0`), a code (`3G`), or digits beyond the exact range of a double.
 */
export function readDigits(text: string): number | undefined {
  const ordinal = ORDINAL.exec(text)?.[1];
  if (ordinal !== undefined) return exact(Number(ordinal));
  const [, amount, scale = ""] = SCALED.exec(text) ?? [];
  if (amount !== undefined) return exact(round(Number(amount) * (SCALES[scale] ?? 1)));
  if (GROUPED.test(text)) return exact(Number(text.replaceAll(",", "")));
  if (PLAIN.test(text)) return exact(Number(text));
  // A comma before one or two digits is a decimal comma: nobody groups thousands so.
  return /^\p{N}+,\p{N}{1,2}$/u.test(text) ? exact(Number(text.replace(",", "."))) : undefined;
}

/** Takes off what floating point adds: 1.1 × 1,000,000 is 1,100,000. */
export function round(value: number): number {
  return Number(value.toPrecision(15));
}

function exact(value: number): number | undefined {
  return Number.isFinite(value) && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
