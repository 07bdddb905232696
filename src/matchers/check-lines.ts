import { escapeText } from "../base/text.ts";
import type { Check } from "../check/check.ts";
import type { Change } from "../check/compare.ts";
import type { Verdict } from "../check/verdict.ts";
import { formatPath } from "../diff/format-path.ts";
import type { SchemaViolation } from "../check/observe-output.ts";
import { leadLines, tailLines } from "./finding-lines.ts";
import { missLines } from "./miss-lines.ts";
import { bounded, diffLines } from "./words.ts";

/** The part of a check that is told. */
type Told = Pick<Check, "verdict" | "trials" | "unused">;

/** Lines of one change that waits for review: somebody will accept it by these. */
const MAX_LINES_SHOWN = 200;

/** The lines of one check as a failing test shows them: its cause and its first changes, safe to print. */
export function checkLines(check: Told): string[] {
  return linesOf(check, undefined);
}

/** The lines of one check as a review shows them: more changes than a failing test prints, safe to print. */
export function shownCheck(check: Told): string[] {
  return linesOf(check, MAX_LINES_SHOWN);
}

/** What a check has to show, one line each, at most `max` of them changes. */
function linesOf(check: Told, max: number | undefined): string[] {
  return [...leadLines(check), ...verdictLines(check.verdict, max), ...tailLines(check)].map(bounded);
}

function verdictLines(verdict: Verdict, max: number | undefined): string[] {
  switch (verdict.kind) {
    case "clean":
    case "obsolete":
      return [];
    case "missing":
      return ["    there is no such baseline"];
    case "value_changed":
    case "commands_changed":
      return changeLines(verdict.changes, max);
    case "schema_violation":
      return [...verdict.violations.map(violationLine), ...changeLines(verdict.changes, max)];
    case "request_changed":
      return missLines(verdict.miss, verdict.recorded, (entries) => diffLines(entries, max).map((line) => `  ${line}`));
    case "failed":
      return textLines(`${verdict.error.code}: ${verdict.error.message}`);
    case "broken":
      return textLines(verdict.problem);
  }
}

function changeLines(changes: readonly Change[], max: number | undefined): string[] {
  const entries = changes.flatMap(({ part, diff: { entries: found } }) =>
    part === "output" ? found : found.map((entry) => ({ ...entry, path: [part, ...entry.path] })),
  );
  const unknown = changes
    .filter(({ diff: { entries: found } }) => found.length === 0)
    .map(({ part }) => `    ${part} differs from its stored hash`);
  return [...diffLines(entries, max).map((line) => `  ${line}`), ...unknown];
}

function violationLine({ path, kind, message }: SchemaViolation): string {
  return `    ${formatPath(path)}: ${escapeText(message).replaceAll("\n", " ")} (${kind})`;
}

/** The lines of a text, indented and safe to print. */
export function textLines(text: string): string[] {
  return escapeText(text)
    .split("\n")
    .map((line) => `    ${line}`);
}
