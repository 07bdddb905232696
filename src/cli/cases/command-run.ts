import { withoutSecretNames } from "../../updates/pending/hide-names.ts";
import { createPolicyLookup } from "../../config/load-config.ts";
import { join } from "node:path";
import { type Result, ok } from "../../kernel/result.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { isCi, keepsPending } from "../../kernel/write-policy.ts";
import { loadUpdateHandler } from "../../check-all/check-stored.ts";
import type { UpdateStage, StagedUpdate } from "../../check/update/stage-update.ts";
import { type PendingChange, pendingChange } from "../../updates/pending/pending-change.ts";
import { readPending } from "../../updates/pending/pending-store.ts";
import { readStaged, stageChanges } from "../../updates/pending/stage-changes.ts";
import { type TestRun, beginRun } from "../../updates/test-run.ts";
import { type RunUpdateResult, applyRun } from "../../updates/apply-run.ts";
import { openUpdateContext } from "../../updates/update-context.ts";
import type { CliIo } from "../terminal/io.ts";
import { closeRecords, processContext } from "../review/with-update-context.ts";
import type { LoadedProject } from "./open-project.ts";

/** Context of a command that creates updates. */
interface CommandRunOptions {
  readonly project: LoadedProject;
  readonly io: CliIo;
  /** Text in the position of a test's name: the command and its subject. */
  readonly title: string;
}

/**
 * Run of a command that updates baselines. Applies its updates as a test run does: each is staged at once, so that a
 * killed process loses none, and all are written together at the end, or none of them.
 */
export class CommandRun {
  readonly #run: TestRun;
  readonly #options: CommandRunOptions;
  readonly #staged: string[] = [];
  /** Changes of earlier runs by their targets; undefined before the first update is staged. */
  #pending: ReadonlyMap<string, readonly PendingChange[]> | undefined;

  /** Creates no directory before the first update is staged. */
  constructor(options: CommandRunOptions) {
    this.#options = options;
    this.#run = beginRun(options.project.paths);
  }

  /** Stages an update for the end of the run. */
  stage(staged: StagedUpdate): void {
    const { from } = staged.update;
    const { root } = this.#run.paths;
    const origin = {
      projectRoot: root,
      testPath: this.#source(),
      test: from === undefined ? this.#options.title : `${this.#options.title} ${from}`,
      passed: staged.intent === "write",
      run: this.#run.id,
      at: new Date().toISOString(),
    };
    const latest = withoutSecretNames(pendingChange(staged, origin));
    const same = this.#samePending(latest);
    const change = same === undefined ? latest : { ...same, at: latest.at };
    stageChanges(this.#run, [change], NONE);
    this.#staged.push(change.key);
  }

  /**
   * Returns the pending change of the same texts, if there is one: the run that found it may have printed its key. One
   * that its run was going to write (`intent`) isn't returned, because this run would write it.
   */
  #samePending({ target, intent, before, after }: PendingChange): PendingChange | undefined {
    if (intent !== "review") return undefined;
    this.#pending ??= Map.groupBy(readPending(this.#run.paths.state).changes, (change) => change.target);
    return this.#pending
      .get(target)
      ?.find((change) => change.intent === intent && change.before === before && change.after === after);
  }

  /** Stages a change again if `amended` returns a new text for it. The rest of the change stays as it was shown. */
  amend(amended: (change: PendingChange) => string | undefined): void {
    for (const change of readStaged(this.#run.paths, this.#run.id).changes) {
      const text = amended(change);
      if (text !== undefined) stageChanges(this.#run, [{ ...change, text, after: hashText(text) }], NONE);
    }
  }

  /**
   * Writes the staged updates if every gate allows it, and keeps the rest as pending. Returns undefined if the run
   * staged none. `problems` are sentences on why this run can't write. The error is one sentence if the actor is
   * unknown.
   */
  async applyUpdates(problems: readonly string[]): Promise<Result<RunUpdateResult | undefined, string>> {
    if (this.#staged.length === 0) return ok(undefined);
    const { project, io } = this.#options;
    const context = openUpdateContext(this.#run.paths, project.config.policy, {
      ...processContext(io),
      lookUpPolicy: createPolicyLookup(),
    });
    if (!context.ok) return context;
    try {
      const files = [{ testPath: this.#source(), passed: true, staged: [...new Set(this.#staged)] }];
      return ok(
        await applyRun({
          run: this.#run,
          context: context.value,
          files,
          problems,
          removals: [],
          runner: undefined,
        }),
      );
    } finally {
      closeRecords(context.value, io);
    }
  }

  /** The configuration names the step, as a test file does. */
  #source(): string {
    const { project } = this.#options;
    return project.config.file ?? join(project.paths.root, "veritest.config.ts");
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Returns a keeper that stages updates in the command's run. */
export function updateHandlerOf(run: Pick<CommandRun, "stage">): UpdateStage {
  return {
    stage: (staged) => run.stage(staged),
    load: loadUpdateHandler,
  };
}

/**
 * Stages differences for review, as a failing test does, so that accepting one writes exactly what was shown. Returns
 * false if a change can't be stored: `report` gets the reason once, and later changes aren't tried.
 */
export function stageForReview(run: CommandRun, report: (problem: string) => void): (staged: StagedUpdate) => boolean {
  let works = true;
  return (staged) => {
    if (!works) return false;
    try {
      run.stage(staged);
    } catch (thrown) {
      // A directory that isn't writable doesn't prevent the comparison.
      works = false;
      report(`No change is pending: ${messageOf(thrown)}`);
    }
    return works;
  };
}

/** Returns whether differences become pending changes. */
export function keepsPendingHere({ environment }: CliIo): boolean {
  return keepsPending(!isCi(environment), environment);
}
