import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";

// By hand, not by picomatch: see ADR 005 for what was measured.

/** What stands for more than itself in a pattern of files. */
const MAGIC = /[*?[{]/;

/** Alternatives of `{a,b}` together: more are a mistake. */
const MAX_ALTERNATIVES = 1000;

/** A pattern of files: the directory all of them lie below, and what their paths below it must be. */
export interface GlobPattern {
  /** As it was written, with forward slashes; empty for where the command was started. */
  readonly base: string;
  /** One list of segments for each alternative; none where the pattern is one file by its name. */
  readonly alternatives: readonly (readonly Segment[])[];
}

/** One directory or file of a path, or any number of directories. */
export type Segment =
  | { readonly kind: "any depth" }
  | { readonly kind: "name"; readonly fits: (name: string) => boolean };

/**
 * Reads a pattern: `*` and `?` within a name, `[a-z]`, `{a,b}`, and `**` for any number of directories. Names that
 * begin with a dot are only met by patterns that do. One sentence for a pattern that makes no sense.
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
    return err(`${quote(text)} has more than ${MAX_ALTERNATIVES} alternatives, or a { without its }.`);
  try {
    const alternatives = written.map((one) =>
      one
        .split("/")
        .filter((part) => part !== "")
        .map(segmentOf),
    );
    return ok({ base: base === "" && path.startsWith("/") ? "/" : base, alternatives });
  } catch {
    // [z-a] is no set of characters.
    return err(`${quote(text)} holds a [ that begins no set of characters.`);
  }
}

/** Whether a path, name by name below the pattern's base, is one of the pattern's. */
export function fitsPattern({ alternatives }: Pick<GlobPattern, "alternatives">, names: readonly string[]): boolean {
  return alternatives.some((segments) => reachedBy(segments, names).has(segments.length));
}

/** Whether something below a directory could be one of the pattern's. */
export function leadsOn({ alternatives }: Pick<GlobPattern, "alternatives">, names: readonly string[]): boolean {
  return alternatives.some((segments) => [...reachedBy(segments, names)].some((at) => at < segments.length));
}

/** How many segments the names may have used up. All ways are gone at once, so that no pattern is slow. */
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

/** `**` may stand for nothing. */
function closure(reached: Set<number>, segments: readonly Segment[]): ReadonlySet<number> {
  // What is added while a set is walked is walked too.
  for (const at of reached) if (segments[at]?.kind === "any depth") reached.add(at + 1);
  return reached;
}

function segmentOf(part: string): Segment {
  return part === "**" ? { kind: "any depth" } : { kind: "name", fits: nameTest(part) };
}

/** What a name must be: `*`, `?`, `[a-z]` and `[!a-z]` stand for characters, all else for itself. */
function nameTest(part: string): (name: string) => boolean {
  const source = part.replaceAll(
    /\*+|\?|\[(!?)([^\]]+)\]|[\\^$.|+()[\]{}]/g,
    (found, not: string | undefined, set: string | undefined) => {
      if (set !== undefined) return `[${not === "!" ? "^" : ""}${set.replaceAll(/[\\[^]/g, "\\$&")}]`;
      if (found.startsWith("*")) return ".*";
      return found === "?" ? "." : `\\${found}`;
    },
  );
  const test = new RegExp(`^${source}$`, "su");
  // What is hidden is only met by who asks for it.
  return (name) => (part.startsWith(".") || !name.startsWith(".")) && test.test(name);
}

/** Every alternative of the braces of a pattern; undefined where one is open, or there are too many. */
function expand(text: string): readonly string[] | undefined {
  const open = text.indexOf("{");
  if (open === -1) return [text];
  const close = closing(text, open);
  if (close === undefined) return undefined;
  const found: string[] = [];
  for (const option of options(text.slice(open + 1, close))) {
    const more = expand(text.slice(0, open) + option + text.slice(close + 1));
    if (more === undefined || found.length + more.length > MAX_ALTERNATIVES) return undefined;
    found.push(...more);
  }
  return found;
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

/** What stands between the commas of one pair of braces. */
function options(text: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (at < text.length && (text[at] !== "," || depth > 0)) continue;
    found.push(text.slice(from, at));
    from = at + 1;
  }
  return found;
}
