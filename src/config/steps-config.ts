import { types } from "node:util";
import { isArray, isPlainObject, typeName, withArticle } from "../kernel/json/plain-data.ts";
import type { BaseAdapters } from "../kernel/step/context.ts";
import { type AnyStep, isStep } from "../kernel/step/define-step.ts";

/** Configures a step for the command line: its adapters, the directory of its baselines, and its clock. */
export interface StepEntry {
  readonly step: AnyStep;
  /** Adapters for live responses. A function is called when they are first needed. */
  readonly adapters?: BaseAdapters | (() => BaseAdapters | Promise<BaseAdapters>);
  /**
   * Directory of its baselines, relative to the configuration, by the name `__baselines__`. Default: the directory that
   * already has its baselines, or `__baselines__` next to the configuration.
   */
  readonly baselines?: string;
  /**
   * Time that the step reads, as a Date or an ISO 8601 string. If the step's tests call `vi.setSystemTime`, set it to
   * the same time. `"frozen"` means 2000-01-01T00:00:00Z. Default: the computer's clock.
   */
  readonly clock?: Date | string;
}

/** Returns the frozen time of an entry in Unix milliseconds. */
export function frozenTime(clock: NonNullable<StepEntry["clock"]>): number {
  return new Date(clock === "frozen" ? "2000-01-01T00:00:00Z" : clock).getTime();
}

/**
 * The steps of a project: a list, a function that returns a list, or a module that exports the steps. Only commands
 * that run steps call the function, so an ordinary test run doesn't load the steps.
 *
 * @example
 * steps: () => import("./steps/index.ts")
 * steps: () => [{ step: extractReceipt, adapters: () => ({ llm: createLlm() }) }]
 */
export type StepsConfig = readonly (AnyStep | StepEntry)[] | (() => unknown);

/** Returns true if a value may be the key `steps`, without calling anything. */
export function isStepsConfig(value: unknown): value is StepsConfig {
  return typeof value === "function" || (isArray(value) && value.every((item) => isStep(item) || isStepEntry(item)));
}

const WANTED = 'a list of steps, or a function that gives them (() => import("./steps/index.ts"))';
const WANTED_ELEMENT = "the result of defineStep, or { step, adapters?, baselines?, clock? }";

/** Returns the problem of a value of the key `steps`, as a phrase. */
export function stepsProblem(value: unknown): string {
  if (!isArray(value)) return `expected ${WANTED}, got ${described(value)}`;
  const index = value.findIndex((item) => !isStep(item) && !isStepEntry(item));
  return `element ${index} isn't a step: expected ${WANTED_ELEMENT}, got ${entryProblem(value[index])}`;
}

/** Narrows any value to a step with the options that the command line uses for it. */
export function isStepEntry(value: unknown): value is StepEntry {
  return isPlainObject(value) && Object.hasOwn(value, "step") && fieldProblem(value) === undefined;
}

/** Returns the problem of a value that isn't a step or an entry. */
export function entryProblem(value: unknown): string {
  const problem = isPlainObject(value) && Object.hasOwn(value, "step") ? fieldProblem(value) : undefined;
  return problem === undefined ? described(value) : `an entry in which ${problem}`;
}

function fieldProblem({
  step,
  adapters,
  baselines,
  clock,
  ...rest
}: Readonly<Record<string, unknown>>): string | undefined {
  const [unknown] = Object.keys(rest);
  if (!isStep(step)) return `"step" is ${described(step)}`;
  if (adapters !== undefined && (adapters === null || (typeof adapters !== "object" && typeof adapters !== "function")))
    return `"adapters" is ${described(adapters)}`;
  if (baselines !== undefined && typeof baselines !== "string") return `"baselines" is ${described(baselines)}`;
  if (clock !== undefined && !isClock(clock)) return `"clock" isn't "frozen" or a time: ${JSON.stringify(clock)}`;
  return unknown === undefined ? undefined : `${JSON.stringify(unknown)} isn't one of step, adapters, baselines, clock`;
}

function isClock(value: unknown): boolean {
  return (typeof value === "string" || value instanceof Date) && !Number.isNaN(frozenTime(value));
}

function described(value: unknown): string {
  if (types.isPromise(value)) return "a promise: await it";
  if (typeof value === "function") return "a function. Pass one function that returns all steps, without brackets";
  if (types.isModuleNamespaceObject(value)) return "a module; list the steps that it exports instead";
  return value === undefined || value === null ? String(value) : withArticle(typeName(value));
}
