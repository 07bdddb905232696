import { isObject, isPlainObject, memberOf } from "../json/plain-data.ts";
import {
  type EmitCommand,
  type FanoutCommand,
  type InvokeCommand,
  type ReviewCommand,
  type SuspendCommand,
  emit,
  fanout,
  invoke,
  review,
  suspend,
} from "./command.ts";
import type { AnyStep, StepInput } from "./define-step.ts";

/** Steps of a workflow, by name. */
export type WorkflowSteps = Readonly<Record<string, AnyStep>>;

/** Options for {@link defineWorkflow}: its name, version and steps. */
export interface WorkflowConfig<Steps extends WorkflowSteps> {
  readonly name: string;
  readonly version: string;
  readonly steps: Steps;
}

/**
 * A workflow: named steps, and functions that build commands for them. An unknown step name is a type error, and throws
 * at run time.
 */
export interface Workflow<Steps extends WorkflowSteps = WorkflowSteps> {
  readonly name: string;
  readonly version: string;
  readonly steps: Steps;
  getStep<Name extends keyof Steps & string>(name: Name): Steps[Name];
  invoke<Name extends keyof Steps & string>(
    step: Name,
    input: StepInput<Steps[Name]>,
    options?: Pick<InvokeCommand, "after">,
  ): InvokeCommand;
  fanout<Name extends keyof Steps & string>(
    step: Name,
    inputs: readonly StepInput<Steps[Name]>[],
    options?: { readonly then?: keyof Steps & string },
  ): FanoutCommand;
  review(reason: string | Omit<ReviewCommand, "type">, ...more: ReviewArguments): ReviewCommand;
  emit(topic: string, payload: unknown): EmitCommand;
  suspend(wait: {
    readonly reason: string;
    readonly checkpoint: unknown;
    readonly resumeStep?: (keyof Steps & string) | undefined;
    readonly timeout?: SuspendCommand["timeout"] | undefined;
  }): SuspendCommand;
}

type ReviewArguments = [payload?: unknown, options?: Pick<ReviewCommand, "timeout">];

/**
 * Defines a workflow: a name, a version and its steps. Throws a TypeError for a blank name or version. The functions of
 * the workflow throw a TypeError for an unknown step, and the message lists the known steps.
 *
 * @example
 * const workflow = defineWorkflow({ name: "claims", version: "1.0.0", steps: { extract, verify } });
 * // A step that names its own workflow says what it returns: else its type is sought in the workflow's.
 * run: async ({ text }, ctx: StepContext<Adapters>): Promise<StepReturn<{ claims: string[] }>> => {
 *   const claims = await ctx.adapters.llm.claims(text);
 *   return { output: { claims }, commands: [workflow.invoke("verify", { claims })] };
 * }
 */
export function defineWorkflow<const Steps extends WorkflowSteps>(config: WorkflowConfig<Steps>): Workflow<Steps> {
  for (const field of ["name", "version"]) {
    const text = memberOf(config, field);
    if (typeof text !== "string" || text.trim() === "")
      throw new TypeError(`defineWorkflow: "${field}" is blank. Add it to the workflow.`);
  }
  if (!isObject(memberOf(config, "steps")))
    throw new TypeError(
      `defineWorkflow ${JSON.stringify(config.name)}: "steps" isn't an object. Add its steps by name.`,
    );
  const known = <Name extends string>(name: Name): Name => {
    if (!Object.hasOwn(config.steps, name)) throw new TypeError(stepNotFound(config, name));
    return name;
  };
  return Object.freeze({
    name: config.name,
    version: config.version,
    steps: config.steps,
    getStep: <Name extends keyof Steps & string>(name: Name) => config.steps[known(name)],
    invoke: (step: string, input: unknown, options?: Pick<InvokeCommand, "after">) =>
      invoke(known(step), input, options),
    fanout: (step: string, inputs: readonly unknown[], options: Pick<FanoutCommand, "then"> = {}) => {
      if (options.then !== undefined) known(options.then);
      return fanout(known(step), inputs, options);
    },
    review: (reason: string | Omit<ReviewCommand, "type">, ...more: ReviewArguments) =>
      typeof reason === "string" ? review(reason, ...more) : review(reason.reason, reason.payload, reason),
    emit,
    suspend: (wait: Parameters<typeof suspend>[0]) => {
      if (wait.resumeStep !== undefined) known(wait.resumeStep);
      return suspend(wait);
    },
  });
}

/** Narrows any value to a workflow, by its fields: it may come from another copy of this package. */
export function isWorkflow(value: unknown): value is Workflow {
  return isPlainObject(value) && typeof value["getStep"] === "function" && isPlainObject(value["steps"]);
}

/** The message for a step name a workflow does not have. */
export function stepNotFound(workflow: { readonly name: string; readonly steps: object }, step: string): string {
  const names = Object.keys(workflow.steps).map((name) => `"${name}"`);
  return `Step "${step}" not found in workflow "${workflow.name}". Known steps: ${names.join(", ") || "none"}.`;
}
