import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createValueBaseline } from "../src/baseline/create-baseline.ts";
import { caseFileName, caseHash } from "../src/baseline/baseline-paths.ts";
import { serializeBaseline } from "../src/baseline/serialize-baseline.ts";
import { readText } from "../src/kernel/files/read.ts";
import { type ProjectPaths, projectPaths } from "../src/kernel/files/project-paths.ts";
import { type PendingChange, pendingChange } from "../src/updates/pending/pending-change.ts";
import { writePending } from "../src/updates/pending/pending-store.ts";
import type { ActorKind } from "../src/updates/receipts/actor.ts";
import { DEFAULT_POLICY, type Policy } from "../src/updates/policy.ts";
import { type UpdateContext, openRecords } from "../src/updates/update-context.ts";
import { main } from "../src/command-line.ts";
import { putBaseline } from "./put-baseline.ts";
import { temporaryProject } from "./temporary-project.ts";

/** The test file that all baselines of these projects are of. */
const GROUP = "a.test.ts";

/** A project in a temporary directory. */
export interface PendingProject {
  readonly root: string;
  readonly paths: ProjectPaths;
  readonly environment: NodeJS.ProcessEnv;
}

/** How a change came up; a failed test of `a.test.ts` that found another value, unless said otherwise. */
export interface PendingChangeOptions
  extends Partial<Pick<PendingChange, "intent" | "verdict" | "shown" | "test" | "passed" | "at" | "contradicted">> {
  /** The value to write; undefined removes the baseline. */
  readonly to: unknown;
}

/** What a command line came to. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Who settles in a test, by which policy. */
export interface TestUpdateContext extends Partial<Pick<UpdateContext, "by" | "reason" | "now">> {
  readonly policy?: Partial<Policy>;
  readonly actor?: ActorKind;
}

/** Opens what a settlement needs, for whoever a test says. */
export function updateContextOf(
  paths: ProjectPaths,
  {
    policy = {},
    actor = "human",
    by = "person",
    reason,
    now = new Date("2026-01-02T03:04:05.000Z"),
  }: TestUpdateContext = {},
): UpdateContext {
  const whole = { ...DEFAULT_POLICY, ...policy };
  const records = openRecords(paths, whole, { environment: {} });
  return { ...records, policy: whole, actor: { kind: actor, because: "a test" }, by, reason, now };
}

/** Makes a project; with `git` its first commit is empty but for `package.json`. */
export function makeProject({ git = false }: { readonly git?: boolean } = {}): PendingProject {
  const root = temporaryProject("review");
  if (git) cpSync(gitTemplate(), join(root, ".git"), { recursive: true });
  const environment = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    HOME: root,
    XDG_STATE_HOME: join(root, ".home"),
    VERITEST_ACTOR: "human",
  };
  return { root, paths: projectPaths(root, environment), environment };
}

let template: string | undefined;

/** Makes a repository whose commit has the `package.json` of a project. The first is made, the others are copies. */
function gitTemplate(): string {
  if (template === undefined) {
    const root = temporaryProject("git");
    inGit(root, ["init", "-q", "-b", "main"]);
    commitAll(root);
    template = join(root, ".git");
  }
  return template;
}

/** Commits everything in a project to git. */
export function commitAll(root: string): void {
  inGit(root, ["add", "-A"]);
  inGit(root, ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "all"]);
}

/** Runs git in a project; its output. */
export function inGit(root: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Where the baseline of a name lies. */
export function pathOf({ root }: Pick<PendingProject, "root">, name: string): string {
  return join(root, "__baselines__", GROUP, caseFileName(name, caseHash({ name })));
}

/** The text of a baseline of a value. */
export function textOf(name: string, value: unknown): string {
  return serializeBaseline(createValueBaseline(value, { test: GROUP, name }));
}

/** Writes the baseline of a value, as if it had been accepted before. Returns its path. */
export function put(project: Pick<PendingProject, "root">, name: string, value: unknown): string {
  const path = pathOf(project, name);
  putBaseline(path, textOf(name, value));
  return path;
}

/** Makes a change of a baseline that waits for review, from how the file is now, without keeping it. */
export function changeOf(
  { root }: Pick<PendingProject, "root">,
  name: string,
  {
    to,
    intent = "review",
    verdict = "value_changed",
    shown,
    test = name,
    passed = false,
    at = new Date().toISOString(),
    contradicted = false,
  }: PendingChangeOptions,
): PendingChange {
  const path = pathOf({ root }, name);
  const before = readText(path);
  const after = to === undefined ? undefined : textOf(name, to);
  const added = before === undefined ? "add" : "update";
  const update = {
    kind: after === undefined ? "remove" : added,
    root: join(root, "__baselines__"),
    group: GROUP,
    path,
    before,
    after,
  } as const;
  const origin = { projectRoot: root, testPath: join(root, GROUP), test, passed, run: "run", at };
  return {
    ...pendingChange({ update, intent, verdict, shown: shown ?? [`    ${name}: "old" → "new"`] }, origin),
    contradicted,
  };
}

/** Keeps a change of a baseline for review. */
export function keepPendingChange(project: PendingProject, name: string, change: PendingChangeOptions): PendingChange {
  const made = changeOf(project, name, change);
  writePending(project.paths, [made]);
  return made;
}

/** Runs a command line in this process. */
export async function veritest(
  { root, environment }: PendingProject,
  argv: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const io = {
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
    stdin: new PassThrough(),
  };
  const code = await main(argv, { ...io, environment: { ...environment, ...more }, cwd: root });
  return { code, out: out.join(""), err: err.join("") };
}
