import { refuseUnknownOptions, refuseUnknownWord } from "../../kernel/did-you-mean.ts";
import { hashValueSync } from "../../kernel/json/hash.ts";
import { registerRecorder } from "../interceptors/recorders.ts";
import { currentInterceptors, inOwnRun } from "../interceptors/recording-scope.ts";
import { markTool } from "../interceptors/tool-mark.ts";
import { type Schema, parseWith } from "../../kernel/step/schema.ts";
import { toolRecorder } from "../interceptors/tool-recorder.ts";

/** Effect of a tool: `read` only reads data, `write` changes it. Writes don't run in tests. */
export type ToolEffect = "read" | "write";

/** Every effect there is. */
export const TOOL_EFFECTS: readonly ToolEffect[] = ["read", "write"];

const OPTIONS = ["name", "input", "output", "effect", "key", "stub", "run"] as const;

/** Second argument of a tool's `run` function, after the input. */
export interface ToolRun {
  /**
   * Key of this call, from the tool's `key` function. Pass it to the service, so that a repeated call takes effect
   * once.
   */
  readonly idempotencyKey?: string;
}

/** Options for {@link tool}. */
export interface ToolConfig<Input, Output> {
  readonly name: string;
  /** Schema of the tool's input: any Standard Schema. */
  readonly input?: Schema<unknown, Input>;
  /** Schema of the tool's result. */
  readonly output?: Schema<unknown, Output>;
  /** Effect of the tool. Writes run in a test only with `effects: "run"`. Default: `write`. */
  readonly effect?: ToolEffect;
  /** Returns a key for the effect of an input. Outside of tests, a write that succeeds runs only once for each key. */
  readonly key?: (input: Input) => string;
  /** Returns the response if the write is skipped. */
  readonly stub?: (input: Input) => Output | Promise<Output>;
  readonly run: (input: Input, options: ToolRun) => Output | Promise<Output>;
}

/** Function that an agent can call. veritest records each call and its effect, and replays it from the baseline. */
export type Tool<Input, Output> = (input: Input) => Promise<Output>;

/** Number of finished writes that are remembered by their keys. */
const MOST_KEPT = 10_000;

/**
 * Creates a tool: a function that you pass to a step as an adapter, import, or give to an agent's SDK. `input` parses
 * its argument and `output` its response; both throw a TypeError that names the tool and the field. The body doesn't
 * run in a replay. In a live test, a write runs only with `effects: "run"`; without it, the call returns the recorded
 * response, or the `stub`'s response. Throws a TypeError for a blank name or an unknown option or effect.
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
  const { name, effect = "write", stub } = config;
  if (name.trim() === "") throw new TypeError('tool: the tool has a blank name. Name it, for example "lookup".');
  refuseUnknownOptions(`tool ${JSON.stringify(name)}`, config, OPTIONS);
  refuseUnknownWord(`tool ${JSON.stringify(name)}: effect`, effect, TOOL_EFFECTS);
  const perform = effect === "write" && config.key !== undefined ? oncePerKey(config) : bodyOf(config);
  const facts = {
    name,
    role: effect,
    isUndeclared: config.effect === undefined,
    ...(stub !== undefined && {
      stub: async (input: unknown) => stub(await parsed(config.input, input, { name, what: "input" })),
    }),
  };
  registerRecorder("tools", toolRecorder);
  const called = async (input: Input): Promise<Output> =>
    inOwnRun(
      () => `called the tool ${name}`,
      async () => {
        const interceptor = currentInterceptors().tools;
        if (interceptor === undefined) return perform(input);
        return parsed(config.output, await interceptor({ facts, args: [input], run: () => perform(input) }), {
          name,
          what: "recorded response",
        });
      },
    );
  Object.defineProperty(called, "name", { value: name, configurable: true });
  return markTool(called, facts);
}

function bodyOf<Input, Output>({ name, input, output, key, run }: ToolConfig<Input, Output>): Tool<Input, Output> {
  return async (argument) => {
    const parsedInput = await parsed(input, argument, { name, what: "input" });
    const returned = await run(parsedInput, key === undefined ? {} : { idempotencyKey: key(parsedInput) });
    return parsed(output, returned, { name, what: "output" });
  };
}

/** Creates a write that runs once for each key: a repeated call gets the same response; a failure is forgotten. */
function oncePerKey<Input, Output>(config: ToolConfig<Input, Output>): Tool<Input, Output> {
  const perform = bodyOf(config);
  const done = new Map<string, Promise<Output>>();
  return async (argument) => {
    const input = await parsed(config.input, argument, { name: config.name, what: "input" });
    const key = config.key?.(input) ?? hashValueSync(argument);
    const known = done.get(key);
    if (known !== undefined) return known;
    const running = perform(argument);
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
  const result = await parseWith(schema, value);
  if (result.ok) return result.value;
  throw new TypeError(`the ${what} of tool "${name}" doesn't match its schema: ${result.error.message}`, {
    cause: result.error.cause,
  });
}
