import { CALL_ROLES, CALL_SCOPES, type CallScope, type OrderRules, type RoleRules } from "../call-role.ts";
import { refuseUnknownOptions, refuseUnknownWord } from "../did-you-mean.ts";
import type { CompareBy, KeyBy } from "../diff/compare-rules.ts";
import { keyedPaths } from "../diff/keyed-lists.ts";
import { isPlainObject, memberOf } from "../json/plain-data.ts";
import { type ValueCodec, registerCodecs } from "../value-codecs.ts";
import type { Command } from "./command.ts";
import type { AuditEvent, BaseAdapters, StepContext } from "./context.ts";
import type { StepFailure } from "./fail.ts";
import type { StoredWholeRun } from "./whole-run.ts";
import { noteStep } from "./step-names.ts";
import { type Schema, type SchemaInput, type SchemaOutput, isSchema, partialSchema } from "./schema.ts";

/** Return value of a step's `run`: its output, events, and commands. */
export interface StepReturn<Output extends object = object> {
  readonly output: Partial<Output>;
  readonly events?: readonly AuditEvent[];
  readonly commands?: readonly Command[];
}

type Awaitable<T> = T | Promise<T>;

/** Retries of a step by a runner: number, delay and duration of the attempts. Tests ignore these options. */
export interface RetryOptions {
  /** Number of attempts, including the first. Default: 5. */
  readonly attempts?: number;
  /** Milliseconds before the second attempt. Each later wait is twice as long as the one before. Default: 500. */
  readonly baseMs?: number;
  /** Maximum wait in milliseconds. Default: 60,000. */
  readonly maxMs?: number;
  /** Milliseconds that an attempt may take before it fails and is retried. Default: no limit. */
  readonly timeoutMs?: number;
}

/** Options for {@link defineStep}. The result of `run` must depend only on its input and context. */
export interface StepConfig<
  InputSchema extends Schema,
  OutputSchema extends Schema<object, object>,
  Adapters extends BaseAdapters,
> {
  readonly name: string;
  readonly input: InputSchema;
  /** Schema of the output that `run` returns. */
  readonly output: OutputSchema;
  /** True if the output may omit fields of the schema, for a step that updates a part of a state. Default: false. */
  readonly partial?: boolean;
  /**
   * Keys that identify array elements of the output, by dot path, so that a different order isn't a change: `{ claims:
   * "id" }`.
   */
  readonly keyBy?: KeyBy;
  /** Tolerated differences in the output, by dot path: `{ "lines.price": within(0.01) }`. */
  readonly compare?: CompareBy;
  /** Roles of adapters, by dot path: `{ "crm.*": "write", gpt: "model" }`. */
  readonly roles?: RoleRules;
  /** Calls to compare: reads and writes (`all`), only writes, or none. Default: `all`. */
  readonly calls?: CallScope;
  /**
   * Calls that must precede others: `{ "tools.pay": { after: ["user.confirm"] } }`. A case with a different order
   * fails.
   */
  readonly order?: OrderRules;
  /** How often, and with which delay, a runner retries this step. Default: the `retry` option of the runner. */
  readonly retry?: RetryOptions;
  /** Codecs of classes whose instances are in inputs, outputs or responses. Default: none. */
  readonly values?: readonly ValueCodec[];
  readonly run: (
    input: SchemaOutput<InputSchema>,
    ctx: StepContext<Adapters>,
  ) => Awaitable<StepReturn<SchemaInput<OutputSchema> & object> | StepFailure>;
}

/**
 * One step of an AI workflow. `Input` is the type that callers pass, before parsing. `Parsed` is the type that `run`
 * receives. `Output` is the type after the output was parsed.
 */
export interface Step<
  Input = unknown,
  Output extends object = object,
  Adapters extends BaseAdapters = BaseAdapters,
  Parsed = Input,
> {
  readonly name: string;
  readonly inputSchema: Schema<Input, Parsed>;
  readonly outputSchema: Schema<unknown, Output>;
  /** True if the step's output can omit fields of the schema. */
  readonly partial?: boolean;
  /** Output schema in which every field is optional. */
  readonly partialOutputSchema: Schema<unknown, Partial<Output>>;
  readonly keyBy: KeyBy;
  readonly compare: CompareBy;
  readonly roles?: RoleRules;
  readonly calls?: CallScope;
  readonly order?: OrderRules;
  readonly retry?: RetryOptions;
  /** Returns a copy of the step whose missing options come from a stored run. Only steps of a workflow have it. */
  readonly repeating?: (stored: StoredWholeRun) => Step;
  run(input: Parsed, ctx: StepContext<Adapters>): Awaitable<StepReturn | StepFailure>;
}

/** A step with any input, output and adapters. Use it for parameters that accept every step. */
export type AnyStep = Step<unknown, object, BaseAdapters, unknown>;

/** The input type of a step, before parsing. */
export type StepInput<S extends AnyStep> = S extends Step<infer Input, infer _O, infer _A, infer _P> ? Input : never;

/** The complete output type of a step. The result of a `partial` step can have fewer fields. */
export type StepOutput<S extends AnyStep> = S extends Step<infer _I, infer Output, infer _A, infer _P> ? Output : never;

/**
 * Defines a step: the schemas of its input and output, and the function that runs it. The type of the adapters is
 * inferred from the annotation of `ctx`. Throws a TypeError for a missing option, and for an unknown option, role or
 * scope.
 *
 * @example
 * const extractClaims = defineStep({
 *   name: "extract-claims",
 *   input: z.object({ text: z.string() }),
 *   output: z.object({ claims: z.array(z.object({ id: z.string(), confidence: z.number() })) }),
 *   keyBy: { claims: "id" },
 *   run: async (input, ctx: StepContext<{ llm: Llm }>) => ({ output: { claims: await
 * ctx.adapters.llm.claims(input.text) } }),
 * });
 */
export function defineStep<
  InputSchema extends Schema,
  OutputSchema extends Schema<object, object>,
  Adapters extends BaseAdapters = BaseAdapters,
>(
  config: StepConfig<InputSchema, OutputSchema, Adapters>,
): Step<SchemaInput<InputSchema>, SchemaOutput<OutputSchema> & object, Adapters, SchemaOutput<InputSchema>>;
export function defineStep(config: StepConfig<Schema, Schema<object, object>, BaseAdapters>): AnyStep {
  const name = memberOf(config, "name");
  if (typeof name !== "string" || name.trim() === "")
    throw new TypeError('defineStep: the step has a blank name. Name it, for example "extract".');
  checkConfig(config);
  noteStep(config.name);
  registerCodecs(`defineStep ${JSON.stringify(config.name)}`, config.name, config.values ?? []);
  return Object.freeze({
    name: config.name,
    inputSchema: config.input,
    outputSchema: config.output,
    partialOutputSchema: partialSchema(config.output),
    ...(config.partial === undefined ? {} : { partial: config.partial }),
    keyBy: config.keyBy ?? {},
    compare: config.compare ?? {},
    ...(config.roles === undefined ? {} : { roles: config.roles }),
    ...(config.calls === undefined ? {} : { calls: config.calls }),
    ...(config.order === undefined ? {} : { order: config.order }),
    ...(config.retry === undefined ? {} : { retry: config.retry }),
    run: config.run,
  });
}

const OPTIONS = [
  "name",
  "input",
  "output",
  "keyBy",
  "compare",
  "partial",
  "roles",
  "calls",
  "order",
  "retry",
  "values",
  "run",
] as const;

function checkConfig(config: StepConfig<Schema, Schema<object, object>, BaseAdapters>): void {
  const owner = `defineStep ${JSON.stringify(config.name)}`;
  refuseUnknownOptions(owner, config, OPTIONS);
  for (const option of ["input", "output"] as const)
    if (!isSchema(config[option]))
      throw new TypeError(`${owner}: "${option}" isn't a schema. Add one, for example ${option}: z.object({ … }).`);
  if (typeof memberOf(config, "run") !== "function")
    throw new TypeError(`${owner}: "run" isn't a function. Add it, for example run: (input) => ({ output: { … } }).`);
  checkRoles(owner, config.roles);
  checkOrder(owner, config.order);
  if (config.retry !== undefined)
    refuseUnknownOptions(`${owner}: retry`, config.retry, ["attempts", "baseMs", "maxMs", "timeoutMs"]);
  keyedPaths(config.keyBy);
  if (config.calls !== undefined) refuseUnknownWord(`${owner}: calls`, config.calls, CALL_SCOPES);
}

/** A misspelt rule would protect nothing. */
function checkOrder(owner: string, order: OrderRules = {}): void {
  for (const [pattern, rule] of Object.entries(order)) {
    const name = `${owner}: order[${JSON.stringify(pattern)}]`;
    if (!isPlainObject(rule) || !Array.isArray(rule.after) || rule.after.length === 0)
      throw new TypeError(`${name} must have a list of calls, such as { after: ["user.confirm"] }.`);
    refuseUnknownOptions(name, rule, ["after"]);
  }
}

/** Throws a TypeError for a role that doesn't exist; `owner` begins the message. */
export function checkRoles(owner: string, roles: RoleRules = {}): void {
  for (const [pattern, role] of Object.entries(roles))
    refuseUnknownWord(`${owner}: roles[${JSON.stringify(pattern)}]`, role, CALL_ROLES);
}

/** Returns the schema that checks a step's output. */
export function checkedOutputSchema({ partial, partialOutputSchema, outputSchema }: AnyStep): Schema<unknown, object> {
  return partial === true ? partialOutputSchema : outputSchema;
}

/** Narrows any value to a step, by its fields: it may come from another copy of this package. */
export function isStep(value: unknown): value is AnyStep {
  return (
    isPlainObject(value) &&
    typeof value["name"] === "string" &&
    typeof value["run"] === "function" &&
    "inputSchema" in value &&
    "partialOutputSchema" in value
  );
}
