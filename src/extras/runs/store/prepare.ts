import { type Result, err, ok } from "../../../kernel/result.ts";
import { typeName } from "../../../kernel/json/plain-data.ts";
import { quote } from "../../../kernel/text.ts";
import {
  type Command,
  type InvokeCommand,
  emit,
  invoke,
  isBlockingCommand,
  commandKey,
} from "../../../kernel/step/command.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { storedForm, storedItems } from "../../../record/encode/encode.ts";
import { parseTraceparent } from "../../../kernel/telemetry/span-context.ts";
import type { Block } from "../../../kernel/step/block.ts";
import type { CommandRow, StartRun, StepCommit } from "./contract.ts";
import { type StoreError, storeError } from "./store-error.ts";

/** Limits on the size of a stored value. */
export interface StoreLimits {
  /** Maximum bytes of one JSON text: an input, an output, a payload or a checkpoint. Default: 16 MiB. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 16 * 2 ** 20;

/** A new command row, with its values as JSON. */
export interface NewRow extends Pick<CommandRow, "key" | "kind" | "target"> {
  readonly status: "pending" | "deferred" | "joining";
  readonly payload: string;
  /** Milliseconds until the row is due. */
  readonly delay: number;
  /** Key of the collect that waits for the row. */
  readonly joinKey: string | null;
  readonly traceparent: string | null;
}

/** A new block; `detail` is the JSON of its payload. */
export interface NewBlock extends Pick<Block, "blockId" | "kind"> {
  readonly detail: string;
}

/** A commit as texts, fully checked before any write. */
export interface PreparedCommit {
  /** Null for a step without input. */
  readonly input: string | null;
  readonly output: string;
  /** Fields of the output, each as JSON. */
  readonly fields: readonly (readonly [name: string, json: string])[];
  readonly events: string;
  readonly commands: string;
  readonly artifacts: string;
  readonly rows: readonly NewRow[];
  readonly block: NewBlock | undefined;
}

/** Ends a preparation early; caught in this file. */
class Refusal extends Error {
  readonly refusal: StoreError;
  constructor(refusal: StoreError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

function attempt<T>(prepare: () => T): Result<T, StoreError> {
  try {
    return ok(prepare());
  } catch (thrown) {
    if (thrown instanceof Refusal) return err(thrown.refusal);
    throw thrown;
  }
}

/** Turns a commit into rows: one per command and fanned-out input, or none if the step suspends. */
export function prepareCommit(commit: StepCommit, limits: StoreLimits): Result<PreparedCommit, StoreError> {
  return attempt(() => {
    checkIds({ workflowId: commit.workflowId, runId: commit.runId, stepId: commit.stepId, stepName: commit.stepName });
    const value: unknown = commit.output;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Refusal(storeError("not_json", `The output must be an object, got ${typeName(value)}.`));
    const write = writer(limits);
    // First, because its errors have the path of a value within all commands.
    formOf("commands", commit.commands);
    const blocking = onlyBlocking(commit.commands);
    const rows =
      blocking?.type === "suspend" ? [] : rowsOf(commit, blocking === undefined ? "pending" : "deferred", write);
    const block = blocking === undefined ? undefined : blockOf(commit, blocking, write);
    return {
      input: commit.input === undefined ? null : write("input", commit.input),
      output: write("output", commit.output),
      fields: Object.entries(commit.output)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, write(`output.${name}`, value)] as const),
      events: write("events", commit.events),
      commands: write("commands", commit.commands),
      artifacts: write("artifacts", commit.artifacts ?? []),
      rows: block === undefined ? rows : [...rows, ...timeoutRow(commit, block.blockId, blocking?.timeout?.after)],
      block,
    };
  });
}

/** Returns the first row of a run. */
export function prepareStart(start: StartRun, limits: StoreLimits): Result<NewRow, StoreError> {
  return attempt(() => {
    const { workflowId, runId, step } = start;
    checkIds({ workflowId, runId, step });
    const payload = writer(limits)("input", start.input);
    const command = invoke(step, start.input);
    const key = storedCommandKey({ workflowId, runId, stepName: "start", command });
    const traceparent = traceOf(start.traceparent);
    return { key, kind: "invoke", target: step, status: "pending", payload, traceparent, ...AT_ONCE };
  });
}

/** Row that resumes a suspended run; the rest is of the suspended one's row. */
export type ResumeRow = Omit<NewRow, "traceparent" | "joinKey">;

/** Returns the row that resumes a suspended run, under the block's own step id. */
export function prepareResume(block: Block, data: unknown, limits: StoreLimits): Result<ResumeRow, StoreError> {
  return attempt(() => {
    const input = { checkpoint: block.checkpoint, resumeData: data };
    const payload = writer(limits)("resumeData", input);
    const command = invoke(block.resumeStep ?? block.stepName, input);
    const { workflowId, runId } = block;
    const key = storedCommandKey({ workflowId, runId, stepName: resumeStepId(block.blockId), command });
    return { key, kind: "invoke", target: command.step, status: "pending", payload, delay: 0 };
  });
}

const AT_ONCE = { delay: 0, joinKey: null } as const;

/** Returns the row that resolves a block after its time. */
function timeoutRow(commit: StepCommit, blockId: string, delay: number | undefined): readonly NewRow[] {
  if (delay === undefined) return [];
  const [key, payload] = [timeoutKey({ ...commit, blockId }), JSON.stringify({ blockId })];
  const traceparent = traceOf(commit.traceparent);
  const row = { key, kind: "timeout", target: commit.stepName, status: "pending", payload, delay } as const;
  return [{ ...row, joinKey: null, traceparent }];
}

/** Returns the key of the command that resolves a block after its time. */
export function timeoutKey({ workflowId, runId, blockId }: Pick<Block, "workflowId" | "runId" | "blockId">): string {
  return commandKey({ workflowId, runId, stepName: resumeStepId(blockId), command: emit("timeout", null) });
}

/** Returns the step id under which a block is resumed. */
export function resumeStepId(blockId: string): string {
  return `resume:${blockId}`;
}

/** Returns the JSON of a value's stored form within the limits; the error calls it `name`. */
export function prepareJson(name: string, value: unknown, limits: StoreLimits): Result<string, StoreError> {
  return attempt(() => writer(limits)(name, value));
}

type Write = (name: string, value: unknown) => string;

function writer({ maxBytes = MAX_BYTES }: StoreLimits): Write {
  return (name, value) => {
    const text = JSON.stringify(formOf(name, value));
    // A text has at least as many bytes as UTF-16 units, and at most three times as many, so most texts need no
    // count.
    const bytes = text.length * 3 <= maxBytes ? 0 : Buffer.byteLength(text);
    if (bytes <= maxBytes) return text;
    const problem = `${name} has ${bytes} bytes of JSON, which is more than maxBytes (${maxBytes}).`;
    const instead = "Store it elsewhere and keep a reference, or raise maxBytes.";
    throw new Refusal(storeError("payload_too_large", `${problem} ${instead}`));
  };
}

/** The stored form of a value, in the order of its keys: a step that gets it again may write it as text. */
function formOf(name: string, value: unknown): unknown {
  try {
    return storedForm(value, [name], "store");
  } catch (thrown) {
    throw new Refusal(
      storeError("not_json", `The store didn't write any part of the change: ${messageOf(thrown)}.`, {
        cause: thrown,
      }),
    );
  }
}

/** Returns the key of a command, in which its values count in their stored form. Throws like `storedForm`. */
export function storedCommandKey(origin: Parameters<typeof commandKey>[0]): string {
  const [command = origin.command] = storedItems([origin.command], "commands", "store");
  return commandKey({ ...origin, command });
}

function checkIds(ids: Readonly<Record<string, string>>): void {
  for (const [name, id] of Object.entries(ids)) {
    const value: unknown = id;
    if (typeof value === "string" && value !== "" && value.isWellFormed() && !value.includes("\0")) continue;
    const text = typeof value === "string" ? quote(value) : typeName(value);
    const message = `${name} is ${text}. Use a non-empty string without U+0000 or unpaired surrogates.`;
    throw new Refusal(storeError("invalid_id", message));
  }
}

function onlyBlocking(commands: readonly Command[]): Extract<Command, { type: "review" | "suspend" }> | undefined {
  const blocking = commands.filter(isBlockingCommand);
  if (blocking.length < 2) return blocking[0];
  const names = blocking.map(({ type, reason }) => `${type} ${quote(reason)}`).join(", ");
  const message = `A step's result can have at most one blocking command, but this has ${blocking.length}: ${names}.`;
  throw new Refusal(storeError("orchestration_error", message));
}

function rowsOf(commit: StepCommit, status: NewRow["status"], write: Write): NewRow[] {
  const paths = new Map<string, string>();
  const { workflowId, runId, stepId } = commit;
  const keyOf = (command: Command): string => storedCommandKey({ workflowId, runId, stepName: stepId, command });
  const traceparent = traceOf(commit.traceparent);
  return commit.commands.flatMap((command, index): NewRow[] => {
    const collect = collectOf(command, keyOf);
    const rows = singleCommands(command, `commands[${index}]`).map(({ single, path }): NewRow => {
      const target = single.type === "invoke" ? single.step : single.topic;
      checkIds({ [`${path}.${single.type === "invoke" ? "step" : "topic"}`]: target });
      const payload = write(path, single.type === "invoke" ? single.input : single.payload);
      const key = keyOf(single);
      const first = paths.get(key);
      if (first !== undefined)
        throw new Refusal(
          storeError(
            "duplicate_command",
            `${path} equals ${first}, so one of them would be lost. Remove one, or make their data different.`,
          ),
        );
      paths.set(key, path);
      const delay = single.type === "invoke" ? (single.after ?? 0) : 0;
      return { key, kind: single.type, target, status, payload, traceparent, delay, joinKey: collect?.key ?? null };
    });
    if (collect === undefined) return rows;
    const payload = write(`commands[${index}].then`, { keys: collect.keys });
    const joinStatus = collect.keys.length > 0 ? "joining" : status;
    return [
      ...rows,
      { ...AT_ONCE, key: collect.key, kind: "collect", target: collect.step, status: joinStatus, payload, traceparent },
    ];
  });
}

/** Returns the step that gets the outputs of a fanout, with the keys of its commands in the order of the inputs. */
export function collectOf(
  command: Command,
  keyOf: (command: Command) => string,
): { readonly key: string; readonly step: string; readonly keys: readonly string[] } | undefined {
  if (command.type !== "fanout" || command.then === undefined) return undefined;
  const keys = command.inputs.map((input) => keyOf(invoke(command.step, input)));
  return { key: keyOf(invoke(command.then, { keys })), step: command.then, keys };
}

/** Drops a text that isn't a valid traceparent: its content would be arbitrary. */
function traceOf(traceparent: string | undefined): string | null {
  return traceparent !== undefined && parseTraceparent(traceparent) !== undefined ? traceparent : null;
}

type SingleCommand = InvokeCommand | Extract<Command, { type: "emit" }>;

/** Splits a fanout into one invoke per input, which are independent afterwards. Blocking commands aren't rows. */
function singleCommands(command: Command, path: string): { readonly single: SingleCommand; readonly path: string }[] {
  switch (command.type) {
    case "invoke":
    case "emit":
      return [{ single: command, path }];
    case "fanout":
      return command.inputs.map((input, index) => ({
        single: invoke(command.step, input),
        path: `${path}.inputs[${index}]`,
      }));
    case "review":
    case "suspend":
      return [];
  }
}

function blockOf(
  commit: StepCommit,
  command: Extract<Command, { type: "review" | "suspend" }>,
  write: Write,
): NewBlock {
  const { workflowId, runId, stepId } = commit;
  const { type: kind, ...detail } = command;
  const text = write(kind === "review" ? "payload" : "checkpoint", detail);
  return { blockId: storedCommandKey({ workflowId, runId, stepName: stepId, command }), kind, detail: text };
}
