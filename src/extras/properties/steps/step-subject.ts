import * as fc from "fast-check";
import { isArray, memberOf } from "../../../kernel/json/plain-data.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { interceptImpureCalls } from "../../../record/watch-purity.ts";
import type { AnyStep } from "../../../kernel/step/define-step.ts";
import {
  type RespondingCase,
  type GeneratedResponseSource,
  arbitraryFrom,
  generatedResponseSource,
} from "./response-source.ts";
import { arbitraryOf } from "../generate/arbitrary-of.ts";
import type {
  GeneratedCase,
  PropertiesReport,
  PropertyFailure,
  PropertySubject,
  SatisfyPropertiesOptions,
  Search,
} from "../property-subject.ts";
import { type StepProperty, STEP_PROPERTIES, type Trial } from "./step-properties.ts";
import { parseWith } from "../../../kernel/step/schema.ts";
import { type TrialResponses, type TrialResult, responsesFrom, observeTrial, runAgain } from "./trial.ts";

/** A step with properties: the properties, and how generated cases are run. */
export class StepPropertySubject implements PropertySubject {
  readonly properties: readonly CheckedProperty[];
  readonly #step: AnyStep;
  readonly #options: SatisfyPropertiesOptions;
  readonly #source: GeneratedResponseSource;
  readonly #near: readonly unknown[];

  /** Throws a TypeError for invalid options. */
  constructor(step: AnyStep, options: SatisfyPropertiesOptions, cases: readonly RespondingCase[]) {
    const { adapters, responses, inputs } = options;
    this.#step = step;
    this.#options = options;
    this.properties = propertiesOf(options);
    this.#source = generatedResponseSource({ adapters, answers: responses, cases });
    const examples: readonly unknown[] = isArray(inputs) ? inputs : [];
    this.#near = [...examples, ...cases.map(({ input }) => input)];
  }

  async search({ seed, path, without = [] }: Search): Promise<PropertiesReport> {
    const { runs = 100 } = this.#options;
    const failures: PropertyFailure[] = [];
    const checked = this.properties.filter(({ name }) => !without.includes(name));
    const shared = checked.filter(({ given: inputsOf }) => inputsOf === undefined);
    const usual = this.#draws(this.#inputs());
    let remaining = shared;
    while (remaining.length > 0) {
      const failure = await this.#findOne(remaining, usual, { runs, seed, path });
      if (failure === undefined) break;
      failures.push(failure);
      // If a step isn't pure, it doesn't need to report that it doesn't repeat.
      const failed = failure.property === "pure" ? ["pure", "repeats"] : [failure.property];
      remaining = remaining.filter(({ name }) => !failed.includes(name));
    }
    for (const property of checked) {
      if (property.given === undefined) continue;
      const failure = await this.#findOne([property], this.#draws(property.given), { runs, seed, path });
      if (failure !== undefined) failures.push(failure);
    }
    return { properties: this.properties.map(({ name }) => name), runs, failures };
  }

  async check(name: string, generated: GeneratedCase): Promise<string | undefined> {
    const property = this.properties.find((candidate) => candidate.name === name);
    const trial = property && (await this.#trialOf(generated));
    return trial && property?.check(trial);
  }

  async canGenerate({ input }: GeneratedCase): Promise<boolean> {
    return (await parseWith(this.#step.inputSchema, input)).ok;
  }

  async #findOne(
    checked: readonly StepProperty[],
    draws: fc.Arbitrary<GeneratedCase>,
    { runs, seed, path }: { readonly runs: number; readonly seed: number; readonly path?: string | undefined },
  ): Promise<PropertyFailure | undefined> {
    let failure: { readonly property: StepProperty; readonly problem: string } | undefined;
    let shrinks = 0;
    const arbitraryProperty = fc.asyncProperty(draws, async (generated) => {
      // A case that fails another property isn't a smaller one of this.
      const checking = failure === undefined ? checked : [failure.property];
      if (failure !== undefined && (shrinks += 1) > MAX_SHRINKS) return true;
      const trial = await this.#trialOf(generated);
      fc.pre(trial !== undefined);
      if (trial === undefined) return true;
      for (const property of checking) {
        const problem = await property.check(trial);
        if (problem === undefined) continue;
        failure = { property, problem };
        return false;
      }
      return true;
    });
    const restore = interceptImpureCalls();
    const details = await fc
      .check(arbitraryProperty, { numRuns: runs, seed, ...(path !== undefined && { path }) })
      .finally(restore);
    const [draw] = details.counterexample ?? [];
    if (draw === undefined || failure === undefined) {
      if (details.failed) throw unanswered(this.#step, details.numSkips, details.errorInstance);
      return undefined;
    }
    const { property, problem } = failure;
    const where = details.counterexamplePath ?? "";
    return {
      property: property.name,
      description: property.description,
      problem,
      draw,
      seed: details.seed,
      path: where,
      run: details.numRuns,
    };
  }

  /**
   * Runs a generated case; undefined if no stored recording has a response to a request: then the run has no result.
   */
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
        // The same requests in another order get the same responses; only further requests get others.
        if (calls.length === 0) return again(this.#source.open(other, answers), other);
        const same = responsesFrom(calls);
        const ran = await again(same, other);
        return (same.unrecorded?.().length ?? 0) === 0 ? ran : again(this.#source.open(other, answers), other);
      },
    };
  }

  #inputs(): fc.Arbitrary<unknown> {
    const { inputs, given: generators = {} } = this.#options;
    if (inputs !== undefined && !isArray(inputs)) return arbitraryFrom(inputs, "inputs");
    const parts = Object.entries(generators).map(
      ([path, part]) => [path, arbitraryFrom(part, `given["${path}"]`)] as const,
    );
    return arbitraryOf(this.#step.inputSchema, { near: this.#near, given: Object.fromEntries(parts) });
  }

  #draws(input: fc.Arbitrary<unknown>): fc.Arbitrary<GeneratedCase> {
    return fc.record({ input, answers: this.#source.generated, order: fc.nat() });
  }
}

/** Property as it is checked; `given` generates its inputs. */
export interface CheckedProperty extends StepProperty {
  readonly given?: fc.Arbitrary<unknown>;
}

/** Maximum number of cases that are tried while a failure is shrunk. */
const MAX_SHRINKS = 1500;

function propertiesOf({ properties = {}, orderFree = [] }: SatisfyPropertiesOptions): CheckedProperty[] {
  const usual = STEP_PROPERTIES.filter(
    ({ name }) => properties[name] !== false && (name !== "order-free" || orderFree.length > 0),
  );
  const names = new Set(STEP_PROPERTIES.map(({ name }) => name));
  const own = Object.entries(properties).flatMap(([name, value]) =>
    names.has(name) ? switchOnly(name, value) : customProperty(name, value),
  );
  return [...usual, ...own];
}

function switchOnly(name: string, value: unknown): [] {
  if (typeof value === "boolean") return [];
  throw new TypeError(
    `toSatisfyProperties: "${name}" is a built-in property. Set it to true or false, or choose a different name ` +
      "for your own property.",
  );
}

function customProperty(name: string, value: unknown): CheckedProperty[] {
  const { predicate, given: inputs } = readOwn(value);
  if (predicate === undefined) {
    const known = STEP_PROPERTIES.map((entry) => entry.name).join(", ");
    throw new TypeError(
      `toSatisfyProperties: "${name}" isn't a property of every step. Use one of ${known}, or pass a function ` +
        "to define your own.",
    );
  }
  const check = async ({ input, observed: { ran }, rerun }: Trial): Promise<string | undefined> => {
    if (ran?.ok !== true) return undefined;
    const again = async (other: unknown): Promise<unknown> => outputOf(await rerun(other));
    try {
      const answer: unknown = await Reflect.apply(predicate, undefined, [input, ran.value.output, again]);
      return answer === true ? undefined : "it fails";
    } catch (thrown) {
      return messageOf(thrown);
    }
  };
  return [
    {
      name,
      description: name,
      check,
      ...(inputs !== undefined && { given: arbitraryFrom(inputs, `properties["${name}"].given`) }),
    },
  ];
}

function readOwn(value: unknown): { readonly predicate?: Function; readonly given?: unknown } {
  if (typeof value === "function") return { predicate: value };
  const check = memberOf(value, "check");
  return typeof check === "function" ? { predicate: check, given: memberOf(value, "given") } : {};
}

function outputOf(ran: TrialResult): unknown {
  if (ran === undefined) throw new Error("run again, it didn't finish");
  if (!ran.ok) throw new Error(`run again, it ended with ${ran.error.code}: ${ran.error.message}`);
  return ran.value.output;
}

function unanswered(step: AnyStep, skips: number, thrown: unknown): Error {
  const error = thrown instanceof Error && !fc.PreconditionFailure.isFailure(thrown) ? thrown : undefined;
  if (error !== undefined) return error;
  return new Error(
    `toSatisfyProperties: no stored recording of step "${step.name}" can answer all its requests (${skips} ` +
      `inputs skipped). Pass response schemas, { responses: { "llm.complete": schema } }, or stubs, ` +
      '{ adapters, mode: "live" }.',
  );
}
