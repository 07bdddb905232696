import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { appendReceipt, readReceipts } from "../src/updates/receipts/receipts.ts";
import type { NewNote } from "../src/updates/receipts/note.ts";
import { type ProjectPaths, projectPaths } from "../src/kernel/files/project-paths.ts";
import type { VerifiedCommitOptions, RunOutcome } from "../src/extras/verified-commit/run-options.ts";
import type { VerifyCommand } from "../src/updates/policy.ts";
import { runVerifiedCommit } from "../src/extras/verified-commit/verified-commit.ts";

const roots: string[] = [];

/** Removes every project that this process made. */
export function removeProjects(): void {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
}

/** No settings of the machine that runs the tests, and an author. */
export const ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env["PATH"],
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

/** A test file of two assertions, at test/add.test.js. */
export const TEST: string = `test("adds", () => {\n  expect(add(1, 2)).toBe(3);\n  expect(add(0, 0)).toBe(0);\n});\n`;
/** Milliseconds after which something hangs, however busy the machine. */
const HANGS_MS = 600_000;
/** The check of most runs: the file contains the text that the command wrote, or the text before. */
export const CHECK: VerifyCommand = {
  name: "content",
  run: [
    process.execPath,
    "-e",
    `if (!/^(one|two)\\n$/.test(require("fs").readFileSync("a.txt", "utf8"))) { console.error("not \\u001b[31mso"); process.exit(3); }`,
  ],
  timeoutMs: HANGS_MS,
};

/** A repository with one commit, and what a run of it needs. */
export interface Project {
  readonly root: string;
  readonly base: string;
  readonly temporary: string;
  readonly places: ProjectPaths;
  readonly notes: NewNote[];
  git(...args: readonly string[]): string;
  put(path: string, text: string): void;
  /** A run that writes `two` into a.txt. */
  options(): VerifiedCommitOptions;
  /** Runs that, or another. */
  run(options: Partial<VerifiedCommitOptions>): Promise<RunOutcome>;
  /** All of the user's repository that a run must not touch, and the list of work trees. */
  state(): Record<string, string>;
}

let template: string | undefined;

/** A repository of one commit. The first is made, the others are copies. */
export function makeProject(): Project {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "veritest-run test-")));
  roots.push(home);
  const [root, temporary] = [join(home, "päckage one"), join(home, "tmp")];
  mkdirSync(temporary);
  if (template === undefined) {
    template = mkdtempSync(join(tmpdir(), "veritest-run template-"));
    roots.push(template);
    fill(template);
  }
  cpSync(template, root, { recursive: true });
  // Git looks into every file once after a copy: from then on nothing but a change changes its index.
  execFileSync("git", ["status"], { cwd: root, env: ENVIRONMENT });
  return openProject(root, temporary);
}

/** A project that another process made. */
export function openProject(root: string, temporary: string): Project {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: root, env: ENVIRONMENT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const paths = projectPaths(root, ENVIRONMENT);
  const notes: NewNote[] = [];
  return {
    root,
    temporary,
    places: paths,
    notes,
    git,
    put,
    base: git("rev-parse", "HEAD").trim(),
    options: () => defaults(paths, temporary, notes),
    run: async (options) => runVerifiedCommit({ ...defaults(paths, temporary, notes), ...options }),
    state: () => stateOf(root, git),
  };
}

function fill(root: string): void {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: root, env: ENVIRONMENT, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main", "--template=");
  mkdirSync(join(root, ".git/hooks"));
  mkdirSync(join(root, "test"));
  const files = {
    "a.txt": "one\n",
    "gone.txt": "gone\n",
    "-dash ü.txt": "dash\n",
    "test/add.test.js": TEST,
    "package.json": "{}\n",
    ".gitignore": "node_modules/\nignored.txt\n",
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  git("add", "--all");
  git("commit", "--quiet", "-m", "begin");
}

function defaults(paths: ProjectPaths, temporary: string, notes: NewNote[]): VerifiedCommitOptions {
  return {
    paths,
    temporary,
    workItem: "write two",
    mood: "careful",
    command: script(`fs.writeFileSync("a.txt", "two\\n")`),
    budgetMs: HANGS_MS,
    checks: [CHECK],
    limits: { maxFiles: Infinity, maxLines: Infinity, protect: [], allow: ["tests-not-measured"], approvedTests: [] },
    target: undefined,
    links: undefined,
    actor: { kind: "human", because: "test" },
    agents: "commit",
    versions: { veritest: "0.0.0", node: "0", platform: "test" },
    environment: ENVIRONMENT,
    clock: Date.now,
    runId: randomBytes(6).toString("hex"),
    signal: new AbortController().signal,
    graceMs: 300,
    note: (note) => void notes.push(note),
    receipts: { append: (draft) => appendReceipt(paths.notes, draft).id },
    onOutput: () => undefined,
    onProgress: () => undefined,
  };
}

/** A command: a Node script with `fs` and git at hand. */
export function script(code: string): readonly string[] {
  return [
    process.execPath,
    "-e",
    `const fs = require("fs"); const git = (...a) => require("child_process").execFileSync("git", a, { stdio: "ignore" }); ${code}`,
  ];
}

function stateOf(root: string, git: Project["git"]): Record<string, string> {
  const files = (folder: string, prefix = ""): readonly (readonly [string, string])[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (prefix === "" && entry.name === ".git") return [];
      if (entry.isDirectory()) return files(path, `${prefix}${entry.name}/`);
      return [
        [
          prefix + entry.name,
          `${lstatSync(path).mode} ${entry.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, "latin1")}`,
        ],
      ];
    });
  const inGit = readdirSync(join(root, ".git")).filter(
    (name) => !["objects", "veritest", "logs", "worktrees"].includes(name),
  );
  return {
    ...Object.fromEntries(files(root)),
    status: git("--no-optional-locks", "status", "--porcelain", "--untracked-files=all", "--ignored"),
    head: readFileSync(join(root, ".git/HEAD"), "utf8"),
    refs: git("for-each-ref"),
    index: createHash("sha256")
      .update(readFileSync(join(root, ".git/index")))
      .digest("hex"),
    git: inGit.join(" "),
    worktrees: worktreesOf(root).join(),
  };
}

/** Names of the other worktrees: git lists those of this folder. */
function worktreesOf(root: string): readonly string[] {
  const folder = join(root, ".git/worktrees");
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** What a run that is over must not leave: trees, folders, records, locks, damaged receipts. */
export function litterOf(project: Project): readonly string[] {
  const runs = join(project.places.state, "runs");
  return [
    ...worktreesOf(project.root),
    ...readdirSync(project.temporary),
    ...(existsSync(runs) ? readdirSync(runs) : []),
    ...readdirSync(join(project.root, ".git")).filter((name) => /lock|veritest-/.test(name)),
    ...readReceipts(project.places.notes).problems,
  ];
}

/** Returns the running processes whose command line has a word, in any namespace. */
export function processesOf(word: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      // Ended meanwhile, or not a process.
      return false;
    }
  });
}
