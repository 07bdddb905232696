import { type Places, placesOf, projectRoot } from "../../kernel/files/places.ts";
import type { CliIo } from "./io.ts";

/** Returns the paths of the project that a command was started in. */
export function cliPlaces({ cwd, environment }: CliIo): Places {
  return placesOf(projectRoot(cwd), environment);
}
