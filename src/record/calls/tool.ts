import { hashValueSync } from "../../kernel/json/hash.ts";
import { registerRecorder } from "../interceptors/recorders.ts";
import { currentInterceptors } from "../interceptors/recording-scope.ts";
import { markTool } from "../interceptors/tool-mark.ts";
import { type Schema, parseWith } from "../../kernel/step/schema.ts";
import { toolRecorder } from "../interceptors/tool-recorder.ts";

/** Whether a tool looks at the world or changes it. */
export type ToolEffect = "read" | "write";

/** What a tool's body is told beside its input. */
export interface ToolRun {
  /** What `key` made of the input: hand it to the service, so that a call that is repeated takes effect once. */
  readonly idempotencyKey?: string;
}

/** What {@link tool} takes. */
export interface ToolConfig<Input, Output> {
  readonly name: string;
  /** Parses what the tool is called with; any Standard Schema. */
  readonly input?: Schema<unknown, Input>;
  /** Parses what the body answers. */
  readonly output?: Schema<unknown, Output>;
  /** Default `read`. A `write` does not run in a test unless that asks for it. */
  readonly effect?: ToolEffect;
  /** Identifies the effect of an input: outside of tests, a write with the same key runs once. */
  readonly key?: (input: Input) => string;
  /** Answers in the place of a write that is not to run. */
  readonly stub?: (input: Input) => Output | Promise<Output>;
  readonly run: (input: Input, options: ToolRun) => Output | Promise<Output>;
}

/** A function an agent may call: recorded with its effect, answered from the baseline where answers are recorded. */
export type Tool<Input, Output> = (input: Input) => Promise<Output>;

/** How many finished writes are remembered by their keys. */
const MOST_KEPT = 10_000;

/**
 * Makes a tool: a function to give to a step among its adapters, to import, or to hand to an agent's SDK. What it is
 * called with is parsed by `input`, what it answers by `output`; both throw a TypeError that names the tool and the
 * field. Where a step's answers are recorded, its body never runs; in a live test a write runs only with
 * `effects: "run"`, and is answered from the baseline or by `stub` otherwise. Throws a TypeError on a blank name.
 *
 * @example
 * const refund = tool({
 *   name: "refund",
 *   input: z.object({ order: z.string(), amount: z.number() }),
 *   effect: "write",
 *   key: ({ order }) => `refund-${order}`,
 *   stub: ({ amount }) => ({ refunded: amount }),
 *   run: ({ order, amount }, { idempotencyKey }) => payments.refund(order, amount, idempotencyKey),
 * });
 */
export function tool<Input, Output>(config: ToolConfig<Input, Output>): Tool<Input, Output> {
  const { name, effect = "read", stub } = config;
  if (name.trim() === "") throw new TypeError('tool: the tool has a blank name. Give it one, e.g. "lookup".');
  const perform = effect === "write" && config.key !== undefined ? oncePerKey(config) : bodyOf(config);
  const facts = {
    name,
    role: effect,
    ...(stub !== undefined && {
      stub: async (input: unknown) => stub(await parsed(config.input, input, { name, what: "input" })),
    }),
  };
  registerRecorder("tools", toolRecorder);
  const called = async (input: Input): Promise<Output> => {
    const answering = currentInterceptors().tools;
    if (answering === undefined) return perform(input);
    return parsed(config.output, await answering({ facts, args: [input], run: () => perform(input) }), {
      name,
      what: "recorded answer",
    });
  };
  Object.defineProperty(called, "name", { value: name, configurable: true });
  return markTool(called, facts);
}

function bodyOf<Input, Output>({ name, input, output, key, run }: ToolConfig<Input, Output>): Tool<Input, Output> {
  return async (given) => {
    const whole = await parsed(input, given, { name, what: "input" });
    const answer = await run(whole, key === undefined ? {} : { idempotencyKey: key(whole) });
    return parsed(output, answer, { name, what: "answer" });
  };
}

/** A write that runs once for each key: who asks again is given the same answer; a failure is forgotten. */
function oncePerKey<Input, Output>(config: ToolConfig<Input, Output>): Tool<Input, Output> {
  const perform = bodyOf(config);
  const done = new Map<string, Promise<Output>>();
  return async (given) => {
    const input = await parsed(config.input, given, { name: config.name, what: "input" });
    const key = config.key?.(input) ?? hashValueSync(given);
    const known = done.get(key);
    if (known !== undefined) return known;
    const running = perform(given);
    done.set(key, running);
    running.catch(() => done.delete(key));
    const [oldest] = done.keys();
    if (done.size > MOST_KEPT && oldest !== undefined) done.delete(oldest);
    return running;
  };
}

async function parsed<T>(
  schema: Schema<unknown, T> | undefined,
  value: unknown,
  { name, what }: { readonly name: string; readonly what: string },
): Promise<T>;
async function parsed(
  schema: Schema | undefined,
  value: unknown,
  { name, what }: { readonly name: string; readonly what: string },
): Promise<unknown> {
  if (schema === undefined) return value;
  const answer = await parseWith(schema, value);
  if (answer.ok) return answer.value;
  throw new TypeError(`tool "${name}": its ${what} does not fit: ${answer.error.message}`, {
    cause: answer.error.cause,
  });
}
