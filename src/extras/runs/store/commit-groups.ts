import { setImmediate as turn } from "node:timers/promises";
import type { Result } from "../../../kernel/result.ts";
import type { Committed, StepCommit } from "./contract.ts";
import type { PreparedCommit } from "./prepare.ts";
import type { StoreError } from "./store-error.ts";

/** A commit with its values as texts. The start of a run is written like a commit, but has no output. */
export interface PreparedStep {
  readonly kind: "start" | "step";
  readonly commit: Omit<StepCommit, "output" | "events" | "commands">;
  readonly prepared: Omit<PreparedCommit, "output"> & { readonly output: string | null };
}

/** Commits that are written together. */
export interface CommitGroup {
  readonly run: Pick<StepCommit, "workflowId" | "workflowVersion" | "runId" | "expectedVersion">;
  readonly steps: readonly PreparedStep[];
}

/** Result of a commit. */
export type StepCommitted = Result<Committed, StoreError>;

interface QueuedCommit {
  readonly step: PreparedStep;
  readonly resolve: (result: StepCommitted) => void;
  readonly reject: (thrown: unknown) => void;
}

/** Maximum number of commits in a group, because a group locks its run. */
const MOST = 50;

/**
 * Groups commits of the same run and version of a workflow: those that arrive while others are written are written
 * together next. Each write to a run takes the run's next version, so separate writes would wait for each other.
 */
export class CommitGroups {
  readonly #write: (group: CommitGroup) => Promise<readonly StepCommitted[]>;
  readonly #lines = new Map<string, QueuedCommit[]>();

  /** `write` returns one result for each commit of a group. */
  constructor(write: (group: CommitGroup) => Promise<readonly StepCommitted[]>) {
    this.#write = write;
  }

  /** Writes a commit, alone or in a group. */
  async add(step: PreparedStep): Promise<StepCommitted> {
    const { workflowId, workflowVersion, runId } = step.commit;
    const key = JSON.stringify([workflowId, workflowVersion, runId]);
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(key);
      line?.push({ step, resolve, reject });
      if (line === undefined) void this.#drain(key, step.commit, [{ step, resolve, reject }]);
    });
  }

  async #drain(key: string, run: CommitGroup["run"], line: QueuedCommit[]): Promise<void> {
    this.#lines.set(key, line);
    // Steps that end in the same turn of the event loop share their first write.
    await turn();
    while (line.length > 0) await this.#writeGroup(run, line.splice(0, MOST));
    this.#lines.delete(key);
  }

  async #writeGroup(run: CommitGroup["run"], group: readonly QueuedCommit[]): Promise<void> {
    try {
      const results = await this.#write({ run, steps: group.map(({ step }) => step) });
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    }
  }
}
