import { readVariable } from "../../kernel/environment.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { ciRefusal } from "../../kernel/write-policy.ts";
import { openLibrary } from "../../baseline/baseline-library.ts";
import { unknownStep } from "../../check-all/find-targets.ts";
import { type ConfiguredStep, makeAdapters } from "../../config/load-steps.ts";
import { shortId } from "../../updates/receipts/receipts.ts";
import type { RunUpdateResult } from "../../updates/apply-run.ts";
import { targetName } from "../../kernel/files/project-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, printJson, printLines, printRefusal, printWarning, textIo } from "../terminal/print.ts";
import { type CaptureRequest, captureDirectory, captureRequest } from "./capture-request.ts";
import { resolveActor } from "../../updates/update-context.ts";
import { processContext } from "../review/with-update-context.ts";
import { CommandRun } from "./command-run.ts";
import { findInputs } from "./find-inputs.ts";
import { exitWhileRunning, onInterrupt, watchUncaught } from "./process-lifetime.ts";
import { type LoadedProject, openProject } from "./open-project.ts";
import { type InputPlan, identityOfInput, inputLabel, inputLocation, planInputs } from "./plan-inputs.ts";
import { type CaptureCounts, runCapture } from "./run-capture.ts";
import { defaultTimeout } from "./check-request.ts";
import { CheckScreen } from "./check-screen.ts";
import { plainCount, pendingLine } from "../../explain/wording.ts";

/** Number of files listed before the rest is only counted. */
const MAX_FILES = 20;

/** A validated capture that hasn't run yet. */
interface ReadyCapture {
  readonly request: CaptureRequest;
  readonly project: LoadedProject;
  readonly configured: ConfiguredStep;
  /** Directory of new baselines. */
  readonly baselines: string;
  readonly plan: InputPlan;
  readonly io: CliIo;
}

/** Runs a step on inputs and applies the results as the end of a test run does. */
export async function captureInputs(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const request = captureRequest(input);
  if (!request.ok) return printRefusal(io, request.error);
  const project = await openToCapture(request.value, io);
  if (!project.ok) return printRefusal(io, project.error.message, project.error.code);
  const ready = await getReady(request.value, project.value, io);
  if (!ready.ok) return printRefusal(io, ready.error);
  return request.value.dryRun ? foretell(ready.value) : captureAndTell(ready.value);
}

/** Opens the project for a capture. Checks first that this process may write, because CI never does. */
export async function openToCapture(
  { dryRun }: Pick<CaptureRequest, "dryRun">,
  io: CliIo,
): Promise<Result<LoadedProject, { readonly message: string; readonly code: ExitCode }>> {
  const project = await openProject(io);
  if (!project.ok) return err({ message: project.error, code: EXIT.usage });
  const actor = resolveActor(project.value.config.policy, processContext(io));
  if (!actor.ok) return err({ message: actor.error, code: EXIT.usage });
  const refusal = ciRefusal(actor.value);
  if (refusal === undefined || dryRun) return project;
  return err({ message: `${refusal} Capture on your own machine, and review the baselines.`, code: EXIT.regressions });
}

async function getReady(
  request: CaptureRequest,
  project: LoadedProject,
  io: CliIo,
): Promise<Result<ReadyCapture, string>> {
  const configured = project.steps.get(request.step);
  if (configured === undefined) return err(unknownStep(request.step, project.steps.keys()));
  const baselines = captureDirectory(configured, project.paths);
  if (!baselines.ok) return baselines;
  const files = findInputs(request.patterns, { cwd: io.cwd, root: project.paths.root });
  if (!files.ok) return files;
  const plan = await planInputs({ ...request, files: files.value });
  return plan.ok ? ok({ request, project, configured, baselines: baselines.value, plan: plan.value, io }) : plan;
}

/** Lists the cases that a capture would run, without running any. */
async function foretell({ configured, baselines, plan, project, io, request }: ReadyCapture): Promise<ExitCode> {
  const text = textIo(io, request.json);
  const listed: object[] = [];
  const library = openLibrary(baselines);
  let known = 0;
  for await (const planned of plan.inputs()) {
    const { stored, path } = library.find(
      configured.step.name,
      identityOfInput(planned),
      planned.name ?? inputLabel(planned),
    );
    if (stored !== undefined) known += 1;
    const verb = stored === undefined ? "capture" : "compare";
    const target = targetName(project.paths.root, path);
    listed.push({ action: verb, input: inputLocation(planned), target });
    printLines(text, [oneLine(`would ${verb}  ${inputLocation(planned)} → ${target}`)]);
  }
  if (request.json) printJson(io, listed);
  printLines(text, [
    `${inputCount(plan)}: ${plan.count - known} new, ${known} with a baseline. ` +
      "No step was run, and no file was written.",
  ]);
  return EXIT.clean;
}

function inputCount({ count, duplicates, notSampled }: InputPlan): string {
  const more = [
    ...(notSampled === 0 ? [] : [`${notSampled} left out by the sample`]),
    ...(duplicates === 0 ? [] : [`${duplicates} given twice`]),
  ];
  return `${plainCount(count, "input")}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

async function captureAndTell(ready: ReadyCapture): Promise<ExitCode> {
  const { request, project, configured, plan, baselines, io } = ready;
  const mode = captureMode(io);
  if (!mode.ok) return printRefusal(io, mode.error);
  const adapters = await makeAdapters(configured);
  if (!adapters.ok) return printRefusal(io, adapters.error);
  const screen = new CheckScreen(textIo(io, request.json), () => plan.count, request.verbose);
  const interrupt = onInterrupt(io);
  const uncaught = watchUncaught();
  const run = new CommandRun({ project, io, title: `veritest capture --step ${request.step}` });
  const remarks = new Map<string, string[]>();
  try {
    const counts = await runCapture({
      step: configured.step,
      adapters: adapters.value,
      mode: mode.value,
      baselines,
      root: project.paths.root,
      plan,
      request,
      timeoutMs: request.timeoutMs ?? defaultTimeout("live"),
      signal: interrupt.signal,
      run,
      ended: () => screen.step(),
      take: (captured) => screen.printCase(captured),
      remark: (location, text) => void remarks.set(text, [...(remarks.get(text) ?? []), location]),
    });
    screen.clear();
    if (counts.lingering > 0) exitWhileRunning(io);
    const interrupted = interrupt.signal.aborted;
    const ending = { ready, interrupted, uncaughtErrors: uncaught.problems(), remarks };
    const problems = problemsOf(counts, ending);
    const applied = await run.applyUpdates(problems);
    if (!applied.ok) return printRefusal(io, applied.error);
    for (const problem of applied.value === undefined ? problems : applied.value.reasons) printWarning(io, problem);
    return printOutcome(applied.value, counts, ending);
  } finally {
    interrupt.release();
    uncaught.release();
  }
}

/** Reads the adapter mode. A capture calls live adapters, so a variable that forbids them is an error. */
function captureMode({ environment }: CliIo): Result<"live" | "auto", string> {
  const variable = readVariable(environment, "VERITEST_MODE") ?? "";
  if (variable === "auto") return ok("auto");
  if (variable === "" || variable === "live") return ok("live");
  const problem = `A capture calls live adapters, but VERITEST_MODE is ${quote(variable)}.`;
  return err(`${problem} Unset VERITEST_MODE, or set it to live or auto.`);
}

interface Ending {
  readonly ready: ReadyCapture;
  readonly interrupted: boolean;
  /** Errors that no handler caught. */
  readonly uncaughtErrors: readonly string[];
  /** Remarks on captured inputs, each with the paths of its inputs. */
  readonly remarks: ReadonlyMap<string, readonly string[]>;
}

/**
 * Returns the reasons why this capture can't write, one sentence each. A capture writes all of its baselines or none.
 */
function problemsOf(
  { failed, broken, changed }: CaptureCounts,
  { ready, interrupted, uncaughtErrors: uncaught }: Ending,
): readonly string[] {
  const { plan, project } = ready;
  if (interrupted) return ["The capture was interrupted.", ...uncaught];
  // With this scope each input counts as a separate test.
  if (project.config.policy.scope === "test") return uncaught;
  return [
    ...uncaught,
    ...(failed + broken === 0 ? [] : [`${failed + broken} of ${plainCount(plan.count, "input")} didn't get a result.`]),
    ...(changed === 0
      ? []
      : [
          `${changed} of ${plan.count} differ from ` +
            `${changed === 1 ? "its baseline" : "their baselines"}, and --update wasn't passed.`,
        ]),
  ];
}

function printOutcome(
  result: RunUpdateResult | undefined,
  counts: CaptureCounts,
  { ready, interrupted, uncaughtErrors: uncaught, remarks }: Ending,
): ExitCode {
  const { plan, io: ownIo, request } = ready;
  const io = textIo(ownIo, request.json);
  const written = result?.written ?? [];
  const pending = (result?.pending.length ?? 0) + (result?.failing.length ?? 0);
  if (request.json)
    printJson(ownIo, {
      inputs: plan.count,
      written: written.map(({ kind, path }) => ({ kind, target: targetName(ready.project.paths.root, path) })),
      unchanged: counts.unchanged,
      changed: counts.changed,
      failed: counts.failed,
      broken: counts.broken,
      pending,
      receipt: result?.receipt?.id ?? null,
    });
  const listed = written
    .slice(0, MAX_FILES)
    .map(({ kind, path }) =>
      oneLine(`${kind === "add" ? "captured" : "updated "}  ${targetName(ready.project.paths.root, path)}`),
    );
  printLines(io, written.length > listed.length ? [...listed, `… and ${written.length - listed.length} more`] : listed);
  for (const [text, [first = "", ...more]] of remarks)
    printLines(io, [oneLine(`${more.length === 0 ? first : plainCount(more.length + 1, "input")}  ${text}`)]);
  const parts = [
    `${written.length} written`,
    ...(counts.unchanged === 0 ? [] : [`${counts.unchanged} unchanged`]),
    ...(counts.changed === 0 ? [] : [`${counts.changed} changed`]),
    ...(counts.failed === 0 ? [] : [`${counts.failed} failed`]),
    ...(counts.broken === 0 ? [] : [`${counts.broken} broken`]),
  ];
  const receipt = result?.receipt === undefined ? "" : `, receipt ${shortId(result.receipt)}`;
  printLines(io, [`${inputCount(plan)}: ${parts.join(", ")}${receipt}`]);
  if (counts.changed > 0 && !interrupted)
    printLines(io, [`Replace the changed baselines with --update, or decide on each change:`]);
  if (pending > 0) printLines(io, [pendingLine(pending, "project", result?.earlier)]);
  if (interrupted || counts.broken > 0 || uncaught.length > 0) return EXIT.usage;
  return counts.failed + counts.changed > 0 || result?.failed === true ? EXIT.regressions : EXIT.clean;
}
