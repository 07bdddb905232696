import { basename, dirname, resolve } from "node:path";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../kernel/result.ts";
import { escapeText, quote } from "../kernel/text.ts";
import type { BaseAdapters } from "../kernel/step/context.ts";
import { type AnyStep, isStep } from "../kernel/step/define-step.ts";
import { messageOf } from "../kernel/error-message.ts";
import { BASELINES_DIRECTORY } from "../baseline/baseline-paths.ts";
import type { LoadedConfig } from "./load-config.ts";
import { defaultOf, loadByJiti, loadProblem } from "./load-module.ts";
import { type StepEntry, entryProblem, frozenTime, isStepEntry } from "./steps-config.ts";

/** Maximum number of exports listed for a module without steps. */
const MAX_SHOWN = 8;

/** A step of a project, ready to run. */
export interface ConfiguredStep {
  readonly step: AnyStep;
  /** Creates the current adapters once; undefined if not configured. */
  readonly adapters: (() => Promise<BaseAdapters>) | undefined;
  /** Time that the step reads, in Unix milliseconds; undefined for the computer's clock. */
  readonly frozenAt: number | undefined;
  /** Absolute directory of its baselines; undefined if not configured. */
  readonly baselines: string | undefined;
}

/**
 * Loads the steps that a project's configuration names, by name. The error is one sentence: why they can't be loaded,
 * or which entry isn't a step.
 */
export async function loadSteps(
  config: Pick<LoadedConfig, "file" | "steps">,
): Promise<Result<ReadonlyMap<string, ConfiguredStep>, string>> {
  const { file, steps } = config;
  if (file === undefined)
    return err(
      "There is no veritest.config.ts here, and so no steps to run. In a monorepo, run the command in a package. " +
        'To add one: export default defineConfig({ steps: () => import("./steps/index.ts") })',
    );
  if (steps === undefined)
    return err(`${basename(file)} names no steps. Add them: steps: () => import("./steps/index.ts")`);
  try {
    const gathered = gather(await listed(file, steps), "steps");
    return gathered.ok ? named(gathered.value, file) : err(`${basename(file)}: ${gathered.error}`);
  } catch (thrown) {
    return err(`${basename(file)}: the steps can't be loaded: ${escapeText(loadProblem(thrown))}`);
  }
}

async function listed(file: string, steps: unknown): Promise<unknown> {
  if (!isGiver(steps)) return steps;
  try {
    return await steps();
  } catch (thrown) {
    // jiti can load modules that Node's own import can't, if it loads the importing file as well.
    const again: unknown = Reflect.get(Object(defaultOf(loadByJiti(file, thrown))), "steps");
    if (!isGiver(again)) throw thrown;
    return again();
  }
}

function isGiver(value: unknown): value is () => unknown {
  return typeof value === "function";
}

/** Returns the entries in a list, or among the exports of a module. Other exports are ignored. */
function gather(value: unknown, what: string): Result<readonly StepEntry[], string> {
  if (isStep(value)) return ok([{ step: value }]);
  if (isStepEntry(value)) return ok([value]);
  if (isArray(value)) {
    const odd = value.findIndex((item) => !isStep(item) && !isStepEntry(item));
    if (odd !== -1) return err(`${what}: element ${odd} isn't a step, but ${escapeText(entryProblem(value[odd]))}.`);
    return ok(value.flatMap((item) => entryOf(item)));
  }
  if (typeof value !== "object" || value === null)
    return err(`${what}: expected steps, or a module that exports them, got ${entryProblem(value)}.`);
  const exported = Object.entries(value);
  const entries = exported.flatMap(([name, value]) => exportedValues(name, value)).flatMap((value) => entryOf(value));
  if (entries.length > 0) return ok(entries);
  const names = exported.map(([name]) => name);
  const listed = names
    .slice(0, MAX_SHOWN)
    .map((name) => quote(name))
    .join(", ");
  const exportsText = `${listed}${names.length > MAX_SHOWN ? " and more" : ""}, none of which is a step`;
  return err(
    `${what}: the module exports ${names.length === 0 ? "nothing" : exportsText}. Export a step made with defineStep.`,
  );
}

/** The default export may be a complete CommonJS module. */
function exportedValues(name: string, value: unknown): readonly unknown[] {
  if (isArray(value)) return value;
  return name === "default" && isPlainObject(value) && entryOf(value).length === 0 ? Object.values(value) : [value];
}

function entryOf(value: unknown): readonly StepEntry[] {
  if (isStep(value)) return [{ step: value }];
  return isStepEntry(value) ? [value] : [];
}

/** Keeps one entry for each step: a step that is exported as well as its entry is that entry. */
function named(entries: readonly StepEntry[], file: string): Result<ReadonlyMap<string, ConfiguredStep>, string> {
  const byName = new Map<string, StepEntry>();
  for (const entry of entries) {
    const { name } = entry.step;
    const known = byName.get(name);
    if (known !== undefined && known.step !== entry.step)
      return err(
        `${basename(file)}: two steps have the name ${quote(name)}. Baselines are found by the name of their ` +
          `step. Rename one of the steps.`,
      );
    if (known === undefined || known.adapters === undefined) byName.set(name, { ...known, ...entry });
  }
  const configured = new Map<string, ConfiguredStep>();
  for (const [name, { step, adapters, baselines, clock }] of byName) {
    const directory = baselines === undefined ? undefined : resolve(dirname(file), baselines);
    if (directory !== undefined && basename(directory) !== BASELINES_DIRECTORY) {
      return err(
        `${basename(file)}: the baselines of ${quote(name)} are in ${quote(baselines ?? "")}: ` +
          `the directory must be named ${BASELINES_DIRECTORY}.`,
      );
    }
    configured.set(name, {
      step,
      adapters: adapters === undefined ? undefined : once(adapters),
      baselines: directory,
      frozenAt: clock === undefined ? undefined : frozenTime(clock),
    });
  }
  return ok(configured);
}

/** Adapters are created for the first case that needs them, and shared. */
function once(adapters: NonNullable<StepEntry["adapters"]>): () => Promise<BaseAdapters> {
  let made: Promise<BaseAdapters> | undefined;
  return async () => (made ??= make(adapters));
}

async function make(adapters: NonNullable<StepEntry["adapters"]>): Promise<BaseAdapters> {
  const made: unknown = isGiver(adapters) ? await adapters() : adapters;
  if (typeof made === "object" && made !== null) return made;
  throw new TypeError(`"adapters" must return an object, got ${made === undefined ? "undefined" : typeof made}`);
}

/** Creates the current adapters of a step; undefined if not configured. The error is one sentence. */
export async function makeAdapters({
  step,
  adapters,
}: ConfiguredStep): Promise<Result<BaseAdapters | undefined, string>> {
  try {
    return ok(await adapters?.());
  } catch (thrown) {
    return err(`The adapters of step ${quote(step.name)} can't be created: ${messageOf(thrown)}`);
  }
}
