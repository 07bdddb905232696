import { importSequentially } from "../import-sequentially.ts";
import { type Command, isBlockingCommand, isControlCommand } from "./command.ts";
import { type AnyStep } from "./define-step.ts";
import { type Workflow, stepNotFound } from "./define-workflow.ts";
import { formatIssues, parseWith } from "./schema.ts";

/**
 * Problem in a list of commands: the index of the command, and a message. The index is undefined if the problem is the
 * list itself.
 */
export interface CommandProblem {
  readonly index: number | undefined;
  readonly message: string;
}

/**
 * Checks the commands of a step, and returns one problem for each invalid command. A command is invalid if it's
 * malformed, or if it's the second blocking command. If you pass a workflow, the steps of the commands must exist and
 * accept their inputs. Returns an empty array if all commands are valid. Loads zod when first called.
 */
export async function checkCommands(
  commands: readonly unknown[],
  workflow?: Pick<Workflow, "name" | "steps">,
): Promise<CommandProblem[]> {
  const { commandSchema } = await importSequentially(async () => import("./command-schema.ts"));
  const problems: CommandProblem[] = [];
  const sound: Command[] = [];
  for (const [index, command] of commands.entries()) {
    const parsed = commandSchema.safeParse(command);
    if (!parsed.success) problems.push({ index, message: formatIssues(parsed.error.issues) });
    if (!parsed.success) continue;
    sound.push(parsed.data);
    if (workflow !== undefined) problems.push(...(await checkTargets(parsed.data, index, workflow)));
  }
  return [...tooManyBlocking(sound), ...problems];
}

function tooManyBlocking(commands: readonly Command[]): CommandProblem[] {
  const blocking = commands.filter(isBlockingCommand);
  if (blocking.length < 2) return [];
  const listed = blocking.map((command) => `${command.type} "${command.reason}"`).join(", ");
  return [
    { index: undefined, message: `at most one blocking command is allowed, found ${blocking.length}: ${listed}` },
  ];
}

async function checkTargets(
  command: Command,
  index: number,
  workflow: Pick<Workflow, "name" | "steps">,
): Promise<CommandProblem[]> {
  if (command.type === "fanout" && command.then !== undefined && !Object.hasOwn(workflow.steps, command.then))
    return [{ index, message: stepNotFound(workflow, command.then) }];
  const name = targetStep(command);
  if (name === undefined) return [];
  const step = Object.hasOwn(workflow.steps, name) ? workflow.steps[name] : undefined;
  if (step === undefined) return [{ index, message: stepNotFound(workflow, name) }];
  if (!isControlCommand(command)) return [];
  const inputs = command.type === "invoke" ? [command.input] : command.inputs;
  const messages = await Promise.all(inputs.map((input) => inputProblem(step, input)));
  return messages.flatMap((message, position) => {
    if (message === undefined) return [];
    const where = command.type === "invoke" ? "input" : `inputs[${position}]`;
    return [{ index, message: `${where} of ${command.type} "${name}": ${message}` }];
  });
}

function targetStep(command: Command): string | undefined {
  if (isControlCommand(command)) return command.step;
  return command.type === "suspend" ? command.resumeStep : undefined;
}

async function inputProblem(step: AnyStep, input: unknown): Promise<string | undefined> {
  const parsed = await parseWith(step.inputSchema, input);
  return parsed.ok ? undefined : parsed.error.message;
}
