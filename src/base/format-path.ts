import { quote } from "./text.ts";

const BARE = /^[\p{L}\p{N}_$-]+$/u;

/**
 * Writes a path for people: `user.name`, `[1]`, `lines[0].sku`, `(root)` for the empty path. A name with other
 * characters than letters, digits, `_`, `$` and `-` is quoted, `["a b"]`: paths stay unambiguous and safe to print.
 */
export function formatPath(path: readonly (string | number)[]): string {
  if (path.length === 0) return "(root)";
  let text = "";
  for (const segment of path) text += formatSegment(segment, text === "");
  return text;
}

function formatSegment(segment: string | number, first: boolean): string {
  if (typeof segment === "number") return `[${segment}]`;
  if (!BARE.test(segment)) return `[${quote(segment)}]`;
  return first ? segment : `.${segment}`;
}
