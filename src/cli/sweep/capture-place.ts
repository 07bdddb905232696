import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Result, err, ok } from "../../base/result.ts";
import { quote } from "../../base/text.ts";
import { displayPath } from "../../baseline/library.ts";
import { groupDirectory } from "../../baseline/names.ts";
import type { ConfiguredStep } from "../../config/load-steps.ts";
import type { Places } from "../../files/places.ts";
import { BASELINES, baselineRoots } from "../baseline-files.ts";

/**
 * The directory that new baselines of a step lie below: what the configuration says, else where its baselines are
 * already, else `__baselines__` in the project's root. One sentence where they are in several places.
 */
export function capturePlace(
  { step, baselines }: ConfiguredStep,
  { root }: Pick<Places, "root">,
): Result<string, string> {
  if (baselines !== undefined) return ok(baselines);
  const [first, ...others] = [...baselineRoots(root)].filter((directory) =>
    existsSync(join(directory, groupDirectory(step.name))),
  );
  if (others.length === 0) return ok(first ?? join(root, BASELINES));
  const places = [first ?? "", ...others].map((place) => displayPath(place)).join(", ");
  return err(
    `Step ${quote(step.name)} has baselines in ${places}. Say which are meant: steps: () => [{ step, baselines: "<one of them>" }]`,
  );
}
