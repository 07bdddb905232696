import { PLACEHOLDER, patternBetween } from "../../redact/placeholder.ts";

/**
 * Returns true if a URL with redacted parts may match a pattern: if the names of the pattern before its first `*` can
 * be those of the URL.
 */
export function mayMatchUrl(url: string, pattern: string): boolean {
  if (!url.includes("«")) return false;
  const [parts, names] = [url, pattern].map((text) =>
    text
      .toLowerCase()
      .replace(/^https?:\/\/|[?#].*$/gs, "")
      .split("/"),
  );
  const end = names?.findIndex((name) => name.includes("*")) ?? -1;
  return (names?.slice(0, end === -1 ? undefined : end) ?? []).every(
    (name, index) => name === "" || patternBetween((parts?.[index] ?? "").split(HIDDEN)).test(name),
  );
}

const HIDDEN = new RegExp(PLACEHOLDER);
