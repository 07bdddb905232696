/**
 * Returns true if a name matches a pattern in which `*` matches any characters. Split, not compiled: no pattern can be
 * slow.
 */
export function matchesName(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!name.startsWith(first)) return false;
  if (rest.length === 0) return name === first;
  let from = first.length;
  for (const piece of rest.slice(0, -1)) {
    const at = name.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  const last = rest.at(-1) ?? "";
  return name.length - last.length >= from && name.endsWith(last);
}
