import { existsSync } from "node:fs";
import { join } from "node:path";
import { displayPath } from "../../baseline/baseline-library.ts";
import { movedGroups } from "../../baseline/moved-baselines.ts";
import { commandPath } from "../../explain/rerun-command.ts";
import type { TestFileLog } from "../../explain/append-run-log.ts";
import type { BaselineOutcome, Remark } from "../outcomes.ts";

/**
 * Commands to run if a test file was moved without its baselines: `git mv` for each directory. A missing or newly
 * captured case may have an accepted result at the test's old location.
 */
export function movedWarnings(
  outcomes: readonly BaselineOutcome[],
  { root, logs }: { readonly root: string; readonly logs: readonly TestFileLog[] },
): Remark[] {
  const wanted = outcomes.filter(({ outcome }) => NEW.has(outcome)).map(({ path }) => path);
  if (wanted.length === 0) return [];
  const used = new Set(logs.map((log) => log.root));
  return movedGroups(root, { wanted, used }).map(({ from, to, names }) => {
    const [only = "", ...more] = names;
    const files =
      more.length === 0 ? commandPath(displayPath(join(from, only))) : `${commandPath(displayPath(from))}/*.json`;
    const directory = commandPath(displayPath(to));
    const make = existsSync(to) ? "" : `mkdir -p ${directory} && `;
    // Without -f git refuses if the case was captured again.
    return { path: to, text: `the test moved, and what was accepted did not: ${make}git mv -f ${files} ${directory}/` };
  });
}

const NEW: ReadonlySet<string> = new Set(["missing", "captured", "pending"]);
