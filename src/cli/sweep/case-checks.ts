import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/thrown.ts";
import type { StoredCase } from "../../baseline/library.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { readBack, serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { ADAPTERS_VARIABLE, type AdapterMode, adapterMode, answersOf } from "../../check/adapter-mode.ts";
import { explainCheck } from "../../check/cause/find-cause.ts";
import { checkCase } from "../../check/check-case.ts";
import { type TrialPlan, checkTrials } from "../../check/check-trials.ts";
import type { Case, Check } from "../../check/check.ts";
import { storedCase } from "../../check/find-case.ts";
import type { ConfiguredStep } from "../../config/load-steps.ts";
import { readText } from "../../kernel/files/read.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import { kernelError } from "../../kernel/step/fail.ts";
import { someBaseline } from "../../baseline/baseline-files.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliIo } from "../terminal/io.ts";
import type { AskCase, SweptCase } from "./answer-case.ts";
import type { SweepTarget } from "./find-targets.ts";
import { type SweepProject, makeAdapters } from "./open-project.ts";
import { failedCheck } from "./stay-alive.ts";
import { trialsOf } from "./sweep-request.ts";

/** Check that is run on each case. */
export type QuestionSpec =
  | { readonly kind: "recompute"; readonly mode: AdapterMode; readonly trials: TrialPlan | undefined }
  | { readonly kind: "replay"; readonly verify: boolean };

/** A question, and how it is asked. */
export interface Question {
  readonly spec: QuestionSpec;
  /** How many runs one asking makes: each has its own time. */
  readonly runs: number;
  /** Where answers come from, as the report says it. */
  readonly adapters: AdapterMode;
}

/**
 * Makes the question of `test` and `diff`: does today's step decide the same? Recorded answers are served unless
 * somebody asks for live ones, because a sweep that compares writes nothing that a live answer would be needed for.
 */
export function recomputeQuestion(
  input: CommandInput,
  io: CliIo,
  { project, targets }: { readonly project: SweepProject; readonly targets: readonly SweepTarget[] },
): Result<Question, string> {
  const trials = trialsOf(input);
  if (!trials.ok) return trials;
  const mode = modeOf(input, io, project);
  if (!mode.ok) return mode;
  if (trials.value !== undefined && mode.value !== "live")
    return err("--trials need live adapters, for recorded answers are the same each time: add --live.");
  const lacking = mode.value === "live" ? targets.find(lacksAdapters) : undefined;
  if (lacking !== undefined) return err(noAdapters(lacking.configured.step.name));
  const spec = { kind: "recompute", mode: mode.value, trials: trials.value } as const;
  return ok({ spec, runs: trials.value?.trials ?? 1, adapters: mode.value });
}

/**
 * Makes the question of `replay`: given the recorded answers, does today's step write the same bytes? With `verify`
 * each file is held against itself before: its hashes, and the bytes it would be written as.
 */
export function replayQuestion({ verify }: { readonly verify: boolean }): Question {
  return { spec: { kind: "replay", verify }, runs: 1, adapters: "recorded" };
}

/** Gets ready to ask of the cases of these steps; one sentence where their adapters cannot be made. */
export async function askerOf(spec: QuestionSpec, steps: readonly ConfiguredStep[]): Promise<Result<AskCase, string>> {
  if (spec.kind === "replay") return ok(async (swept) => askReplay(swept, spec));
  const { mode, trials } = spec;
  const adapters = await adaptersOf(steps, mode);
  if (!adapters.ok) return adapters;
  return ok(async ({ target: { configured, root }, stored, input: given }) =>
    ask({ configured, root, stored, given, mode, adapters: adapters.value.get(configured.step.name), trials }),
  );
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

/** Today's adapters of each step that is swept, by its name. */
async function adaptersOf(
  steps: readonly ConfiguredStep[],
  mode: AdapterMode,
): Promise<Result<ReadonlyMap<string, BaseAdapters>, string>> {
  const made = new Map<string, BaseAdapters>();
  if (mode === "recorded") return ok(made);
  for (const configured of steps) {
    const { name } = configured.step;
    if (made.has(name)) continue;
    const adapters = await makeAdapters(configured);
    if (!adapters.ok) return adapters;
    if (adapters.value !== undefined) made.set(name, adapters.value);
  }
  return ok(made);
}

/** Who asks for live answers must have adapters for each step that calls some. */
function lacksAdapters(target: SweepTarget): boolean {
  return target.configured.adapters === undefined && callsAdapters(target);
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

async function askReplay(
  { target: { configured, root }, stored }: SweptCase,
  { verify }: Extract<QuestionSpec, { readonly kind: "replay" }>,
): Promise<Check> {
  const problem = verify ? fileProblem(stored) : undefined;
  if (problem === undefined) return checkCase(storedCase(configured.step, stored), { ...REPLAY, root }, explainCheck);
  const { file, path } = stored;
  return { file, path, verdict: { kind: "broken", problem }, propose: undefined };
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
