import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { escapeText } from "../../kernel/text.ts";
import { codeOf, fileErrorMessage, messageOf } from "../../kernel/error-message.ts";
import { type Baseline, groupOf, identityOf } from "../../baseline/baseline.ts";
import { matchesCaseFile, groupDirectory } from "../../baseline/baseline-paths.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { verifySerialized, isLaidOut } from "../../baseline/serialize-baseline.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { readText } from "../../kernel/files/read.ts";
import type { Receipt } from "../receipts/receipt.ts";
import { type CommitRequest, commitChanges, appendEmptyReceipt } from "../commit/commit-changes.ts";
import type { CommitResult } from "../commit/commit-updates.ts";
import type { UpdateContext } from "../update-context.ts";
import { type GateReport, checkGates } from "../gates/check-gates.ts";
import { type PendingChange, outsideProjectReason } from "./pending-change.ts";
import { removePending, pendingOf, readPending } from "./pending-store.ts";
import { type PolicyGroup, groupByPolicy } from "../gates/policy-groups.ts";
import { type GateResult, checkPolicy, groupProblem } from "../gates/check-policy.ts";
import { beginRun } from "../test-run.ts";
import { forbiddenByText } from "./class-of-texts.ts";
import { outdatedReason } from "./tidy-pending.ts";

/** Result of accepting changes. No step runs: exactly the texts that were shown are written, or none. */
export interface Acceptance {
  /**
   * `blocked`: no file was written, because an older commit must be recovered first. `incomplete`: neither all nor none
   * of it could be ensured. Only `veritest doctor` helps against both.
   */
  readonly outcome: "accepted" | "refused" | "blocked" | "incomplete";
  readonly accepted: readonly PendingChange[];
  readonly receipt: Receipt | undefined;
  /** Dropped, because their baselines are no longer what they were compared with; rivals of what was accepted too. */
  readonly outdated: readonly PendingChange[];
  /** Problems and notices, one sentence each. Unless the outcome is `accepted`, the changes stay pending. */
  readonly problems: readonly string[];
}

/** Result of rejecting changes. */
export interface Rejection {
  readonly rejected: readonly PendingChange[];
  readonly receipt: Receipt | undefined;
  /** Reasons why not all changes were removed, one sentence each. */
  readonly problems: readonly string[];
}

/** Changes that were chosen by what kind of change they are, of which one was looked at. */
export interface ChosenGroup {
  readonly id: string;
  readonly changes: readonly PendingChange[];
}

/**
 * Accepts pending changes: writes exactly the texts that were shown, as one transaction, after the gates. No step runs
 * again. A change whose baseline has changed since is dropped. If a gate refuses one, all stay pending. The changes may
 * also come from an upload. `groups` names those chosen by group: a group is written completely or not at all, also if
 * one of its baselines has changed since.
 */
export async function acceptPending(
  changes: readonly PendingChange[],
  context: UpdateContext,
  groups: readonly ChosenGroup[] = [],
): Promise<Acceptance> {
  const { paths } = context;
  // First of all: below, the files they name are read, and an upload may name any.
  const pathProblem = locationProblem(changes, paths);
  if (pathProblem !== undefined) return refused([pathProblem], { outdated: [], context });
  const outdated = changes.filter(
    (change) => outdatedReason(resolve(paths.root, change.target), change) === "changed meanwhile",
  );
  const broken = outdatedGroup(groups, new Set(outdated));
  if (broken !== undefined) return refused([broken], { outdated: [], context });
  dropSame(paths, outdated);
  const due = changes.filter((change) => !outdated.includes(change));
  if (due.length === 0) return { outcome: "accepted", accepted: [], receipt: undefined, outdated, problems: [] };
  const grouped = groups.flatMap((group) => group.changes);
  const known = [
    { name: "place", problem: undefined },
    ...contentGates(due, paths),
    { name: "class", problem: await forbiddenClass(due, context) },
    ...(groups.length === 0 ? [] : [{ name: "group", problem: await forbiddenGroup(grouped, context) }]),
  ];
  const report = await checkGates({ changes: due, context, known });
  if (report.problems.length > 0) return refused(report.problems, { outdated, context });
  const facts = { ...factsOf(context, "accept", report), groups: idsOf(groups) };
  const commitment = commitOrRefuse(due, facts);
  if (commitment.kind !== "committed")
    return refused([commitment.problem], { outdated, context, outcome: commitment.kind });
  const { rivals, left } = dropTargets(paths, due);
  const refs = commitment.receipt === undefined ? [] : [commitment.receipt.id];
  context.notes.write({ type: "accepted", run: facts.run, body: due.map(({ target }) => target).join("\n"), refs });
  return {
    outcome: "accepted",
    accepted: due,
    receipt: commitment.receipt,
    outdated: [...outdated, ...rivals],
    problems: [commitment.problem, left, report.stagedNotice].filter((problem) => problem !== undefined),
  };
}

/** Rejects pending changes: removes them, with a receipt that names the actor. Baselines don't change. */
export function rejectPending(
  changes: readonly PendingChange[],
  context: UpdateContext,
  groups: readonly ChosenGroup[] = [],
): Rejection {
  if (changes.length === 0) return { rejected: [], receipt: undefined, problems: [] };
  const { paths, notes } = context;
  // The only rule of a policy that applies if no baseline is written.
  const reasonGates = checkPolicy(changes, context).filter(({ name }) => name === "reason");
  const problems = reasonGates.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) return { rejected: [], receipt: undefined, problems };
  const gates = reasonGates.map(({ name }) => ({ name, ok: true, ms: 0 }));
  const report = { gates, problems, gitHead: undefined, dirty: false };
  const facts = { ...factsOf(context, "reject", report), groups: idsOf(groups) };
  const receipt = appendEmptyReceipt(changes, facts);
  if (!receipt.ok) return { rejected: [], receipt: undefined, problems: [`No change was rejected. ${receipt.error}`] };
  const left = removePending(paths, changes);
  notes.write({
    type: "rejected",
    run: facts.run,
    body: changes.map(({ target }) => target).join("\n"),
    refs: [receipt.value.id],
  });
  return { rejected: changes, receipt: receipt.value, problems: left === undefined ? [] : [left] };
}

/** One sentence if a configuration of the changes forbids one by its texts. */
async function forbiddenClass(changes: readonly PendingChange[], context: UpdateContext): Promise<string | undefined> {
  const { root } = context.paths;
  return firstProblem(changes, context, (group) =>
    forbiddenByText(group.changes, { forbid: group.context.policy.forbid, root }),
  );
}

/** One sentence if a configuration of the changes doesn't allow accepting them by group. */
async function forbiddenGroup(changes: readonly PendingChange[], context: UpdateContext): Promise<string | undefined> {
  return firstProblem(changes, context, (group) => groupProblem(group.changes, group.context));
}

/** Finds the first problem of the configurations that decide on changes, or the error of loading one. */
async function firstProblem(
  changes: readonly PendingChange[],
  context: UpdateContext,
  problemOf: (group: PolicyGroup) => string | undefined,
): Promise<string | undefined> {
  const groups = await groupByPolicy(changes, context);
  if (!groups.ok) return groups.error;
  return groups.value.map(problemOf).find((problem) => problem !== undefined);
}

function idsOf(groups: readonly ChosenGroup[]): string[] {
  return groups.map(({ id }) => id);
}

/** The user saw one example of a group. If one of its changes is outdated, none of the group is written. */
function outdatedGroup(groups: readonly ChosenGroup[], outdated: ReadonlySet<PendingChange>): string | undefined {
  for (const { id, changes } of groups) {
    const [first, ...more] = changes.filter((change) => outdated.has(change));
    if (first === undefined) continue;
    const rest = more.length === 0 ? "" : ` and ${more.length} more`;
    return (
      `Group ${id} differs from what was shown, because the baseline of ${escapeText(first.target)}${rest} changed. ` +
      "Run its tests again, and review the remaining changes."
    );
  }
  return undefined;
}

/**
 * One sentence on why changes may not be written to their paths, or undefined. Doesn't read their files. A path that a
 * link leads out of the work tree counts as outside.
 */
export function locationProblem(changes: readonly PendingChange[], { root, area }: ProjectPaths): string | undefined {
  const top = realpathSync.native(area);
  return first(changes, (change) => {
    const problem = outsideProjectReason(change, { projectRoot: root, area });
    if (problem !== undefined) return `${problem}.`;
    const real = resolvedPath(resolve(root, change.root));
    return real === top || real.startsWith(join(top, sep))
      ? undefined
      : `${escapeText(change.target)} points outside this project through a symbolic link.`;
  });
}

/**
 * Results of the gates for changes that may come from elsewhere. Each must describe its effect correctly, be a baseline
 * in the format that this veritest writes, have the path of its case, and have no rival.
 */
function contentGates(changes: readonly PendingChange[], paths: Pick<ProjectPaths, "root">): GateResult[] {
  return [
    { name: "format", problem: first(changes, (change) => kindProblem(change) ?? formatProblem(change, paths)) },
    { name: "one-result", problem: rivalProblem(changes) },
  ];
}

/** Commits like `commitChanges`. A file system error while a file is checked is also a refusal. */
function commitOrRefuse(changes: readonly PendingChange[], facts: CommitRequest): CommitResult {
  try {
    return commitChanges(changes, facts);
  } catch (thrown) {
    return { kind: "refused", problem: fileErrorMessage(thrown) };
  }
}

function refused(
  problems: readonly string[],
  {
    outdated,
    context,
    outcome = "refused",
  }: {
    readonly outdated: readonly PendingChange[];
    readonly context: UpdateContext;
    readonly outcome?: Exclude<Acceptance["outcome"], "accepted">;
  },
): Acceptance {
  for (const problem of problems) context.notes.write({ type: "gate_failed", run: "cli", body: problem });
  return { outcome, accepted: [], receipt: undefined, outdated, problems };
}

/** Removes the changes that are pending here unchanged. Another change with the same key belongs to another run. */
function dropSame(paths: ProjectPaths, changes: readonly PendingChange[]): void {
  if (changes.length === 0) return;
  const here = new Map(readPending(paths.state).changes.map((change) => [change.key, change]));
  removePending(
    paths,
    changes.filter(({ key, before, after }) => here.get(key)?.before === before && here.get(key)?.after === after),
  );
}

/**
 * Removes all pending changes of baselines that were just written. Returns those that were not themselves written, and
 * one sentence if some couldn't be removed. Never throws, because the baselines are already written.
 */
function dropTargets(
  paths: ProjectPaths,
  written: readonly PendingChange[],
): { readonly rivals: readonly PendingChange[]; readonly left: string | undefined } {
  const texts = new Map(written.map(({ target, after }) => [target, after]));
  try {
    const here = pendingOf(paths.state, ({ target }) => texts.has(target));
    const left = removePending(paths, here);
    return { rivals: here.filter(({ target, after }) => texts.get(target) !== after), left };
  } catch (thrown) {
    return { rivals: [], left: `Not all pending changes were removed: ${messageOf(thrown)}` };
  }
}

function factsOf(context: UpdateContext, kind: "accept" | "reject", report: GateReport): CommitRequest {
  return { kind, run: beginRun(context.paths).id, context, report, runner: undefined };
}

/** Limits count by the kind, so it must be the true one. */
function kindProblem({ kind, target, before, after }: PendingChange): string | undefined {
  const known = {
    add: before === null && after !== null,
    update: before !== null && after !== null,
    remove: before !== null && after === null,
  };
  return known[kind]
    ? undefined
    : `${escapeText(target)} is pending as "${kind}", but its hashes don't match. Run its test again.`;
}

function formatProblem(
  { target, text, group }: PendingChange,
  { root }: Pick<ProjectPaths, "root">,
): string | undefined {
  const location = escapeText(target);
  // A removal has no text, so its case is read from the file.
  const parsed = parseBaseline(text ?? readText(resolve(root, target)) ?? "", location);
  if (!parsed.ok) return text === undefined ? undefined : parsed.error;
  if (groupOf(parsed.value) !== group)
    return (
      `${location} is a baseline of "${escapeText(groupOf(parsed.value))}", but its pending change is of ` +
      `"${escapeText(group)}".`
    );
  if (text === undefined) return undefined;
  const problem = verifySerialized(text);
  if (problem !== undefined)
    return (
      `The pending change of ${location} is damaged, so veritest didn't write it: ${problem}. ` +
      "Capture the case again."
    );
  if (!isOwnPath(parsed.value, target))
    return `The pending change of ${location} is for a case with a different path. Capture the case again.`;
  return isLaidOut(text)
    ? undefined
    : `The pending change of ${location} isn't in the format of this version of veritest. Capture the case again.`;
}

function isOwnPath(baseline: Baseline, target: string): boolean {
  return (
    basename(dirname(target)) === groupDirectory(groupOf(baseline)) &&
    matchesCaseFile(identityOf(baseline))(basename(target))
  );
}

function rivalProblem(changes: readonly PendingChange[]): string | undefined {
  const answers = new Map<string, string | null>();
  for (const { target, after } of changes) {
    if (answers.has(target) && answers.get(target) !== after)
      return (
        `Two changes of ${escapeText(target)} are pending. Accept one change with its key, and veritest ` +
        "drops the other."
      );
    answers.set(target, after);
  }
  return undefined;
}

/** Path with links resolved, as far as it exists. */
function resolvedPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
    return join(resolvedPath(dirname(path)), basename(path));
  }
}

function first(
  changes: readonly PendingChange[],
  problemOf: (change: PendingChange) => string | undefined,
): string | undefined {
  return changes.map(problemOf).find((problem) => problem !== undefined);
}
