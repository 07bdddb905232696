import { lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeDeadTemporaries, writeAtomically } from "../../kernel/files/durable.ts";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import type { CheckedWork } from "./fresh-checks.ts";
import { git } from "./git.ts";
import { type KeptChanges, type RunContext, type RunDiscard, gitCall } from "./run-options.ts";

/** Number of runs whose files are kept. */
const KEPT = 20;

/** Makes the directory for attempts and logs, which only its user can read, and removes the oldest files. */
export function openAttempts(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // Without namespaces, a command can replace it.
  if (lstatSync(directory).isSymbolicLink()) throw new Error(`${directory} is a link`);
  removeDeadTemporaries(directory);
  const ids = new Set(readdirSync(directory).map((name) => name.split(".")[0] ?? ""));
  // Ids begin with the time of the run.
  for (const id of [...ids].toSorted().slice(0, -KEPT))
    for (const end of ["patch", "json", "log"]) rmSync(join(directory, `${id}.${end}`), { force: true });
}

/** Keeps the changes of a run that is discarded. False if it has none, or no directory for them. */
export async function keepAttempt(context: RunContext, work: CheckedWork, failure: RunDiscard): Promise<boolean> {
  const { attempts, runId, workItem, receipts, onStep } = context.options;
  if (attempts === undefined || work.changes.length === 0) return false;
  // Unlike git diff, this command ignores the user's settings, such as other prefixes than a/ and b/.
  const args = ["diff-tree", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv"];
  const patch = await git([...args, context.repository.base, work.tree], { ...gitCall(context), encoding: "latin1" });
  if (!patch.ok) return false;
  openAttempts(attempts);
  const words = [`${failure.gate}: ${failure.summary}`, ...failure.details].join("\n");
  const feedback = receipts.hides?.redactText(words) ?? words;
  writeFileSync(join(attempts, `${runId}.patch`), patch.value, { encoding: "latin1", mode: 0o600, flush: true });
  onStep?.("patch-written");
  // Appears last and complete, so its patch is complete too.
  writeAtomically(join(attempts, `${runId}.json`), JSON.stringify({ workItem, feedback }), 0o600);
  onStep?.("attempt-kept");
  return true;
}

/** Reads a discarded run's changes. The error is a sentence. */
export function readAttempt(directory: string, id: string): Result<KeptChanges, string> {
  const patch = join(directory, `${id}.patch`);
  try {
    if (!/^[\w-]+$/.test(id)) throw new Error("it isn't the id of a run");
    const value = parsedJson(readFileSync(join(directory, `${id}.json`), "utf8"));
    if (!isPlainObject(value)) throw new Error("veritest didn't write it");
    return ok({ patch, workItem: String(value["workItem"]), feedback: String(value["feedback"]) });
  } catch {
    const ids = readIds(directory);
    const next =
      ids.length === 0
        ? "Start a new run, without --resume."
        : `Pass a run with stored changes: --resume ${ids.join(", or --resume ")}`;
    return err(`Can't resume run ${quote(id)}, because its changes aren't stored. ${next}`);
  }
}

function readIds(directory: string): readonly string[] {
  try {
    return readdirSync(directory).flatMap((name) =>
      /^[^.].*\.json$/.test(name) ? [name.slice(0, -".json".length)] : [],
    );
  } catch {
    // No run was discarded yet.
    return [];
  }
}
