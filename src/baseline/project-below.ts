import { projectRoot } from "../kernel/files/project-paths.ts";
import { isWithin } from "../kernel/files/real-directory.ts";
import { displayPath } from "./baseline-library.ts";

/**
 * Returns the path of a project, if it is below the working directory and that directory is of a different project.
 * Undefined otherwise: commands that run in the working directory find the project.
 */
export function projectBelow(root: string): string | undefined {
  const cwd = process.cwd();
  return projectRoot(cwd) === root || !isWithin(cwd, root) ? undefined : displayPath(root);
}
