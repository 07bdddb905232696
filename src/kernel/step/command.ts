import { stableStringify } from "../json/canonical-json.ts";
import { hashValueSync } from "../json/hash.ts";
import { isPlainObject, typeName } from "../json/plain-data.ts";
import { quote } from "../text.ts";

/** Runs another step with one input. */
export interface InvokeCommand {
  readonly type: "invoke";
  readonly step: string;
  readonly input: unknown;
  /**
   * Delay in milliseconds before the step begins, counted from the commit of this command. If the command waits for a
   * review, that time counts, too.
   */
  readonly after?: number;
}

/**
 * Runs a step once for each input. The inputs are independent. The step `then` runs once with all outputs, in the order
 * of the inputs.
 */
export interface FanoutCommand {
  readonly type: "fanout";
  readonly step: string;
  readonly inputs: readonly unknown[];
  readonly then?: string;
}

/** Requests a person's approval. The other commands of the step wait for it. */
export interface ReviewCommand {
  readonly type: "review";
  readonly reason: string;
  readonly payload?: unknown;
  /** Decision if the block is still open after `after` milliseconds. */
  readonly timeout?: { readonly after: number; readonly decision: "approve" | "reject" };
}

/** Publishes an event to other systems. A replay never publishes it. */
export interface EmitCommand {
  readonly type: "emit";
  readonly topic: string;
  readonly payload: unknown;
}

/**
 * Suspends the run until data arrives. The other commands of the step are discarded, and the run resumes with
 * `checkpoint` (JSON).
 */
export interface SuspendCommand {
  readonly type: "suspend";
  readonly reason: string;
  readonly checkpoint: unknown;
  readonly resumeStep?: string;
  /** Data that the run resumes with (JSON) if none arrives within `after` milliseconds. */
  readonly timeout?: { readonly after: number; readonly data: unknown };
}

/**
 * Request of a step to the runner, as data: for example, to run another step or to ask a person for approval. A step
 * only returns commands, and a runner executes them.
 */
export type Command = InvokeCommand | FanoutCommand | ReviewCommand | EmitCommand | SuspendCommand;

/** Names of the fields of each {@link Command} besides `type`. */
export const COMMAND_FIELDS: {
  readonly [C in Command as C["type"]]: Readonly<Record<Exclude<keyof C, "type">, true>>;
} = {
  invoke: { step: true, input: true, after: true },
  fanout: { step: true, inputs: true, then: true },
  review: { reason: true, payload: true, timeout: true },
  emit: { topic: true, payload: true },
  suspend: { reason: true, checkpoint: true, resumeStep: true, timeout: true },
};

/** The type of every {@link Command}. */
export const COMMAND_TYPES: ReadonlySet<unknown> = new Set(Object.keys(COMMAND_FIELDS));

/**
 * Creates a command that runs another step: an {@link InvokeCommand}. With `after`, the step begins that many
 * milliseconds later.
 */
export function invoke(step: string, input: unknown, { after }: Pick<InvokeCommand, "after"> = {}): InvokeCommand {
  return { type: "invoke", step, input, ...(after === undefined ? {} : { after }) };
}

/**
 * Creates a command that runs a step once for each input: a {@link FanoutCommand}. The step `then` runs once, with a
 * list of all outputs in the order of the inputs.
 */
export function fanout(
  step: string,
  inputs: readonly unknown[],
  { then }: Pick<FanoutCommand, "then"> = {},
): FanoutCommand {
  return { type: "fanout", step, inputs, ...(then === undefined ? {} : { then }) };
}

/** Creates a command that requests a person's approval: a {@link ReviewCommand}. */
export function review(
  reason: string,
  payload?: unknown,
  { timeout }: Pick<ReviewCommand, "timeout"> = {},
): ReviewCommand {
  const more = { ...(payload === undefined ? {} : { payload }), ...(timeout === undefined ? {} : { timeout }) };
  return { type: "review", reason, ...more };
}

/** Creates a command that publishes `payload` to `topic`: an {@link EmitCommand}. */
export function emit(topic: string, payload: unknown): EmitCommand {
  return { type: "emit", topic, payload };
}

/** Creates a command that suspends the run until data arrives: a {@link SuspendCommand}. */
export function suspend(wait: {
  readonly reason: string;
  readonly checkpoint: unknown;
  readonly resumeStep?: string | undefined;
  readonly timeout?: SuspendCommand["timeout"] | undefined;
}): SuspendCommand {
  const { reason, checkpoint, resumeStep, timeout } = wait;
  const more = { ...(resumeStep === undefined ? {} : { resumeStep }), ...(timeout === undefined ? {} : { timeout }) };
  return { type: "suspend", reason, checkpoint, ...more };
}

/** Returns true for commands that schedule steps: `invoke` and `fanout`. */
export function isControlCommand(command: Command): command is InvokeCommand | FanoutCommand {
  return command.type === "invoke" || command.type === "fanout";
}

/**
 * Returns true for commands that stop the workflow until they're answered: `review` and `suspend`. A step's result can
 * have at most one of them.
 */
export function isBlockingCommand(command: Command): command is ReviewCommand | SuspendCommand {
  return command.type === "review" || command.type === "suspend";
}

/** Returns true for commands that have effects outside of the workflow: `emit`. */
export function isSideEffectCommand(command: Command): command is EmitCommand {
  return command.type === "emit";
}

/**
 * Converts a command list to data that doesn't depend on its order or on the run. Only the fields of the schema are
 * kept, sorted by type, then step or topic, then content. Normalizing twice has the same result as once. Absent
 * commands give an empty list. Throws a TypeError for an entry that is not a command.
 */
export function normalizeCommands(commands: readonly Command[] | undefined): Command[] {
  return (commands ?? [])
    .map(checked)
    .map(semanticFields)
    .map((command) => ({ command, key: [command.type, commandTarget(command), stableStringify(command)] as const }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ command }) => command);
}

/** Untyped code may return anything as a command; a clear word beats a failing property access. */
function checked(command: Command, index: number): Command {
  const value: unknown = command;
  if (isPlainObject(value) && COMMAND_TYPES.has(value["type"])) return command;
  const actual = isPlainObject(value) ? `type ${quote(String(value["type"]))}` : typeName(value);
  throw new TypeError(
    `commands[${index}] isn't a command: got ${actual}. Use invoke, fanout, review, emit or suspend.`,
  );
}

/** Target of a command, for reading and matching: its step, its topic, or an empty string. */
export function commandTarget(command: Command): string {
  switch (command.type) {
    case "invoke":
    case "fanout":
      return command.step;
    case "emit":
      return command.topic;
    case "review":
    case "suspend":
      return "";
  }
}

/** Returns the key of a command for deduplication: equal commands of one run have the same key. */
export function commandKey(origin: {
  readonly workflowId: string;
  readonly runId: string;
  readonly stepName: string;
  readonly command: Command;
}): string {
  const { workflowId, runId, stepName, command } = origin;
  return hashValueSync([workflowId, runId, stepName, semanticFields(command)]);
}

/** The fields the schema knows; whatever a runner added is left behind, and so are absent optionals. */
function semanticFields(command: Command): Command {
  switch (command.type) {
    case "invoke":
      return invoke(command.step, command.input, command);
    case "fanout":
      return fanout(command.step, command.inputs, command);
    case "review":
      return review(command.reason, command.payload, command);
    case "emit":
      return { type: "emit", topic: command.topic, payload: command.payload };
    case "suspend":
      return suspend(command);
  }
}

/** By code unit, because a locale's order differs between machines. */
function compare(a: readonly string[], b: readonly string[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? "";
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
