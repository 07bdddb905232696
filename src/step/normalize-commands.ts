import { stableStringify } from "../base/canonical-json.ts";
import { hashValueSync } from "../base/hash.ts";
import { isPlainObject } from "../base/is-plain-object.ts";
import { quote } from "../base/text.ts";
import { typeName } from "../base/type-name.ts";
import { COMMAND_TYPES, type Command } from "./command.ts";

/**
 * A command list as data that does not depend on order or on who ran it: the schema's fields only, sorted by type, then
 * step or topic, then content, by code unit. Idempotent. Absent commands are an empty list. Throws a
 * TypeError for an entry that is no command.
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
  const given: unknown = command;
  if (isPlainObject(given) && COMMAND_TYPES.has(given["type"])) return command;
  const found = isPlainObject(given) ? `type ${quote(String(given["type"]))}` : typeName(given);
  throw new TypeError(`commands[${index}] is no command: found ${found}. Use invoke, fanout, review, emit or suspend.`);
}

/** What a command acts on, for reading and matching: its step, its topic, or nothing. */
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

/** Identifies a command of one step execution for deduplication: equal commands of one run share a key. */
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
      return { type: "invoke", step: command.step, input: command.input };
    case "fanout":
      return { type: "fanout", step: command.step, inputs: command.inputs };
    case "review":
      return {
        type: "review",
        reason: command.reason,
        ...(command.payload === undefined ? {} : { payload: command.payload }),
      };
    case "emit":
      return { type: "emit", topic: command.topic, payload: command.payload };
    case "suspend":
      return {
        type: "suspend",
        reason: command.reason,
        checkpoint: command.checkpoint,
        ...(command.resumeStep === undefined ? {} : { resumeStep: command.resumeStep }),
      };
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
