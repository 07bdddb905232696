import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import type { Baseline } from "../../baseline/baseline.ts";
import type { AdapterMode } from "../../check/run/adapter-mode.ts";
import { REPORT_FORMATS, type ReportFormat } from "../../explain/format-names.ts";
import { parseDuration } from "../../kernel/duration.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { caseFilter } from "../inspect/stored-baseline.ts";
import { CONCURRENCY, TIMEOUT } from "./check-options.ts";

/** Upper limits: larger numbers are mistakes. */
const MAX_CONCURRENCY = 1000;
const MAX_TRIALS = 1000;

/** Options of a check of stored cases: the cases, their runs, and the output. */
export interface CheckRequest {
  readonly steps: readonly string[];
  readonly baselines: readonly string[];
  readonly filter: (baseline: Baseline) => boolean;
  /** Values of the filter, for the message if no baseline has one. */
  readonly names: readonly string[];
  readonly labels: readonly string[];
  readonly facts: readonly string[];
  readonly concurrency: number;
  /** Milliseconds, 0 for none; undefined if not given. */
  readonly timeoutMs: number | undefined;
  readonly format: ReportFormat;
  readonly output: string | undefined;
  /** True to show each case, instead of one example per group. */
  readonly all: boolean;
  /** True to list the cases only. */
  readonly dryRun: boolean;
  /** Number of cases of a sample; undefined for all. */
  readonly sample: number | undefined;
  readonly seed: string;
}

/** Reads the options. The error is one sentence on an invalid one. */
export function checkRequest(input: CommandInput): Result<CheckRequest, string> {
  const filter = caseFilter(input);
  if (!filter.ok) return filter;
  const concurrency = concurrencyOf(input);
  if (!concurrency.ok) return concurrency;
  const timeoutMs = timeoutOf(input);
  if (!timeoutMs.ok) return timeoutMs;
  const sampling = sampleOf(input);
  if (!sampling.ok) return sampling;
  if (input.flag("json") && input.text("format") !== undefined) return err("Pass --json or --format, not both.");
  return ok({
    steps: input.list("step"),
    baselines: input.list("baseline"),
    filter: filter.value,
    names: input.list("name"),
    labels: input.list("label"),
    facts: input.list("meta"),
    concurrency: concurrency.value,
    timeoutMs: timeoutMs.value,
    format: input.flag("json") ? "json" : (REPORT_FORMATS.find((format) => format === input.text("format")) ?? "text"),
    output: input.text("output"),
    all: input.flag("verbose"),
    dryRun: input.flag("dryRun"),
    ...sampling.value,
  });
}

/**
 * Reads the number of trials per case; undefined for one run. The error is one sentence if the numbers contradict each
 * other.
 */
export function trialsOf(
  input: CommandInput,
): Result<{ readonly trials: number; readonly min: number } | undefined, string> {
  const trials = countOf(input, "trials", MAX_TRIALS);
  if (!trials.ok) return trials;
  const min = countOf(input, "min", MAX_TRIALS);
  if (!min.ok) return min;
  if (trials.value === undefined)
    return min.value === undefined
      ? ok(undefined)
      : err(
          "--min is the number of trials that must be clean, " +
            "so it needs --trials. Pass both: --trials 10 --min 9.",
        );
  if (min.value !== undefined && min.value > trials.value)
    return err(`--min is ${min.value}, which is more than the ${trials.value} trials.`);
  return ok({ trials: trials.value, min: min.value ?? trials.value });
}

/** Reads the number of concurrent cases. */
export function concurrencyOf(input: CommandInput): Result<number, string> {
  const count = countOf(input, "concurrency", MAX_CONCURRENCY);
  return count.ok ? ok(count.value ?? CONCURRENCY) : count;
}

/** Reads an option that is a number from 1; undefined if not given. */
function countOf(input: CommandInput, name: string, most: number): Result<number | undefined, string> {
  const text = input.text(name);
  if (text === undefined) return ok(undefined);
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= most
    ? ok(count)
    : err(`--${name} must be an integer from 1 to ${most}, got ${quote(text)}.`);
}

/** Upper limit of a sample. */
const MAX_SAMPLE = 1_000_000_000;

/** Reads the sample size, undefined for all, and the seed. The error is one sentence if only the seed is given. */
export function sampleOf(
  input: CommandInput,
): Result<{ readonly sample: number | undefined; readonly seed: string }, string> {
  const sample = countOf(input, "sample", MAX_SAMPLE);
  if (!sample.ok) return sample;
  const seed = input.text("seed");
  if (sample.value === undefined && seed !== undefined)
    return err("--seed only applies to a sample. Pass both: --sample 20 --seed 1.");
  return ok({ sample: sample.value, seed: seed ?? "1" });
}

/** Reads the timeout of one run of a case in milliseconds, 0 for none; undefined if not given. */
export function timeoutOf(input: CommandInput): Result<number | undefined, string> {
  const text = input.text("timeout");
  if (text === undefined) return ok(undefined);
  // A bare number has no unit: 30 might be meant as seconds.
  const [, plain] = /^(0|\d{1,9}(?=ms$))/.exec(text) ?? [];
  const ms = plain === undefined || !["0", `${plain}ms`].includes(text) ? parseDuration(text) : Number(plain);
  return ms === undefined
    ? err(`--timeout must be a time such as 500ms, 90s or 5m, or 0 for no limit, got ${quote(text)}.`)
    : ok(ms);
}

/** Returns the default timeout of one run in milliseconds. */
export function defaultTimeout(mode: AdapterMode): number {
  return parseDuration(mode === "replay" ? TIMEOUT.replay : TIMEOUT.live) ?? 0;
}
