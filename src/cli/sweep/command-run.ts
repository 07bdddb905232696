import { join } from "node:path";
import { type Result, ok } from "../../base/result.ts";
import type { KeptProposal } from "../../check/keep.ts";
import { pendingChange } from "../../settle/pending/pending-change.ts";
import { type RunIdentity, beginRun } from "../../settle/run-identity.ts";
import { type Settlement, settleRun } from "../../settle/settle-run.ts";
import { stageChanges } from "../../settle/pending/stage.ts";
import type { CliIo } from "../io.ts";
import { openSettler } from "../../settle/settler.ts";
import { closeRecords, processOf } from "../review/open-settler.ts";
import type { Project } from "./open-project.ts";

/** What a command proposes, as the commit of a test run sees it. */
export interface CommandRunOptions {
  readonly project: Project;
  readonly io: CliIo;
  /** What stands where a test's name does: the command and what it was about. */
  readonly title: string;
}

/**
 * A command line that proposes changes of baselines, settled in the same way as a test run: staged one by one, so that
 * nothing is lost when the process dies, and written together at the end, or not at all.
 */
export class CommandRun {
  readonly #run: RunIdentity;
  readonly #options: CommandRunOptions;
  readonly #staged: string[] = [];

  /** Makes no directory before something is staged. */
  constructor(options: CommandRunOptions) {
    this.#options = options;
    this.#run = beginRun(options.project.places);
  }

  /** Puts a change where the end of the run finds it. */
  stage(kept: KeptProposal): void {
    const { root } = this.#run.places;
    const origin = {
      projectRoot: root,
      testPath: this.#source(),
      test: this.#options.title,
      passed: kept.intent === "write",
      run: this.#run.id,
      at: new Date().toISOString(),
    };
    const change = pendingChange(kept, origin);
    stageChanges(this.#run, [change], NONE);
    this.#staged.push(change.key);
  }

  /**
   * Writes what was staged to be written, if every gate lets it, and keeps the rest for review; undefined where nothing
   * was staged. `problems` are sentences on why nothing may be written. One sentence where nobody can tell who acts.
   */
  async settle(problems: readonly string[]): Promise<Result<Settlement | undefined, string>> {
    if (this.#staged.length === 0) return ok(undefined);
    const { project, io } = this.#options;
    const settler = openSettler(this.#run.places, project.config.policy, processOf(io));
    if (!settler.ok) return settler;
    try {
      const files = [{ testPath: this.#source(), passed: true, staged: [...new Set(this.#staged)] }];
      return ok(
        await settleRun({
          run: this.#run,
          settler: settler.value,
          files,
          problems,
          removals: [],
          runner: undefined,
        }),
      );
    } finally {
      closeRecords(settler.value, io);
    }
  }

  /** The configuration names the step, as a test file does. */
  #source(): string {
    const { project } = this.#options;
    return project.config.file ?? join(project.places.root, "veritest.config.ts");
  }
}

const NONE: ReadonlySet<string> = new Set();
