import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";

// Written by hand instead of picomatch: ADR 005 has the measurements.

/** Wildcard characters of a file pattern. */
const MAGIC = /[*?[{]/;

/** Maximum number of `{a,b}` alternatives. More are a mistake. */
const MAX_ALTERNATIVES = 1000;

/** A parsed file pattern: its base directory, and the paths below it that match. */
export interface GlobPattern {
  /** As written, with forward slashes; empty for the working directory. */
  readonly base: string;
  /** One list of segments per alternative; empty if the pattern is the path of one file. */
  readonly alternatives: readonly (readonly Segment[])[];
}

/** One directory or file of a path, or any number of directories. */
export type Segment =
  | { readonly kind: "any depth" }
  | { readonly kind: "name"; readonly fits: (name: string) => boolean };

/**
 * Parses a pattern: `*` and `?` within a name, `[a-z]`, `{a,b}`, and `**` for any number of directories. Names that
 * begin with a dot match only patterns that do too. The error is one sentence on an invalid pattern.
 */
export function globPattern(text: string): Result<GlobPattern, string> {
  const path = text.replaceAll("\\", "/");
  const parts = path.split("/");
  const first = parts.findIndex((part) => MAGIC.test(part));
  if (first === -1) return ok({ base: path, alternatives: [] });
  const base = parts.slice(0, first).join("/");
  const rest = parts.slice(first).join("/");
  const written = expand(rest);
  if (written === undefined)
    return err(
      `${quote(text)} has more than ${MAX_ALTERNATIVES} alternatives, or a { without a }. Use a ` +
        "simpler pattern, or pass --input several times.",
    );
  try {
    const alternatives = written.map((alternative) =>
      alternative
        .split("/")
        .filter((part) => part !== "")
        .map(segmentOf),
    );
    return ok({ base: base === "" && path.startsWith("/") ? "/" : base, alternatives });
  } catch {
    // [z-a] isn't a valid set of characters.
    return err(`${quote(text)} contains an invalid set of characters. Write it as [abc] or [a-z].`);
  }
}

/** Returns whether a path matches. `names` are its segments below the pattern's base. */
export function matchesPattern({ alternatives }: Pick<GlobPattern, "alternatives">, names: readonly string[]): boolean {
  return alternatives.some((segments) => reachedBy(segments, names).has(segments.length));
}

/** Returns whether a path below this directory could match. */
export function mayMatchBelow({ alternatives }: Pick<GlobPattern, "alternatives">, names: readonly string[]): boolean {
  return alternatives.some((segments) => [...reachedBy(segments, names)].some((at) => at < segments.length));
}

/**
 * Returns the numbers of segments that the names can consume. Follows all alternatives at once, so that no pattern is
 * slow.
 */
function reachedBy(segments: readonly Segment[], names: readonly string[]): ReadonlySet<number> {
  let reached = closure(new Set([0]), segments);
  for (const name of names) {
    const next = new Set<number>();
    for (const at of reached) {
      const segment = segments[at];
      if (segment?.kind === "any depth" && !name.startsWith(".")) next.add(at);
      if (segment?.kind === "name" && segment.fits(name)) next.add(at + 1);
    }
    reached = closure(next, segments);
  }
  return reached;
}

/** Adds the positions behind `**`, which may match no directory. */
function closure(reached: Set<number>, segments: readonly Segment[]): ReadonlySet<number> {
  // A loop over a set also visits the elements that it adds.
  for (const at of reached) if (segments[at]?.kind === "any depth") reached.add(at + 1);
  return reached;
}

function segmentOf(part: string): Segment {
  return part === "**" ? { kind: "any depth" } : { kind: "name", fits: nameTest(part) };
}

/** Returns a test for one name. `*`, `?`, `[a-z]` and `[!a-z]` are wildcards; other characters match themselves. */
function nameTest(part: string): (name: string) => boolean {
  const source = part.replaceAll(
    /\*+|\?|\[(!?)([^\]]+)\]|[\\^$.|+()[\]{}]/g,
    (match, not: string | undefined, set: string | undefined) => {
      if (set !== undefined) return `[${not === "!" ? "^" : ""}${set.replaceAll(/[\\[^]/g, "\\$&")}]`;
      if (match.startsWith("*")) return ".*";
      return match === "?" ? "." : `\\${match}`;
    },
  );
  const test = new RegExp(`^${source}$`, "su");
  // Hidden names match only a pattern that begins with a dot.
  return (name) => (part.startsWith(".") || !name.startsWith(".")) && test.test(name);
}

/** Expands the braces of a pattern. Returns undefined if one isn't closed, or if there are too many alternatives. */
function expand(text: string): readonly string[] | undefined {
  const open = text.indexOf("{");
  if (open === -1) return [text];
  const close = closing(text, open);
  if (close === undefined) return undefined;
  const patterns: string[] = [];
  for (const option of options(text.slice(open + 1, close))) {
    const more = expand(text.slice(0, open) + option + text.slice(close + 1));
    if (more === undefined || patterns.length + more.length > MAX_ALTERNATIVES) return undefined;
    patterns.push(...more);
  }
  return patterns;
}

function closing(text: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** Splits the content of one pair of braces at its commas. */
function options(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (at < text.length && (text[at] !== "," || depth > 0)) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  return parts;
}
