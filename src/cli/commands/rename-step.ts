import { basename, join } from "node:path";
import { type Baseline, type BaselineUpdate, groupOf } from "../../baseline/baseline.ts";
import { directoriesIn, baselineRoots, filesOfGroup } from "../../baseline/baseline-files.ts";
import { groupDirectory } from "../../baseline/baseline-paths.ts";
import { pathOfCase } from "../../baseline/moved-baselines.ts";
import { writtenBaseline } from "../../baseline/serialize-baseline.ts";
import { plainCount } from "../../explain/wording.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { readText } from "../../kernel/files/read.ts";
import { headCommit } from "../../kernel/files/git.ts";
import { targetName } from "../../kernel/files/project-paths.ts";
import { shortId } from "../../updates/receipts/receipts.ts";
import { REASON_OPTION } from "../common-options.ts";
import type { CliCommand } from "../command.ts";
import { commitMaintenance, maintenanceGates } from "../inspect/commit-maintenance.ts";
import { type StoredBaseline, damageMessage, readStored } from "../inspect/stored-baseline.ts";
import { withUpdateContext } from "../review/with-update-context.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, printLines, printRefusal } from "../terminal/print.ts";

/** `veritest rename-step`: moves the baselines of a step or a test file to its new name, as one transaction. */
export const renameStepCommand: CliCommand = {
  arguments: [
    { name: "<old>", description: "current name of the step; for baselines of values, the path of the test file" },
    { name: "<new>", description: "new name" },
  ],
  options: [
    { flags: "--force", description: "overwrite baselines that the new name already has" },
    { flags: "--dry-run", description: "list the files that would be moved" },
    REASON_OPTION,
  ],
  examples: [
    "veritest rename-step extract extract-tasks           # after the step's name changed",
    "veritest rename-step tasks.test.ts plan.test.ts      # after you renamed a test file with plain values",
  ],
  run,
};

/** A baseline under its old name and what it is under the new one. */
interface Move {
  readonly stored: StoredBaseline;
  readonly target: string;
  readonly updates: readonly BaselineUpdate[];
}

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const { root } = cliPaths(io);
  const [old = "", next = ""] = input.operands;
  const moves = findMoves(root, { old, next, force: input.flag("force") });
  if (!moves.ok) return printRefusal(io, moves.error);
  const lines = moves.value.map(({ stored, target }) => oneLine(`${stored.target} → ${target}`));
  const count = plainCount(moves.value.length, "baseline");
  if (input.flag("dryRun")) {
    printLines(io, [...lines, `${count} to move.`]);
    return EXIT.clean;
  }
  return withUpdateContext(io, input.text("reason"), (context) => {
    const refusals = maintenanceGates(context).flatMap(({ problem }) => problem ?? []);
    const ended =
      refusals.length > 0
        ? { receipt: undefined, problem: refusals.join(" ") }
        : commitMaintenance(
            moves.value.flatMap(({ updates }) => updates),
            context,
            {
              name: "rename-step",
              gitHead: headCommit(root),
              body: `${count} of ${quote(old)} renamed to ${quote(next)}.`,
            },
          );
    if (ended.problem !== undefined) return printRefusal(io, ended.problem, EXIT.regressions);
    const receipt = ended.receipt === undefined ? "" : `, receipt ${shortId(ended.receipt)}`;
    printLines(io, [...lines, `${count} moved${receipt}. Next: git add -A, and run the tests.`]);
    return EXIT.clean;
  });
}

/** Returns the moves of all baselines of a name. The error is a sentence on the first one that can't be moved. */
function findMoves(
  root: string,
  { old, next, force }: { readonly old: string; readonly next: string; readonly force: boolean },
): Result<readonly Move[], string> {
  if (next.trim() === "" || next === old)
    return err("The new name is blank, or the same as before. Choose a different name.");
  const directory = groupDirectory(old);
  const stored = [...baselineRoots(root)]
    .filter((roots) => directoriesIn(roots).includes(directory))
    .flatMap((roots) => filesOfGroup(roots, join(roots, directory)).flatMap((file) => readStored(root, file) ?? []));
  const moves: Move[] = [];
  for (const each of stored) {
    const problem = damageMessage(each.text, each.path, each.target);
    if (problem !== undefined || !each.baseline.ok)
      return err(`${problem ?? each.target} No baseline was moved. See: veritest repair`);
    if (groupOf(each.baseline.value) !== old) continue;
    const path = pathOfCase(join(each.root, groupDirectory(next)), basename(each.path));
    const target = targetName(root, path);
    const before = readText(path);
    if (before !== undefined && !force)
      return err(`${target} exists: ${quote(next)} has a baseline of the same case. To replace it, add --force`);
    const after = writtenBaseline(renamed(each.baseline.value, next));
    const base = { root: each.root };
    moves.push({
      stored: each,
      target,
      updates: [
        { ...base, kind: before === undefined ? "add" : "update", path, group: next, before, after },
        { ...base, kind: "remove", path: each.path, group: old, before: each.text, after: undefined },
      ],
    });
  }
  return moves.length === 0
    ? err(`No baseline of ${quote(old)}. To list the names, run: npx veritest list`)
    : ok(moves);
}

function renamed(baseline: Baseline, name: string): Baseline {
  return baseline.kind === "step" ? { ...baseline, step: name } : { ...baseline, test: name };
}
