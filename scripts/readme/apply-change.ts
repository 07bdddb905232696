/**
 * Applies a change block: each line after "-" is replaced by the "+" line below it. Throws for a line the text lacks.
 */
export function applyChange(text: string, change: string): string {
  const pairs = [...change.matchAll(/^-(.*)\n\+(.*)$/gm)];
  if (pairs.length === 0) throw new Error("The change replaces no line.");
  return pairs.reduce((current, [, before = "", after = ""]) => {
    if (!current.includes(before)) throw new Error(`There is no line to change: ${before}`);
    return current.replace(before, () => after);
  }, text);
}
