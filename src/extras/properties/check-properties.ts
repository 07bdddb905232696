import * as fc from "fast-check";
import { isArray } from "../../kernel/json/plain-data.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { interceptImpureCalls } from "../../record/watch-purity.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import type { WorkflowStepOptions } from "../../kernel/step/whole-run.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import type { Workflow } from "../../kernel/step/define-workflow.ts";
import {
  type RespondingCase,
  type GeneratedResponseSource,
  type GeneratedResponses,
  arbitraryFrom,
  generatedResponseSource,
} from "./response-source.ts";
import { arbitraryOf } from "./arbitrary-of.ts";
import { type StepProperty, STEP_PROPERTIES, type Trial } from "./step-properties.ts";
import { parseWith } from "../../kernel/step/schema.ts";
import type { WorkflowSimulationOptions } from "./workflow-simulation.ts";
import { type TrialResponses, type TrialResult, responsesFrom, observeTrial, runAgain } from "./trial.ts";

/** An arbitrary of fast-check: named by its shape, so that nobody needs its types who does not use it. */
export interface AnyArbitrary {
  generate(random: never, bias: number | undefined): unknown;
  shrink(value: never, context: unknown): unknown;
}

/**
 * A law of one's own: true where it holds. A throw says what was found, so that `expect` may be used in it. `rerun`
 * runs the step on another input, with answers of the same kind, and rejects where that ends in an error. The test says
 * what inputs and outputs are.
 */
export type PropertyPredicate = (
  input: never,
  output: never,
  rerun: (input: unknown) => Promise<never>,
) => boolean | Promise<boolean>;

/** A law of one's own, and the inputs it is about where not all are. */
export interface CustomProperty {
  readonly given?: AnyArbitrary;
  readonly check: PropertyPredicate;
}

/**
 * Options of `toSatisfyProperties`. A workflow also takes `start`, `resolve`, `runsBy`, `store` and
 * `adapters`, the number of runs and its inputs. The other options belong to steps.
 */
export interface SatisfyPropertiesOptions extends WorkflowStepOptions, Pick<WorkflowSimulationOptions, "store"> {
  /** Adapters to call for real. Default: the stored case whose input is nearest answers. */
  readonly adapters?: BaseAdapters;
  /** What methods answer instead, by dot path: a schema, or an arbitrary: `{ "llm.complete": Answer }`. */
  readonly responses?: Readonly<Record<string, unknown>>;
  /** Real inputs to draw from beside those of stored baselines, or an arbitrary in place of the schema's. */
  readonly inputs?: AnyArbitrary | readonly unknown[];
  /** Arbitraries of parts of the input, by dot path: as `arbitraryOf` takes them. */
  readonly given?: Readonly<Record<string, AnyArbitrary>>;
  /** Lists of the input, by dot path, whose order is to change nothing. */
  readonly orderFree?: readonly string[];
  /** The workflow whose steps the commands of this one name. */
  readonly workflow?: Pick<Workflow, "name" | "steps">;
  /** Laws by name: `false` switches one off, a function or `{ given, holds }` is one of your own. */
  readonly properties?: Readonly<Record<string, boolean | PropertyPredicate | CustomProperty>>;
  /** Inputs that are drawn. Default 100. */
  readonly runs?: number;
  /** What the draw begins with: the one a failure names draws the same again. */
  readonly seed?: number;
  /** Where in the draw to begin: with its seed, the path of a failure is that failure. */
  readonly path?: string;
  /**
   * Milliseconds after which a run counts as one that hangs. Default 1,000; for a list of a workflow's actions 10,000.
   */
  readonly timeoutMs?: number;
}

/** What is drawn for one run: all that makes it come out as it does. */
export interface GeneratedCase {
  readonly input: unknown;
  readonly answers: GeneratedResponses;
  /** By what lists are put into another order. */
  readonly order: number;
}

/** A law that does not hold, with the least draw that shows it. */
export interface PropertyFailure {
  readonly law: string;
  /** What should hold, in one sentence. */
  readonly says: string;
  /** What was found instead. */
  readonly problem: string;
  readonly draw: GeneratedCase;
  readonly seed: number;
  readonly path: string;
  /** Which draw it was, counted from 1. */
  readonly run: number;
}

/** What came of holding a step to its laws. */
export interface PropertiesReport {
  readonly properties: readonly string[];
  /** Draws of which each law was asked. */
  readonly runs: number;
  readonly failures: readonly PropertyFailure[];
}

/** How draws are made. */
export interface Search {
  readonly seed: number;
  readonly path?: string | undefined;
  /** Names of laws that are known to be broken, and not asked again. */
  readonly without?: readonly string[];
}

/** What is held to laws: a step or a workflow. */
export interface PropertySubject {
  readonly properties: readonly Pick<StepProperty, "name" | "says">[];
  /** Draws and asks the laws of each draw, until each was asked often enough or is found broken. */
  search(search: Search): Promise<PropertiesReport>;
  /** Asks a law of a draw: what was found against it; undefined where it holds or cannot be asked. */
  check(law: string, generated: GeneratedCase): Promise<string | undefined>;
  /** Tells whether a draw is one that could be drawn today. */
  canGenerate(generated: GeneratedCase): Promise<boolean>;
}

/** A step held to laws: the laws, and how runs are made of draws. */
export class StepPropertySubject implements PropertySubject {
  readonly properties: readonly CheckedProperty[];
  readonly #step: AnyStep;
  readonly #options: SatisfyPropertiesOptions;
  readonly #source: GeneratedResponseSource;
  readonly #near: readonly unknown[];

  /** Throws a TypeError for options that say nothing sensible. */
  constructor(step: AnyStep, options: SatisfyPropertiesOptions, cases: readonly RespondingCase[]) {
    const { adapters, responses, inputs } = options;
    this.#step = step;
    this.#options = options;
    this.properties = propertiesOf(options);
    this.#source = generatedResponseSource({ adapters, answers: responses, cases });
    const given: readonly unknown[] = isArray(inputs) ? inputs : [];
    this.#near = [...given, ...cases.map(({ input }) => input)];
  }

  async search({ seed, path, without = [] }: Search): Promise<PropertiesReport> {
    const { runs = 100 } = this.#options;
    const failures: PropertyFailure[] = [];
    const asked = this.properties.filter(({ name }) => !without.includes(name));
    const shared = asked.filter(({ given }) => given === undefined);
    const usual = this.#draws(this.#inputs());
    let remaining = shared;
    while (remaining.length > 0) {
      const found = await this.#findOne(remaining, usual, { runs, seed, path });
      if (found === undefined) break;
      failures.push(found);
      // Of what varies by itself nobody needs to be told that it varies.
      const told = found.law === "pure" ? ["pure", "repeats"] : [found.law];
      remaining = remaining.filter(({ name }) => !told.includes(name));
    }
    for (const law of asked) {
      if (law.given === undefined) continue;
      const found = await this.#findOne([law], this.#draws(law.given), { runs, seed, path });
      if (found !== undefined) failures.push(found);
    }
    return { properties: this.properties.map(({ name }) => name), runs, failures };
  }

  async check(name: string, generated: GeneratedCase): Promise<string | undefined> {
    const law = this.properties.find((one) => one.name === name);
    const trial = law && (await this.#trialOf(generated));
    return trial && law?.check(trial);
  }

  async canGenerate({ input }: GeneratedCase): Promise<boolean> {
    return (await parseWith(this.#step.inputSchema, input)).ok;
  }

  async #findOne(
    laws: readonly StepProperty[],
    draws: fc.Arbitrary<GeneratedCase>,
    { runs, seed, path }: { readonly runs: number; readonly seed: number; readonly path?: string | undefined },
  ): Promise<PropertyFailure | undefined> {
    let found: { readonly law: StepProperty; readonly problem: string } | undefined;
    let shrinks = 0;
    const property = fc.asyncProperty(draws, async (generated) => {
      // What fails for another reason is not a smaller one of this.
      const asked = found === undefined ? laws : [found.law];
      if (found !== undefined && (shrinks += 1) > MAX_SHRINKS) return true;
      const trial = await this.#trialOf(generated);
      fc.pre(trial !== undefined);
      if (trial === undefined) return true;
      for (const law of asked) {
        const problem = await law.check(trial);
        if (problem === undefined) continue;
        found = { law, problem };
        return false;
      }
      return true;
    });
    const restore = interceptImpureCalls();
    const details = await fc
      .check(property, { numRuns: runs, seed, ...(path !== undefined && { path }) })
      .finally(restore);
    const [draw] = details.counterexample ?? [];
    if (draw === undefined || found === undefined) {
      if (details.failed) throw unanswered(this.#step, details.numSkips, details.errorInstance);
      return undefined;
    }
    const { law, problem } = found;
    const where = details.counterexamplePath ?? "";
    return { law: law.name, says: law.says, problem, draw, seed: details.seed, path: where, run: details.numRuns };
  }

  /** Undefined where no stored recording answers what the step asks: then its run says nothing. */
  async #trialOf({ input, answers, order }: GeneratedCase): Promise<Trial | undefined> {
    const { orderFree = [], workflow, timeoutMs = 1000 } = this.#options;
    const step = this.#step;
    const answering = this.#source.open(input, answers);
    const watch = { limit: timeoutMs, pure: this.properties.some(({ name }) => name === "pure") };
    const observed = await observeTrial(step, input, { answering, watch });
    if ((answering.unrecorded?.().length ?? 0) > 0) return undefined;
    const { calls } = observed;
    const again = async (from: TrialResponses, what: unknown): Promise<TrialResult> =>
      runAgain(step, what, { answering: from, limit: timeoutMs });
    return {
      step,
      input,
      observed,
      order,
      limit: timeoutMs,
      orderFree,
      workflow,
      again: async () => again(responsesFrom(calls), input),
      rerun: async (other) => {
        // Who asks the same in another order gets the same answers; only what asks for more gets others.
        if (calls.length === 0) return again(this.#source.open(other, answers), other);
        const same = responsesFrom(calls);
        const ran = await again(same, other);
        return (same.unrecorded?.().length ?? 0) === 0 ? ran : again(this.#source.open(other, answers), other);
      },
    };
  }

  #inputs(): fc.Arbitrary<unknown> {
    const { inputs, given = {} } = this.#options;
    if (inputs !== undefined && !isArray(inputs)) return arbitraryFrom(inputs, "inputs");
    const parts = Object.entries(given).map(([path, part]) => [path, arbitraryFrom(part, `given["${path}"]`)] as const);
    return arbitraryOf(this.#step.inputSchema, { near: this.#near, given: Object.fromEntries(parts) });
  }

  #draws(input: fc.Arbitrary<unknown>): fc.Arbitrary<GeneratedCase> {
    return fc.record({ input, answers: this.#source.generated, order: fc.nat() });
  }
}

/** A law as it is asked; `given` draws the inputs that it is about. */
export interface CheckedProperty extends StepProperty {
  readonly given?: fc.Arbitrary<unknown>;
}

/** Draws that are tried while a failure is shrunk. */
const MAX_SHRINKS = 1500;

function propertiesOf({ properties = {}, orderFree = [] }: SatisfyPropertiesOptions): CheckedProperty[] {
  const usual = STEP_PROPERTIES.filter(
    ({ name }) => properties[name] !== false && (name !== "order-free" || orderFree.length > 0),
  );
  const names = new Set(STEP_PROPERTIES.map(({ name }) => name));
  const own = Object.entries(properties).flatMap(([name, law]) =>
    names.has(name) ? switchOnly(name, law) : customProperty(name, law),
  );
  return [...usual, ...own];
}

function switchOnly(name: string, law: unknown): [] {
  if (typeof law === "boolean") return [];
  throw new TypeError(
    `toSatisfyProperties: "${name}" is a law of every step: true or false. Give your own another name.`,
  );
}

function customProperty(name: string, law: unknown): CheckedProperty[] {
  const { holds, given } = readOwn(law);
  if (holds === undefined) {
    const known = STEP_PROPERTIES.map((one) => one.name).join(", ");
    throw new TypeError(
      `toSatisfyProperties: there is no law "${name}" to switch. Known are ${known}; one of your own is a function.`,
    );
  }
  const check = async ({ input, observed: { ran }, rerun }: Trial): Promise<string | undefined> => {
    if (ran?.ok !== true) return undefined;
    const again = async (other: unknown): Promise<unknown> => outputOf(await rerun(other));
    try {
      const answer: unknown = await Reflect.apply(holds, undefined, [input, ran.value.output, again]);
      return answer === true ? undefined : "it does not hold";
    } catch (thrown) {
      return messageOf(thrown);
    }
  };
  return [
    {
      name,
      says: name,
      check,
      ...(given !== undefined && { given: arbitraryFrom(given, `properties["${name}"].given`) }),
    },
  ];
}

function readOwn(law: unknown): { readonly holds?: Function; readonly given?: unknown } {
  if (typeof law === "function") return { holds: law };
  if (typeof law !== "object" || law === null) return {};
  const holds: unknown = Reflect.get(law, "check");
  const given: unknown = Reflect.get(law, "given");
  return typeof holds === "function" ? { holds, given } : {};
}

function outputOf(ran: TrialResult): unknown {
  if (ran === undefined) throw new Error("run again, it did not end");
  if (!ran.ok) throw new Error(`run again, it ended in ${ran.error.code}: ${ran.error.message}`);
  return ran.value.output;
}

function unanswered(step: AnyStep, skips: number, thrown: unknown): Error {
  const told = thrown instanceof Error && !fc.PreconditionFailure.isFailure(thrown) ? thrown : undefined;
  if (told !== undefined) return told;
  return new Error(
    `toSatisfyProperties: no stored recording of step "${step.name}" answers what it asks (${skips} draws). ` +
      'Give { adapters }, or what they answer: { responses: { "llm.complete": schema } }.',
  );
}
