import { processEnvironment } from "../../kernel/environment.ts";
import { spawnSync } from "node:child_process";
import { posix, resolve, sep } from "node:path";
import { escapeText, truncate } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { type ProjectPaths } from "../../kernel/files/project-paths.ts";
import { readText } from "../../kernel/files/read.ts";
import { startedCommand } from "../../kernel/files/script-command.ts";
import { hashOfFile, isTextOf } from "../commit/operations.ts";
import { knownHash, lastKnownHashes } from "../receipts/receipts.ts";
import type { ReceiptGate } from "../receipts/receipt.ts";
import { findSecrets } from "../../redact/find-secrets.ts";
import { secretVariables } from "../../redact/known-values.ts";
import type { PendingChange } from "../pending/pending-change.ts";
import type { Policy, VerifyCommand } from "../policy.ts";
import { type GitState, gitState } from "./git-state.ts";
import { type GateResult, checkPolicy } from "./check-policy.ts";
import { type GateContext, type PolicyGroup, groupByPolicy } from "./policy-groups.ts";

/** Input of the gates before a commit. */
interface GateInput {
  readonly changes: readonly PendingChange[];
  readonly context: GateContext;
  /** Answers the caller has already, for example whether its run was complete. */
  readonly known: readonly GateResult[];
}

/** Results of all gates, and the state of git. */
export interface GateReport {
  readonly gates: readonly ReceiptGate[];
  /** One sentence for each gate that refuses. Empty if the changes may be written. */
  readonly problems: readonly string[];
  readonly gitHead: string | undefined;
  readonly dirty: boolean;
  /** Sentence for after the changes are written, if git's next commit would have the earlier content of a file. */
  readonly stagedNotice?: string | undefined;
}

/**
 * Runs every gate in order. Cheap gates all run, so that the user can fix all their problems at once. Commands and
 * `approve` only run if no other gate refuses.
 */
export async function checkGates({ changes, context, known }: GateInput): Promise<GateReport> {
  const grouped = await groupByPolicy(changes, context);
  const gates: ReceiptGate[] = known.map((answer) => resultOf(answer, 0));
  if (!grouped.ok) gates.push(resultOf({ name: "config", problem: grouped.error }, 0));
  const groups = grouped.ok ? grouped.value : [];
  const states = groups.map((group) => checkGroup(group, gates));
  for (const { context: of } of groups) {
    if (!gates.every(({ ok }) => ok)) break;
    for (const command of of.policy.verify)
      gates.push(timed(`verify ${command.name}`, () => runVerify(command, of.directory)));
  }
  for (const group of groups)
    if (gates.every(({ ok }) => ok) && group.context.policy.approve !== undefined)
      gates.push(await checkApproval(group));
  const heads = states.flatMap((git) => (git.ok && git.value !== undefined ? [git.value] : []));
  const staged = heads.reduce((sum, git) => sum + git.staged, 0);
  return {
    gates,
    problems: gates.flatMap(({ ok, detail }) => (ok || detail === undefined ? [] : [detail])),
    gitHead: heads[0]?.head,
    dirty: heads.some(({ unsaved }) => unsaved.length > 0),
    stagedNotice: staged === 0 ? undefined : `${staged} of these files were staged in git before. Run git add again.`,
  };
}

/** Runs the cheap gates of a group, adds their results, and returns git's state of its files. */
function checkGroup({ changes, context }: PolicyGroup, gates: ReceiptGate[]): ReturnType<typeof gitState> {
  gates.push(...checkPolicy(changes, context).map((answer) => resultOf(answer, 0)));
  gates.push(timed("secrets", () => secretProblem(changes, context.policy)));
  const files = overwritten(changes, context);
  const git = gitState(
    context.paths,
    files.map(({ target }) => resolve(context.paths.root, target)),
  );
  gates.push(timed("git", () => gitProblem(files, context.paths, git)));
  return git;
}

function secretProblem(changes: readonly PendingChange[], { redact }: Policy): string | undefined {
  const values = secretVariables(processEnvironment());
  // A path is kept by its last name here, because the text of a file doesn't show the path of a value in a step.
  const keep = redact.keep.map((path) => path.split(".").at(-1) ?? path);
  for (const { target, text } of changes) {
    const [secret] =
      text === undefined ? [] : findSecrets(text, { values, keep, fields: redact.fields, patterns: redact.patterns });
    if (secret !== undefined)
      return (
        `${target} would contain a secret (${secret.kind}: ${secret.shown}). ` +
        "Redact it, or remove it from the input."
      );
  }
  return undefined;
}

/** A file that a change overwrites or removes. */
type Overwritten = Pick<PendingChange, "target"> & { readonly before: string };

/**
 * Files whose bytes changes could destroy. An addition can't, unless it replaces a file. Empty if the policy allows
 * overwriting.
 */
function overwritten(
  changes: readonly PendingChange[],
  { policy: { allowDirty }, paths }: Pick<GateContext, "paths" | "policy">,
): readonly Overwritten[] {
  if (allowDirty) return [];
  const files = changes.flatMap(({ target, before, replaces }) => {
    const old = replaces === undefined ? undefined : posix.join(posix.dirname(target), replaces);
    return [
      { target, before },
      ...(old === undefined ? [] : [{ target: old, before: hashOfFile(resolve(paths.root, old)) }]),
    ];
  });
  return files.flatMap(({ target, before }) => (before === null ? [] : [{ target, before }]));
}

/** A failure of git only blocks changes that could destroy something. */
function gitProblem(
  files: readonly Overwritten[],
  paths: ProjectPaths,
  git: ReturnType<typeof gitState>,
): string | undefined {
  if (files.length === 0) return undefined;
  if (git.ok) return dirtyProblem(files, git.value, paths);
  const [reason = ""] = git.error.replace(/^fatal: /, "").split("\n");
  return (
    `git can't check whether the replaced baselines are committed: ${reason.replace(/\.$/, "")}. ` +
    "Fix that, or set policy.allowDirty. To see git's message, run: git status"
  );
}

/** Bytes that are neither in git nor in a receipt are a user's work, which an overwrite would lose. */
function dirtyProblem(
  changes: readonly Overwritten[],
  git: GitState | undefined,
  paths: ProjectPaths,
): string | undefined {
  if (git === undefined || git.unsaved.length === 0) return undefined;
  const files = new Set(git.unsaved);
  const folders = git.unsaved.filter((path) => path.endsWith(sep));
  const isUnsaved = (path: string): boolean => files.has(path) || folders.some((folder) => path.startsWith(folder));
  const known = lastKnownHashes(paths.notes);
  const edited = changes.filter(
    (change) => isUnsaved(resolve(paths.root, change.target)) && !isOwnContent(change, paths.root, known),
  );
  const [first] = edited;
  if (first === undefined) return undefined;
  const path = displayPath(resolve(paths.root, first.target));
  if (edited.length === 1)
    return `${path} was edited by hand, or written elsewhere, and isn't in git yet. Commit, stash or restore it first.`;
  return (
    `${path} and ${edited.length - 1} more were edited by hand, or written elsewhere, and aren't in git yet. ` +
    "Commit, stash or restore them first."
  );
}

/** Returns true if veritest wrote the content of a file. A formatter may have changed its layout since. */
function isOwnContent({ target, before }: Overwritten, root: string, known: ReadonlySet<string>): boolean {
  if (known.has(knownHash(target, before))) return true;
  const text = readText(resolve(root, target));
  if (text === undefined || !isTextOf(text, before)) return false;
  const baseline = parseBaseline(text, target);
  return baseline.ok && known.has(knownHash(target, hashText(serializeBaseline(baseline.value))));
}

async function checkApproval({ changes, context }: PolicyGroup): Promise<ReceiptGate> {
  const started = performance.now();
  const problem = await approvalProblem(changes, context);
  return resultOf({ name: "approve", problem }, performance.now() - started);
}

async function approvalProblem(
  changes: readonly PendingChange[],
  { policy, actor, reason, paths }: PolicyGroup["context"],
): Promise<string | undefined> {
  try {
    const answer = await policy.approve?.(changes, { actor: actor.kind, reason, root: paths.root });
    if (answer === true || answer === undefined) return undefined;
    return answer === false ? "policy.approve refused." : `policy.approve refused: ${answer}`;
  } catch (thrown) {
    return `policy.approve threw: ${messageOf(thrown)}`;
  }
}

function timed(name: string, problemOf: () => string | undefined): ReceiptGate {
  const started = performance.now();
  const problem = problemOf();
  return resultOf({ name, problem }, performance.now() - started);
}

function resultOf({ name, problem }: GateResult, ms: number): ReceiptGate {
  return { name, ok: problem === undefined, ...(problem === undefined ? {} : { detail: problem }), ms: Math.round(ms) };
}

/** Characters of a failed command's output that are quoted. */
const MAX_OUTPUT = 400;

/**
 * Runs a command of a policy. Undefined if it exits with 0, otherwise one sentence with its last
 * output.
 */
function runVerify({ name, run, timeoutMs }: VerifyCommand, cwd: string): string | undefined {
  const { program, args, shell } = startedCommand(run);
  if (program === "") return `policy.verify "${name}" doesn't name a program. Add a program, such as ["npm", "test"].`;
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    shell,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    encoding: "utf8",
    // A passing command can print much. Node stops one that prints more.
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status === 0) return undefined;
  const how =
    error !== undefined && status === null && signal === null ? error.message : ending(status, signal, timeoutMs);
  const words = escapeText(`${stdout ?? ""}${stderr ?? ""}`.trim().slice(-MAX_OUTPUT));
  return `policy.verify "${name}" ${how}.${words === "" ? "" : ` Its output: ${truncate(words, MAX_OUTPUT)}`}`;
}

function ending(status: number | null, signal: string | null, timeoutMs: number): string {
  return signal === null
    ? `ended with ${status ?? "no status"}`
    : `was stopped by ${signal} (its limit is ${timeoutMs} ms)`;
}
