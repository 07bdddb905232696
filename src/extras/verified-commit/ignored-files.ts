import { basename, join } from "node:path";
import type { ChangedFile } from "./changes.ts";
import type { GateFinding } from "./check-diff.ts";
import { type GitCall, git } from "./git.ts";
import { type RunContext, gitCall, treePath } from "./run-options.ts";

/**
 * Finds committed files that a run's new rules in `.gitignore` hide: git would then leave out new files like them. Also
 * names the files of the run that only these rules keep out of the commit.
 */
export async function hiddenFiles(
  context: RunContext,
  changes: readonly ChangedFile[],
): Promise<readonly GateFinding[]> {
  const rules = changes.find(({ path, kind }) => basename(path) === ".gitignore" && kind !== "removed");
  if (rules === undefined) return [];
  const cwd = treePath(context, "run");
  // The command can have changed its own repository's settings and index.
  const variables = { GIT_DIR: join(context.folder, "store/.git"), GIT_WORK_TREE: cwd };
  const call = { ...gitCall(context), cwd, variables };
  const committed = await newlyIgnored(context, ["--cached"], call);
  const left = await newlyIgnored(context, ["--others", "--directory"], call);
  if (left.length > 0)
    context.options.onProgress(`new rules of ${rules.path} keep these out of the commit: ${listed(left)}`);
  if (committed.length === 0 || context.options.limits.allow.includes("test-changed")) return [];
  const detail = `it hides committed files, and new ones like them: ${listed(committed)}`;
  return [{ rule: "test-changed", path: rules.path, line: undefined, detail }];
}

/** The files of the run that git ignores now, and didn't ignore in the checkout. Throws if git fails. */
async function newlyIgnored(context: RunContext, which: readonly string[], call: GitCall): Promise<readonly string[]> {
  const now = await git(["ls-files", ...which, "--ignored", "--exclude-standard", "-z"], call);
  if (!now.ok) throw new Error(now.error.message);
  if (now.value === "") return [];
  const before = await git(["check-ignore", "--no-index", "-z", "--stdin"], { ...gitCall(context), input: now.value });
  // 1 means that no file was ignored.
  if (!before.ok && before.error.code !== 1) throw new Error(before.error.message);
  const old = new Set(before.ok ? before.value.split("\0") : []);
  return now.value.split("\0").filter((path) => path !== "" && !old.has(path));
}

function listed(paths: readonly string[]): string {
  return [...paths.slice(0, 5), ...(paths.length > 5 ? [`${paths.length - 5} more`] : [])].join(", ");
}
