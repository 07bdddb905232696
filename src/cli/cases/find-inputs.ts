import { readdirSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { isWithin } from "../../kernel/files/real-directory.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import { type GlobPattern, matchesPattern, globPattern, mayMatchBelow } from "./glob-pattern.ts";

/** Base directory of input patterns, and the project that they stay in unless they name another path. */
export interface InputArea {
  readonly cwd: string;
  /** The project's root. */
  readonly root: string;
}

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);
const ENDINGS: readonly string[] = [".json", ".jsonl", ".ndjson"];
const ENDINGS_HINT = `Input files must end in ${ENDINGS.join(", ")}.`;

/**
 * Returns the files that the patterns match: absolute, sorted, without duplicates. A pattern that names a directory
 * matches the inputs in it. Ignores links and dependencies. A pattern that begins with `/` or `..` may leave the
 * project; any other that leaves it by a link is refused. The error is one sentence on a pattern without a match.
 */
export function findInputs(patterns: readonly string[], area: InputArea): Result<readonly string[], string> {
  const files = new Set<string>();
  for (const text of patterns) {
    const matches = filesOf(text, area);
    if (!matches.ok) return matches;
    for (const file of matches.value) files.add(file);
  }
  return ok([...files].toSorted());
}

function filesOf(text: string, { cwd, root }: InputArea): Result<readonly string[], string> {
  const pattern = globPattern(text);
  if (!pattern.ok) return pattern;
  const base = resolve(cwd, pattern.value.base);
  const stats = statSync(base, { throwIfNoEntry: false });
  if (stats === undefined) return err(`No input matches ${quote(text)}: there is no ${quote(displayPath(base))}.`);
  const explicit = isAbsolute(pattern.value.base) || pattern.value.base.split("/")[0] === "..";
  if (!explicit && !isWithin(realpathSync.native(root), realpathSync.native(base))) {
    return err(
      `${quote(text)} points outside the project through a symbolic link. Pass the target's path, such as ../inputs.`,
    );
  }
  if (!stats.isDirectory()) return fileItself(text, { base, pattern: pattern.value });
  const whole = pattern.value.alternatives.length === 0 ? inputsIn() : pattern.value;
  const files = [...walk(base, [], whole)];
  return files.length === 0 ? err(`No input matches ${quote(text)}. ${ENDINGS_HINT}`) : ok(files);
}

function fileItself(
  text: string,
  { base, pattern }: { readonly base: string; readonly pattern: GlobPattern },
): Result<readonly string[], string> {
  if (pattern.alternatives.length > 0)
    return err(`No input matches ${quote(text)}: ${quote(displayPath(base))} is a file.`);
  return isInput(base) ? ok([base]) : err(`${quote(text)} isn't an input file. ${ENDINGS_HINT}`);
}

function isInput(name: string): boolean {
  return ENDINGS.some((ending) => name.endsWith(ending));
}

/** Returns the pattern of a directory: the files directly in it. */
function inputsIn(): Pick<GlobPattern, "alternatives"> {
  return { alternatives: [[{ kind: "name", fits: (name) => !name.startsWith(".") }]] };
}

function* walk(
  directory: string,
  names: readonly string[],
  pattern: Pick<GlobPattern, "alternatives">,
): Generator<string, void, undefined> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const below = [...names, entry.name];
    const path = join(directory, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name) && mayMatchBelow(pattern, below))
      yield* walk(path, below, pattern);
    else if (entry.isFile() && isInput(entry.name) && matchesPattern(pattern, below)) yield path;
  }
}
