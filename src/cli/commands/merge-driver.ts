import { existsSync, lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { replaceFile } from "../../kernel/files/durable.ts";
import { gitSync } from "../../kernel/files/git.ts";
import { findGit, projectRoot, targetName } from "../../kernel/files/project-paths.ts";
import { readText } from "../../kernel/files/read.ts";
import { mergeBaselines } from "../../updates/merge/merge-baselines.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, printRefusal, printLines, printWarning } from "../terminal/print.ts";

/** `veritest merge-driver`: configures git to merge baselines field by field, and runs that merge when git calls it. */
export const mergeDriverCommand: CliCommand = {
  arguments: [
    { name: "<action>", description: "what to do", choices: ["install", "run"] },
    { name: "[sides...]", description: "of run, what git gives: the files of base, ours and theirs, %L and %P" },
  ],
  examples: ["veritest merge-driver install   # in each clone: a line in .gitattributes, two settings of git"],
  run,
};

function run({ operands }: CommandInput, io: CliIo): ExitCode {
  const [action, ...sides] = operands;
  return action === "install" ? install(io) : merge(sides, io);
}

function install(io: CliIo): ExitCode {
  const done = installDriver(projectRoot(io.cwd));
  if (!done.ok) return printRefusal(io, done.error);
  printLines(io, [
    ...done.value.map(({ what, before }) => oneLine(`${before ? "kept   " : "written"}  ${what}`)),
    "Commit .gitattributes. The settings are this clone's alone: others run the same, or a script called prepare does.",
  ]);
  return EXIT.clean;
}

/** One action of the set-up, and whether it had been done before. */
interface Done {
  readonly what: string;
  readonly before: boolean;
}

const ATTRIBUTES = ".gitattributes";
/** Line of `.gitattributes` that covers every baseline of the repository, in all packages. */
const ATTRIBUTE = "**/__baselines__/**/*.json merge=veritest";
const NAME = "veritest: baselines merged field by field";

/**
 * Configures git to merge baselines with `veritest merge-driver run`: a committed line in `.gitattributes`, and two
 * settings of this clone. A second run changes no file. The error is a sentence.
 */
function installDriver(root: string): Result<readonly Done[], string> {
  const git = findGit(root);
  if (git === undefined)
    return err(`${root} is in no git repository, so there is no merge to set up. Run git init first, or change there.`);
  const program = installedProgram(root, git.top);
  if (program === undefined)
    return err("veritest is not installed in this project, and git has to find it: npm install --save-dev veritest");
  const attribute = addAttribute(git.top);
  if (!attribute.ok) return attribute;
  const done: Done[] = [attribute.value];
  for (const [key, value] of [
    ["merge.veritest.name", NAME],
    ["merge.veritest.driver", driverCommand(program)],
  ] as const) {
    const known = gitSync(["config", "--local", "--get", key], { cwd: git.top });
    const before = known.ok && known.value.trimEnd() === value;
    const set = before ? ok("") : gitSync(["config", "--local", key, value], { cwd: git.top });
    if (!set.ok) return err(`git config did not take ${key}: ${set.error}.`);
    done.push({ what: `git config ${key}: ${value}`, before });
  }
  return ok(done);
}

/**
 * Command that git runs for a file. A failed merge leaves conflict markers. Without them the program couldn't start (no
 * node_modules, an old Node): git would then keep our side as if it were the merge, so its own merge by lines runs.
 */
function driverCommand(program: string): string {
  const byLines = "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B";
  return `node '${program}' merge-driver run %O %A %B %L %P || { grep -q '^<<<<<<<' %A && exit 1; ${byLines}; }`;
}

/**
 * Returns the installed program relative to the work tree, where git starts drivers. Doesn't resolve links, because
 * their targets may be removed.
 */
function installedProgram(root: string, top: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const program = join(folder, "node_modules", "veritest", "dist", "cli.js");
    if (existsSync(program)) {
      const name = targetName(top, program);
      // The name goes between quotes of a shell.
      return name.includes("'") ? undefined : name;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

function addAttribute(top: string): Result<Done, string> {
  const path = join(top, ATTRIBUTES);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    return err(`${ATTRIBUTES} is a link, which git does not follow. Replace it by a file.`);
  const what = `${ATTRIBUTES}: ${ATTRIBUTE}`;
  const text = readText(path) ?? "";
  if (text.split(/\r?\n/).includes(ATTRIBUTE)) return ok({ what, before: true });
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  replaceFile(path, `${text}${end}${ATTRIBUTE}\n`);
  return ok({ what, before: false });
}

/**
 * Merges one file for git, and writes the result to git's path. A file that isn't a complete baseline is merged by
 * lines.
 */
function merge(sides: readonly string[], io: CliIo): ExitCode {
  const [base, ours, theirs, length, file = ours] = sides;
  if (base === undefined || ours === undefined || theirs === undefined || file === undefined)
    return printRefusal(io, "merge-driver run needs the files of base, ours and theirs: git starts it.");
  const { cwd } = io;
  const text = (name: string): string => readText(resolve(cwd, name)) ?? "";
  const marker = Number(length ?? 7) || 7;
  const merged = mergeBaselines({ base: text(base), ours: text(ours), theirs: text(theirs) }, { file, marker });
  if (!merged.ok) {
    printWarning(io, `${merged.error} Its lines are merged instead, as git does.`);
    const labels = ["ours", "base", "theirs"].flatMap((label) => ["-L", label]);
    const lines = gitSync(["merge-file", `--marker-size=${marker}`, ...labels, ours, base, theirs], { cwd });
    return lines.ok ? EXIT.clean : EXIT.regressions;
  }
  try {
    replaceFile(resolve(cwd, ours), merged.value.text);
  } catch (thrown) {
    return printRefusal(io, `Cannot write the merge of ${file}: ${messageOf(thrown)}.`, EXIT.regressions);
  }
  const { conflicts } = merged.value;
  if (conflicts.length === 0) return EXIT.clean;
  return printRefusal(
    io,
    `${file}: both sides changed ${conflicts.join(", ")}. Take one side of all its markers, hashes too, or delete ` +
      "the file and capture it again.",
    EXIT.regressions,
  );
}
