import { type ProjectPaths, projectPaths, projectRoot } from "../../kernel/files/project-paths.ts";
import type { CliIo } from "./io.ts";

/** Returns the paths of the project that a command was started in. */
export function cliPaths({ cwd, environment }: CliIo): ProjectPaths {
  return projectPaths(projectRoot(cwd), environment);
}
