import * as fc from "fast-check";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import { quote } from "../../../kernel/text.ts";
import type { ReviewResolution } from "../../../kernel/step/whole-run.ts";
import { stepNotFound } from "../../../kernel/step/define-workflow.ts";
import { parseWith } from "../../../kernel/step/schema.ts";
import { arbitraryOf } from "../generate/arbitrary-of.ts";
import { arbitraryFrom } from "../steps/response-source.ts";
import type {
  GeneratedCase,
  PropertyFailure,
  PropertySubject,
  SatisfyPropertiesOptions,
  PropertiesReport,
  Search,
} from "../property-subject.ts";
import { type FailedWorkflowProperty, WORKFLOW_PROPERTIES, type WorkflowProperty } from "./workflow-model.ts";
import {
  type AnyWorkflow,
  WorkflowSimulation,
  type WorkflowAction,
  type WorkflowSimulationOptions,
  startStepOf,
} from "./workflow-simulation.ts";

/** Options for {@link checkWorkflowProperties}. */
export interface WorkflowPropertiesOptions extends WorkflowSimulationOptions {
  readonly seed: number;
  /** Number of generated lists of actions. */
  readonly runs: number;
  /** Path of a failing input, from the message of a failure. Pass it with the `seed` to generate only that input. */
  readonly path?: string | undefined;
  /** Input that runs are started with. Default: generated from the first step's schema. */
  readonly input?: fc.Arbitrary<unknown> | undefined;
}

/**
 * Runs a workflow under generated lists of actions and checks {@link WORKFLOW_PROPERTIES} after each action, and again
 * when the remaining work is done. Returns the first property that fails, with the shortest list of actions that shows
 * it, or `undefined` if all hold. Throws a TypeError for a workflow without steps, for a `start` that isn't one of its
 * steps, and if no input for the first step can be generated. Errors of `store` and `resolve` are thrown on.
 */
export async function checkWorkflowProperties(
  workflow: AnyWorkflow,
  options: WorkflowPropertiesOptions,
): Promise<PropertyFailure | undefined> {
  const { seed, runs, path } = options;
  const actions = await actionsOf(workflow, options);
  let failure: Played | undefined;
  let thrown: { readonly by: unknown } | undefined;
  let hung = 0;
  const passes = async (list: readonly WorkflowAction[]): Promise<boolean> => {
    if (hung === MOST_HUNG || thrown !== undefined) return true;
    const played = await play(workflow, list, options).catch((by: unknown) => void (thrown = { by }));
    // Fewer actions that fail another property aren't a smaller case of this one.
    if (played === undefined || (failure !== undefined && failure.property !== played.property)) return true;
    if (played.hung) hung += 1;
    failure = played;
    return false;
  };
  const property = fc.asyncProperty(actions, passes);
  const details = await fc.check(property, { seed, numRuns: runs, ...(path === undefined ? {} : { path }) });
  // A caller's function has thrown, such as an answer to a block, or fast-check's generator: no property is about that.
  if (thrown !== undefined) throw thrown.by;
  if (details.failed && failure === undefined) throw details.errorInstance;
  if (failure === undefined) return undefined;
  const { property: name, problem } = failure;
  const [input] = details.counterexample ?? [];
  return {
    property: name,
    description: WORKFLOW_PROPERTIES[name],
    problem,
    draw: { input, answers: {}, order: 0 },
    seed,
    path: details.counterexamplePath ?? "",
    run: details.numRuns,
  };
}

interface Played extends FailedWorkflowProperty {
  readonly hung: boolean;
}

/** Number of lists that may hang while one is shrunk: each costs the entire limit. */
const MOST_HUNG = 3;

async function play(
  workflow: AnyWorkflow,
  actions: readonly WorkflowAction[],
  options: WorkflowSimulationOptions,
): Promise<Played | undefined> {
  const { limit = 10_000 } = options;
  const simulation = await WorkflowSimulation.open(workflow, options);
  const hung = Promise.withResolvers<"hung">();
  const timer = setTimeout(() => hung.resolve("hung"), limit);
  try {
    const ended = await Promise.race([simulation.play(actions), hung.promise]);
    if (ended === "hung") return { property: "ends", problem: `The run made no progress for ${limit} ms.`, hung: true };
    return ended && { ...ended, hung: false };
  } finally {
    clearTimeout(timer);
    await simulation.close();
  }
}

/** Number of actions of one list, after its first start. */
const MOST_ACTIONS = 16;

async function actionsOf(
  workflow: AnyWorkflow,
  options: WorkflowPropertiesOptions,
): Promise<fc.Arbitrary<readonly WorkflowAction[]>> {
  const input = await inputsOf(workflow, options);
  const start = fc.record({ kind: fc.constant("start" as const), input });
  const work = fc.constant({ kind: "work" as const });
  const when = fc.constantFrom(...WHEN);
  const crash = fc.record({ kind: fc.constant("crash" as const), when, at: fc.constantFrom(...AT) });
  const of = fc.nat({ max: 3 });
  const again = fc.record({ kind: fc.constant("again" as const), of });
  const delayed = fc.record({ kind: fc.constant("delayed" as const), of });
  const answer = fc.constantFrom<ReviewResolution>("approve", "reject", { override: {} });
  const resolve = fc.record({ kind: fc.constant("resolve" as const), of, answer });
  const resume = fc.record({ kind: fc.constant("resume" as const), of, data: fc.jsonValue({ maxDepth: 1 }) });
  const wait = fc.constant({ kind: "wait" as const });
  const action = fc.oneof(
    // Work is the simplest of them: a failure has it if it shows the same.
    { withCrossShrink: true },
    { weight: 6, arbitrary: work },
    { weight: 1, arbitrary: start },
    { weight: 3, arbitrary: crash },
    { weight: 2, arbitrary: again },
    { weight: 1, arbitrary: delayed },
    { weight: 3, arbitrary: resolve },
    { weight: 1, arbitrary: resume },
    { weight: 2, arbitrary: wait },
  );
  return fc
    .tuple(start, fc.array(action, { maxLength: MOST_ACTIONS, size: "max" }))
    .map(([first, rest]) => (rest[0]?.kind === "start" ? rest : [first, ...rest]));
}

const WHEN = ["before", "during", "after"] as const;
const AT = ["lease", "commit", "mark"] as const;

/** Number of inputs that are tried before an error reports that none fits. */
const TRIED = 20;

async function inputsOf(workflow: AnyWorkflow, options: WorkflowPropertiesOptions): Promise<fc.Arbitrary<unknown>> {
  const name = startStepOf(workflow, options);
  const schema = workflow.steps[name]?.inputSchema;
  if (schema === undefined) throw new TypeError(stepNotFound(workflow, name));
  // A run's input goes through a store, and into the list that a find is run again by.
  const inputs = (options.input ?? arbitraryOf(schema)).map(asJson);
  for (const sample of fc.sample(inputs, { seed: options.seed, numRuns: TRIED }))
    if ((await parseWith(schema, sample)).ok) return inputs;
  throw new TypeError(
    `None of ${TRIED} inputs generated for step ${quote(name)} matches its schema after conversion to JSON. ` +
      `Pass an arbitrary of matching values as "input".`,
  );
}

function asJson(value: unknown): unknown {
  const json: unknown = JSON.parse(stableStringify(value));
  return json;
}

/** A workflow with properties: lists of actions are generated. */
export class WorkflowPropertySubject implements PropertySubject {
  readonly properties: readonly { readonly name: WorkflowProperty; readonly description: string }[] =
    WORKFLOW_PROPERTY_NAMES.map((name) => ({
      name,
      description: WORKFLOW_PROPERTIES[name],
    }));
  readonly #workflow: AnyWorkflow;
  readonly #options: SatisfyPropertiesOptions & Pick<WorkflowSimulationOptions, "limit">;

  constructor(workflow: AnyWorkflow, options: SatisfyPropertiesOptions) {
    this.#workflow = workflow;
    this.#options = { ...options, limit: options.timeoutMs };
  }

  /** Returns one failure at most: further failures of a broken store add no information. */
  async search({ seed, path, without = [] }: Search): Promise<PropertiesReport> {
    const { runs = 100, inputs, ...options } = this.#options;
    const properties = this.properties.map(({ name }) => name);
    if (without.length > 0) return { properties, runs, failures: [] };
    const input = inputsGiven(inputs);
    const failure = await checkWorkflowProperties(this.#workflow, { ...options, seed, runs, path, input });
    return { properties, runs, failures: failure === undefined ? [] : [failure] };
  }

  async check(property: string, { input }: GeneratedCase): Promise<string | undefined> {
    if (!areActions(input)) return undefined;
    const failure = await play(this.#workflow, input, this.#options);
    return failure?.property === property ? failure.problem : undefined;
  }

  async canGenerate({ input }: GeneratedCase): Promise<boolean> {
    if (!areActions(input)) return false;
    const schema = this.#workflow.steps[startStepOf(this.#workflow, this.#options)]?.inputSchema;
    const starts = input.flatMap((action) => (action.kind === "start" ? [action.input] : []));
    const parsed = await Promise.all(starts.map(async (start) => schema && parseWith(schema, start)));
    return parsed.every((answer) => answer?.ok === true);
  }
}

const WORKFLOW_PROPERTY_NAMES = ["lost", "once", "blocks", "ends"] as const satisfies readonly WorkflowProperty[];

function inputsGiven(inputs: SatisfyPropertiesOptions["inputs"]): fc.Arbitrary<unknown> | undefined {
  if (inputs === undefined) return undefined;
  return isArray(inputs) ? fc.constantFrom(...inputs) : arbitraryFrom(inputs, "inputs");
}

function areActions(value: unknown): value is readonly WorkflowAction[] {
  return isArray(value) && value.every(isAction);
}

function isAction(value: unknown): value is WorkflowAction {
  if (!isPlainObject(value)) return false;
  const { kind, of, when, at } = value;
  switch (kind) {
    case "work":
    case "wait":
      return true;
    case "start":
      return "input" in value;
    case "crash":
      return WHEN.some((known) => known === when) && AT.some((known) => known === at);
    case "again":
    case "delayed":
    case "resolve":
    case "resume":
      return Number.isInteger(of) && Number(of) >= 0;
    default:
      return false;
  }
}
