import { basename } from "node:path";
import { readVariable } from "../kernel/environment.ts";
import { gitSync } from "../kernel/files/git.ts";
import { reportText } from "../explain/report-value.ts";
import type { ReportSource } from "../explain/run-model.ts";

/** A pull request in a reference of GitHub Actions. */
const PULL_REQUEST = /^refs\/pull\/(\d+)\//;

/**
 * Returns the commit, branch, pull request and command of a run: from the variables of GitHub Actions and GitLab CI,
 * else from git. `argv` is that of the process.
 */
export function runSource(root: string, environment: NodeJS.ProcessEnv, argv: readonly string[]): ReportSource {
  const read = (...names: readonly Parameters<typeof readVariable>[1][]): string | null =>
    names.map((name) => readVariable(environment, name)).find((value) => value !== undefined && value !== "") ?? null;
  const commit = read("GITHUB_SHA", "CI_COMMIT_SHA");
  const [head, name] = commit === null ? headOf(root) : [commit, null];
  return {
    commit: head,
    branch: shown(read("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME") ?? name),
    pullRequest: shown(PULL_REQUEST.exec(read("GITHUB_REF") ?? "")?.[1] ?? read("CI_MERGE_REQUEST_IID")),
    command: shown(commandOf(argv)),
  };
}

/** Commit and branch that are checked out; null outside of a repository, and for a branch if there is none. */
function headOf(root: string): readonly [commit: string | null, branch: string | null] {
  const head = gitSync(["rev-parse", "HEAD", "--abbrev-ref", "HEAD"], { cwd: root });
  const [commit = null, branch = null] = head.ok ? head.value.trim().split("\n") : [];
  return [commit, branch === "HEAD" ? null : branch];
}

/** The command line without the runner's path and ending: `vitest run -u`. */
function commandOf([, script, ...args]: readonly string[]): string | null {
  return script === undefined ? null : [basename(script).replace(/\.[cm]?js$/, ""), ...args].join(" ");
}

function shown(text: string | null): string | null {
  return text === null ? null : reportText(text);
}
