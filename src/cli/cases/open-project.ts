import { processEnvironment, readVariable, setVariable } from "../../kernel/environment.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { type LoadedConfig, loadConfig } from "../../config/load-config.ts";
import { type ConfiguredStep, loadSteps } from "../../config/load-steps.ts";
import { workerSettings } from "../../config/worker-settings.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { listNames } from "../../kernel/files/read.ts";
import { installFetchRecorder, installModelRecorder, usedRecorders } from "./install-recorders.ts";
import { withFrozenClock } from "../../record/interceptors/frozen-clock.ts";
import { redactionState } from "../../redact/redaction-state.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CliIo } from "../terminal/io.ts";
import { recoverDeadProcesses } from "../review/with-update-context.ts";
import { printWarning } from "../terminal/print.ts";

/** A loaded project with its steps. */
export interface LoadedProject {
  readonly paths: ProjectPaths;
  readonly config: LoadedConfig;
  /** Steps by name. */
  readonly steps: ReadonlyMap<string, ConfiguredStep>;
}

/**
 * Prepares a project for running its steps: loads the configuration and the steps, sets up redaction, and finishes the
 * work of dead processes. The error is one sentence on the first failure.
 */
export async function openProject(io: CliIo): Promise<Result<LoadedProject, string>> {
  const project = await loadProject(cliPaths(io));
  if (!project.ok) return project;
  const stuck = finishDead(project.value.paths, io);
  return stuck === undefined ? project : err(stuck);
}

/** Loads a project's configuration and its steps with the recorders of its tests, and sets up redaction. */
async function loadProject(paths: ProjectPaths): Promise<Result<LoadedProject, string>> {
  const used = usedRecorders(paths.root);
  if (used.fetch) await installFetchRecorder(paths.root);
  const config = await loadConfig(paths.root);
  if (!config.ok) return config;
  prepareRedaction(config.value);
  const steps = await loadSteps(config.value);
  if (!steps.ok) return steps;
  if (used.models) await installModelRecorder();
  const frozen = [...steps.value].map(([name, configured]) => [name, withClock(configured)] as const);
  return ok({ paths, config: config.value, steps: new Map(frozen) });
}

function withClock(configured: ConfiguredStep): ConfiguredStep {
  const { step, frozenAt } = configured;
  if (frozenAt === undefined) return configured;
  const run: ConfiguredStep["step"]["run"] = (input, ctx) => withFrozenClock(frozenAt, () => step.run(input, ctx));
  return { ...configured, step: { ...step, run } };
}

/** Sets the variables that the main process of a run sets for its workers. Here both are one process. */
function prepareRedaction(config: LoadedConfig): void {
  const environment = processEnvironment();
  setVariable(environment, "VERITEST_REDACTION", workerSettings(config));
  if (config.captureContent === true && readVariable(environment, "VERITEST_CAPTURE_CONTENT") === undefined)
    setVariable(environment, "VERITEST_CAPTURE_CONTENT", "1");
  redactionState().redactor = undefined;
}

/**
 * Finishes the work of killed runs, because commands would read unfinished files as they are. Returns a sentence if
 * that fails.
 */
function finishDead(paths: ProjectPaths, io: CliIo): string | undefined {
  try {
    // Usually the directory is empty: then this listing is the only cost.
    if (listNames(paths.state).length === 0) return undefined;
    const { done, stuck } = recoverDeadProcesses(paths);
    for (const line of done) printWarning(io, line);
    return stuck.length === 0 ? undefined : stuck.join(" ");
  } catch (thrown) {
    // A read-only checkout doesn't prevent a comparison.
    printWarning(io, messageOf(thrown));
    return undefined;
  }
}
