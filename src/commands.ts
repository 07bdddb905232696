export {
  type Command,
  type EmitCommand,
  type FanoutCommand,
  type InvokeCommand,
  type ReviewCommand,
  type SuspendCommand,
  commandKey,
  emit,
  fanout,
  invoke,
  isBlockingCommand,
  isControlCommand,
  isSideEffectCommand,
  normalizeCommands,
  review,
  suspend,
} from "./kernel/step/command.ts";
export {
  commandSchema,
  emitCommandSchema,
  fanoutCommandSchema,
  invokeCommandSchema,
  reviewCommandSchema,
  suspendCommandSchema,
} from "./kernel/step/command-schema.ts";
export { type CommandProblem, checkCommands } from "./kernel/step/check-commands.ts";
