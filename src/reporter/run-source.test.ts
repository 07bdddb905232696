import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runSource } from "./run-source.ts";

const ARGV = ["/usr/bin/node", "/a/node_modules/vitest/vitest.mjs", "run", "src/a.test.ts"];

test.each([
  [
    "a pull request on GitHub",
    { GITHUB_SHA: "abc", GITHUB_HEAD_REF: "fix", GITHUB_REF_NAME: "7/merge", GITHUB_REF: "refs/pull/7/merge" },
    { commit: "abc", branch: "fix", pullRequest: "7" },
  ],
  [
    "a push on GitHub",
    { GITHUB_SHA: "abc", GITHUB_HEAD_REF: "", GITHUB_REF_NAME: "main", GITHUB_REF: "refs/heads/main" },
    { commit: "abc", branch: "main", pullRequest: null },
  ],
  [
    "a merge request on GitLab",
    { CI_COMMIT_SHA: "def", CI_COMMIT_REF_NAME: "fix", CI_MERGE_REQUEST_IID: "12" },
    { commit: "def", branch: "fix", pullRequest: "12" },
  ],
])("reads the source of %s from its variables", (_, environment, expected) => {
  expect(runSource(tmpdir(), environment, ARGV)).toStrictEqual({ ...expected, command: "vitest run src/a.test.ts" });
});

test("reads the source of other runs from git, and leaves it empty outside of a repository", { tags: "deep" }, () => {
  const root = mkdtempSync(join(tmpdir(), "veritest-source-"));
  const command = "veritest check";
  const none = { commit: null, branch: null, pullRequest: null, command };
  const argv = ["node", "/b/veritest.js", "check"];
  expect(runSource(root, {}, argv)).toStrictEqual(none);
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  git("init", "-q", "-b", "topic");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a");
  const commit = git("rev-parse", "HEAD").trim();
  expect(runSource(root, {}, argv)).toStrictEqual({ ...none, commit, branch: "topic" });
  git("checkout", "-q", "--detach");
  expect(runSource(root, {}, argv)).toStrictEqual({ ...none, commit });
});

test("redacts a secret in the command", () => {
  const { command } = runSource(tmpdir(), { GITHUB_SHA: "abc" }, [
    ...ARGV,
    "--token=ghp_0123456789abcdefghijklmnopqrstuvwxyz",
  ]);
  expect(command).not.toContain("ghp_0123456789");
});
