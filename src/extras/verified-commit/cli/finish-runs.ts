import { type RecoveredRuns, closeRecords } from "../../../cli/review/with-update-context.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import type { ProjectPaths } from "../../../kernel/files/project-paths.ts";
import { DEFAULT_POLICY } from "../../../updates/policy.ts";
import { openRecords } from "../../../updates/update-context.ts";
import type { RecoveredRun } from "../recover-runs.ts";
import { recordedRuns } from "../run-record.ts";

/** Finishes or discards runs whose process died. */
export async function finishRuns(paths: ProjectPaths, io: CliIo): Promise<RecoveredRuns> {
  if (recordedRuns(paths.state).length === 0) return { done: [], stuck: [] };
  const { recoverRuns } = await import("../recover-runs.ts");
  // Without the configuration, which is code of the project: what only that knows to be secret the run has hidden.
  const records = openRecords(paths, DEFAULT_POLICY, io);
  try {
    const runs = await recoverRuns(paths, {
      environment: io.environment,
      clock: Date.now,
      receipts: { append: (draft) => records.receipt(draft).id },
      note: (note) => void records.notes.write(note),
    });
    const reports = runs.map(wordsOf);
    return { done: reports.flatMap(({ done }) => done), stuck: reports.flatMap(({ stuck }) => stuck) };
  } finally {
    closeRecords(records, io);
  }
}

function wordsOf(run: RecoveredRun): RecoveredRuns {
  switch (run.kind) {
    case "running":
      return { done: [`Run ${run.id} is still running (${run.owner}), so it wasn't changed.`], stuck: [] };
    case "landed": {
      const left =
        run.leftAlone.length === 0 ? "" : ` Not changed, because they were edited since: ${run.leftAlone.join(", ")}.`;
      return {
        done: [
          `Run ${run.id} was killed after its commit ${run.commit.slice(0, 12)}, so veritest completed it.${left}`,
        ],
        stuck: [],
      };
    }
    case "discarded":
      return { done: [`Run ${run.id} was killed. Its worktree was removed, and its branch is unchanged.`], stuck: [] };
    case "stuck":
      return { done: [], stuck: [run.problem] };
  }
}
