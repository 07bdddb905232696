import { stableStringify } from "../kernel/json/canonical-json.ts";
import { explainCheck } from "./cause/find-cause.ts";
import { checkWithoutCause } from "./check-case.ts";
import { type Case, type Check, type CheckContext, type PathStability, type Trials, withFindings } from "./check.ts";
import { entriesOfChanges } from "./compare/compare.ts";
import { sumCosts } from "./run/costs.ts";
import type { Verdict, VerdictClass } from "./verdict.ts";

/** Number of runs of each baseline, and number that must be clean. */
export interface TrialPlan {
  readonly trials: number;
  readonly min: number;
}

/**
 * Measures how often the current step gives the accepted result for one stored case. The caller passes a context with
 * live responses: on recorded ones every trial is the same. Runs trials one after another and stops when the remaining
 * ones can't change the result. If too few are clean, the verdict, its cause and its update are those of the first
 * trial of the most frequent class.
 */
export async function checkTrials(
  stepCase: Case,
  context: CheckContext,
  { trials: planned, min }: TrialPlan,
): Promise<Check> {
  const started = performance.now();
  const runs: Check[] = [];
  let clean = 0;
  while (runs.length < planned && clean < min && planned - (runs.length - clean) >= min) {
    const trial = await checkWithoutCause(stepCase, context);
    // Damage is the same in each trial, and is detected before the step runs.
    if (trial.verdict.kind === "broken") return trial;
    runs.push(trial);
    if (isClean(trial)) clean += 1;
  }
  const trials = trialsOf(runs, { planned, min });
  const representative = clean >= min ? runs.find(isClean) : mostFrequentFailure(runs, trials.classes);
  if (representative === undefined) throw new Error("no trials were run");
  const costs = sumCosts(runs.flatMap((run) => run.findings.costs ?? []));
  const liveCalls = runs.reduce((sum, run) => sum + (run.findings.liveCalls ?? 0), 0);
  const ms = performance.now() - started;
  const explained = await explainCheck(representative);
  return withFindings(explained, { trials, ms, liveCalls, ...(costs && { costs }) });
}

function isClean({ verdict }: Check): boolean {
  return verdict.kind === "clean";
}

function mostFrequentFailure(runs: readonly Check[], classes: Trials["classes"]): Check | undefined {
  const failing = runs.filter((run) => !isClean(run));
  const frequency = ({ verdict }: Check): number => classes[verdict.kind] ?? 0;
  return failing.toSorted((a, b) => frequency(b) - frequency(a))[0];
}

function trialsOf(
  runs: readonly Check[],
  { planned, min }: { readonly planned: number; readonly min: number },
): Trials {
  const verdicts = runs.map(({ verdict }) => verdict);
  const classes: Partial<Record<VerdictClass, number>> = {};
  for (const { kind } of verdicts) classes[kind] = (classes[kind] ?? 0) + 1;
  const clean = classes.clean ?? 0;
  return {
    planned,
    min,
    run: runs.length,
    clean,
    interval: wilsonInterval(clean, runs.length),
    classes,
    unstable: unstablePaths(verdicts),
  };
}

/** Returns the paths that differed in some trial, the least stable first. Ignores trials without an output. */
function unstablePaths(verdicts: readonly Verdict[]): PathStability[] {
  const compared = verdicts.filter((verdict) => verdict.kind === "clean" || "changes" in verdict);
  const differing = new Map<string, { readonly path: PathStability["path"]; count: number }>();
  for (const path of compared.flatMap(changedPaths)) {
    const known = differing.get(stableStringify(path)) ?? { path, count: 0 };
    known.count += 1;
    differing.set(stableStringify(path), known);
  }
  const of = compared.length;
  return [...differing.values()]
    .toSorted((a, b) => b.count - a.count)
    .map(({ path, count }) => ({ path, equal: of - count, of }));
}

function changedPaths(verdict: Verdict): PathStability["path"][] {
  if (!("changes" in verdict)) return [];
  // A removed element and another difference may share a path.
  const paths = entriesOfChanges(verdict.changes).map(({ path }) => path);
  return [...new Map(paths.map((path) => [stableStringify(path), path])).values()];
}

/** The two-sided 95 % quantile of the normal distribution. */
const Z = 1.959964;

/**
 * Returns the 95 % score interval of a share (E. B. Wilson, 1927), from 0 to 1. Unlike the plain interval, it stays
 * accurate for few runs and for shares near 0 and 1: ten of ten is at least 72 %, not 100 %. Without runs it is 0 to 1.
 */
export function wilsonInterval(hits: number, runs: number): readonly [low: number, high: number] {
  if (runs === 0) return [0, 1];
  const share = hits / runs;
  const weight = Z ** 2 / runs;
  const centre = (share + weight / 2) / (1 + weight);
  const half = (Z / (1 + weight)) * Math.sqrt((share * (1 - share)) / runs + weight / (4 * runs));
  // The interval of 0 or all ends exactly there, apart from rounding.
  return [hits === 0 ? 0 : Math.max(0, centre - half), hits === runs ? 1 : Math.min(1, centre + half)];
}
