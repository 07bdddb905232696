import { dirname, resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { type BaselineFile, baselineFiles } from "../../baseline/baseline-files.ts";
import type { BaselineUpdate } from "../../baseline/baseline.ts";
import { gitSync, headCommit } from "../../kernel/files/git.ts";
import { targetName } from "../../kernel/files/project-paths.ts";
import { readText } from "../../kernel/files/read.ts";
import { shortId } from "../../updates/receipts/receipts.ts";
import type { Receipt } from "../../updates/receipts/receipt.ts";
import type { UpdateContext } from "../../updates/update-context.ts";
import { matchesName } from "../../kernel/matches-name.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { JSON_OPTION, REASON_OPTION } from "../common-options.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import { detectProject } from "../init/detect-project.ts";
import { runTestsCommand } from "../init/plan-init.ts";
import { commitMaintenance, maintenanceGates } from "../inspect/commit-maintenance.ts";
import { damageMessage } from "../inspect/stored-baseline.ts";
import type { CliIo } from "../terminal/io.ts";
import { withUpdateContext } from "../review/with-update-context.ts";
import { oneLine, printJson, printLines, printRefusal, printWarning, textIo } from "../terminal/print.ts";
import { plainCount } from "../../explain/wording.ts";

/** `veritest repair`: lists damaged baselines; `--restore` replaces them by their version in git's last commit. */
export const repairCommand: CliCommand = {
  arguments: [{ name: "[files...]", description: "only these baselines; * matches any characters (default: all)" }],
  options: [
    {
      flags: "--restore",
      description: "restore each damaged baseline from git's last commit, if that version is valid",
    },
    REASON_OPTION,
    JSON_OPTION,
  ],
  examples: [
    "veritest repair             # exit code 1 if a baseline is damaged",
    "veritest repair --restore   # restore git's versions",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const { root } = cliPaths(io);
  const { damaged, count } = findDamaged(root);
  const chosen = choose(damaged, input.operands, { root, cwd: io.cwd });
  if (!chosen.ok) return printRefusal(io, chosen.error);
  if (input.flag("json") && !input.flag("restore")) {
    const listed = chosen.value.map(({ target, problem }) => ({ target, problem }));
    printJson(io, { baselines: count, damaged: listed });
    return listed.length === 0 ? EXIT.clean : EXIT.regressions;
  }
  if (chosen.value.length === 0) {
    if (input.flag("json")) printJson(io, { restored: [], receipt: null, problems: [] });
    else printLines(io, [`${plainCount(count, "baseline")}, none damaged.`]);
    return EXIT.clean;
  }
  if (input.flag("restore")) return restore(chosen.value, input, io);
  printLines(io, [
    ...chosen.value.map(({ problem }) => oneLine(problem)),
    `${chosen.value.length} of ${count} damaged. Restore git's versions: npx veritest repair --restore`,
  ]);
  return EXIT.regressions;
}

async function restore(damaged: readonly DamagedBaseline[], input: CommandInput, io: CliIo): Promise<ExitCode> {
  return withUpdateContext(textIo(io, input.flag("json")), input.text("reason"), async (context) => {
    const gitHead = headCommit(context.paths.root);
    const { restored, receipt, problems } =
      gitHead === undefined
        ? await withoutCommit(context, io.environment)
        : restoreBaselines(damaged, context, gitHead);
    const json = input.flag("json");
    const text = textIo(io, json);
    if (json) printJson(io, { restored: restored.map(({ target }) => target), receipt: receipt?.id ?? null, problems });
    printLines(
      text,
      restored.map(({ target }) => oneLine(`restored  ${target}`)),
    );
    if (receipt !== undefined) printLines(text, [`${restored.length} restored from git, receipt ${shortId(receipt)}`]);
    for (const problem of problems) printWarning(io, problem);
    return problems.length === 0 ? EXIT.clean : EXIT.regressions;
  });
}

function choose(
  damaged: readonly DamagedBaseline[],
  names: readonly string[],
  { root, cwd }: { readonly root: string; readonly cwd: string },
): Result<readonly DamagedBaseline[], string> {
  const fits =
    (name: string) =>
    ({ target, path }: DamagedBaseline): boolean =>
      name === target || matchesName(name, target) || resolve(cwd, name) === path;
  const unknown = names.find((name) => !damaged.some(fits(name)));
  if (unknown !== undefined)
    return err(
      `${quote(unknown)} isn't a damaged baseline in ${root}. To list damaged baselines, run: npx veritest repair`,
    );
  return ok(names.length === 0 ? damaged : damaged.filter((baseline) => names.some((name) => fits(name)(baseline))));
}

/** A baseline that can't be used as it is. */
interface DamagedBaseline extends BaselineFile {
  /** Relative to the project's root, with forward slashes. */
  readonly target: string;
  readonly text: string;
  /** One sentence. */
  readonly problem: string;
}

/** Finds the damaged baselines below a project's root, and counts all of them. */
function findDamaged(root: string): { readonly damaged: readonly DamagedBaseline[]; readonly count: number } {
  const damaged: DamagedBaseline[] = [];
  let count = 0;
  for (const file of baselineFiles(root)) {
    count += 1;
    const text = readText(file.path);
    const target = targetName(root, file.path);
    const problem = text === undefined ? undefined : damageMessage(text, file.path, target);
    if (text !== undefined && problem !== undefined) damaged.push({ ...file, target, text, problem });
  }
  return { damaged, count };
}

/** Result of restoring damaged baselines. */
interface Restoration {
  readonly restored: readonly DamagedBaseline[];
  readonly receipt: Receipt | undefined;
  /** Reasons why files weren't restored, a sentence each. */
  readonly problems: readonly string[];
}

/** Reports that there's no commit, with the command that captures the baselines again. */
async function withoutCommit({ paths }: UpdateContext, environment: NodeJS.ProcessEnv): Promise<Restoration> {
  const project = await detectProject(paths, undefined, environment);
  const command = project.ok ? runTestsCommand(project.value) : "npx vitest run, or npx jest";
  const problem =
    "The repository has no commit to restore from. Delete the damaged baselines, then capture them again: " + command;
  return { restored: [], receipt: undefined, problems: [problem] };
}

/**
 * Restores damaged baselines from git's last commit if its version is sound, as one transaction. Never invents content.
 */
function restoreBaselines(damaged: readonly DamagedBaseline[], context: UpdateContext, gitHead: string): Restoration {
  const refusals = maintenanceGates(context).flatMap(({ problem }) => problem ?? []);
  if (refusals.length > 0) return { restored: [], receipt: undefined, problems: refusals };
  const versions = damaged.map((baseline) => ({ baseline, text: committedText(baseline, gitHead) }));
  const due = versions.flatMap(({ baseline, text }) =>
    text.ok ? [{ baseline, proposal: updateOf(baseline, text.value) }] : [],
  );
  const problems = versions.flatMap(({ text }) => (text.ok ? [] : [text.error]));
  if (due.length === 0) return { restored: [], receipt: undefined, problems };
  const { receipt, isWritten, problem } = commitMaintenance(
    due.map(({ proposal: update }) => update),
    context,
    {
      name: "repair",
      gitHead,
      body: `Restored ${due.length} damaged baseline${due.length === 1 ? "" : "s"} from ${gitHead.slice(0, 12)}.`,
    },
  );
  return {
    restored: isWritten ? due.map(({ baseline }) => baseline) : [],
    receipt,
    problems: problem === undefined ? problems : [...problems, problem],
  };
}

/** Returns the version of a baseline in git's last commit if it's sound. */
function committedText({ path, target }: DamagedBaseline, head: string): Result<string, string> {
  const cwd = dirname(path);
  // Relative to the directory, so that the project need not be at the top of the repository.
  const blob = gitSync(["cat-file", "blob", `${head}:./${targetName(cwd, path)}`], { cwd });
  if (!blob.ok) return err(`${target} isn't in git's last commit. Delete it and capture the case again.`);
  const problem = damageMessage(blob.value, path, target);
  return problem === undefined
    ? ok(blob.value)
    : err(`${target} is damaged in git's last commit too. Delete it and capture the case again.`);
}

function updateOf({ root, path, text }: DamagedBaseline, after: string): BaselineUpdate {
  return { kind: "update", root, path, group: "", before: text, after };
}
