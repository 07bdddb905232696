/** A score with two decimals, cut and not rounded: one below a threshold must not look as if it reached it. */
export function shownScore(score: number | null): string {
  return score === null ? "none" : (Math.floor(score * 100 + 1e-6) / 100).toFixed(2);
}

/** A number with its noun in the right form. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
