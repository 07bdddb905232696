import { type Result, err, ok } from "../result.ts";
import { quote } from "../text.ts";

/** Characters that a shell would act on. No shell runs here, so a line that relies on them must not seem to work. */
const OPERATORS = /[|&;<>()$`*?#~]/;
/** Characters that a shell would act on even between double quotes. */
const EXPANSIONS = /[$`]/;
const PIECE = /(\s+)|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)/gy;

/**
 * Splits a command line into the program and its arguments. Spaces separate. `'…'` keeps everything unchanged, and
 * `"…"` all but `\"` and `\\`. Elsewhere a backslash escapes the next character. No shell reads the line: variables,
 * patterns, pipes and the like are an error that tells the user to name the shell.
 */
export function splitCommand(line: string): Result<readonly string[], string> {
  const words: string[] = [];
  let word: string | undefined;
  let end = 0;
  for (const [text, blank, single, double, escaped, plain] of line.matchAll(PIECE)) {
    end += text.length;
    const operator = OPERATORS.exec(plain ?? "") ?? EXPANSIONS.exec(double ?? "");
    if (operator !== null) return err(needsShell(line, operator[0]));
    if (blank === undefined) {
      word = (word ?? "") + (single ?? double?.replaceAll(/\\(["\\])/g, "$1") ?? escaped ?? plain ?? "");
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (end < line.length)
    return err(
      `Cannot read the check ${quote(line)}: the quote or backslash at character ${end + 1} has no end. Close it.`,
    );
  if (word !== undefined) words.push(word);
  if ((words[0] ?? "") === "")
    return err(`Cannot read the check ${quote(line)}: it doesn't name a program. Add a program, such as "npm test".`);
  return ok(words);
}

function needsShell(line: string, operator: string): string {
  return (
    `Cannot read the check ${quote(line)}: ${quote(operator)} is shell syntax, but veritest doesn't start a ` +
    "shell. Put it in single quotes, or use a shell: sh -c '…'."
  );
}

/** A command as a readable line. Words with other than plain characters are quoted so that no shell acts on them. */
export function commandLine(command: readonly string[]): string {
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word).replaceAll(/[$`]/g, "\\$&")))
    .join(" ");
}
