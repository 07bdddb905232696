import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import type { Baseline } from "../../baseline/baseline.ts";
import type { AdapterMode } from "../../check/adapter-mode.ts";
import { REPORT_FORMATS, type ReportFormat } from "../../config/report-formats.ts";
import { parseDuration } from "../../kernel/duration.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { caseFilter } from "../inspect/stored-baseline.ts";
import { CONCURRENCY, TIMEOUT } from "./sweep-options.ts";

/** Numbers beyond these are mistakes. */
const MAX_CONCURRENCY = 1000;
const MAX_TRIALS = 1000;

/** Which stored cases a sweep is about, how they are run, and where it is told. */
export interface SweepRequest {
  readonly steps: readonly string[];
  readonly baselines: readonly string[];
  readonly filter: (baseline: Baseline) => boolean;
  /** What the filter asks for, to say where none has it. */
  readonly names: readonly string[];
  readonly labels: readonly string[];
  readonly facts: readonly string[];
  readonly concurrency: number;
  /** Milliseconds, 0 for any time; undefined where nothing is said. */
  readonly timeoutMs: number | undefined;
  readonly format: ReportFormat;
  readonly output: string | undefined;
  /** Whether each case is shown, and not an example of each kind of change. */
  readonly all: boolean;
}

/** Reads the options of a sweep; one sentence where one makes no sense. */
export function sweepRequest(input: CommandInput): Result<SweepRequest, string> {
  const filter = caseFilter(input);
  if (!filter.ok) return filter;
  const concurrency = concurrencyOf(input);
  if (!concurrency.ok) return concurrency;
  const timeoutMs = timeoutOf(input);
  if (!timeoutMs.ok) return timeoutMs;
  return ok({
    steps: input.list("step"),
    baselines: input.list("baseline"),
    filter: filter.value,
    names: input.list("name"),
    labels: input.list("label"),
    facts: input.list("meta"),
    concurrency: concurrency.value,
    timeoutMs: timeoutMs.value,
    format: REPORT_FORMATS.find((format) => format === input.text("format")) ?? "text",
    output: input.text("output"),
    all: input.flag("all"),
  });
}

/** How often each case is run; undefined for once. One sentence where the numbers make no plan. */
export function trialsOf(
  input: CommandInput,
): Result<{ readonly trials: number; readonly min: number } | undefined, string> {
  const trials = countOf(input, "trials", MAX_TRIALS);
  if (!trials.ok) return trials;
  const min = countOf(input, "min", MAX_TRIALS);
  if (!min.ok) return min;
  if (trials.value === undefined)
    return min.value === undefined ? ok(undefined) : err("--min counts trials: give both, --trials 10 --min 9.");
  if (min.value !== undefined && min.value > trials.value)
    return err(`--min is ${min.value}, more than the ${trials.value} trials.`);
  return ok({ trials: trials.value, min: min.value ?? trials.value });
}

/** How many are worked on at a time. */
export function concurrencyOf(input: CommandInput): Result<number, string> {
  const count = countOf(input, "concurrency", MAX_CONCURRENCY);
  return count.ok ? ok(count.value ?? CONCURRENCY) : count;
}

/** The value of an option that counts from 1 on; undefined where it was not given. */
function countOf(input: CommandInput, name: string, most: number): Result<number | undefined, string> {
  const text = input.text(name);
  if (text === undefined) return ok(undefined);
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= most
    ? ok(count)
    : err(`--${name} takes a whole number from 1 to ${most}, not ${quote(text)}.`);
}

/** More than anybody draws. */
const MAX_SAMPLE = 1_000_000_000;

/** How many are drawn, undefined for all, and by what; one sentence where only the latter is given. */
export function sampleOf(
  input: CommandInput,
): Result<{ readonly sample: number | undefined; readonly seed: string }, string> {
  const sample = countOf(input, "sample", MAX_SAMPLE);
  if (!sample.ok) return sample;
  const seed = input.text("seed");
  if (sample.value === undefined && seed !== undefined)
    return err("--seed draws a sample: give both, --sample 20 --seed 1.");
  return ok({ sample: sample.value, seed: seed ?? "1" });
}

/** Milliseconds that one run of a case may take, 0 for any time; undefined where nothing is said. */
export function timeoutOf(input: CommandInput): Result<number | undefined, string> {
  const text = input.text("timeout");
  if (text === undefined) return ok(undefined);
  const [, plain] = /^(\d{1,9})(?:ms)?$/.exec(text) ?? [];
  const ms = plain === undefined ? parseDuration(text) : Number(plain);
  return ms === undefined
    ? err(`--timeout takes a time such as 500ms, 90s or 5m, or 0 for any time; not ${quote(text)}.`)
    : ok(ms);
}

/** The time that one run has in a mode where nothing is said, in milliseconds. */
export function usualTimeout(mode: AdapterMode): number {
  return parseDuration(mode === "recorded" ? TIMEOUT.recorded : TIMEOUT.live) ?? 0;
}
