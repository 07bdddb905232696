import { messageOf } from "../../kernel/error-message.ts";
import { loadConfig } from "../../config/load-config.ts";
import { projectPaths, projectRoot } from "../../kernel/files/project-paths.ts";
import type { ReceiptRunner } from "../../updates/receipts/receipt.ts";
import type { TestFileLog } from "../../explain/append-run-log.ts";
import { NO_FORMATS, writeEndReports } from "../end-reports.ts";
import { remarksOfRun, summarize } from "../outcomes.ts";
import { renderSummary } from "../runner-summary.ts";
import { withInputChanges } from "./input-changes.ts";
import type { RunReport } from "./run-director.ts";

/** Shards whose reports a runner puts together. */
export interface MergedShards {
  /** The runner's own root directory. */
  readonly root: string;
  readonly logs: readonly TestFileLog[];
  readonly problems: readonly string[];
  readonly runner: ReceiptRunner | undefined;
  readonly lines: ReadonlyMap<string, number>;
}

/**
 * Summarizes and reports the logs of a run's shards. Writes no baseline, because each shard has done that. Never
 * throws.
 */
export async function mergedReport(
  { root: from, logs: merged, problems, runner, lines: located }: MergedShards,
  environment: NodeJS.ProcessEnv,
): Promise<RunReport> {
  const logs = withInputChanges(merged);
  const summary = {
    outcomes: summarize(logs),
    obsolete: [],
    removed: false,
    updateResult: undefined,
    dropped: [],
    remarks: remarksOfRun(logs),
  };
  try {
    const { root } = projectPaths(projectRoot(from), environment);
    const config = await loadConfig(root);
    const allProblems = config.ok ? problems : [...problems, config.error];
    const left = {
      root,
      logs,
      updateResult: undefined,
      obsolete: [],
      removed: false,
      problems: allProblems,
      startedAt: Date.now(),
      runner,
      shard: undefined,
      environment,
      lines: located,
    };
    const written = await writeEndReports(left, config.ok ? config.value.report : NO_FORMATS);
    return {
      lines: [...renderSummary({ ...summary, problems: [...allProblems, ...written.problems] }), ...written.lines],
      failed: !config.ok || written.problems.length > 0,
    };
  } catch (thrown) {
    return { lines: renderSummary({ ...summary, problems: [...problems, messageOf(thrown)] }), failed: true };
  }
}
