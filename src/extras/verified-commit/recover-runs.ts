import { existsSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { escapeText, quote } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { type ProjectPaths, findGit } from "../../kernel/files/project-paths.ts";
import { livenessOf } from "../../kernel/files/processes.ts";
import { realPath } from "../../kernel/files/read.ts";
import { isWithin } from "../../kernel/files/real-directory.ts";
import type { NewNote } from "../../updates/receipts/note.ts";
import type { ReceiptDraft } from "../../updates/receipts/receipt.ts";
import { git } from "./git.ts";
import { indexFiles, lockIndex, ownsLock, releaseIndex } from "./index-lock.ts";
import { type ReadyRun, commitAt, finishLanding, lockProject } from "./land-commit.ts";
import { markedProcesses, stopMarked } from "../../kernel/files/run-process.ts";
import { shortName } from "./repository.ts";
import { type ReceiptLog } from "./run-options.ts";
import { type RunRecord, readRecord, recordPath, recordedRuns, removeRecord } from "./run-record.ts";
import { removeFolder } from "./own-repository.ts";

/** Context that recovering needs. */
export interface RecoverOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: () => number;
  readonly receipts: ReceiptLog;
  readonly note: (note: NewNote) => void;
}

/** Result of one run that was found. */
export type RecoveredRun = {
  readonly id: string;
} /** Its process lives, here or on a host that cannot be reached: no action was taken. */ & (
  | { readonly kind: "running"; readonly owner: string }
  /** Its commit was on the branch already; the rest of the landing is done. */
  | { readonly kind: "landed"; readonly commit: string; readonly leftAlone: readonly string[] }
  /** Only its notes remain. */
  | { readonly kind: "discarded" }
  /** An obstacle: a sentence or two with the reason and the fix. */
  | { readonly kind: "stuck"; readonly problem: string }
);

/** Milliseconds for a git command of a dead run to end. */
const GIT_MS = 10_000;

/**
 * Finishes every run of a project whose process died: a commit that is on its branch is completed, any other run is
 * discarded; its processes are ended, and its work trees and locks removed. Can be repeated at any time, also after it
 * was killed.
 */
export async function recoverRuns(paths: ProjectPaths, options: RecoverOptions): Promise<readonly RecoveredRun[]> {
  const ids = recordedRuns(paths.state);
  if (ids.length === 0) return [];
  const lock = await lockProject(paths.state);
  if (!lock.ok) return ids.map((id) => ({ id, kind: "stuck", problem: lock.error }));
  try {
    const runs: RecoveredRun[] = [];
    for (const id of ids) runs.push(...(await recoverRun(paths, id, options)));
    return runs;
  } finally {
    lock.value.release();
  }
}

async function recoverRun(paths: ProjectPaths, id: string, options: RecoverOptions): Promise<readonly RecoveredRun[]> {
  const { state } = paths;
  const read = readRecord(state, id);
  if (!read.ok) return [{ id, kind: "stuck", problem: read.error }];
  const record = read.value;
  if (record === undefined) return [];
  if (livenessOf(record.owner) !== "dead")
    return [{ id, kind: "running", owner: `process ${record.owner.pid} on ${record.owner.host}` }];
  const foreign = foreignPart(record, paths);
  if (foreign !== undefined) {
    const refused = `Refused to recover run ${quote(id)}`;
    const message = `${refused}: ${escapeText(foreign)}, so no run of this project wrote its record.`;
    const next = `No file was changed. Check where ${recordPath(state, id)} came from, then delete it.`;
    return [{ id, kind: "stuck", problem: `${message} ${next}` }];
  }
  try {
    const ending = await completeLanding({ state, record, options });
    if (ending.kind !== "stuck") {
      if (existsSync(record.folder)) removeFolder(record.folder);
      removeRecord(state, id);
    }
    return [{ id, ...ending }];
  } catch (thrown) {
    const problem = escapeText(messageOf(thrown));
    return [
      {
        id,
        kind: "stuck",
        problem: `The run can't be recovered: ${problem}. Fix that, then run: npx veritest doctor`,
      },
    ];
  }
}

/**
 * A phrase with the reason why no run of this project wrote a record, or undefined. A record names folders to remove, a
 * repository to run git in and a branch to move, and a state directory may have come with an archive.
 */
function foreignPart(record: RunRecord, { root }: ProjectPaths): string | undefined {
  const { id, folder, landing, ...named } = record;
  const git = findGit(root);
  if (git === undefined) return `${root} isn't in a git repository`;
  const elsewhere = (["top", "gitDir", "commonDir"] as const).find(
    (key) => realPath(named[key]) !== realPath(git[key]),
  );
  if (elsewhere !== undefined) return `${named[elsewhere]} belongs to another repository`;
  const real = realPath(folder);
  const owned = [git.top, git.commonDir].some((path) => isWithin(realPath(path), real));
  if (basename(real) !== `veritest-${id}` || !isAbsolute(folder) || owned) return `${folder} isn't a folder of the run`;
  if (landing === undefined) return undefined;
  const hashes = [landing.base, landing.commit, ...(landing.old === undefined ? [] : [landing.old])];
  const invalid = [
    ...hashes.filter((hash) => !COMMIT.test(hash)),
    ...[landing.target].filter((ref) => !BRANCH.test(ref)),
  ];
  return invalid.length === 0 ? undefined : `${invalid[0] ?? ""} isn't a commit or branch`;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const BRANCH = /^refs\/heads\/[^-\s]\S*$/;

interface DeadRun {
  readonly state: string;
  readonly record: RunRecord;
  readonly options: RecoverOptions;
}

type Ending =
  | { readonly kind: "landed"; readonly commit: string; readonly leftAlone: readonly string[] }
  | { readonly kind: "discarded" }
  | { readonly kind: "stuck"; readonly problem: string };

async function completeLanding(dead: DeadRun): Promise<Ending> {
  const { record, options } = dead;
  // A git command that outlived its run may be just about to move the branch, or be half way through the files.
  if (record.phase === "landing") await gitEnds(record.id);
  await stopMarked(record.id);
  if (record.landing !== undefined) await removeStaleLocks(record, record.landing.target);
  const { landing } = record;
  const run =
    landing === undefined
      ? undefined
      : {
          state: dead.state,
          record: { ...record, landing },
          environment: options.environment,
          onStep: () => undefined,
        };
  if (run === undefined || !(await hasLanded(run))) {
    releaseIndex(indexFiles(record.gitDir, record.id), record.id);
    discard(dead);
    return { kind: "discarded" };
  }
  return finish(dead, run);
}

async function finish({ record, options }: DeadRun, run: ReadyRun): Promise<Ending> {
  const files = indexFiles(record.gitDir, record.id);
  const { landing } = run.record;
  // The run's own file goes last, so while it is there the work tree may be behind.
  const isBehind = landing.checkedOut && existsSync(files.own);
  if (isBehind && !ownsLock(files, record.id) && !lockIndex(files, record.id)) {
    const problem =
      `${shortName(landing.target)} has the commit of run ${quote(record.workItem)}, ` +
      `and ${files.lock} of another git command prevents an update of the files. ` +
      "If no git command is running, remove it. Then run: npx veritest doctor";
    return { kind: "stuck", problem };
  }
  const end = isBehind ? await finishLanding(run) : ({ kind: "landed", leftAlone: [] } as const);
  if (end.kind !== "landed")
    return { kind: "stuck", problem: `${end.problem} Fix that, then run: npx veritest doctor` };
  const receipt = options.receipts.append(record.receipt);
  options.note({
    type: "committed",
    run: record.id,
    item: record.workItem,
    body: "A recovery finished the run after its process ended.",
    refs: [receipt, `commit:${landing.commit}`],
  });
  return { kind: "landed", commit: landing.commit, leftAlone: end.leftAlone };
}

/** The commit is on the branch, or was and others followed. */
async function hasLanded(run: ReadyRun): Promise<boolean> {
  const { target, commit } = run.record.landing;
  const now = await commitAt(run, target);
  if (now === undefined || now === commit) return now === commit;
  return (
    await git(["merge-base", "--is-ancestor", commit, now], { cwd: run.record.top, environment: run.environment })
  ).ok;
}

function discard({ record, options }: DeadRun): void {
  const draft: ReceiptDraft = {
    ...record.receipt,
    kind: "discard",
    at: new Date(options.clock()).toISOString(),
    gates: [
      ...record.receipt.gates,
      { name: "process", ok: false, detail: `ended while the run was ${record.phase}`, ms: 0 },
    ],
  };
  const refs = [options.receipts.append(draft)];
  const base = { run: record.id, item: record.workItem, refs };
  options.note({
    ...base,
    type: "hypothesis",
    body: "The process of the run was killed, or its machine stopped.",
    test: "Start the run again and see whether it ends.",
    budget: "one run",
  });
  options.note({
    ...base,
    type: "hyperthesis",
    body: "veritest doesn't know how far the command got before the process ended.",
    blindSpot: `The last recorded phase is ${record.phase}.`,
    bound: "No branch was changed, and its folder was removed.",
  });
  options.note({ ...base, type: "discarded", body: "A recovery discarded the run after its process ended." });
}

async function gitEnds(id: string): Promise<void> {
  for (let waited = 0; waited < GIT_MS && markedProcesses(id).length > 0; waited += 25)
    await new Promise((resolve) => setTimeout(resolve, 25));
}

/** Git has the lock of a branch for milliseconds: one that stays longer has no owner. */
const STALE_MS = 1500;

/**
 * Removes the locks on HEAD and on a branch that a git command of a dead run left behind when it was killed. They don't
 * name an owner, so they must stay unchanged for a while, and no git command may be at work in the repository.
 */
async function removeStaleLocks(
  { top, gitDir, commonDir }: Pick<RunRecord, "top" | "gitDir" | "commonDir">,
  target: string,
): Promise<void> {
  const locks = [join(gitDir, "HEAD.lock"), join(commonDir, `${target}.lock`)];
  const before = locks.map(markOf);
  if (before.every((mark) => mark === undefined)) return;
  await new Promise((resolve) => setTimeout(resolve, STALE_MS));
  if (isGitAtWork([top, gitDir, commonDir])) return;
  for (const [index, lock] of locks.entries())
    if (before[index] !== undefined && markOf(lock) === before[index]) rmSync(lock, { force: true });
}

function markOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino} ${stats.mtimeMs}`;
}

/**
 * Returns true if a process named git is in one of the folders. False if the system does not report it (no `/proc`).
 */
function isGitAtWork(folders: readonly string[]): boolean {
  return listed("/proc").some((pid) => /^\d+$/.test(pid) && isGitIn(pid, folders));
}

function isGitIn(pid: string, folders: readonly string[]): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("git")) return false;
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    return folders.some((folder) => isWithin(folder, cwd));
  } catch {
    // Ended meanwhile, or another user's, whose git would not be at work here.
    return false;
  }
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // No /proc on this system: the time alone must do.
    return [];
  }
}
