import type { AdapterMode } from "../../check/run/adapter-mode.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import type { Workflow } from "../../kernel/step/define-workflow.ts";
import type { WorkflowStepOptions } from "../../kernel/step/whole-run.ts";
import type { GeneratedResponses } from "./steps/response-source.ts";
import type { StepProperty } from "./steps/step-properties.ts";
import type { WorkflowSimulationOptions } from "./workflows/workflow-simulation.ts";

/** A fast-check arbitrary. The type only describes its shape, so projects without fast-check don't need its types. */
export interface AnyArbitrary {
  generate(random: never, bias: number | undefined): unknown;
  shrink(value: never, context: unknown): unknown;
}

/**
 * Custom property: returns true if it passes. It may throw to report a problem, so `expect` works in it. `rerun` runs
 * the step on another input, with responses of the same kind, and rejects if that ends in an error. Declare the
 * types of the parameters, because TypeScript doesn't infer them from the step.
 */
export type PropertyPredicate = (
  input: never,
  output: never,
  rerun: (input: unknown) => Promise<never>,
) => boolean | Promise<boolean>;

/** Custom property, with the inputs that it applies to (default: all inputs). */
export interface CustomProperty {
  readonly given?: AnyArbitrary;
  readonly check: PropertyPredicate;
}

/**
 * Options for `toSatisfyProperties`. `responses`, `given`, `orderFree`, `workflow` and `properties` only apply to
 * steps. `start`, `resolve`, `runsBy` and `store` only apply to workflows.
 */
export interface SatisfyPropertiesOptions extends WorkflowStepOptions, Pick<WorkflowSimulationOptions, "store"> {
  /**
   * Adapters to call if `mode` is live. In a replay, the responses come from the stored case with the most similar
   * input.
   */
  readonly adapters?: BaseAdapters | undefined;
  /** Source of responses. Default: `replay`. With `live`, veritest calls the adapters for each input, so pass stubs. */
  readonly mode?: AdapterMode;
  /** Schemas or arbitraries that generate the responses of adapters, by dot path: `{ "llm.complete": Answer }`. */
  readonly responses?: Readonly<Record<string, unknown>>;
  /** Inputs to generate from: real inputs, in addition to those of stored baselines, or an arbitrary to use instead. */
  readonly inputs?: AnyArbitrary | readonly unknown[];
  /** fast-check arbitraries for parts of the input, by dot path, as for `arbitraryOf`. */
  readonly given?: Readonly<Record<string, AnyArbitrary>>;
  /** Lists of the input, by dot path, whose order doesn't matter. */
  readonly orderFree?: readonly string[];
  /**
   * Workflow of the step. With it, the matcher also checks that the step's commands start existing steps with valid
   * inputs.
   */
  readonly workflow?: Pick<Workflow, "name" | "steps">;
  /** Properties by name. `false` disables one. A function or `{ given, check }` adds one. */
  readonly properties?: Readonly<Record<string, boolean | PropertyPredicate | CustomProperty>>;
  /** Number of inputs to generate. Default: 100. */
  readonly runs?: number;
  /** Seed of the generator. To repeat a failure, pass the seed from its message. */
  readonly seed?: number;
  /** Path of a failing input, from the message of a failure. Pass it with the `seed` to generate only that input. */
  readonly path?: string;
  /**
   * Time limit of a run in milliseconds. Default: 1,000, or 10,000 for a list of workflow actions.
   */
  readonly timeoutMs?: number;
}

/** Generated data of one run, which make it repeatable. */
export interface GeneratedCase {
  readonly input: unknown;
  readonly answers: GeneratedResponses;
  /** By what lists are put into another order. */
  readonly order: number;
}

/** Property that fails, with the minimal generated case that shows it. */
export interface PropertyFailure {
  readonly property: string;
  /** Description of the property, in one sentence. */
  readonly description: string;
  /** Problem that was found. */
  readonly problem: string;
  readonly draw: GeneratedCase;
  readonly seed: number;
  readonly path: string;
  /** Number of the generated case, counted from 1. */
  readonly run: number;
}

/** Result of checking the properties of a step. */
export interface PropertiesReport {
  readonly properties: readonly string[];
  /** Number of generated cases that each property was checked with. */
  readonly runs: number;
  readonly failures: readonly PropertyFailure[];
}

/** Settings of the generation. */
export interface Search {
  readonly seed: number;
  readonly path?: string | undefined;
  /** Names of properties that are known to fail, and aren't checked again. */
  readonly without?: readonly string[];
}

/** Step or workflow whose properties are checked. */
export interface PropertySubject {
  readonly properties: readonly Pick<StepProperty, "name" | "description">[];
  /** Generates cases and checks the properties of each, until each was checked often enough or fails. */
  search(search: Search): Promise<PropertiesReport>;
  /** Checks a property of a generated case: returns the problem; undefined if it passes or can't be checked. */
  check(property: string, generated: GeneratedCase): Promise<string | undefined>;
  /** Returns true if a case could be generated today. */
  canGenerate(generated: GeneratedCase): Promise<boolean>;
}
