import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { replaceWithoutSync } from "../../kernel/files/durable.ts";
import { gitSync } from "../../kernel/files/git.ts";
import { type GitPaths, findGit, targetName } from "../../kernel/files/project-paths.ts";
import { readText } from "../../kernel/files/read.ts";
import { oneLine } from "../terminal/print.ts";

/** One action of the set-up, and whether it had been done before. */
interface Done {
  readonly what: string;
  readonly before: boolean;
}

/** Lines on what was set up. */
export function driverLines(done: readonly Done[]): string[] {
  return [
    ...done.map(({ what, before }) => oneLine(`${before ? "kept   " : "written"}  ${what}`)),
    "Commit .gitattributes. The settings apply only to this clone. Run this command in each clone, or in the " +
      "prepare script.",
  ];
}

const ATTRIBUTES = ".gitattributes";
/** Line of `.gitattributes` that covers every baseline of the repository, in all packages. */
const ATTRIBUTE = "**/__baselines__/**/*.json merge=veritest";
/** Line of `.gitattributes` by which GitHub folds changes of baselines. */
export const GENERATED = "**/__baselines__/**/*.json linguist-generated";
const NAME = "veritest: baselines merged field by field";

/**
 * Configures git to merge baselines with a copy of the program in `dist/merge-driver.js`: a committed line in
 * `.gitattributes`, and two settings of this clone. `more` are further lines. A second run changes no file. The error
 * is a sentence.
 */
export function installDriver(root: string, more: readonly string[] = []): Result<readonly Done[], string> {
  const git = findGit(root);
  if (git === undefined)
    return err(`${root} isn't in a git repository. Run this command in a repository, or create one first: git init`);
  if (!git.isOwn)
    return err(
      `${join(git.top, ".git")} points to another repository's directory. Run this command in that repository.`,
    );
  const program = installProgram(root, git);
  if (!program.ok) return program;
  const driver = driverCommand(program.value, git.top);
  if (!driver.ok) return driver;
  const done: Done[] = [];
  for (const line of [ATTRIBUTE, ...more]) {
    const attribute = addAttribute(git.top, line);
    if (!attribute.ok) return attribute;
    done.push(attribute.value);
  }
  for (const [key, value] of [
    ["merge.veritest.name", NAME],
    ["merge.veritest.driver", driver.value],
  ] as const) {
    const known = gitSync(["config", "--local", "--get", key], { cwd: git.top });
    const before = known.ok && known.value.trimEnd() === value;
    const set = before ? ok("") : gitSync(["config", "--local", key, value], { cwd: git.top });
    if (!set.ok) return err(`git config can't set ${key}: ${set.error}.`);
    done.push({ what: `git config ${key}: ${value}`, before });
  }
  return ok(done);
}

/**
 * Command that git runs for a file. It runs the program only if that still has its content. A failed merge leaves
 * conflict markers. Without them the program couldn't start (an old Node, no such file): git would then keep our side
 * as if it were the merge, so its own merge by lines runs.
 */
function driverCommand(path: string, top: string): Result<string, string> {
  const hash = gitSync(["hash-object", "--no-filters", "--", path], { cwd: top });
  if (!hash.ok) return err(`git can't read ${path}: ${hash.error}.`);
  const program = `'${path.replaceAll("%", "%%")}'`;
  const isUnchanged = `[ "$(git hash-object --no-filters -- ${program})" = ${hash.value.trim()} ]`;
  const byLines = "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B";
  return ok(`${isUnchanged} && node ${program} %O %A %B %L %P || { grep -q '^<<<<<<<' %A && exit 1; ${byLines}; }`);
}

/**
 * Copies the program that merges into git's directory, which no branch can write to: git would run that one. Its name
 * has the hash of its content. The error is a sentence.
 */
function installProgram(root: string, { top, commonDir }: GitPaths): Result<string, string> {
  const file = installedProgram(root);
  if (file === undefined)
    return err("veritest isn't installed in this project, so git can't find it. Run: npm install --save-dev veritest");
  const isTracked = [file, realpathSync(file)].some(
    (path) => gitSync(["ls-files", "--error-unmatch", "--", path], { cwd: top }).ok,
  );
  if (isTracked)
    return err(
      `Refused to install ${targetName(top, file)} as a merge driver: git tracks it, so a branch can change the code` +
        " that a merge runs. Remove it from git: git rm -r --cached node_modules",
    );
  const text = readFileSync(file, "utf8");
  const directory = join(commonDir, "veritest");
  const program = join(directory, `merge-driver-${hashText(text).slice("sha256:".length, 20)}.mjs`);
  // The name goes between quotes of a shell.
  if (/['\n\r]/.test(program))
    return err(`git can't run a program in ${directory}: the path has a quote or a line break.`);
  if (readText(program) !== text) {
    mkdirSync(directory, { recursive: true });
    replaceWithoutSync(program, text);
  }
  return ok(program);
}

/** Returns the program in the nearest installation of veritest. */
function installedProgram(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const program = join(folder, "node_modules", "veritest", "dist", "merge-driver.js");
    if (existsSync(program)) return program;
    if (folder === dirname(folder)) return undefined;
  }
}

function addAttribute(top: string, line: string): Result<Done, string> {
  const path = join(top, ATTRIBUTES);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    return err(`${ATTRIBUTES} is a link, which git doesn't follow. Replace it with a file.`);
  const what = `${ATTRIBUTES}: ${line}`;
  const text = readText(path) ?? "";
  if (text.split(/\r?\n/).includes(line)) return ok({ what, before: true });
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  replaceWithoutSync(path, `${text}${end}${line}\n`);
  return ok({ what, before: false });
}
