import { processEnvironment, readVariable, setVariable } from "../../kernel/environment.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/thrown.ts";
import { type LoadedConfig, loadConfig } from "../../config/load-config.ts";
import { type ConfiguredStep, loadSteps } from "../../config/load-steps.ts";
import type { Places } from "../../kernel/files/places.ts";
import { listNames } from "../../kernel/files/read.ts";
import { redactionState } from "../../redact/redaction-state.ts";
import { cliPlaces } from "../terminal/cli-places.ts";
import type { CliIo } from "../terminal/io.ts";
import { finishOthers } from "../review/settler-here.ts";
import { warn } from "../terminal/say.ts";

/** A project whose steps the command line is to run. */
export interface SweepProject {
  readonly places: Places;
  readonly config: LoadedConfig;
  /** By name. */
  readonly steps: ReadonlyMap<string, ConfiguredStep>;
}

/**
 * Gets ready to run a project's steps: loads its configuration and them, tells this process what is to be hidden, and
 * finishes what dead processes left. One sentence where that fails.
 */
export async function openProject(io: CliIo): Promise<Result<SweepProject, string>> {
  const project = await loadProject(cliPlaces(io));
  if (!project.ok) return project;
  const stuck = finishDead(project.value.places, io);
  return stuck === undefined ? project : err(stuck);
}

/** Loads a project's configuration and its steps, and tells this process what is to be hidden. */
async function loadProject(places: Places): Promise<Result<SweepProject, string>> {
  const config = await loadConfig(places.root);
  if (!config.ok) return config;
  prepareRedaction(config.value);
  const steps = await loadSteps(config.value);
  return steps.ok ? ok({ places, config: config.value, steps: steps.value }) : steps;
}

/** As the main process of a run does for its workers; here both are one. */
function prepareRedaction({ policy, captureContent }: LoadedConfig): void {
  const environment = processEnvironment();
  setVariable(environment, "VERITEST_REDACTION", JSON.stringify(policy.redact));
  if (captureContent === true && readVariable(environment, "VERITEST_CAPTURE_CONTENT") === undefined)
    setVariable(environment, "VERITEST_CAPTURE_CONTENT", "1");
  redactionState().redactor = undefined;
}

/** What a killed run left would be read as it is; where it cannot be finished nothing here can be trusted. */
function finishDead(places: Places, io: CliIo): string | undefined {
  try {
    // Usually there is nothing at all: then this one listing is all it costs.
    if (listNames(places.state).length === 0) return undefined;
    const { done, stuck } = finishOthers(places);
    for (const line of done) warn(io, line);
    return stuck.length === 0 ? undefined : stuck.join(" ");
  } catch (thrown) {
    // A checkout that cannot be written must not keep anybody from comparing.
    warn(io, messageOf(thrown));
    return undefined;
  }
}
