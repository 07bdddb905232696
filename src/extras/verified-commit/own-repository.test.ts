// @module-tag deep
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type Project, litterOf, makeProject, removeProjects, script } from "../../../test-support/trial-project.ts";

afterAll(removeProjects, 120_000);

const NODE = process.execPath;

/** A repository with a second branch, a tag, a stash, a note, a hook and a linked work tree. */
function richProject(): Project {
  const project = makeProject();
  project.put("a.txt", "stashed\n");
  project.git("stash");
  project.git("branch", "feature");
  project.git("tag", "v1");
  project.git("notes", "add", "-m", "a note", "HEAD");
  project.git("worktree", "add", "-q", "-b", "side", join(project.temporary, "..", "side"));
  writeFileSync(join(project.root, ".git/hooks/pre-push"), "#!/bin/sh\n", { mode: 0o755 });
  return project;
}

/** All that git keeps of a repository but its objects. */
function gitState(project: Project): Record<string, string> {
  const directory = join(project.root, ".git");
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter((path) => !/^(?:objects|veritest)\//.test(path));
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(directory, path), "latin1")]));
}

/** An environment in which no program makes namespaces. */
function withoutNamespaces(project: Project): NodeJS.ProcessEnv {
  const bin = join(project.temporary, "..", "bin");
  mkdirSync(bin);
  for (const name of ["git", "sh", "true"])
    symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(bin, name));
  return { ...project.options().environment, PATH: bin };
}

/** Files and links in a folder, with their texts. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path.slice(folder.length + 1)}: ${entry.isFile() ? readFileSync(path, "utf8") : "link"}`;
    })
    .toSorted();
}

const GIT_COMMANDS: readonly string[] = [
  "branch -D feature",
  "tag -d v1",
  "update-ref refs/heads/main refs/heads/feature~0",
  "update-ref -d refs/heads/feature",
  "update-ref refs/heads/feature refs/stash",
  "symbolic-ref HEAD refs/heads/feature",
  "checkout -q -B main feature",
  "reset -q --hard v1",
  "stash drop",
  "stash pop",
  "notes remove HEAD",
  "notes add -f -m other HEAD",
  "config core.hooksPath /nowhere",
  "config --add remote.origin.url https://example.org",
  "worktree remove --force ../side",
  "worktree prune",
  "commit -q --allow-empty -m made",
  "tag made",
  "branch made",
  "rm -q --cached a.txt",
  "update-index --assume-unchanged a.txt",
  "replace HEAD HEAD",
  "reflog expire --expire=now --all",
  "pack-refs --all",
  "gc --prune=now",
];

test("no git command of a discarded run changes the repository, from its directory or the checkout", async () => {
  const where = fc.constantFrom("own", "checkout");
  const commands = fc.array(fc.tuple(where, fc.constantFrom(...GIT_COMMANDS)), { minLength: 4, maxLength: 12 });
  const sample = process.env["VERITEST_FAULTS"] === "full" ? { numRuns: 60 } : { numRuns: 8, seed: 37 };
  for (const list of fc.sample(commands, sample)) {
    const project = richProject();
    const [before, files] = [gitState(project), project.state()];
    const code = list.map(([folder, line]) => {
      const words = [...(folder === "own" ? [] : ["-C", project.root]), ...line.split(" ")];
      return `try { git(...${JSON.stringify(words)}); } catch {}`;
    });
    const hook = `try { fs.writeFileSync(${JSON.stringify(join(project.root, ".git/hooks/post-commit"))}, ""); } catch {}`;
    const outcome = await project.run({ command: script(`${code.join("\n")}\n${hook}\nprocess.exit(1)`) });
    expect(outcome.kind, JSON.stringify(list)).toBe("discarded");
    expect(gitState(project), JSON.stringify(list)).toStrictEqual(before);
    expect(project.state()).toStrictEqual(files);
  }
});

test("keeps a branch and a stash that the user makes during a run", async () => {
  const project = richProject();
  const approve = (): boolean => {
    project.git("branch", "meanwhile");
    project.git("branch", "-D", "feature");
    return false;
  };
  expect(await project.run({ approve })).toMatchObject({ kind: "discarded" });
  expect(project.git("for-each-ref", "--format=%(refname:short)", "refs/heads").trim().split("\n")).toStrictEqual([
    "main",
    "meanwhile",
    "side",
  ]);
});

/** Sees what is committed by another way than git's work tree. */
const READS_TWO = {
  name: "two",
  run: [NODE, "-e", `process.exit(fs.readFileSync("a.txt", "utf8") === "two\\n" ? 0 : 3)`],
  timeoutMs: 600_000,
};

test.concurrent("a check ignores a filter in the attributes of the command's repository", async () => {
  const project = makeProject();
  const command = script(`
    fs.writeFileSync("a.txt", "evil\\n"); fs.mkdirSync(".git/info", { recursive: true });
    fs.writeFileSync(".git/info/attributes", "a.txt filter=x\\n"); git("config", "filter.x.smudge", "echo two"); git("config", "filter.x.clean", "cat")`);
  expect(await project.run({ command, checks: [READS_TWO] })).toMatchObject({
    kind: "discarded",
    failure: { gate: "check two" },
  });
});

test.concurrent("a check ignores a filter of the commit that the user's settings define", async () => {
  const project = makeProject();
  const global = join(project.temporary, "..", "gitconfig");
  writeFileSync(global, '[filter "x"]\n\tsmudge = echo two\n');
  project.put(".gitattributes", "a.txt filter=x\n");
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message", "attributes");
  const command = script(`fs.writeFileSync("a.txt", "evil\\n")`);
  const environment = { ...project.options().environment, GIT_CONFIG_GLOBAL: global };
  expect(await project.run({ command, checks: [READS_TWO], environment })).toMatchObject({
    kind: "discarded",
    failure: { gate: "check two" },
  });
});

test.concurrent("commits a file that the command hides from its index, and whose object it replaces, as it was checked", async () => {
  const project = makeProject();
  const command = script(
    `git("update-index", "--assume-unchanged", "a.txt"); git("update-index", "--skip-worktree", "gone.txt"); fs.writeFileSync("a.txt", "two\\n"); fs.writeFileSync("gone.txt", "here\\n");
    for (const path of ["a.txt", "gone.txt"]) git("replace", require("child_process").execFileSync("git", ["hash-object", "-w", path], { encoding: "utf8" }).trim(), "HEAD:-dash ü.txt");
    git("replace", "HEAD:a.txt", "HEAD:-dash ü.txt")`,
  );
  expect(await project.run({ command, checks: [READS_TWO] })).toMatchObject({ kind: "committed", files: 2 });
  expect([project.git("show", "HEAD:a.txt"), project.git("show", "HEAD:gone.txt")]).toStrictEqual(["two\n", "here\n"]);
});

test.concurrent("ignores a replaced object in checks and in the commit", async () => {
  const project = makeProject();
  project.put("ignored.txt", "evil\n");
  const evil = project.git("hash-object", "-w", "ignored.txt").trim();
  project.git("replace", "HEAD:a.txt", evil);
  const check = {
    ...READS_TWO,
    run: [NODE, "-e", `process.exit(fs.readFileSync("a.txt", "utf8") === "one\\n" ? 0 : 3)`],
  };
  const command = script(`fs.writeFileSync("gone.txt", "new\\n")`);
  expect(await project.run({ command, checks: [check] })).toMatchObject({ kind: "committed", files: 1 });
  expect(litterOf(project)).toStrictEqual([]);
});

test.concurrent.each([
  ["checks", undefined],
  ["the branch moves", "receipt-written"],
])("detects an object whose content doesn't match its id before %s", async (_, at) => {
  const project = makeProject();
  const objects = join(project.root, ".git/objects");
  const [evil, good] = ["evil\n", "two\n"].map((text) => {
    project.put("ignored.txt", text);
    return project.git("hash-object", "-w", "ignored.txt").trim();
  });
  const pathOf = (id = ""): string => join(objects, id.slice(0, 2), id.slice(2));
  const bytes = readFileSync(pathOf(evil));
  project.git("prune", "--expire=now");
  const replace = (): void => {
    mkdirSync(join(pathOf(good), ".."), { recursive: true });
    rmSync(pathOf(good), { force: true });
    writeFileSync(pathOf(good), bytes);
  };
  if (at === undefined) replace();
  const steps: string[] = [];
  const onStep = (step: string): void => {
    steps.push(step);
    if (step === at) replace();
  };
  expect(await project.run({ checks: [{ ...READS_TWO, run: ["true"] }], onStep })).toMatchObject({
    kind: "discarded",
    failure: {
      gate: "worktree",
      summary: "git's checkout differs from the bytes in the commit: a.txt.",
      details: [],
    },
  });
  expect([steps.includes("checked"), steps.includes("landing")]).toStrictEqual([at !== undefined, false]);
  expect(project.git("rev-parse", "HEAD").trim()).toBe(project.base);
});

test.concurrent("checks don't run a program in the linked node_modules that the command edited", async () => {
  const project = makeProject();
  project.put("node_modules/runner/cli.js", "process.exit(1)\n");
  mkdirSync(join(project.root, "node_modules/.bin"));
  symlinkSync("../runner/cli.js", join(project.root, "node_modules/.bin/runner"));
  const checks = [{ name: "runner", run: [NODE, "node_modules/.bin/runner"], timeoutMs: 600_000 }];
  const cli = join(project.root, "node_modules/runner/cli.js");
  const command = script(`fs.writeFileSync("a.txt", "evil\\n"); fs.writeFileSync("node_modules/.bin/runner", "")`);
  expect(await project.run({ command, checks })).toStrictEqual({
    kind: "discarded",
    isKept: false,
    failure: {
      gate: "links",
      summary: "node_modules/runner/cli.js changed during the run, and the checks use it, too.",
      details: [
        "Install your packages again, then run the command again. To install packages in the run, pass " +
          '--without-links --verify "npm ci".',
      ],
    },
  });
  const lines: string[] = [];
  const failing = script(`fs.appendFileSync("node_modules/runner/cli.js", "//"); process.exit(1)`);
  const onProgress = (line: string): void => void lines.push(line);
  expect(await project.run({ command: failing, checks, onProgress })).toMatchObject({
    kind: "discarded",
    isTouched: true,
    failure: { gate: "command" },
  });
  expect(lines).toContain(
    "node_modules/runner/cli.js changed during the run, and your checks use it. If you didn't change it, install " +
      "your packages again.",
  );
  const settings = join(project.temporary, "..", "npmrc");
  const environment = { ...project.options().environment, npm_config_userconfig: settings };
  const written = script(`fs.writeFileSync(process.env.npm_config_userconfig, "x=1"); process.exit(1)`);
  await project.run({ command: written, checks, onProgress, environment });
  expect(lines).toContain(
    `${settings} changed during the run, and your checks use it. If you didn't change it, undo the change.`,
  );
  const home = join(project.temporary, "..");
  mkdirSync(join(home, "packages/etc"), { recursive: true });
  writeFileSync(join(home, ".npmrc"), "prefix = ~/packages\n");
  const shell = script(`fs.writeFileSync(process.env.HOME + "/packages/etc/npmrc", "script-shell=x"); process.exit(1)`);
  await project.run({ command: shell, checks, onProgress, environment: { ...environment, HOME: home } });
  expect(lines).toContain(
    `${join(home, "packages/etc/npmrc")} changed during the run, and your checks use it. If you didn't change it, undo the change.`,
  );
  // Undone at once, and with its old times.
  writeFileSync(cli, "process.exit(0)\n");
  const undo = script(`
    fs.writeFileSync("a.txt", "evil\\n"); const stats = fs.statSync("node_modules/runner/cli.js"); const text = fs.readFileSync("node_modules/runner/cli.js");
    fs.writeFileSync("node_modules/runner/cli.js", "x"); fs.writeFileSync("node_modules/runner/cli.js", text); fs.utimesSync("node_modules/runner/cli.js", stats.atime, stats.mtime)`);
  expect(await project.run({ command: undo, checks })).toMatchObject({ failure: { gate: "links" } });
  const cache = script(
    `fs.writeFileSync("a.txt", "two\\n"); fs.mkdirSync("node_modules/.cache"); fs.writeFileSync("node_modules/.cache/x", "")`,
  );
  expect(await project.run({ command: cache, checks })).toMatchObject({ kind: "committed" });
});

test.concurrent.each([
  ["with", (project: Project) => project.options().environment, [".old/deep/code.js: good"]],
  ["without", withoutNamespaces, []],
])("%s namespaces no check reads a cache that an earlier program of the run wrote", async (_, environmentOf, old) => {
  const project = makeProject();
  const environment = environmentOf(project);
  const elsewhere = join(project.temporary, "..", "elsewhere");
  mkdirSync(elsewhere);
  project.put("node_modules/.old/deep/code.js", "good");
  project.put("node_modules/dep/node_modules/.same/code.js", "good");
  const poison = `
    for (const name of [".old/deep", ".new"]) { fs.mkdirSync("node_modules/" + name, { recursive: true }); fs.writeFileSync("node_modules/" + name + "/code.js", "evil"); }
    fs.writeFileSync(${JSON.stringify(join(elsewhere, "code.js"))}, "evil"); fs.symlinkSync(${JSON.stringify(elsewhere)}, "node_modules/.link");
    fs.mkdirSync(require("os").tmpdir() + "/jest_x", { recursive: true });`;
  const look = `
    for (const name of [".old/deep", ".new", ".link"]) if (fs.existsSync("node_modules/" + name + "/code.js") && fs.readFileSync("node_modules/" + name + "/code.js", "utf8") !== "good") throw new Error("poisoned " + name);
    if (fs.existsSync(require("os").tmpdir() + "/jest_x")) throw new Error("poisoned jest_x");`;
  const checks = ["first", "second"].map((name) => ({ name, run: [NODE, "-e", look + poison], timeoutMs: 600_000 }));
  const temporary = { ...environment, TMPDIR: project.temporary };
  for (const [end, kind] of [
    ["", "committed"],
    ["process.exit(1)", "discarded"],
  ] as const) {
    project.put("node_modules/.old/deep/code.js", "good");
    const command = script(`fs.writeFileSync("a.txt", "two\\n"); ${poison} ${end}`);
    expect(await project.run({ command, environment: temporary, checks })).toMatchObject({ kind });
    expect(filesIn(join(project.root, "node_modules"))).toStrictEqual([...old, "dep/node_modules/.same/code.js: good"]);
  }
});

test.concurrent("a check runs although a cache was removed outside since the run started", async () => {
  const project = makeProject();
  const signal = join(project.temporary, "..", "signal");
  mkdirSync(signal);
  project.put("node_modules/.old/code.js", "good");
  const wait = `while (!fs.existsSync("gone")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);`;
  const command = script(`
    fs.writeFileSync("a.txt", "two\\n"); process.chdir(${JSON.stringify(signal)}); fs.writeFileSync("started", ""); ${wait}`);
  const run = project.run({ command });
  await expect.poll(() => existsSync(join(signal, "started")), { timeout: 60_000 }).toBe(true);
  rmSync(join(project.root, "node_modules/.old"), { recursive: true });
  writeFileSync(join(signal, "gone"), "");
  expect(await run).toMatchObject({ kind: "committed" });
});

test.concurrent("refuses a check that changes a committed file", async () => {
  const project = makeProject();
  const checks = [{ name: "rewrite", run: [NODE, "-e", `fs.writeFileSync("gone.txt", "x")`], timeoutMs: 600_000 }];
  expect(await project.run({ checks })).toStrictEqual({
    kind: "discarded",
    isKept: false,
    failure: {
      gate: "check rewrite",
      summary: "the check changed gone.txt, but that change isn't in the commit.",
      details: ["Make the change in the command, or let git ignore the file."],
    },
  });
});

test.concurrent("a command can't move the checkout by moving a folder above it", async () => {
  const project = richProject();
  const [before, files] = [gitState(project), project.state()];
  const parent = join(project.root, "..");
  const command = script(`
    try { fs.renameSync(${JSON.stringify(parent)}, ${JSON.stringify(`${parent}-moved`)}); } catch (thrown) { console.log(thrown.code); }
    process.exit(1)`);
  expect(await project.run({ command })).toMatchObject({ kind: "discarded", failure: { details: ["EBUSY"] } });
  expect(gitState(project)).toStrictEqual(before);
  expect(project.state()).toStrictEqual(files);
});

test.concurrent("code of the commit can't read what the command left beside its worktree or in a temporary folder", async () => {
  const project = makeProject();
  const command = script(
    `fs.writeFileSync("a.txt", "two\\n"); fs.writeFileSync("../two.txt", ""); fs.mkdirSync("../check/x", { recursive: true }); fs.mkdirSync("../node_modules"); fs.writeFileSync(require("os").tmpdir() + "/left.txt", "")`,
  );
  const code = `console.log([...fs.readdirSync(".."), ...fs.readdirSync(require("os").tmpdir())].join()); process.exit(3)`;
  const run = [NODE, "-e", code];
  const environment = { ...project.options().environment, TMPDIR: project.temporary };
  const outcome = await project.run({ command, environment, checks: [{ name: "list", run, timeoutMs: 600_000 }] });
  expect(outcome).toMatchObject({ failure: { details: ["check,run,store,tmp"] } });
});

test.concurrent("without namespaces the run reports changes of the repository, and how to undo them", async () => {
  const project = richProject();
  const [tag = "", note = "", dropped = ""] = ["v1", "refs/notes/commits", "stash"].map((name) =>
    project.git("rev-parse", name).trim(),
  );
  project.put("a.txt", "stashed again\n");
  project.git("stash");
  project.git("config", "status.showUntrackedFiles", "no");
  const environment = withoutNamespaces(project);
  mkdirSync(join(project.root, ".git/hooks"), { recursive: true });
  writeFileSync(join(project.root, ".git/hooks/pre-push"), "#!/bin/sh\n", { mode: 0o755 });
  const lines: string[] = [];
  const command = script(
    `const at = (...words) => git("-C", ${JSON.stringify(project.root)}, ...words);
    at("tag", "-f", "v1", "HEAD^{tree}"); at("branch", "made$(x)"); at("stash", "drop", "stash@{1}"); at("notes", "add", "-f", "-m", "other", "HEAD");
    at("config", "core.abbrev", "12"); at("worktree", "add", "-q", "--detach", "../added"); at("rm", "-q", "--cached", "gone.txt");
    fs.chmodSync(${JSON.stringify(join(project.root, ".git/hooks/pre-push"))}, 0o644);
    git("branch", "-D", "feature"); at("branch", "-D", "feature");
    at("commit", "-q", "--allow-empty", "-m", "moved");
    fs.appendFileSync(${JSON.stringify(join(project.root, "a.txt"))}, "evil"); fs.writeFileSync(${JSON.stringify(join(project.root, "new $(x).txt"))}, "");
    at("update-index", "--assume-unchanged", "a.txt");
    for (const name of ["hooks", "info"]) fs.mkdirSync(${JSON.stringify(join(project.root, ".git/"))} + name, { recursive: true });
    for (const name of ["hooks/pre-commit", "info/grafts", "MERGE_HEAD", "index.lock", "refs/heads/main.lock"]) fs.writeFileSync(${JSON.stringify(join(project.root, ".git/"))} + name, "${project.base}\\n");
    fs.symlinkSync("nothing", ${JSON.stringify(join(project.root, ".git/refs/heads/lost"))});
    fs.mkdirSync(${JSON.stringify(join(project.root, ".git/rebase-merge"))}); fs.writeFileSync(${JSON.stringify(join(project.root, "ignored.txt"))}, "");
    at("symbolic-ref", "HEAD", "refs/heads/side"); process.exit(1)`,
  );
  const onProgress = (line: string): void => void lines.push(line);
  expect(await project.run({ command, environment, onProgress })).toMatchObject({
    kind: "discarded",
    isTouched: true,
  });
  expect(lines.filter((line) => !line.startsWith("command:"))).toStrictEqual([
    "This system doesn't support namespaces, so the command can write to your repository through its path, and a process that " +
      "leaves its group can outlive the run. Changes of your repository are listed at the end.",
    "Git's file config changed during the run. Check whether you changed it.",
    "Git's file HEAD changed during the run. If you didn't change it, run: git symbolic-ref HEAD refs/heads/main",
    "Git's file MERGE_HEAD changed during the run. Check whether you changed it.",
    "Git's file hooks/pre-commit changed during the run. Check whether you changed it.",
    "Git's file hooks/pre-push changed during the run. Check whether you changed it.",
    "A mark that hides changes of a.txt changed during the run. If you didn't change it, run: git update-index --no-assume-unchanged --no-skip-worktree -- a.txt",
    "Git's file index.lock changed during the run. Check whether you changed it.",
    "Git's file info/grafts changed during the run. Check whether you changed it.",
    "Git's file rebase-merge/ changed during the run. Check whether you changed it.",
    "Git's file refs/heads/lost changed during the run. Check whether you changed it.",
    "Git's file refs/heads/main.lock changed during the run. Check whether you changed it.",
    "Git's file worktrees/added/ changed during the run. Check whether you changed it.",
    "ignored.txt, which git ignores, changed in your checkout during the run. Check whether you changed it.",
    `refs/heads/feature changed during the run. If you didn't change it, run: git update-ref refs/heads/feature ${project.base}`,
    `refs/heads/main changed during the run. If you didn't change it, run: git update-ref refs/heads/main ${project.base}`,
    `refs/notes/commits changed during the run. If you didn't change it, run: git update-ref refs/notes/commits ${note}`,
    `refs/tags/v1 changed during the run. If you didn't change it, run: git update-ref refs/tags/v1 ${tag}`,
    `refs/stash ${dropped} changed during the run. If you didn't change it, run: git stash store ${dropped}`,
    String.raw`refs/heads/made$(x) changed during the run. If you didn't change it, run: git update-ref -d "refs/heads/made\$(x)"`,
    "gone.txt changed in your checkout during the run. If you didn't change it, run: git restore --staged --worktree -- gone.txt",
    "gone.txt changed in your checkout during the run. If you didn't change it, run: git clean -f -- gone.txt",
    String.raw`new $(x).txt changed in your checkout during the run. If you didn't change it, run: git clean -f -- "new \$(x).txt"`,
  ]);
});
