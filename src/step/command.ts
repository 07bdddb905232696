/** Asks the orchestrator to schedule another step with one input. */
export interface InvokeCommand {
  readonly type: "invoke";
  readonly step: string;
  readonly input: unknown;
}

/** Asks the orchestrator to schedule a step once per input; the inputs are independent. */
export interface FanoutCommand {
  readonly type: "fanout";
  readonly step: string;
  readonly inputs: readonly unknown[];
}

/** Asks for human approval; sibling commands are deferred until it is given. */
export interface ReviewCommand {
  readonly type: "review";
  readonly reason: string;
  readonly payload?: unknown;
}

/** Publishes an event to the outside; it is never replayed. */
export interface EmitCommand {
  readonly type: "emit";
  readonly topic: string;
  readonly payload: unknown;
}

/** Waits for data; sibling commands are discarded and `checkpoint` (JSON) is what resumes. */
export interface SuspendCommand {
  readonly type: "suspend";
  readonly reason: string;
  readonly checkpoint: unknown;
  readonly resumeStep?: string;
}

/** What a step wants to happen next, as data. The kernel never executes one. */
export type Command = InvokeCommand | FanoutCommand | ReviewCommand | EmitCommand | SuspendCommand;

/** The type of every {@link Command}. */
export const COMMAND_TYPES: ReadonlySet<unknown> = new Set<Command["type"]>([
  "invoke",
  "fanout",
  "review",
  "emit",
  "suspend",
]);

/** Builds an {@link InvokeCommand}. */
export function invoke(step: string, input: unknown): InvokeCommand {
  return { type: "invoke", step, input };
}

/** Builds a {@link FanoutCommand}. */
export function fanout(step: string, inputs: readonly unknown[]): FanoutCommand {
  return { type: "fanout", step, inputs };
}

/** Builds a {@link ReviewCommand}; an absent payload leaves no key behind. */
export function review(reason: string, payload?: unknown): ReviewCommand {
  return payload === undefined ? { type: "review", reason } : { type: "review", reason, payload };
}

/** Builds an {@link EmitCommand}. */
export function emit(topic: string, payload: unknown): EmitCommand {
  return { type: "emit", topic, payload };
}

/** Builds a {@link SuspendCommand}; an absent `resumeStep` leaves no key behind. */
export function suspend(wait: {
  readonly reason: string;
  readonly checkpoint: unknown;
  readonly resumeStep?: string | undefined;
}): SuspendCommand {
  const { reason, checkpoint, resumeStep } = wait;
  return resumeStep === undefined
    ? { type: "suspend", reason, checkpoint }
    : { type: "suspend", reason, checkpoint, resumeStep };
}

/** True for commands that schedule steps: `invoke` and `fanout`. */
export function isControlCommand(command: Command): command is InvokeCommand | FanoutCommand {
  return command.type === "invoke" || command.type === "fanout";
}

/**
 * True for commands that stop the workflow until answered: `review` and `suspend`. A step result may hold one at most.
 */
export function isBlockingCommand(command: Command): command is ReviewCommand | SuspendCommand {
  return command.type === "review" || command.type === "suspend";
}

/** True for commands that act on the outside: `emit`. */
export function isSideEffectCommand(command: Command): command is EmitCommand {
  return command.type === "emit";
}
