import { type LoadedConfig, createPolicyLookup } from "../../config/load-config.ts";
import type { TestFileLog } from "../../explain/append-run-log.ts";
import { attempt } from "../../kernel/error-message.ts";
import { listNames } from "../../kernel/files/read.ts";
import { type RunUpdateResult, applyRun } from "../../updates/apply-run.ts";
import type { EndedFile } from "../../updates/gates/split-by-scope.ts";
import { type DroppedChange, tidyPending } from "../../updates/pending/tidy-pending.ts";
import type { ReceiptRunner } from "../../updates/receipts/receipt.ts";
import type { TestRun } from "../../updates/test-run.ts";
import { openUpdateContext } from "../../updates/update-context.ts";
import { contradictedPaths } from "../outcomes.ts";
import { type RanTestFile, findUnused } from "./find-obsolete.ts";
import { latestResults } from "./latest-results.ts";

/** A run that ended and was announced, with what its tests logged. */
interface EndedRun {
  readonly run: TestRun;
  readonly policy: LoadedConfig["policy"];
  readonly environment: NodeJS.ProcessEnv;
  readonly files: readonly RanTestFile[];
  /** Reasons why the run can't be trusted, one sentence each. */
  readonly problems: readonly string[];
  readonly runner: ReceiptRunner | undefined;
  readonly logs: readonly TestFileLog[];
  /** Baselines that the run removes because they are obsolete. */
  readonly removals: Parameters<typeof applyRun>[0]["removals"];
}

/** Result of applying the updates, for the summary. */
export interface AppliedRun {
  readonly updateResult: RunUpdateResult | undefined;
  readonly dropped: readonly DroppedChange[];
  readonly failed: boolean;
  /** Why the run can't be trusted. */
  readonly problems: readonly string[];
  /** Notices that are shown in any case. */
  readonly notices: readonly string[];
}

/** The result of a run that stages nothing. */
export const NOT_APPLIED: AppliedRun = {
  updateResult: undefined,
  dropped: [],
  failed: false,
  problems: [],
  notices: [],
};

/**
 * Drops pending changes that the run withdrew, then applies the updates of its tests and its removals. Throws if files
 * can't be written.
 */
export async function applyEndedRun(ended: EndedRun): Promise<AppliedRun> {
  const { run, policy, environment, files, logs, removals } = ended;
  const now = new Date();
  // Usually the directory is empty. Then this listing is the only cost.
  const present = listNames(run.paths.state);
  const contradicted = contradictedPaths(logs);
  const question = { latest: latestResults(logs, contradicted), pendingDays: policy.pendingDays, now: now.getTime() };
  // Tidying is a courtesy: a checkout that can't be written must not fail a run for it.
  const tidied = attempt(() => (present.includes("pending") ? tidyPending(run.paths, question) : []));
  const dropped = tidied.ok ? tidied.value : [];
  // If a log has changes that the directory doesn't have, the gates report it.
  const staged =
    logs.some((log) => log.staged.length > 0) ||
    (present.includes("stage") && listNames(`${run.paths.state}/stage`).includes(run.id));
  if (!staged && removals.length === 0) return { ...NOT_APPLIED, dropped };
  const context = openUpdateContext(run.paths, policy, {
    environment,
    isTTY: process.stdout.isTTY,
    now,
    lookUpPolicy: createPolicyLookup(),
  });
  if (!context.ok) return { ...NOT_APPLIED, dropped, failed: true, problems: [context.error] };
  const updateResult = await applyRun({
    run,
    context: context.value,
    files: endedFiles(files, logs),
    problems: ended.problems,
    removals,
    contradicted,
    unused: removals.length > 0 ? [] : findUnused(files, logs),
    runner: ended.runner,
  });
  const warning = context.value.close();
  const notices = [...updateResult.notices, ...(warning === undefined ? [] : [warning])];
  return { updateResult, dropped, failed: updateResult.failed, problems: [], notices };
}

function endedFiles(files: readonly RanTestFile[], logs: readonly TestFileLog[]): EndedFile[] {
  // A test file of two projects leaves two logs.
  const staged = new Map(
    [...Map.groupBy(logs, ({ testPath }) => testPath)].map(([testPath, of]) => [
      testPath,
      [...new Set(of.flatMap((log) => log.staged))],
    ]),
  );
  return files.map((file) => ({ ...file, passed: !file.failed, staged: staged.get(file.testPath) }));
}
