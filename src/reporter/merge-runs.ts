import { stableStringify } from "../kernel/json/canonical-json.ts";
import { type Result, err, ok } from "../kernel/result.ts";
import { byCodeUnits, escapeText, truncate } from "../kernel/text.ts";
import { SEVERITY } from "../check/verdict.ts";
import { buildRunModel } from "./build-run-model.ts";
import type { ReportEnvironment, ReportAppliedUpdates, RunModel } from "../explain/run-model.ts";
import { SEPARATOR, runnerTexts } from "../explain/wording.ts";
import type { ReportCase } from "../explain/report-case.ts";

/** Characters of a name in a message. */
const MAX_NAME = 60;
/** Missing shards that are named. */
const MAX_SHARDS = 20;

/**
 * Merges several runs, such as the shards of one, in any order. The result starts with the earliest and takes as long
 * as the longest. Its cases, sums, problems and reasons are those of all. A case is identified by its step, baseline
 * and test: if several runs have it, the worst counts, and if several tests check one baseline, each does. A shard
 * doesn't know which baselines the others use, so a baseline is obsolete only if every shard reports it; a removed one
 * is always reported. A missing shard is a problem of the run, and makes it an error. Complete runs may have different
 * runners. The error is a sentence: there is nothing to merge, the shards have different runners or counts, or a shard
 * comes twice.
 */
export function mergeRuns(models: readonly RunModel[]): Result<RunModel, string> {
  const [first] = models;
  if (first === undefined) return err("There is no run to merge. Pass the run.json of each shard, or its folder.");
  const refusal = shardProblem(models);
  if (refusal !== undefined) return err(refusal);
  const sharded = first.environment.shard !== null;
  if (models.length === 1 && !sharded) return ok(first);
  return ok(
    buildRunModel({
      startedAt: models.map(({ startedAt }) => startedAt).reduce(earlier),
      durationMs: Math.max(...models.map(({ durationMs }) => durationMs)),
      environment: mergeEnvironments(models.map(({ environment }) => environment)),
      cases: mergeCases(models, sharded),
      applied: mergeSettlements(models.map(({ applied }) => applied)),
      problems: distinct([...models.flatMap(({ problems }) => problems), ...missingShards(models)]),
    }),
  );
}

/** Returns a sentence if shards have different runners: they are shards of different runs. */
function runnerProblem(models: readonly RunModel[]): string | undefined {
  const names = distinct(
    models.map(({ environment: { runner } }) =>
      runner === null ? "the command line" : shown(runnerTexts(runner).join(SEPARATOR)),
    ),
  );
  return names.length === 1
    ? undefined
    : `Cannot merge shards from ${names.join(" and ")}. Merge the shards of each run first, then the results.`;
}

function shardProblem(models: readonly RunModel[]): string | undefined {
  const shards = models.map(({ environment: { shard } }) => shard);
  const known = shards.filter((shard) => shard !== null);
  if (known.length === 0) return undefined;
  if (known.length < shards.length)
    return "Cannot merge reports of shards with reports of complete runs. Merge all shards of one run at once.";
  const refusal = runnerProblem(models);
  if (refusal !== undefined) return refusal;
  const totals = distinct(known.map(({ count }) => String(count)));
  if (totals.length > 1)
    return `Cannot merge shards of different runs, with ${totals.join(" and ")} shards. Pass the files of one run.`;
  const twice = known.find(({ index }, at) => known.findIndex((other) => other.index === index) !== at);
  return twice === undefined
    ? undefined
    : `Cannot merge: shard ${twice.index} of ${twice.count} is listed twice. Pass the file of each shard once.`;
}

function missingShards(models: readonly RunModel[]): string[] {
  const shards = models.flatMap(({ environment: { shard } }) => (shard === null ? [] : [shard]));
  const total = shards[0]?.count ?? 0;
  const there = new Set(shards.map(({ index }) => index));
  const gone: number[] = [];
  for (let index = 1; index <= total && gone.length < MAX_SHARDS; index += 1) if (!there.has(index)) gone.push(index);
  const count = total - there.size;
  if (count === 0) return [];
  const names = `${gone.join(", ")}${count > gone.length ? ` and ${count - gone.length} more` : ""}`;
  const missing = count === 1 ? `Shard ${names} of ${total} is` : `Shards ${names} of ${total} are`;
  return [`${missing} missing, so the result is incomplete.`];
}

function earlier(a: string, b: string): string {
  const difference = Date.parse(a) - Date.parse(b);
  return difference < 0 || (difference === 0 && a < b) ? a : b;
}

function mergeEnvironments(all: readonly ReportEnvironment[]): ReportEnvironment {
  const source = all[0]?.source;
  const adapterMode = joined(all.flatMap((environment) => environment.adapterMode ?? []));
  return {
    veritest: joined(all.map(({ veritest }) => veritest)),
    runner: mergeRunners(all),
    node: joined(all.map(({ node }) => node)),
    platform: joined(all.map(({ platform }) => platform)),
    ci: all.some(({ ci }) => ci),
    adapterMode: adapterMode === "" ? null : adapterMode,
    shard: null,
    // Runs of several commits have none.
    ...(source !== undefined && all.every((other) => other.source?.commit === source.commit) ? { source } : {}),
  };
}

/** Returns the runners of runs: `jest, vitest`, with the versions `30.5.2, 5.1.1` in the same order. */
function mergeRunners(all: readonly ReportEnvironment[]): ReportEnvironment["runner"] {
  const texts = distinct(all.flatMap(({ runner }) => runnerTexts(runner)));
  if (texts.length === 0) return null;
  const pairs = texts.map((each) => [each.slice(0, each.lastIndexOf(" ")), each.slice(each.lastIndexOf(" ") + 1)]);
  const [names, versions] = [0, 1].map((index) => pairs.map((pair) => pair[index]).join(SEPARATOR));
  return { name: names ?? "", version: versions ?? "" };
}

function mergeSettlements(all: readonly (ReportAppliedUpdates | null)[]): ReportAppliedUpdates | null {
  const known = all.filter((entry) => entry !== null);
  if (known.length === 0) return null;
  const receipts = joined(known.flatMap(({ receipt }) => receipt ?? []));
  return { receipt: receipts === "" ? null : receipts, because: distinct(known.flatMap(({ because }) => because)) };
}

function mergeCases(models: readonly RunModel[], sharded: boolean): ReportCase[] {
  const [obsolete = [], checked = []] = [true, false].map((wanted) =>
    models.map(({ cases }) => cases.filter((reported) => isObsolete(reported) === wanted)),
  );
  const checks = listsOf(checked, checkKey).flatMap(([, lists]) => worstList(lists));
  const used = new Set(checks.map(baselineKey));
  const obsoleteCases = listsOf(obsolete, baselineKey)
    .filter(([key, lists]) => !used.has(key) && (!sharded || lists.length === models.length))
    .flatMap(([, lists]) => worstList(lists));
  // Sorted, so that entries of equal rank don't depend on the order of the files.
  return [...checks, ...obsoleteCases]
    .map((entry) => ({ entry, json: stableStringify(entry) }))
    .toSorted((a, b) => byCodeUnits(a.json, b.json))
    .map(({ entry }) => entry);
}

/** Groups the cases of each run by a key, and returns the lists of the runs that have it. */
function listsOf(
  runs: readonly (readonly ReportCase[])[],
  keyOf: (reported: ReportCase) => string,
): readonly (readonly [key: string, lists: readonly (readonly ReportCase[])[]])[] {
  const groups = Map.groupBy(
    runs.flatMap((cases) => [...Map.groupBy(cases, keyOf)]),
    ([key]) => key,
  );
  return [...groups].map(([key, lists]) => [key, lists.map(([, cases]) => cases)]);
}

function isObsolete({ kind, updateState }: ReportCase): boolean {
  return kind === "obsolete" && updateState !== "removed";
}

function checkKey({ step, baseline, test }: ReportCase): string {
  return JSON.stringify([step, baseline, test?.file, test?.name]);
}

function baselineKey({ step, baseline }: ReportCase): string {
  return JSON.stringify([step, baseline]);
}

/** The worst checks of one case. A run may have several, if a test checks a baseline twice. */
function worstList(lists: readonly (readonly ReportCase[])[]): readonly ReportCase[] {
  const ranked = lists.map((cases) => ({ cases, rank: cases.map(rankOf).toSorted(byCodeUnits).join("\n") }));
  return ranked.reduce((a, b) => (byCodeUnits(a.rank, b.rank) <= 0 ? a : b)).cases;
}

/** Smaller for what is worse; the rest of the case decides between equals, so that any order of runs gives the same. */
function rankOf(reported: ReportCase): string {
  return `${String(SEVERITY[reported.kind]).padStart(2, "0")}${stableStringify(reported)}`;
}

/** Several values of one fact; merging merged ones again gives no value twice. */
function joined(values: readonly string[]): string {
  return distinct(values.flatMap((value) => value.split(SEPARATOR))).join(SEPARATOR);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted(byCodeUnits);
}

function shown(name: string): string {
  return truncate(escapeText(name), MAX_NAME);
}
