import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Result, err, ok } from "../../base/result.ts";
import { placeWhole } from "../../files/durable.ts";
import { gitSync } from "../../files/git.ts";
import { findGit, targetName } from "../../files/places.ts";
import { readText } from "../../files/read.ts";

/** One thing that was to be done, and whether it had been done before. */
interface Done {
  readonly what: string;
  readonly before: boolean;
}

const ATTRIBUTES = ".gitattributes";
/** The line of `.gitattributes`: every baseline of the repository, whatever package it is of. */
const ATTRIBUTE = "**/__baselines__/**/*.json merge=veritest";
const NAME = "veritest: baselines merged field by field";

/**
 * Has git merge baselines by `veritest merge-driver run`: a line in `.gitattributes`, which goes into git, and two
 * settings of this clone, which do not. Run again it changes nothing. The error is a sentence.
 */
export function installDriver(root: string): Result<readonly Done[], string> {
  const git = findGit(root);
  if (git === undefined)
    return err(`${root} is in no git repository, so nothing is merged here. Run git init first, or change there.`);
  const program = installedProgram(root, git.top);
  if (program === undefined)
    return err("veritest is not installed in this project, and git has to find it: npm install --save-dev veritest");
  const attribute = addAttribute(git.top);
  if (!attribute.ok) return attribute;
  const done: Done[] = [attribute.value];
  for (const [key, value] of [
    ["merge.veritest.name", NAME],
    ["merge.veritest.driver", `node '${program}' merge-driver run %O %A %B %L %P`],
  ] as const) {
    const known = gitSync(["config", "--local", "--get", key], { cwd: git.top });
    const before = known.ok && known.value.trimEnd() === value;
    const set = before ? ok("") : gitSync(["config", "--local", key, value], { cwd: git.top });
    if (!set.ok) return err(`git config did not take ${key}: ${set.error}.`);
    done.push({ what: `git config ${key}: ${value}`, before });
  }
  return ok(done);
}

/** The installed program from the work tree, where git starts drivers; links are kept, as what they lead to may go. */
function installedProgram(root: string, top: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const program = join(folder, "node_modules", "veritest", "dist", "cli.js");
    if (existsSync(program)) {
      const name = targetName(top, program);
      // It stands between quotes of a shell.
      return name.includes("'") ? undefined : name;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

function addAttribute(top: string): Result<Done, string> {
  const path = join(top, ATTRIBUTES);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    return err(`${ATTRIBUTES} is a link, which git does not follow. Put a file in its place.`);
  const what = `${ATTRIBUTES}: ${ATTRIBUTE}`;
  const text = readText(path) ?? "";
  if (text.split(/\r?\n/).includes(ATTRIBUTE)) return ok({ what, before: true });
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  placeWhole(path, `${text}${end}${ATTRIBUTE}\n`);
  return ok({ what, before: false });
}
