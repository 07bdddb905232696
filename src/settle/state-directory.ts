import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Places } from "../place/places.ts";
import { makeDirectory } from "./durable.ts";

/** Makes the state directory where there is none. One inside the project hides itself from git. Returns its path. */
export function makeState({ state }: Pick<Places, "state">): string {
  makeDirectory(state);
  const ignore = join(state, ".gitignore");
  if (basename(state) === ".veritest" && !existsSync(ignore)) writeFileSync(ignore, "*\n");
  return state;
}
