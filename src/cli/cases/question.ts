import { type Result, err, ok } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { lacksAdapters, noAdapters, recomputeCheck, replayCheck } from "../../check-all/prepare-checks.ts";
import type { CheckStored } from "../../check-all/check-stored.ts";
import type { BaselineTarget } from "../../check-all/find-targets.ts";
import { type AdapterMode, adapterMode } from "../../check/run/adapter-mode.ts";
import { readVariable } from "../../kernel/environment.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliIo } from "../terminal/io.ts";
import type { LoadedProject } from "./open-project.ts";
import { trialsOf } from "./check-request.ts";

/** Check that a command runs on every case. */
export interface Question {
  /** Creates the check. The error is one sentence if the adapters of a step can't be created. */
  readonly makeCheck: () => Promise<Result<CheckStored, string>>;
  /** Number of runs per check. Each run has its own timeout. */
  readonly runs: number;
  /** Adapter mode of the runs, as named in the report. */
  readonly mode: AdapterMode;
}

/**
 * Creates the check of `test` and `diff`: does the current step decide the same? Replays recorded responses unless you
 * request live ones, because a command that only compares writes nothing that needs a live response.
 */
export function recomputeQuestion(
  input: CommandInput,
  io: CliIo,
  { project, targets }: { readonly project: LoadedProject; readonly targets: readonly BaselineTarget[] },
): Result<Question, string> {
  const trials = trialsOf(input);
  if (!trials.ok) return trials;
  const mode = modeOf(input, io, project);
  if (!mode.ok) return mode;
  if (trials.value !== undefined && mode.value !== "live")
    return err("--trials needs live adapters, because recorded responses don't vary. Add --live.");
  const lacking = mode.value === "live" ? targets.find(lacksAdapters) : undefined;
  if (lacking !== undefined) return err(noAdapters(lacking.configured.step.name));
  const steps = targets.map(({ configured }) => configured);
  const options = { mode: mode.value, trials: trials.value };
  const makeCheck = async (): Promise<Result<CheckStored, string>> => recomputeCheck(steps, options);
  return ok({ makeCheck, runs: trials.value?.trials ?? 1, mode: mode.value });
}

/** Creates the check of `replay`; see {@link replayCheck}. */
export function replayQuestion(options: { readonly verify: boolean }): Question {
  return { makeCheck: async () => Promise.resolve(ok(replayCheck(options))), runs: 1, mode: "replay" };
}

/** Returns the adapter mode: from the command line, the environment, the configuration, or the default (replay). */
function modeOf(input: CommandInput, { environment }: CliIo, { config }: LoadedProject): Result<AdapterMode, string> {
  const [live, replay] = [input.flag("live"), input.flag("replay")];
  if (live && replay) return err("Pass --live or --replay, not both.");
  if (live || replay) return ok(live ? "live" : "replay");
  try {
    return ok(
      adapterMode({
        hasAdapters: true,
        project: config.mode,
        variable: readVariable(environment, "VERITEST_MODE"),
        isRecording: false,
      }).mode,
    );
  } catch (thrown) {
    return err(messageOf(thrown));
  }
}
