import { type Result, ok } from "../../kernel/result.ts";
import { type Receipt, versions } from "../receipts/receipt.ts";
import { type CommitRequest, appendEmptyReceipt, withFailedGate } from "../commit/commit-changes.ts";
import { configHash } from "./write-bundle.ts";
import { checkGates } from "../gates/check-gates.ts";
import { gitState } from "../gates/git-state.ts";
import type { PendingChange } from "../pending/pending-change.ts";
import type { GateResult } from "../gates/check-policy.ts";
import type { BundleGroup } from "./bundle.ts";
import type { UpdateContext } from "../update-context.ts";
import { beginRun } from "../test-run.ts";
import { commitOrRefuse, contentGates, locationProblem } from "../pending/accept-pending.ts";

/** Result of committing the bundles of a run: all of them written as one transaction, or none. */
export type BundleCommitResult =
  | {
      readonly kind: "committed";
      readonly written: readonly PendingChange[];
      /** Undefined if no file had to be written. */
      readonly receipt: Receipt | undefined;
      readonly problem: string | undefined;
    }
  | { readonly kind: "discarded"; readonly problems: readonly string[]; readonly receipt: Receipt | undefined }
  /** An older commit blocks this one, or neither all nor none of it could be ensured. Only `veritest doctor` helps. */
  | { readonly kind: "blocked" | "incomplete"; readonly problem: string };

/**
 * Settles what all shards of a run propose: through the gates, as one transaction, or not at all. The bundles stay as
 * they are.
 */
export async function commitBundles(group: BundleGroup, context: UpdateContext): Promise<BundleCommitResult> {
  const { paths, notes } = context;
  const changes = group.changes.filter(({ intent }) => intent === "write");
  const run = beginRun(paths).id;
  // Asked alone and first: the other gates read the files that the changes name.
  const pathProblem = locationProblem(changes, paths);
  if (pathProblem !== undefined) return discarded([pathProblem], ok(undefined), { run, context });
  if (changes.length === 0) return { kind: "committed", written: [], receipt: undefined, problem: undefined };
  const known = [
    { name: "shards", problem: undefined },
    { name: "place", problem: undefined },
    ...checkoutAnswers(group, context),
    ...contentGates(changes, paths),
  ];
  const report = await checkGates({ changes, context, known });
  const facts: CommitRequest = { kind: "commit", run, context, report, runner: undefined };
  if (report.problems.length > 0)
    return discarded(report.problems, appendEmptyReceipt(changes, { ...facts, kind: "discard" }), {
      run,
      context,
    });
  const commitment = commitOrRefuse(changes, facts);
  if (commitment.kind === "incomplete" || commitment.kind === "blocked") return commitment;
  if (commitment.kind === "refused") {
    return discarded(
      [commitment.problem],
      appendEmptyReceipt(changes, { ...withFailedGate(facts, commitment.problem), kind: "discard" }),
      { run, context },
    );
  }
  const refs = commitment.receipt === undefined ? [] : [commitment.receipt.id];
  notes.write({
    type: "committed",
    run,
    body: `${commitment.written.length} baselines of ${group.count} shards written.`,
    refs,
  });
  return { kind: "committed", written: changes, receipt: commitment.receipt, problem: commitment.problem };
}

/** Results of another machine only apply here if the same commit is checked out and the same rules apply. */
function checkoutAnswers(
  { gitHead, configHash: theirs, veritest }: BundleGroup,
  { paths, policy }: UpdateContext,
): GateResult[] {
  const git = gitState(paths, []);
  const head = (git.ok ? git.value?.head : undefined) ?? null;
  const own = versions().veritest;
  const refuse = (name: string, fits: boolean, problem: string): GateResult => ({
    name,
    problem: fits ? undefined : problem,
  });
  return [
    refuse(
      "head",
      head === gitHead,
      `The bundles are from commit ${short(gitHead)}, but ${short(head)} is checked out. Check out ` +
        `${short(gitHead)}, then commit the bundles again.`,
    ),
    refuse(
      "config",
      configHash(paths.root, policy) === theirs,
      "The bundles are from a different configuration than this project has now. Check out the bundles' " +
        "commit, or run the shards again.",
    ),
    refuse(
      "version",
      own === veritest,
      `The bundles are from veritest ${veritest}, but this is ${own}. Use the same version.`,
    ),
  ];
}

function short(head: string | null): string {
  return head === null ? "none" : head.slice(0, 12);
}

function discarded(
  because: readonly string[],
  written: Result<Receipt | undefined, string>,
  { run, context }: { readonly run: string; readonly context: UpdateContext },
): BundleCommitResult {
  const receipt = written.ok ? written.value : undefined;
  const problems = written.ok ? because : [...because, written.error];
  context.notes.write({
    type: "discarded",
    run,
    body: problems.join("\n"),
    ...(receipt === undefined ? {} : { refs: [receipt.id] }),
  });
  return { kind: "discarded", problems, receipt };
}
