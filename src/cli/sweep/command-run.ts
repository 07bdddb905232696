import { join } from "node:path";
import { type Result, ok } from "../../kernel/result.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { messageOf } from "../../kernel/thrown.ts";
import { isCi, keepsPending } from "../../kernel/write-policy.ts";
import { loadKeeper } from "../../check-all/check-stored.ts";
import type { Keeper, KeptProposal } from "../../check/keep.ts";
import { type PendingChange, pendingChange } from "../../updates/pending/pending-change.ts";
import { readStaged, stageChanges } from "../../updates/pending/stage.ts";
import { type TestRun, beginRun } from "../../updates/run-identity.ts";
import { type RunUpdateResult, applyRun } from "../../updates/settle-run.ts";
import { openUpdateContext } from "../../updates/settler.ts";
import type { CliIo } from "../terminal/io.ts";
import { closeRecords, processOf } from "../review/settler-here.ts";
import type { SweepProject } from "./open-project.ts";

/** What a command proposes, as the commit of a test run sees it. */
interface CommandRunOptions {
  readonly project: SweepProject;
  readonly io: CliIo;
  /** What stands where a test's name does: the command and what it was about. */
  readonly title: string;
}

/**
 * A command line that proposes changes of baselines, settled in the same way as a test run: staged one by one, so that
 * nothing is lost when the process dies, and written together at the end, or not at all.
 */
export class CommandRun {
  readonly #run: TestRun;
  readonly #options: CommandRunOptions;
  readonly #staged: string[] = [];

  /** Makes no directory before something is staged. */
  constructor(options: CommandRunOptions) {
    this.#options = options;
    this.#run = beginRun(options.project.places);
  }

  /** Puts a change where the end of the run finds it. */
  stage(kept: KeptProposal): void {
    const { from } = kept.proposal;
    const { root } = this.#run.places;
    const origin = {
      projectRoot: root,
      testPath: this.#source(),
      test: from === undefined ? this.#options.title : `${this.#options.title} ${from}`,
      passed: kept.intent === "write",
      run: this.#run.id,
      at: new Date().toISOString(),
    };
    const change = pendingChange(kept, origin);
    stageChanges(this.#run, [change], NONE);
    this.#staged.push(change.key);
  }

  /** Stages again what `amended` gives another text of, the rest of it as it was shown. */
  amend(amended: (change: PendingChange) => string | undefined): void {
    for (const change of readStaged(this.#run.places, this.#run.id).changes) {
      const text = amended(change);
      if (text !== undefined) stageChanges(this.#run, [{ ...change, text, after: hashText(text) }], NONE);
    }
  }

  /**
   * Writes what was staged to be written, if every gate lets it, and keeps the rest for review; undefined where nothing
   * was staged. `problems` are sentences on why nothing may be written. One sentence where nobody can tell who acts.
   */
  async settle(problems: readonly string[]): Promise<Result<RunUpdateResult | undefined, string>> {
    if (this.#staged.length === 0) return ok(undefined);
    const { project, io } = this.#options;
    const settler = openUpdateContext(this.#run.places, project.config.policy, processOf(io));
    if (!settler.ok) return settler;
    try {
      const files = [{ testPath: this.#source(), passed: true, staged: [...new Set(this.#staged)] }];
      return ok(
        await applyRun({
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

/** Takes what a command keeps to the end of its run. */
export function keeperOf(run: Pick<CommandRun, "stage">): Keeper {
  return {
    stage: (kept) => run.stage(kept),
    load: loadKeeper,
  };
}

/**
 * Stages what differs for review, as a failing test does, so that accepting it later is accepting what was shown.
 * Gives false where it cannot be kept: `tell` hears of the first time why, and nothing is tried any more.
 */
export function reviewStage(run: CommandRun, tell: (problem: string) => void): (kept: KeptProposal) => boolean {
  let works = true;
  return (kept) => {
    if (!works) return false;
    try {
      run.stage(kept);
    } catch (thrown) {
      // A place that cannot be written keeps nobody from comparing.
      works = false;
      tell(`Nothing is kept for review: ${messageOf(thrown)}`);
    }
    return works;
  };
}

/** Whether what a sweep finds is held for review. */
export function holdsOf({ environment }: CliIo): boolean {
  return keepsPending(!isCi(environment), environment);
}
