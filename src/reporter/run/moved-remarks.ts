import { existsSync } from "node:fs";
import { join } from "node:path";
import { displayPath } from "../../baseline/library.ts";
import { movedGroups } from "../../baseline/moved-baselines.ts";
import { commandPath } from "../../explain/rerun-command.ts";
import type { TestFileLog } from "../../explain/append-run-log.ts";
import type { BaselineOutcome, Remark } from "../outcomes.ts";

/**
 * What to do where a test file was moved and its baselines were not: the `git mv` of each directory. A case that is
 * missing, or was captured as if it were new, may have an accepted result where the test was.
 */
export function movedRemarks(
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
    const place = commandPath(displayPath(to));
    const make = existsSync(to) ? "" : `mkdir -p ${place} && `;
    // Without -f git refuses where the case was captured anew.
    return { path: to, text: `the test moved, and what was accepted did not: ${make}git mv -f ${files} ${place}/` };
  });
}

const NEW: ReadonlySet<string> = new Set(["missing", "captured", "held"]);
