import { acceptGroupCommand } from "../explain/group-lines.ts";
import { projectCommand } from "../explain/rerun-command.ts";
import { reviewLine } from "../explain/wording.ts";
import { processEnvironment } from "../kernel/environment.ts";
import type { UpdateMode } from "../kernel/write-policy.ts";
import { announcedRun } from "../updates/test-run.ts";

/**
 * Returns the command that shows a test's pending change, or accepts a group: in a mode that writes nothing, only a
 * state directory to upload has it.
 */
export function reviewCommandOf(mode: UpdateMode, group?: string): string {
  const location = mode === "none" ? "upload" : "project";
  const command = group === undefined ? reviewLine(location) : acceptGroupCommand(group, location);
  return location === "upload" ? command : projectCommand(command, announcedRun(processEnvironment())?.paths.root);
}
