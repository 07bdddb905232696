import { execFileSync } from "node:child_process";
import { type ChangedFile, changesBetween } from "../src/extras/verified-commit/changes.ts";
import type { GitCall } from "../src/extras/verified-commit/git.ts";
import { ENVIRONMENT, type Project, makeProject } from "./trial-project.ts";

/** Files by their paths: a text, an empty text that removes the file, or the target of a link. */
export type Files = Readonly<Record<string, string | { readonly link: string }>>;

let project: Project | undefined;

/**
 * Commits files to the sample project's repository, and then others. Returns how the two commits differ. All tests of a
 * file have one repository, in which one git process makes both commits: git's index and worktree don't take part.
 */
export async function changesOf(
  before: Files,
  after: Files,
  options: { readonly renames: boolean } = { renames: true },
): Promise<{ readonly changes: readonly ChangedFile[]; readonly tree: string; readonly call: GitCall }> {
  project ??= makeProject();
  const { base, root } = project;
  const input = commitOf(1, base, before) + commitOf(2, ":1", after) + "get-mark :1\nget-mark :2\n";
  const made = execFileSync("git", ["fast-import", "--quiet", "--force"], { cwd: root, env: ENVIRONMENT, input });
  const [old = "", tree = ""] = made.toString().split("\n");
  const call = { cwd: root, environment: ENVIRONMENT };
  const changes = await changesBetween(old, tree, { ...call, ...options });
  if (!changes.ok) throw new Error(changes.error);
  return { changes: changes.value, tree, call };
}

/** A commit in the format of `git fast-import`. */
function commitOf(mark: number, from: string, files: Files): string {
  const lines = Object.entries(files).map(([path, file]) => {
    if (file === "") return `D ${path}\n`;
    const [mode, text] = typeof file === "string" ? ["100644", file] : ["120000", file.link];
    return `M ${mode} inline ${path}\n${dataOf(text)}`;
  });
  const author = `${ENVIRONMENT["GIT_AUTHOR_NAME"]} <${ENVIRONMENT["GIT_AUTHOR_EMAIL"]}> 0 +0000`;
  return `commit refs/heads/changes\nmark :${mark}\ncommitter ${author}\n${dataOf("")}from ${from}\n${lines.join("")}`;
}

function dataOf(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
