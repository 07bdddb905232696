import { stableStringify } from "../base/canonical-json.ts";
import type { StoredCase } from "../baseline/library.ts";
import type { AnyStep } from "../step/define-step.ts";
import type { Check, PathStability, Trials } from "./check.ts";
import { sumCosts } from "./costs.ts";
import { explainCheck } from "./explain-check.ts";
import { recomputeCase } from "./recompute-case.ts";
import type { RecomputeQuestion, RecomputedCase } from "./recompute-once.ts";
import type { Verdict, VerdictKind } from "./verdict.ts";

/** How a stored case is tried: so many live runs, so many of them clean. */
interface TrialsQuestion extends RecomputeQuestion {
  readonly trials: number;
  readonly min: number;
}

/**
 * Asks of one stored case: how often does today's step, with live adapters, decide the same? Runs one trial after the
 * other and stops when the rest can no longer change the answer. Where too few are clean, the verdict, its cause and
 * what may be accepted are those of the first trial of the class that came most often.
 */
export async function checkTrials(step: AnyStep, stored: StoredCase, question: TrialsQuestion): Promise<Check> {
  const { trials: planned, min } = question;
  const runs: RecomputedCase[] = [];
  const cleanOf = (): number => runs.filter(isClean).length;
  while (runs.length < planned && cleanOf() < min && planned - (runs.length - cleanOf()) >= min) {
    const trial = await recomputeCase(step, stored, question);
    // Damage is the same each time, and was found before the step was run.
    if (trial.check.verdict.kind === "broken") return trial.check;
    runs.push(trial);
  }
  const trials = report(runs, { planned, min });
  const shown = cleanOf() >= min ? runs.find(isClean) : mostOften(runs, trials.classes);
  if (shown === undefined) throw new Error("no trial was run");
  const costs = sumCosts(runs.flatMap(({ check }) => check.costs ?? []));
  return { ...(await explainCheck(shown)), trials, ...(costs === undefined ? {} : { costs }) };
}

function isClean({ check }: RecomputedCase): boolean {
  return check.verdict.kind === "clean";
}

function mostOften(runs: readonly RecomputedCase[], classes: Trials["classes"]): RecomputedCase | undefined {
  const failing = runs.filter((run) => !isClean(run));
  const often = ({ check }: RecomputedCase): number => classes[check.verdict.kind] ?? 0;
  return failing.toSorted((a, b) => often(b) - often(a))[0];
}

function report(
  runs: readonly RecomputedCase[],
  { planned, min }: { readonly planned: number; readonly min: number },
): Trials {
  const verdicts = runs.map(({ check }) => check.verdict);
  const classes: Partial<Record<VerdictKind, number>> = {};
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

/** The paths that differed in some trial, the least stable first. Trials without an output to compare say nothing. */
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
  return verdict.changes.flatMap(({ part, diff }) =>
    diff.entries.map(({ path }) => (part === "output" ? path : [part, ...path])),
  );
}

/** The two-sided 95 % quantile of the normal distribution. */
const Z = 1.959964;

/**
 * The 95 % score interval of a share (E. B. Wilson, 1927), from 0 to 1. Unlike the plain one it stays honest for few
 * runs and for shares near 0 and 1: ten of ten is 72 % at least, not 100 %. Without runs it is everything.
 */
export function wilsonInterval(hits: number, runs: number): readonly [low: number, high: number] {
  if (runs === 0) return [0, 1];
  const share = hits / runs;
  const weight = Z ** 2 / runs;
  const centre = (share + weight / 2) / (1 + weight);
  const half = (Z / (1 + weight)) * Math.sqrt((share * (1 - share)) / runs + weight / (4 * runs));
  // At the ends the interval ends there too, but for the rounding of fractions.
  return [hits === 0 ? 0 : Math.max(0, centre - half), hits === runs ? 1 : Math.min(1, centre + half)];
}
