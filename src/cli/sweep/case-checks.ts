import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Result, err, ok } from "../../base/result.ts";
import { quote } from "../../base/text.ts";
import { messageOf } from "../../base/thrown.ts";
import type { StoredCase } from "../../baseline/library.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { readBack, serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { ADAPTERS_VARIABLE, type AdapterMode, adapterMode, answersOf } from "../../check/adapter-mode.ts";
import { explainCheck } from "../../check/cause/find-cause.ts";
import { checkCase } from "../../check/check-case.ts";
import { type TrialPlan, checkTrials } from "../../check/check-trials.ts";
import type { Case, Check } from "../../check/check.ts";
import { storedCase } from "../../check/find-case.ts";
import { readText } from "../../files/read.ts";
import type { BaseAdapters } from "../../step/context.ts";
import { kernelError } from "../../step/fail.ts";
import { someBaseline } from "../baseline-files.ts";
import type { CommandInput } from "../command-input.ts";
import type { CliIo } from "../io.ts";
import type { SweepTarget } from "./find-targets.ts";
import { type SweepProject, makeAdapters } from "./open-project.ts";
import { failedCheck } from "./stay-alive.ts";
import type { Question } from "./sweep-command.ts";
import { trialsOf } from "./sweep-request.ts";

/**
 * Makes the question of `test` and `diff`: does today's step decide the same? Recorded answers are served unless
 * somebody asks for live ones, because a sweep that compares writes nothing that a live answer would be needed for.
 */
export async function recomputeQuestion(
  input: CommandInput,
  io: CliIo,
  { project, targets }: { readonly project: SweepProject; readonly targets: readonly SweepTarget[] },
): Promise<Result<Question, string>> {
  const trials = trialsOf(input);
  if (!trials.ok) return trials;
  const mode = modeOf(input, io, project);
  if (!mode.ok) return mode;
  if (trials.value !== undefined && mode.value !== "live")
    return err("--trials need live adapters, for recorded answers are the same each time: add --live.");
  const adapters = await adaptersOf(targets, mode.value);
  if (!adapters.ok) return adapters;
  const runs = trials.value?.trials ?? 1;
  return ok({
    runs,
    adapters: mode.value,
    ask: async ({ target: { configured, root }, stored, input: given }) =>
      ask({
        configured,
        root,
        stored,
        given,
        mode: mode.value,
        adapters: adapters.value.get(configured.step.name),
        trials: trials.value,
      }),
  });
}

interface AskedOf extends Pick<SweepTarget, "configured" | "root"> {
  readonly stored: StoredCase;
  readonly given: Case["input"];
  readonly mode: AdapterMode;
  readonly adapters: BaseAdapters | undefined;
  readonly trials: TrialPlan | undefined;
}

async function ask({ configured: { step }, root, stored, given, mode, adapters, trials }: AskedOf): Promise<Check> {
  if (mode === "live" && adapters === undefined && makesCalls(stored.baseline))
    return failedCheck(stored, kernelError("no_adapters", noAdapters(step.name)));
  // Without adapters there is nothing live: what a step calls then is served, and a miss is told.
  const world = { root, answers: answersOf(mode, adapters) };
  const asked = { ...storedCase(step, stored), input: given };
  return trials === undefined ? checkCase(asked, world, explainCheck) : checkTrials(asked, world, trials);
}

/** The command line, else the environment, else the configuration, else recorded answers. */
function modeOf(input: CommandInput, { environment }: CliIo, { config }: SweepProject): Result<AdapterMode, string> {
  const [live, recorded] = [input.flag("live"), input.flag("recorded")];
  if (live && recorded) return err("Give --live or --recorded, not both.");
  if (live || recorded) return ok(live ? "live" : "recorded");
  try {
    return ok(
      adapterMode({ given: true, project: config.adapters, variable: environment[ADAPTERS_VARIABLE], writes: false })
        .mode,
    );
  } catch (thrown) {
    return err(messageOf(thrown));
  }
}

/**
 * Today's adapters of each step that is swept. Who asks for live answers must have adapters for each that calls some.
 */
async function adaptersOf(
  targets: readonly SweepTarget[],
  mode: AdapterMode,
): Promise<Result<ReadonlyMap<string, BaseAdapters>, string>> {
  const made = new Map<string, BaseAdapters>();
  if (mode === "recorded") return ok(made);
  for (const target of targets) {
    const { configured } = target;
    const { name } = configured.step;
    if (made.has(name)) continue;
    if (configured.adapters === undefined && mode === "live" && callsAdapters(target)) return err(noAdapters(name));
    const adapters = await makeAdapters(configured);
    if (!adapters.ok) return adapters;
    if (adapters.value !== undefined) made.set(name, adapters.value);
  }
  return ok(made);
}

/** By the first baseline: what is told before anything is run need not be told of each case. */
function callsAdapters({ directory, only }: SweepTarget): boolean {
  // Of stored runs there may be no file.
  if (!existsSync(only ?? directory)) return false;
  const path = only ?? join(directory, someBaseline(directory) ?? "");
  return makesCalls(parseBaseline(readText(path) ?? "", path));
}

function makesCalls(baseline: StoredCase["baseline"]): boolean {
  return baseline.ok && baseline.value.kind === "step" && baseline.value.calls.length > 0;
}

function noAdapters(step: string): string {
  return (
    `Live answers are asked for, and the configuration gives step ${quote(step)} no adapters. ` +
    "Give it some: steps: () => [{ step, adapters }]"
  );
}

const RESTORE = "It was edited by hand or damaged in a merge. Restore it from git, or delete it and capture it again.";

const REPLAY = { answers: { kind: "recorded", given: false }, exact: true } as const;

/**
 * Makes the question of `replay`: given the recorded answers, does today's step write the same bytes? With `verify`
 * each file is held against itself before: its hashes, and the bytes it would be written as.
 */
export function replayQuestion({ verify }: { readonly verify: boolean }): Question {
  return {
    runs: 1,
    adapters: "recorded",
    async ask({ target: { configured, root }, stored }) {
      const problem = verify ? fileProblem(stored) : undefined;
      if (problem === undefined)
        return checkCase(storedCase(configured.step, stored), { ...REPLAY, root }, explainCheck);
      const { file, path } = stored;
      return { file, path, verdict: { kind: "broken", problem }, propose: undefined };
    },
  };
}

/** What is wrong with a file whatever its step does; nothing for one that cannot be read, of which the replay tells. */
function fileProblem({ baseline, file, text }: StoredCase): string | undefined {
  if (!baseline.ok) return undefined;
  // A checkout may have other line ends than were written.
  const own = text.replaceAll("\r\n", "\n");
  try {
    const damage = readBack(own);
    if (damage !== undefined) return `Cannot use ${file}: ${damage}. ${RESTORE}`;
    return serializeBaseline(baseline.value) === own
      ? undefined
      : `Cannot use ${file}: it is not laid out as this version of veritest writes it. ${RESTORE}`;
  } catch (thrown) {
    return `Cannot use ${file}: ${messageOf(thrown)}. ${RESTORE}`;
  }
}
