// @module-tag deep
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { projectPaths } from "../../kernel/files/project-paths.ts";
import { readAttempt } from "./attempts.ts";
import { recoverRuns } from "./recover-runs.ts";
import type { VerifiedCommitOptions } from "./run-options.ts";
import {
  CHECK,
  ENVIRONMENT,
  type Project,
  TEST,
  litterOf,
  makeProject,
  processesOf,
  removeProjects,
  script,
} from "../../../test-support/trial-project.ts";

/** A home directory's file of settings. */
const SETTINGS_FOLDER = mkdtempSync(join(tmpdir(), "veritest-settings-"));
afterAll(() => rmSync(SETTINGS_FOLDER, { recursive: true }));
afterAll(removeProjects, 120_000);
// Each test starts some dozen processes: a second by itself, many on a machine that has more to do.
const NODE = process.execPath;

/** Runs, and checks that the repository is byte for byte as before. */
async function expectDiscarded(project: Project, options: Partial<VerifiedCommitOptions>): Promise<string> {
  const before = project.state();
  const outcome = await project.run(options);
  expect(project.state()).toStrictEqual(before);
  expect(litterOf(project)).toStrictEqual([]);
  expect(project.notes.map((note) => note.type)).toStrictEqual([
    "run_started",
    "gate_failed",
    "hypothesis",
    "hyperthesis",
    "discarded",
  ]);
  if (outcome.kind !== "discarded") throw new Error(`the run was ${outcome.kind}: ${JSON.stringify(outcome)}`);
  return [`${outcome.failure.gate}: ${outcome.failure.summary}`, ...outcome.failure.details].join("\n");
}

test.concurrent("a successful run makes one commit with its trailers, and updates the working tree", async () => {
  const project = makeProject();
  const command = script(`
    fs.writeFileSync("a.txt", "two\\n"); fs.rmSync("gone.txt"); fs.mkdirSync("new dir/ü", { recursive: true });
    fs.writeFileSync("new dir/ü/-x\\ny.txt", "new"); fs.writeFileSync("run.sh", "#!/bin/sh\\n", { mode: 0o755 }); fs.symlinkSync("a.txt", "link"); fs.writeFileSync("ignored.txt", "no")`);
  const outcome = await project.run({ command });
  if (outcome.kind !== "committed") throw new Error(JSON.stringify(outcome));
  expect(project.git("rev-list", "HEAD").trim().split("\n")).toStrictEqual([outcome.commit, project.base]);
  expect(project.git("log", "-1", "--format=%B")).toBe(
    `write two\n\nVeritest-Receipt: ${outcome.receipt}\nVeritest-Work-Item: write two\n\n`,
  );
  expect(project.git("log", "-1", "--format=%(trailers:key=Veritest-Receipt,valueonly)").trim()).toBe(outcome.receipt);
  expect(
    project
      .git("diff-tree", "-r", "-z", "--name-status", "--no-renames", "HEAD~1", "HEAD")
      .split("\0")
      .filter(Boolean)
      .join(" "),
  ).toBe("M a.txt D gone.txt A link A new dir/ü/-x\ny.txt A run.sh");
  expect(project.git("status", "--porcelain")).toBe("");
  expect([
    readFileSync(join(project.root, "a.txt"), "utf8"),
    readlinkSync(join(project.root, "link")),
    lstatSync(join(project.root, "run.sh")).mode & 0o111,
  ]).toStrictEqual(["two\n", "a.txt", 0o111]);
  expect(project.git("reflog", "-1", "--format=%gs").trim()).toBe("veritest run: write two");
  expect(project.notes.map((note) => note.type)).toStrictEqual(["run_started", "committed"]);
  expect(litterOf(project)).toStrictEqual([]);
});

test.concurrent("updates a working tree in which directories become files, and the reverse", async () => {
  const project = makeProject();
  project.put("to-file/x/y.txt", "y");
  project.put("to-folder", "f");
  project.git("add", "--all");
  project.git("commit", "--quiet", "-m", "shapes");
  const command = script(
    `fs.rmSync("to-file", { recursive: true }); fs.writeFileSync("to-file", "now"); fs.rmSync("to-folder"); fs.mkdirSync("to-folder"); fs.writeFileSync("to-folder/in", "now")`,
  );
  const shaped = await project.run({ command });
  expect(shaped, JSON.stringify(shaped)).toMatchObject({ kind: "committed" });
  expect(project.git("status", "--porcelain", "--ignored")).toBe("");
  expect([
    readFileSync(join(project.root, "to-file"), "utf8"),
    readFileSync(join(project.root, "to-folder/in"), "utf8"),
  ]).toStrictEqual(["now", "now"]);
});

test.concurrent("a rule of .gitignore that hides committed files needs approval, and the files that it keeps out are listed", async () => {
  const project = makeProject();
  const lines: string[] = [];
  const onProgress = (line: string): void => void lines.push(line);
  const rules = (text: string): readonly string[] =>
    script(
      `fs.appendFileSync(".gitignore", ${JSON.stringify(text)}); fs.writeFileSync("new.log", ""); fs.writeFileSync("ignored.txt", "")`,
    );
  expect(await expectDiscarded(project, { command: rules("*.test.js\n*.log\n"), onProgress })).toBe(
    'diff: the diff has one problem. To approve a test, a person can pass --approve-test "<name>", or all by --allow test-changed.\n' +
      ".gitignore: it hides committed files, and new ones like them: test/add.test.js (test-changed)",
  );
  expect(lines).toContain("new rules of .gitignore keep these out of the commit: new.log");
  const committed = { kind: "committed", files: 1 };
  expect(await project.run({ command: rules("*.log\n") })).toMatchObject(committed);
  const { limits } = project.options();
  const allowed = { ...limits, allow: [...limits.allow, "test-changed"] as const };
  expect(await project.run({ command: rules("*.test.js\n"), limits: allowed })).toMatchObject(committed);
});

/** Ways to keep files out of the work tree, and the files of the new commit that are in it. */
const SPARSE: readonly [string, (project: Project) => void, Readonly<Record<string, string | undefined>>][] = [
  [
    "a sparse checkout",
    ({ git }) => void git("sparse-checkout", "set", "in"),
    { "in/a.txt": "two\n", "out/b.txt": undefined, "out/gone.txt": undefined, "out/kept.txt": undefined },
  ],
  [
    "a sparse index",
    ({ git }) => void git("sparse-checkout", "set", "--cone", "--sparse-index", "in"),
    { "in/a.txt": "two\n", "out/b.txt": undefined, "out/gone.txt": undefined, "out/kept.txt": undefined },
  ],
  [
    "a file skipped by hand, and absent",
    ({ git, root }) => {
      git("update-index", "--skip-worktree", "out/b.txt");
      rmSync(join(root, "out/b.txt"));
    },
    { "in/a.txt": "two\n", "out/b.txt": undefined, "out/gone.txt": undefined, "out/kept.txt": "kept\n" },
  ],
  [
    "a file skipped by hand, but present",
    ({ git }) => void git("update-index", "--skip-worktree", "out/b.txt"),
    { "in/a.txt": "two\n", "out/b.txt": "two\n", "out/gone.txt": undefined, "out/kept.txt": "kept\n" },
  ],
];
const OUTSIDE = { "in/a.txt": "one\n", "out/b.txt": "one\n", "out/gone.txt": "gone\n", "out/kept.txt": "kept\n" };

test.concurrent.each(SPARSE)("commits changes of files that git skips: %s", async (_what, set, files) => {
  const project = makeProject();
  for (const [path, text] of Object.entries(OUTSIDE)) project.put(path, text);
  project.git("add", "--all");
  project.git("commit", "--quiet", "-m", "outside");
  set(project);
  const command = script(
    `fs.writeFileSync("in/a.txt", "two\\n"); fs.writeFileSync("out/b.txt", "two\\n"); fs.rmSync("out/gone.txt")`,
  );
  expect(await project.run({ command })).toMatchObject({ kind: "committed", leftAlone: [] });
  const texts = Object.keys(files).map((path) => {
    const file = join(project.root, path);
    return [path, existsSync(file) ? readFileSync(file, "utf8") : undefined];
  });
  expect(Object.fromEntries(texts)).toStrictEqual(files);
  expect(project.git("diff", "--cached", "HEAD")).toBe("");
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("show", ":out/b.txt")).toBe("two\n");
  expect(litterOf(project)).toStrictEqual([]);
});

test.concurrent("keeps a skipped file that somebody edited, and names it", async () => {
  const project = makeProject();
  project.git("update-index", "--skip-worktree", "a.txt");
  project.put("a.txt", "mine\n");
  expect(await project.run({})).toMatchObject({ kind: "committed", leftAlone: ["a.txt"] });
  expect(readFileSync(join(project.root, "a.txt"), "utf8")).toBe("mine\n");
});

test.concurrent("combines commits of the command into one, and removes its branches", async () => {
  const project = makeProject();
  const command = script(
    `git("checkout", "-q", "-b", "agent-work"); fs.writeFileSync("a.txt", "two\\n"); git("commit", "-qam", "wip"); git("tag", "v1"); fs.writeFileSync("b.txt", "b"); git("add", "b.txt"); git("commit", "-qm", "wip 2"); git("update-ref", "refs/heads/main", "HEAD")`,
  );
  const outcome = await project.run({ command });
  expect(outcome.kind).toBe("committed");
  expect(project.git("for-each-ref", "--format=%(refname)").trim()).toBe("refs/heads/main");
  expect(project.git("rev-list", "--count", "HEAD").trim()).toBe("2");
  expect(project.git("status", "--porcelain")).toBe("");
});

test.concurrent("doesn't report a skipped test that moved as newly skipped", async () => {
  const project = makeProject();
  project.put("a.test.ts", `test.skip("a", () => {});\n${"// more\n".repeat(9)}`);
  project.git("add", "--all");
  project.git("commit", "--quiet", "-m", "skipped");
  const command = script(
    `fs.rmSync("a.test.ts"); fs.writeFileSync("b.test.ts", "describe('b', () => {\\n  test.skip(\\"a\\", () => {});\\n});\\n")`,
  );
  expect(await project.run({ command })).toMatchObject({ kind: "committed", files: 2 });
});

test.concurrent("keeps line ends that git converts, and submodules", async () => {
  const project = makeProject();
  const other = join(project.temporary, "..", "other");
  execFileSync("git", ["clone", "--quiet", project.root, other], { env: ENVIRONMENT });
  project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub");
  project.put(".gitattributes", "*.txt text eol=crlf\n");
  project.git("add", "--all");
  project.git("commit", "--quiet", "-m", "attributes");
  project.git("rm", "--quiet", "--cached", "-r", ".");
  project.git("reset", "--quiet", "--hard");
  expect(readFileSync(join(project.root, "a.txt"), "utf8")).toBe("one\r\n");
  const command = script(`fs.writeFileSync("a.txt", "two\\r\\n"); fs.writeFileSync("new.txt", "x\\ny\\n")`);
  const check = {
    name: "crlf",
    run: [NODE, "-e", `if (fs.readFileSync("a.txt", "utf8") !== "two\\r\\n") process.exit(1)`],
    timeoutMs: 600_000,
  };
  expect(await project.run({ command, checks: [check] })).toMatchObject({ kind: "committed", files: 2 });
  expect(project.git("show", "HEAD:new.txt")).toBe("x\ny\n");
  expect([
    readFileSync(join(project.root, "a.txt"), "utf8"),
    readFileSync(join(project.root, "new.txt"), "utf8"),
  ]).toStrictEqual(["two\r\n", "x\r\ny\r\n"]);
  expect(project.git("status", "--porcelain", "--untracked-files=all")).toBe("");
});

test.concurrent("accepts a branch that the command makes under the target's name", async () => {
  const project = makeProject();
  const command = script(
    `git("checkout", "-q", "-b", "made"); fs.writeFileSync("a.txt", "two\\n"); git("commit", "-qam", "wip")`,
  );
  const outcome = await project.run({ command, target: "made" });
  expect(outcome).toMatchObject({ kind: "committed", target: "refs/heads/made" });
  expect(project.git("rev-list", "made").trim().split("\n")).toStrictEqual([
    outcome.kind === "committed" ? outcome.commit : "",
    project.base,
  ]);
});

test.concurrent("finds a project in a subdirectory of a linked worktree, and commits there", async () => {
  const project = makeProject();
  project.put("packages/one/package.json", "{}\n");
  project.git("add", "--all");
  project.git("commit", "--quiet", "-m", "one");
  const linked = join(project.temporary, "..", "linked");
  project.git("worktree", "add", "--quiet", "-b", "side", linked);
  const paths = projectPaths(join(linked, "packages/one"), ENVIRONMENT);
  const main = project.git("rev-parse", "main");
  const outcome = await project.run({
    paths,
    command: script(`fs.writeFileSync("made.txt", "x")`),
    checks: [{ name: "here", run: ["cat", "made.txt", "package.json"], timeoutMs: 600_000 }],
  });
  expect(outcome).toMatchObject({ kind: "committed", target: "refs/heads/side" });
  expect([project.git("rev-parse", "main"), readFileSync(join(linked, "packages/one/made.txt"), "utf8")]).toStrictEqual(
    [main, "x"],
  );
  expect(project.git("-C", linked, "status", "--porcelain")).toBe("");
  expect(readdirSync(project.temporary)).toStrictEqual([]);
});

test.concurrent("commits one of two concurrent runs, and discards the other", async () => {
  const project = makeProject();
  const command = (name: string): readonly string[] => script(`fs.writeFileSync("${name}.txt", "x")`);
  const outcomes = await Promise.all(
    ["left", "right"].map(async (name) => project.run({ command: command(name), runId: name })),
  );
  expect(outcomes.map((outcome) => outcome.kind).toSorted()).toStrictEqual(["committed", "discarded"]);
  expect(project.git("rev-list", "--count", "HEAD").trim()).toBe("2");
  expect(project.git("status", "--porcelain")).toBe("");
  expect(litterOf(project)).toStrictEqual([]);
});

test.concurrent("commits to a branch that isn't checked out or doesn't exist, and changes no other state", async () => {
  const project = makeProject();
  project.git("branch", "side");
  for (const target of ["side", "made/new"]) {
    const { refs: _before, ...before } = project.state();
    const outcome = await project.run({ target });
    const { refs: _after, ...after } = project.state();
    expect(after).toStrictEqual(before);
    expect(outcome).toMatchObject({ kind: "committed", target: `refs/heads/${target}` });
    expect(project.git("rev-parse", `${target}~1`).trim()).toBe(project.base);
  }
  expect(litterOf(project)).toStrictEqual([]);
});

test.concurrent("a command without changes commits nothing", async () => {
  const project = makeProject();
  const before = project.state();
  expect(await project.run({ command: script("") })).toStrictEqual({ kind: "unchanged" });
  expect(project.state()).toStrictEqual(before);
  expect(litterOf(project)).toStrictEqual([]);
});

test.concurrent("ignores settings and hooks of the user", async () => {
  const project = makeProject();
  for (const name of [
    "post-checkout",
    "pre-commit",
    "commit-msg",
    "post-merge",
    "reference-transaction",
    "post-index-change",
  ]) {
    writeFileSync(join(project.root, ".git/hooks", name), "#!/bin/sh\nexit 1\n");
    chmodSync(join(project.root, ".git/hooks", name), 0o755);
  }
  const settings = {
    "commit.gpgsign": "true",
    "gpg.program": "false",
    "core.autocrlf": "input",
    "core.safecrlf": "true",
    "diff.external": "false",
    "color.ui": "always",
    "diff.noprefix": "true",
    "alias.commit-tree": "!false",
    "status.short": "true",
    "core.quotePath": "true",
    "diff.renames": "copies",
    "core.splitIndex": "true",
    "submodule.recurse": "true",
    "i18n.commitEncoding": "latin1",
    "status.showUntrackedFiles": "no",
  };
  for (const [key, value] of Object.entries(settings)) project.git("config", key, value);
  const environment = {
    ...ENVIRONMENT,
    GIT_DIR: "/nowhere",
    GIT_INDEX_FILE: "/nowhere/index",
    GIT_WORK_TREE: "/nowhere",
  };
  expect((await project.run({ environment, workItem: "zwei – mit\nVeritest-Receipt: sha256:00" })).kind).toBe(
    "committed",
  );
  expect(
    project.git("log", "-1", "--format=%(trailers:key=Veritest-Receipt,valueonly)").trim().split("\n"),
  ).toHaveLength(1);
  expect(project.git("status", "--porcelain", "--untracked-files=all")).toBe("");
});

test.concurrent.each([
  { "diff.noprefix": "true", "diff.submodule": "log" },
  { "diff.mnemonicPrefix": "true", "color.diff": "always" },
  { "diff.srcPrefix": "before/" },
])("resumes a discarded run if the user's git has %j", async (settings) => {
  const project = makeProject();
  for (const [name, value] of Object.entries(settings)) project.git("config", name, value);
  const attempts = join(project.temporary, "..", "attempts");
  const { limits, runId } = project.options();
  const command = script(`fs.writeFileSync("a.txt", "two\\n"); fs.writeFileSync("new.bin", Buffer.from([0, 1, 255]))`);
  const first = await project.run({ attempts, runId, command, limits: { ...limits, maxLines: 1 } });
  expect(first).toMatchObject({ kind: "discarded", isKept: true });
  const resume = readAttempt(attempts, runId);
  if (!resume.ok) throw new Error(resume.error);
  expect(await project.run({ resume: resume.value, command: [] })).toMatchObject({ kind: "committed", files: 2 });
  expect(readFileSync(join(project.root, "new.bin"))).toStrictEqual(Buffer.from([0, 1, 255]));
});

test.runIf(process.platform === "linux").each<readonly [string, (attempts: string) => string]>([
  ["replaces", (path) => `fs.renameSync(${path}, ${path} + "-old"); fs.symlinkSync(os.tmpdir(), ${path})`],
  ["moves the folder above", (path) => `fs.renameSync(path.dirname(${path}), path.dirname(${path}) + "-old")`],
  ["adds to", (path) => `fs.writeFileSync(${path} + "/mine.json", "{}")`],
  ["edits", (path) => `fs.writeFileSync(${path} + "/older.json", "{}")`],
  ["removes from", (path) => `fs.rmSync(${path} + "/older.json")`],
])("a command that %s the kept attempts changes none", async (_, codeOf) => {
  const project = makeProject();
  const attempts = join(project.temporary, "..", "state", "attempts");
  mkdirSync(attempts, { recursive: true });
  writeFileSync(join(attempts, "older.json"), "older");
  const code = `try { ${codeOf(JSON.stringify(attempts))} } catch {}`;
  const command = script(
    `const os = require("os"), path = require("path"); ${code}; fs.writeFileSync("a.txt", "three")`,
  );
  expect(await project.run({ attempts, runId: "later", command })).toMatchObject({ kind: "discarded", isKept: true });
  expect(readdirSync(attempts)).toStrictEqual(["later.json", "later.patch", "older.json"]);
  expect(readFileSync(join(attempts, "older.json"), "utf8")).toBe("older");
});

test.concurrent.each<[string, Partial<VerifiedCommitOptions>, string]>([
  [
    "the command fails",
    { command: script(`fs.writeFileSync("a.txt", "two\\n"); console.log("why"); process.exit(7)`) },
    `exited with 7.\nwhy`,
  ],
  [
    "the command is no program",
    { command: ["no such program"] },
    `command: "no such program" exited with 127.\nveritest: 1: exec: no such program: not found`,
  ],
  [
    "the command removes its work tree",
    { command: script(`fs.rmSync(process.cwd(), { recursive: true })`) },
    "run: command removed, moved or replaced the run's folder",
  ],
  ["a check fails", { command: script(`fs.writeFileSync("a.txt", "three\\n")`) }, `exited with 3.\nnot \\u001b[31mso`],
  [
    "the command puts a link to the checkout in the place of the run's folder",
    {
      command: script(
        `const run = require("path").dirname(process.cwd()); fs.renameSync(run, run + "-moved"); fs.symlinkSync(${JSON.stringify(tmpdir())}, run)`,
      ),
    },
    "run: command removed, moved or replaced the run's folder",
  ],
  [
    "a link leads out of the repository",
    { command: script(`fs.symlinkSync("/etc/hosts", "hosts"); fs.symlinkSync("../../x", "above")`) },
    [
      "diff: the diff has 2 problems.",
      "above: it links out of the repository, to ../../x (link)",
      "hosts: it links out of the repository, to /etc/hosts (link)",
    ].join("\n"),
  ],
  [
    "code names or imports files that no commit has, or uses more than its inputs",
    {
      command: script(
        `fs.writeFileSync("b.js", ["await import(['', 'etc', 'a.mjs'].join('/'));", "await import(os.homedir() + '/a.mjs');",
          "await import('data:text/javascript,' + text);"].join("\\n"));
        fs.writeFileSync("c.js", ["export const equal = Object.is;", "Object.is = () => true;"].join("\\n"));
        fs.writeFileSync("d.js", "import './c.js'; import '/etc/hosts';\\nawait import(/* later */\\n  '/etc/passwd');\\nrequire ('file:///etc/fstab');\\n");
        fs.writeFileSync("f.js", "import { a } from '../node_modules/.cache/a.js';\\nimport b from '/etc/hosts';\\nimport { expect } from 'vitest';\\nexport const c = process.env.VITEST ? 1 : 2;\\nexport * from './c.js';\\n");
        fs.writeFileSync("g.js", "read('../node_mod' + 'ules/.cache/a.txt');\\nread('**/node_modules/**', 'node_modules/left');\\n");
        fs.writeFileSync("h.js", "const hosts = '/etc/hosts', none = '/home/none.txt';\\nload(" + JSON.stringify(__dirname + "/x") + ", " + JSON.stringify(process.execPath) + ");\\n");
        fs.writeFileSync("package.json", '{ "devDependencies": {\\n"vitest": "file:./tools",\\n"left": "file:./left" } }');`,
      ),
    },
    [
      "diff: the diff has 24 problems. Code can behave differently under test if it uses more than its inputs. To approve this, a person can pass --allow test-aware.",
      'package.json:2: it replaces a test runner: "vitest": "file:./tools", (link)',
      "b.js:1: it imports code that isn't in the repository: await import(['', 'etc', 'a.mjs'].join('/')); (link)",
      "b.js:2: it imports code that isn't in the repository: await import(os.homedir() + '/a.mjs'); (link)",
      "b.js:3: it imports code that isn't in the repository: await import('data:text/javascript,' + text); (link)",
      "d.js:1: it imports a file that isn't in the repository: /etc/hosts (link)",
      "d.js:3: it imports a file that isn't in the repository: /etc/passwd (link)",
      "d.js:4: it imports a file that isn't in the repository: file:///etc/fstab (link)",
      "f.js:1: it imports a file that isn't in the repository: ../node_modules/.cache/a.js (link)",
      "f.js:2: it imports a file that isn't in the repository: /etc/hosts (link)",
      "g.js:1: it refers to a file that isn't in the repository: ../node_modules/.cache/a.txt (link)",
      `h.js:2: it refers to a file that isn't in the repository: ${process.execPath} (link)`,
      "b.js:1: new code uses import(…): await import(['', 'etc', 'a.mjs'].join('/')); (test-aware)",
      "b.js:2: new code uses import(…): await import(os.homedir() + '/a.mjs'); (test-aware)",
      "b.js:2: new code uses os.homedir: await import(os.homedir() + '/a.mjs'); (test-aware)",
      "b.js:3: new code uses import(…): await import('data:text/javascript,' + text); (test-aware)",
      "b.js:3: new code uses text: await import('data:text/javascript,' + text); (test-aware)",
      "c.js:2: new code uses Object.is =: Object.is = () => true; (test-aware)",
      "d.js:4: it imports file:///etc/fstab, which a bundler computes: require ('file:///etc/fstab'); (test-aware)",
      "f.js:1: it imports ../node_modules/.cache/a.js, which isn't in the repository: import { a } from '../node_modules/.cache/a.js'; (test-aware)",
      "f.js:3: it imports vitest, which belongs to a test runner: import { expect } from 'vitest'; (test-aware)",
      "f.js:4: new code uses process.env.VITEST: export const c = process.env.VITEST ? 1 : 2; (test-aware)",
      "g.js:1: new code uses read: read('../node_mod' + 'ules/.cache/a.txt'); (test-aware)",
      "g.js:2: new code uses read: read('**/node_modules/**', 'node_modules/left'); (test-aware)",
      "h.js:2: new code uses load: load(",
    ].join("\n"),
  ],
  [
    "git would check out other bytes than the commit has",
    {
      command: script(
        `fs.writeFileSync(".gitattributes", "*.js text=auto eol=lf\\n*.js ident\\n*.txt working-tree-encoding=UTF-16\\n")`,
      ),
    },
    [
      "diff: the diff has 2 problems.",
      ".gitattributes:2: git's checkout differs from the bytes in the commit: *.js ident (attributes)",
      ".gitattributes:3: git's checkout differs from the bytes in the commit: *.txt working-tree-encoding=UTF-16 (attributes)",
    ].join("\n"),
  ],
  [
    "a setting of the user changes",
    {
      command: script(
        `fs.writeFileSync("a.txt", "two\\n"); fs.writeFileSync(process.env.npm_config_userconfig, "x=1")`,
      ),
      environment: { ...ENVIRONMENT, npm_config_userconfig: join(SETTINGS_FOLDER, "npmrc") },
    },
    "npmrc changed during the run, and the checks use it, too.\nIf you didn't make that change, undo it. Then run the command again.",
  ],
  [
    "a check only passes by an ignored file",
    {
      command: script(`fs.writeFileSync("a.txt", "two\\n"); fs.writeFileSync("ignored.txt", "x")`),
      checks: [{ name: "ignored", run: [NODE, "-e", `fs.readFileSync("ignored.txt")`], timeoutMs: 600_000 }],
    },
    "check ignored: ",
  ],
  [
    "tests are marked",
    {
      command: script(
        `fs.writeFileSync("test/add.test.js", ${JSON.stringify(TEST)}.replace("test(", "test.skip("));
        fs.writeFileSync("b.test.ts", "// test.skip(1)\\nfit(1)\\n  it.todo('b')\\ndescribe.runIf(x)('c')\\ntest.concurrent.fails('d')\\nlist.skip(2)\\n");
        fs.writeFileSync("test_a.py", "@pytest.mark.skip\\n@pytest.mark.skipif(x)\\n@unittest.expectedFailure\\n");
        fs.writeFileSync("a_test.go", "t.Skip(1)\\n"); fs.mkdirSync("tests"); fs.writeFileSync("tests/a.rs", "#[ignore]\\n")`,
      ),
    },
    [
      "diff: the diff has 10 problems.",
      "a_test.go:1: a new line skips a test: t.Skip(1) (skipped)",
      "b.test.ts:2: a new line skips the other tests of its file: fit(1) (focused)",
      "b.test.ts:3: a new line marks a test as todo: it.todo('b') (todo)",
      "b.test.ts:4: a new line runs a test only under a condition: describe.runIf(x)('c') (conditional)",
      "b.test.ts:5: a new line expects a test to fail: test.concurrent.fails('d') (expected-to-fail)",
      'test/add.test.js:1: a new line skips a test: test.skip("adds", () => { (skipped)',
      "test_a.py:1: a new line skips a test: @pytest.mark.skip (skipped)",
      "test_a.py:2: a new line runs a test only under a condition: @pytest.mark.skipif(x) (conditional)",
      "test_a.py:3: a new line expects a test to fail: @unittest.expectedFailure (expected-to-fail)",
      "tests/a.rs:1: a new line skips a test: #[ignore] (skipped)",
    ].join("\n"),
  ],
  [
    "the diff has too many files and lines, or changes protected files, the policy or another repository",
    {
      command: script(
        `fs.writeFileSync("a.txt", "two\\n"); fs.writeFileSync("c.txt", "x"); fs.writeFileSync("veritest.config.ts", "export default {}");
        git("init", "-q", "sub"); git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "x")`,
      ),
      limits: { maxFiles: 2, maxLines: 2, protect: ["**/*.txt"], allow: [], approvedTests: [] },
    },
    [
      "diff: the diff has 6 problems.",
      "sub: 4 files changed, but the limit is 2 (too-many-files)",
      "c.txt: 5 lines changed, but the limit is 2 (too-many-lines)",
      "a.txt: it is protected by **/*.txt (protected)",
      "c.txt: it is protected by **/*.txt (protected)",
      "sub: it is a separate repository, and veritest run can't check its commits (submodule)",
      "veritest.config.ts: it is protected by veritest.config.* (protected)",
    ].join("\n"),
  ],
  ["approve says no", { approve: () => false }, "approve: approve refused."],
  [
    "approve says why not",
    { approve: ({ files }) => `not ${files.map((file) => file.path).join()}\u0007` },
    "approve: approve refused: not a.txt\\u0007",
  ],
  [
    "approve throws",
    {
      approve: () => {
        throw new Error("boom");
      },
    },
    "approve: boom.",
  ],
  [
    "the budget is used up",
    { budgetMs: 400, command: script(`setTimeout(() => {}, 60000)`) },
    "didn't finish within the budget of 0.4s.",
  ],
  [
    "a check takes too long",
    { checks: [{ name: "slow", run: [NODE, "-e", "setTimeout(() => {}, 60000)"], timeoutMs: 300 }] },
    "didn't finish within its limit of 0.3s.",
  ],
])("leaves no change if %s", async (_what, options, message) => {
  expect(await expectDiscarded(makeProject(), options)).toContain(message);
});

test.concurrent("notes of a discarded run have a hypothesis, the budget, open questions and the receipt", async () => {
  const project = makeProject();
  await expectDiscarded(project, {
    command: script(`fs.writeFileSync("a.txt", "three\\n")`),
    checks: [{ ...CHECK, run: ["sh", "-c", "exit 4"] }],
  });
  const [, failed, hypothesis, hyperthesis] = project.notes;
  const refs = failed?.refs ?? [];
  expect(refs).toHaveLength(1);
  expect(hypothesis).toMatchObject({
    type: "hypothesis",
    item: "write two",
    mood: "careful",
    test: `sh -c "exit 4" in a worktree of ${project.base.slice(0, 12)}`,
    budget: "10m",
    refs,
  });
  expect(hyperthesis).toMatchObject({
    blindSpot: "The checks stop at the first failure, so later checks weren't run.",
    bound: "No change reached main: 1 files (+1 -1 lines) were discarded.",
    refs,
  });
});

test.concurrent("keeps a branch that moved meanwhile", async () => {
  const project = makeProject();
  const outcome = await project.run({
    approve: () => project.git("commit", "--quiet", "--allow-empty", "-m", "meanwhile") === "",
  });
  if (outcome.kind !== "discarded") throw new Error(outcome.kind);
  expect(outcome.failure.summary).toMatch(
    /^main changed during the run \(.*\)\. The verified commit is [0-9a-f]{40}: git keeps it for some days, for git cherry-pick\.$/,
  );
  expect(project.git("log", "-1", "--format=%s").trim()).toBe("meanwhile");
  expect(project.git("status", "--porcelain")).toBe("");
  expect(litterOf(project)).toStrictEqual([]);
});

test.concurrent.each<[string, (project: Project) => void, RegExp]>([
  [
    "a file was edited",
    (project) => project.put("a.txt", "mine\n"),
    /^the worktree changed during the run: a\.txt differs from HEAD\. /,
  ],
  [
    "a file was added",
    (project) => project.put("mine.txt", "mine\n"),
    /^the worktree changed during the run: mine\.txt differs/,
  ],
  [
    "an ignored file stands in the way",
    (project) => project.put("node_modules/x/new.txt", "mine"),
    /^node_modules\/x\/new\.txt is ignored by git, but the commit has a file at that path\. Move it\./,
  ],
  [
    "another branch was checked out",
    (project) => void project.git("checkout", "--quiet", "-b", "other"),
    /^main is no longer checked out\./,
  ],
  [
    "a merge is under way",
    (project) => writeFileSync(join(project.root, ".git/MERGE_HEAD"), `${project.base}\n`),
    /a merge is in progress. Finish or abort it\./,
  ],
  [
    "git is at work",
    (project) => writeFileSync(join(project.root, ".git/index.lock"), ""),
    /^another git command is running: .*index\.lock exists\. Run again when it has finished\./,
  ],
])("keeps changes that the user made meanwhile: %s", async (_what, meddle, message) => {
  const project = makeProject();
  let before = {};
  const approve = (): boolean => {
    meddle(project);
    const { worktrees: _worktrees, ...state } = project.state();
    before = state;
    return true;
  };
  const command = script(
    `fs.mkdirSync("node_modules/x", { recursive: true }); fs.writeFileSync("node_modules/x/new.txt", "new"); git("add", "-f", "node_modules/x/new.txt"); fs.writeFileSync("a.txt", "two\\n")`,
  );
  const outcome = await project.run({ command, approve });
  expect(outcome.kind === "discarded" ? outcome.failure.summary : outcome).toMatch(message);
  expect(project.state()).toMatchObject(before);
  expect(readdirSync(project.temporary)).toStrictEqual([]);
});

test.concurrent.each<[string, (project: Project) => Partial<VerifiedCommitOptions> | void, RegExp]>([
  [
    "a renamed file is uncommitted",
    (project) => project.git("mv", "a.txt", "R b.txt"),
    /^A run needs a clean worktree, but R b\.txt differs from HEAD. Commit, stash or ignore the uncommitted files\.$/,
  ],
  [
    "the tree is dirty",
    (project) => project.put("a.txt", "mine\n"),
    /^A run needs a clean worktree, but a\.txt differs from HEAD. Commit, stash or ignore the uncommitted files\.$/,
  ],
  ["there is an untracked file", (project) => project.put("mine\u0007.txt", "x"), /but mine\\u0007\.txt differs/],
  [
    "a rebase is under way",
    (project) => {
      mkdirSync(join(project.root, ".git/rebase-merge"));
    },
    /but a rebase is in progress. Finish or abort it\.$/,
  ],
  [
    "HEAD is detached",
    (project) => void project.git("checkout", "--quiet", "--detach"),
    /^HEAD is detached, so no branch is checked out to commit to\. Pass a branch: --target <branch>\.$/,
  ],
  ["the branch has a bad name", () => ({ target: "a..b" }), /^"a\.\.b" isn't a branch name\./],
  [
    "the branch is checked out elsewhere",
    (project) => {
      project.git("worktree", "add", "--quiet", "-b", "side", join(project.temporary, "..", "side"));
      return { target: "side" };
    },
    /^side is checked out in .*side, whose files wouldn't be updated\./,
  ],
  ["CI", () => ({ actor: { kind: "ci", because: "CI is set" } }), /^CI never commits \(CI is set\)\./],
  [
    "an agent may only propose",
    () => ({ actor: { kind: "agent", because: "AI_AGENT is set" }, agents: "propose-only" }),
    /^A run commits, but agents can only propose changes here/,
  ],
  ["no check is named", () => ({ checks: [] }), /^Only verified code is committed, but no check is set\./],
  [
    "a link is not ignored",
    () => ({ links: ["a.txt"] }),
    /^Cannot link "a\.txt" into the temporary worktree: git doesn't ignore it/,
  ],
  [
    "a link leads outside",
    () => ({ links: ["../x"] }),
    /it must be in the repository\. Pass its path relative to the repository's root\./,
  ],
  [
    "a package of a workspace is linked",
    (project) => {
      project.put("node_modules/real/x.js", "");
      symlinkSync(join(project.root, "test"), join(project.root, "node_modules/self"));
    },
    /^Cannot link "node_modules" into the temporary worktree: "self" in it points back into this checkout/,
  ],
  [
    "the work trees would lie inside",
    (project) => ({ temporary: join(project.root, "test") }),
    /inside this checkout\. Set TMPDIR/,
  ],
  [
    "git knows no author",
    () => ({
      environment: {
        PATH: process.env["PATH"],
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: "",
        GIT_COMMITTER_NAME: "",
      },
    }),
    /^A run can create a commit, but git doesn't have an author: /,
  ],
])("refuses to start if %s", async (_what, prepare, message) => {
  const project = makeProject();
  const options = prepare(project) ?? {};
  const before = project.state();
  const outcome = await project.run(options);
  expect(outcome.kind === "refused" ? outcome.problem : outcome).toMatch(message);
  expect(project.state()).toStrictEqual(before);
  expect(project.notes).toStrictEqual([]);
});

test.concurrent("refuses to start if its directories can't be made", async () => {
  const project = makeProject();
  project.put(".git/veritest", "a file");
  const outcome = await project.run({});
  expect(outcome).toMatchObject({
    kind: "refused",
    problem: expect.stringMatching(
      /^The run can't create its folders: E\w+: .*\. Fix that, or set TMPDIR or VERITEST_STATE_DIR\.$/,
    ),
  });
  expect(readdirSync(project.temporary)).toStrictEqual([]);
});

test.concurrent("refuses to start outside of git, and before the first commit", async () => {
  const project = makeProject();
  const empty = join(project.temporary, "..", "empty");
  mkdirSync(empty);
  expect(await project.run({ paths: { ...project.places, root: empty } })).toStrictEqual({
    kind: "refused",
    problem: `A run needs git, and ${empty} isn't in a git repository. Run git init and commit, or change to a folder of a repository.`,
  });
  execFileSync("git", ["init", "--quiet"], { cwd: empty, env: ENVIRONMENT });
  expect(await project.run({ paths: { ...project.places, root: empty } })).toStrictEqual({
    kind: "refused",
    problem: "A run starts from a commit, but this repository doesn't have a commit yet. Commit first.",
  });
});

test.concurrent("node_modules is available to the command and the checks, and isn't committed", async () => {
  const project = makeProject();
  project.put("node_modules/dep/index.js", "module.exports = 'dep'\n");
  const code = `if (require("dep") !== "dep") process.exit(1);`;
  const check = { name: "dep", run: [NODE, "-e", code], timeoutMs: 600_000 };
  const outcome = await project.run({
    command: script(`${code} fs.writeFileSync("a.txt", "two\\n")`),
    checks: [check],
  });
  expect(outcome).toMatchObject({ kind: "committed", files: 1 });
  expect(await makeProject().run({ command: script(`require("dep")`), links: [] })).toMatchObject({
    kind: "discarded",
  });
});

test.concurrent("a package's node_modules with links into the top's, as pnpm has them, is available with both", async () => {
  const project = makeProject();
  project.put("node_modules/.pnpm/dep/index.js", "module.exports = 'dep'\n");
  project.put("packages/api/node_modules/.keep", "");
  symlinkSync("../../../node_modules/.pnpm/dep", join(project.root, "packages/api/node_modules/dep"));
  const command = script(
    `if (require("./packages/api/node_modules/dep") !== "dep") process.exit(1); fs.writeFileSync("a.txt", "two\\n")`,
  );
  const both = ["node_modules", "packages/api/node_modules"];
  expect(await project.run({ command, links: ["packages/api/node_modules"] })).toMatchObject({
    kind: "refused",
    problem: expect.stringContaining('"dep" in it points back into this checkout'),
  });
  expect(await project.run({ command, links: both })).toMatchObject({ kind: "committed", files: 1 });
});

test.concurrent("a linked folder written as ./node_modules/ is available, and a link into it isn't committed", async () => {
  const project = makeProject();
  project.put("node_modules/dep/index.js", "module.exports = 'dep'\n");
  const command = script(
    `if (require("./node_modules/dep") === "dep") fs.symlinkSync("node_modules/dep", "mods"); else process.exit(1)`,
  );
  expect(await project.run({ command, links: ["./node_modules/"] })).toMatchObject({
    kind: "discarded",
    failure: { gate: "diff", details: [expect.stringContaining("mods: it links out of the repository")] },
  });
});

test.concurrent("an interrupted run ends its command with all child processes, and is discarded", async () => {
  const project = makeProject();
  const aborter = new AbortController();
  const [word, grandchild] = [`${project.root}!`, `setInterval(() => {}, 1000); process.on("SIGTERM", () => {})`];
  const command = script(`
    const start = (detached) => require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}, ${JSON.stringify(word)}], { detached, stdio: "inherit" });
    start(false); start(true); console.log("started"); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`);
  let count = 0;
  const onOutput = (text: string): void => {
    if (!text.includes("started")) return;
    count = processesOf(word).length;
    setTimeout(() => aborter.abort(), 150);
  };
  expect(await expectDiscarded(project, { command, onOutput, signal: aborter.signal })).toContain("was interrupted.");
  expect([count, processesOf(word)]).toStrictEqual([2, []]);
});

test.concurrent("ends a detached process without the run's mark with the command", async () => {
  const project = makeProject();
  const late = `setTimeout(() => require("fs").writeFileSync(${JSON.stringify(join(project.temporary, "..", "late"))}, ""), 1500)`;
  const command = script(
    `fs.writeFileSync("a.txt", "two\\n"); require("child_process").spawn("env", ["-i", "setsid", process.execPath, "-e", ${JSON.stringify(late)}, ${JSON.stringify(`${project.root}!`)}], { detached: true, stdio: "ignore" }).unref()`,
  );
  expect((await project.run({ command })).kind).toBe("committed");
  expect(processesOf(`${project.root}!`)).toStrictEqual([]);
});

test.concurrent("ends processes that the command left before its checks", async () => {
  const project = makeProject();
  const late = `setInterval(() => require("fs").appendFileSync("a.txt", "late"), 400)`;
  const command = script(
    `fs.writeFileSync("a.txt", "two\\n"); require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(late)}], { detached: true, stdio: "ignore" }).unref()`,
  );
  expect((await project.run({ command })).kind).toBe("committed");
  expect(readFileSync(join(project.root, "a.txt"), "utf8")).toBe("two\n");
});

test.concurrent.each([
  "node_modules",
  "package.json",
  "postcss.config.cjs",
])("a run is discarded if %s appears above its folder, where its checks look for it", async (name) => {
  const project = makeProject();
  const command = script(
    `fs.writeFileSync("a.txt", "two\\n"); fs.mkdirSync(require("path").resolve("../../${name}/.bin"), { recursive: true })`,
  );
  expect(await project.run({ command })).toMatchObject({
    kind: "discarded",
    failure: {
      gate: "links",
      summary: `${join(project.temporary, name)} changed during the run, and the checks use it, too.`,
    },
  });
});

test.concurrent("removes read-only directories and a damaged working tree too", async () => {
  const project = makeProject();
  const command = script(
    `fs.mkdirSync("cache/deep", { recursive: true }); fs.writeFileSync("cache/deep/x", ""); fs.chmodSync("cache/deep", 0o555); fs.chmodSync("cache", 0o555); fs.rmSync(".git"); process.exit(1)`,
  );
  expect(await expectDiscarded(project, { command })).toContain("exited with 1");
});

test.concurrent("doesn't recover an active run", async () => {
  const project = makeProject();
  const found: unknown[] = [];
  const options = project.options();
  const approve = async (): Promise<boolean> => {
    found.push(...(await recoverRuns(project.places, options)));
    return true;
  };
  expect(await project.run({ approve, runId: "abc123" })).toMatchObject({ kind: "committed" });
  expect(found).toStrictEqual([{ id: "abc123", kind: "running", owner: expect.stringMatching(/^process \d+ on /) }]);
});
