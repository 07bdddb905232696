import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Result, err, ok } from "../base/result.ts";
import { type GitCall, git } from "./git.ts";

/** Keeps what every branch and tag points to, in a file for `undoStrayRefs`. The error is git's. */
export async function keepRefs(file: string, call: GitCall): Promise<Result<void, string>> {
  const refs = await git(["for-each-ref", "--format=%(objectname) %(refname)"], call);
  if (!refs.ok) return err(refs.error.message);
  writeFileSync(file, refs.value);
  return ok(undefined);
}

/**
 * Puts branches and tags back that a command made or moved from within the run's work tree: work trees share them,
 * and a run leaves none behind. Only those count that point to a commit made in that tree, or that it is on; what
 * others did meanwhile stays. Each is exchanged by comparison with what it was seen to be. Returns their names.
 */
export async function undoStrayRefs(file: string, tree: string, call: GitCall): Promise<readonly string[]> {
  if (!existsSync(file) || !existsSync(tree)) return [];
  const before = readRefs(readFileSync(file, "utf8"));
  const listed = await git(["for-each-ref", "--format=%(objectname) %(refname)"], call);
  const logged = await git(["rev-list", "--walk-reflogs", "HEAD", "--"], { ...call, cwd: tree });
  const branch = await git(["symbolic-ref", "--quiet", "HEAD"], { ...call, cwd: tree });
  if (!listed.ok) return [];
  const known = new Set(before.values());
  const made = new Set(
    (logged.ok ? logged.value : "").split("\n").filter((commit) => commit !== "" && !known.has(commit)),
  );
  const undone: string[] = [];
  for (const [ref, now] of readRefs(listed.value)) {
    const was = before.get(ref);
    const isOn = branch.ok && branch.value.trim() === ref;
    if (was === now || !(made.has(now) || (isOn && was === undefined))) continue;
    const back = was === undefined ? ["update-ref", "-d", ref, now] : ["update-ref", ref, was, now];
    if ((await git(back, call)).ok) undone.push(ref);
  }
  return undone;
}

function readRefs(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]));
}
