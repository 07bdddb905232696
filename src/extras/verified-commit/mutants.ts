/** A file with one changed line altered, so that a test of that line should fail. */
export interface Mutant {
  readonly path: string;
  /** Line number, starting at 1. */
  readonly line: number;
  /** The line as it was changed to; untrusted. */
  readonly source: string;
  /** The file's text with the line altered. */
  readonly text: string;
}

/** A file of code before and after a run. */
export interface ChangedCode {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

const MAX_MUTANTS = 5;
/** Longer lines aren't altered: they are generated, and patterns take long to search them. */
const MAX_COLUMNS = 500;
/** Alterations of a line, of which the first that fits is used: coarse ones first, because most tests notice them. */
const ALTERATIONS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\breturn (?!undefined\b)[^;]+;/, "return undefined;"],
  [/ === /, " !== "],
  [/ !== /, " === "],
  [/ <=? /, " > "],
  [/ >=? /, " < "],
  [/ && /, " || "],
  [/ \|\| /, " && "],
  [/ [*/+] /, " - "],
  [/ - /, " + "],
  [/\btrue\b/, "false"],
  [/\bfalse\b/, "true"],
];
/** Lines that don't compute anything at run time. */
export const IDLE: RegExp =
  /^\s*(?:\/\/|\/?\*|import\b|export (?:\*|\{|type\b|interface\b)|type\b|interface\b|declare\b)/;

/**
 * Returns up to five mutants of the lines that a run added or changed, spread evenly over them. A mutant may not parse:
 * only a test that runs and fails has noticed it.
 */
export function mutantsOf(files: readonly ChangedCode[]): readonly Mutant[] {
  const mutants = files.flatMap(({ path, before, after }) => {
    const known = new Set(before.split("\n").map((line) => line.trim()));
    const lines = after.split("\n");
    return lines.flatMap((source, index): readonly Mutant[] => {
      if (known.has(source.trim()) || source.length > MAX_COLUMNS || IDLE.test(source)) return [];
      const altered = alteredLine(source);
      if (altered === source) return [];
      return [{ path, line: index + 1, source, text: lines.with(index, altered).join("\n") }];
    });
  });
  return spread(mutants, MAX_MUTANTS);
}

/** Returns at most so many mutants, spread evenly over all. */
export function spread(mutants: readonly Mutant[], most: number): readonly Mutant[] {
  const step = Math.max(1, mutants.length / most);
  return mutants.filter((_mutant, index) => index % step < 1);
}

function alteredLine(source: string): string {
  const [pattern, replacement] = ALTERATIONS.find(([each]) => each.test(source)) ?? [/(?!)/, ""];
  return source.replace(pattern, replacement);
}
