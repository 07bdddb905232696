import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { writePending, readPending } from "../../updates/pending/pending-store.ts";
import { readUpload } from "../../updates/upload/upload.ts";
import { pendingChange } from "../../updates/pending/pending-change.ts";
import { type ProjectPaths, projectPaths, projectRoot } from "./project-paths.ts";
import { stateDirectory } from "./state-directory.ts";

function directory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "veritest-places-")));
}

/** A work tree with a project in a folder of it, as a clone of one repository has them. */
function clone(above: string, name: string): string {
  mkdirSync(join(above, name, ".git"), { recursive: true });
  mkdirSync(join(above, name, "app"));
  return join(above, name);
}

function propose({ root }: ProjectPaths, paths: ProjectPaths): void {
  const baselines = join(root, "__baselines__");
  const path = join(baselines, "step", "a.json");
  const update = { kind: "add", root: baselines, path, group: "step", before: undefined, after: "new" } as const;
  const details = { projectRoot: root, testPath: join(root, "a.test.ts"), test: "t", passed: true, run: "r", at: "" };
  const at = "2026-01-01T00:00:00.000Z";
  writePending(paths, [pendingChange({ update, intent: "write", verdict: "missing", shown: [] }, { ...details, at })]);
}

test("a package.json above a git work tree doesn't make its folder the project", () => {
  const above = directory();
  writeFileSync(join(above, "package.json"), "{}");
  mkdirSync(join(above, "tool/src"), { recursive: true });
  expect(projectRoot(join(above, "tool/src"))).toBe(above);
  mkdirSync(join(above, "tool/.git"));
  expect(projectRoot(join(above, "tool/src"))).toBe(join(above, "tool/src"));
  writeFileSync(join(above, "tool/package.json"), "{}");
  expect(projectRoot(join(above, "tool/src"))).toBe(join(above, "tool"));
});

test("clones and projects that share a state directory keep their pending updates separate", () => {
  const above = directory();
  const environment = { VERITEST_STATE_DIR: join(above, "state"), VERITEST_NOTES_DIR: join(above, "notes") };
  const [one, two] = [clone(above, "one"), clone(above, "two")];
  const loose = join(above, "loose");
  mkdirSync(loose);
  const roots = [one, join(one, "app"), two, join(two, "app"), loose];
  const all = roots.map((root) => projectPaths(root, environment));
  for (const [index, paths] of all.entries()) {
    expect(readPending(paths.state).changes).toStrictEqual([]);
    propose(paths, paths);
    expect(all.map(({ state }) => readPending(state).changes.length)).toStrictEqual(
      all.map((_, place) => (place <= index ? 1 : 0)),
    );
  }
  expect(all.map(({ state }) => dirname(dirname(state)))).toStrictEqual(all.map(() => join(above, "state")));
});

test("a clone reads the uploaded state of another one, separately for each project", () => {
  const above = directory();
  const environment = { VERITEST_STATE_DIR: join(above, "state") };
  const ci = clone(above, "ci");
  for (const root of [ci, join(ci, "app")]) propose(projectPaths(root, environment), projectPaths(root, environment));
  const mine = clone(above, "mine");
  for (const root of [mine, join(mine, "app")]) {
    const read = readUpload(join(above, "state"), projectPaths(root, {}));
    expect(read.ok ? read.value.length : read.error).toBe(1);
  }
});

test.each([
  ["a folder of a clone", (state: string) => dirname(state)],
  ["a folder of a project", (state: string) => state],
])("refuses a link instead of %s in such a directory", (_title, of) => {
  const above = directory();
  const { state } = projectPaths(clone(above, "one"), { VERITEST_STATE_DIR: join(above, "state") });
  const link = of(state);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(directory(), link);
  expect(() => stateDirectory(state, "tx")).toThrow(
    `Refused to use ${link}: it is a link, so veritest could remove files elsewhere. Check where it came from, then delete it.`,
  );
  expect(basename(link)).not.toBe("state");
});

test("the configured directory may be a link, because the user chose it", () => {
  const above = directory();
  symlinkSync(directory(), join(above, "state"));
  const { state } = projectPaths(clone(above, "one"), { VERITEST_STATE_DIR: join(above, "state") });
  expect(stateDirectory(state, "tx")).toBe(join(state, "tx"));
});

test.each<[string, (root: string, elsewhere: string) => void]>([
  [
    "a file that names another repository",
    (root, elsewhere) => writeFileSync(join(root, ".git"), `gitdir: ${elsewhere}\n`),
  ],
  ["a link to another repository", (root, elsewhere) => symlinkSync(elsewhere, join(root, ".git"))],
  [
    "a directory that shares another repository",
    (root, elsewhere) => {
      mkdirSync(join(root, ".git"));
      writeFileSync(join(root, ".git/commondir"), `${elsewhere}\n`);
    },
  ],
])("state and notes don't follow %s", (_what, make) => {
  const above = directory();
  const [root, elsewhere] = [join(above, "project"), join(above, "elsewhere")];
  for (const path of [root, elsewhere]) mkdirSync(path);
  make(root, elsewhere);
  const { state, notes } = projectPaths(root, { XDG_STATE_HOME: join(above, "home") });
  expect([state, notes].every((path) => path.startsWith(join(above, "home/veritest/project-")))).toBe(true);
});

test("keeps state in git's directory of a linked worktree and of a submodule", { tags: "deep" }, () => {
  const above = directory();
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always", ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  const main = join(above, "main");
  mkdirSync(main);
  git(main, "init", "-q");
  git(main, "commit", "-q", "--allow-empty", "-m", "a");
  git(main, "worktree", "add", "-q", join(above, "linked"));
  git(main, "submodule", "--quiet", "add", main, "sub");
  expect(projectPaths(join(above, "linked"), {}).state).toContain(join(main, ".git/worktrees/linked/veritest"));
  expect(projectPaths(join(main, "sub"), {}).state).toContain(join(main, ".git/modules/sub/veritest"));
});
