import { projectCommand } from "../explain/rerun-command.ts";
import { acceptGroupCommand, reviewLine } from "../explain/wording.ts";
import { processEnvironment, readVariable } from "../kernel/environment.ts";
import { isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import type { UpdateMode } from "../kernel/write-policy.ts";

/**
 * Returns the command that shows a test's pending change, or accepts a group: in a mode that writes nothing, only a
 * state directory to upload has it.
 */
export function reviewCommandOf(mode: UpdateMode, group?: string): string {
  const location = mode === "none" ? "upload" : "project";
  const command = group === undefined ? reviewLine(location) : acceptGroupCommand(group, location);
  return location === "upload" ? command : projectCommand(command, runRoot());
}

/** Returns the root of the run's project. Calling `announcedRun` would share code with more files of the build. */
function runRoot(): string | undefined {
  const run = parsedJson(readVariable(processEnvironment(), "VERITEST_WORKER_RUN") ?? "");
  const paths = isPlainObject(run) ? run["paths"] : undefined;
  const root = isPlainObject(paths) ? paths["root"] : undefined;
  return typeof root === "string" ? root : undefined;
}
