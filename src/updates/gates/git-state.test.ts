import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectPaths } from "../../kernel/files/project-paths.ts";
import { gitState } from "./git-state.ts";

function folder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "veritest-git-state-")));
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...args], {
    cwd,
    encoding: "utf8",
  }).trim();
}

test("is unknown outside of a repository", () => {
  const root = folder();
  expect(gitState(projectPaths(root, {}), [join(root, "a.json")])).toStrictEqual({ ok: true, value: undefined });
});

test("names exactly the files whose bytes aren't committed: changed, new or ignored, with any name", {
  tags: "deep",
}, () => {
  const top = folder();
  git(top, "init", "--quiet");
  const root = join(top, "app");
  mkdirSync(root);
  const names = [
    "saved.json",
    "changed.json",
    "staged.json",
    "new.json",
    "ignored.json",
    "*.json",
    ":(top)x.json",
    "-z.json",
    "a b ä.json",
  ];
  for (const name of names) writeFileSync(join(root, name), "1");
  writeFileSync(join(top, ".gitignore"), "ignored.json\n");
  const paths = projectPaths(root, {});
  expect(gitState(paths, [])).toStrictEqual({ ok: true, value: { head: undefined, unsaved: [], staged: 0 } });

  git(
    top,
    "--literal-pathspecs",
    "add",
    "--",
    ...["saved.json", "changed.json", "staged.json"].map((name) => join(root, name)),
  );
  git(top, "commit", "--quiet", "--message", "one");
  writeFileSync(join(root, "changed.json"), "2");
  writeFileSync(join(root, "staged.json"), "2");
  git(top, "add", "app/staged.json");
  const state = gitState(
    paths,
    [...names, "absent.json"].map((name) => join(root, name)),
  );
  expect(state).toMatchObject({ ok: true, value: { head: git(top, "rev-parse", "HEAD"), staged: 1 } });
  expect(state.ok ? state.value?.unsaved.toSorted() : []).toStrictEqual(
    names
      .slice(3)
      .concat("changed.json")
      .map((name) => join(root, name))
      .toSorted(),
  );
  expect(gitState(paths, [join(root, "*.json")])).toMatchObject({ value: { unsaved: [join(root, "*.json")] } });
});

test("checks more files than fit in one git command", { tags: "deep" }, () => {
  const root = folder();
  git(root, "init", "--quiet");
  const paths = Array.from({ length: 600 }, (_, index) => join(root, `${"long".repeat(40)}-${index}.json`));
  for (const path of paths) writeFileSync(path, "");
  const state = gitState(projectPaths(root, {}), paths);
  expect(state.ok ? state.value?.unsaved.toSorted() : []).toStrictEqual(paths.toSorted());
});

test("returns git's own error for a repository that git can't read", { tags: "deep" }, () => {
  const root = folder();
  mkdirSync(join(root, ".git"));
  expect(gitState(projectPaths(root, {}), [join(root, "a.json")])).toMatchObject({
    ok: false,
    error: expect.stringMatching(/^fatal: not a git repository/),
  });
});
