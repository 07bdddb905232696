import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import type { BaselineMeta } from "../../baseline/baseline.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import { BASELINES_DIRECTORY, groupDirectory } from "../../baseline/baseline-paths.ts";
import type { ConfiguredStep } from "../../config/load-steps.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { baselineRoots } from "../../baseline/baseline-files.ts";
import { type CommandInput, metaFacts } from "../terminal/command-input.ts";
import { concurrencyOf, sampleOf, timeoutOf } from "./check-request.ts";

/** Options of a capture, and the description of its cases. */
export interface CaptureChoices {
  /** Undefined if not given: existing cases keep their labels. */
  readonly labels: readonly string[] | undefined;
  readonly meta: BaselineMeta | undefined;
  readonly dryRun: boolean;
  readonly verbose: boolean;
  readonly json: boolean;
  readonly concurrency: number;
  readonly timeoutMs: number | undefined;
}

/** Inputs of a capture, and its options. */
export interface CaptureRequest extends CaptureChoices {
  readonly step: string;
  /** Glob patterns of input files. */
  readonly patterns: readonly string[];
  readonly sample: number | undefined;
  readonly seed: string;
  /** Template of case names; see `InputRequest`. */
  readonly name: string | undefined;
  /** True if existing baselines may be replaced. */
  readonly update: boolean;
}

/** Reads the options of a capture. The error is one sentence on an option that is missing or invalid. */
export function captureRequest(input: CommandInput): Result<CaptureRequest, string> {
  const step = input.text("step") ?? "";
  if (step === "") return err("No step was passed. Add --step <name>. See: veritest capture --help");
  const patterns = [...input.list("input"), ...input.operands];
  if (patterns.length === 0)
    return err("No input was passed. Add --input 'inputs/*.json'. See: veritest capture --help");
  const sample = sampleOf(input);
  if (!sample.ok) return sample;
  const how = captureOptions(input);
  if (!how.ok) return how;
  return ok({
    ...how.value,
    ...sample.value,
    step,
    patterns,
    name: input.text("name"),
    update: input.flag("update"),
  });
}

/** Reads the options that all kinds of capture share. */
export function captureOptions(input: CommandInput): Result<CaptureChoices, string> {
  const concurrency = concurrencyOf(input);
  if (!concurrency.ok) return concurrency;
  const timeoutMs = timeoutOf(input);
  if (!timeoutMs.ok) return timeoutMs;
  const facts = metaFacts(input);
  if (!facts.ok) return facts;
  const labels = input.list("label");
  return ok({
    labels: labels.length === 0 ? undefined : [...new Set(labels)],
    meta: metaOf(facts.value),
    dryRun: input.flag("dryRun"),
    verbose: input.flag("verbose"),
    json: input.flag("json"),
    concurrency: concurrency.value,
    timeoutMs: timeoutMs.value,
  });
}

/** Makes metadata of facts. `true`, `false` and numbers get their JSON type; other values stay strings. */
function metaOf(facts: readonly (readonly [string, string])[]): BaselineMeta | undefined {
  // Object.fromEntries defines properties instead of assigning them: a key may be __proto__.
  return facts.length === 0 ? undefined : Object.fromEntries(facts.map(([key, text]) => [key, factValue(text)]));
}

function factValue(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  // Only numbers in JSON's own notation: 007 and 1e3 stay strings.
  return text !== "" && Number.isFinite(number) && String(number) === text ? number : text;
}

/**
 * Returns the directory of a step's new baselines. Default: the configured one, then the one that already has its
 * baselines, then `__baselines__` in the project's root. The error is one sentence if several directories have some.
 */
export function captureDirectory(
  { step, baselines }: ConfiguredStep,
  { root }: Pick<ProjectPaths, "root">,
): Result<string, string> {
  if (baselines !== undefined) return ok(baselines);
  const [first, ...more] = [...baselineRoots(root)].filter((directory) =>
    existsSync(join(directory, groupDirectory(step.name))),
  );
  if (more.length === 0) return ok(first ?? join(root, BASELINES_DIRECTORY));
  const list = [first ?? "", ...more].map((directory) => displayPath(directory)).join(", ");
  return err(
    `Step ${quote(step.name)} has baselines in ${list}. ` +
      'Say which are meant: steps: () => [{ step, baselines: "<one of them>" }]',
  );
}
