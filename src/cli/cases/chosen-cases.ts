import { basename } from "node:path";
import type { BaselineTarget } from "../../check-all/find-targets.ts";
import { type SourceCase, filedCases } from "../../check-all/stored-cases.ts";
import type { CheckRequest } from "./check-request.ts";
import { type Ranked, lowestRanks, sampleRank } from "./plan-inputs.ts";

/** Yields the baselines of targets: all, or those of the sample, which depends on the seed and their file names. */
export function* chosenCases(
  targets: readonly BaselineTarget[],
  { sample, seed, filter }: Pick<CheckRequest, "filter" | "sample" | "seed">,
): Generator<SourceCase, void, undefined> {
  if (sample === undefined) return yield* filedCases(targets);
  const ranked: Ranked[] = [];
  for (const { stored } of filedCases(targets)) {
    const { baseline, path } = stored;
    if (!baseline.ok || filter(baseline.value))
      ranked.push({ rank: sampleRank(seed, basename(path)), key: path, item: path });
  }
  const sampled = new Set(lowestRanks(ranked, sample));
  for (const sourceCase of filedCases(targets)) if (sampled.has(sourceCase.stored.path)) yield sourceCase;
}
