import { exactOptional } from "../exact-optional.ts";
import { z } from "zod/v4";
import type { Command, EmitCommand, FanoutCommand, InvokeCommand, ReviewCommand, SuspendCommand } from "./command.ts";

const text = z.string().min(1);
const after = z.number().nonnegative();
const invoke = z.strictObject({
  type: z.literal("invoke"),
  step: text,
  input: z.unknown(),
  after: exactOptional(after),
});
const fanout = z.strictObject({
  type: z.literal("fanout"),
  step: text,
  inputs: z.array(z.unknown()),
  then: exactOptional(text),
});
const review = z.strictObject({
  type: z.literal("review"),
  reason: text,
  payload: z.unknown().optional(),
  timeout: exactOptional(z.strictObject({ after, decision: z.enum(["approve", "reject"]) })),
});
const emit = z.strictObject({ type: z.literal("emit"), topic: text, payload: z.unknown() });
const suspend = z.strictObject({
  type: z.literal("suspend"),
  reason: text,
  checkpoint: z.unknown(),
  resumeStep: exactOptional(text),
  timeout: exactOptional(z.strictObject({ after, data: z.unknown() })),
});

/** Strict schema of an {@link InvokeCommand}: unknown keys are errors. */
export const invokeCommandSchema: z.ZodType<InvokeCommand> = invoke;

/** Strict schema of a {@link FanoutCommand}. */
export const fanoutCommandSchema: z.ZodType<FanoutCommand> = fanout;

/** Strict schema of a {@link ReviewCommand}. */
export const reviewCommandSchema: z.ZodType<ReviewCommand> = review;

/** Strict schema of an {@link EmitCommand}. */
export const emitCommandSchema: z.ZodType<EmitCommand> = emit;

/** Strict schema of a {@link SuspendCommand}. */
export const suspendCommandSchema: z.ZodType<SuspendCommand> = suspend;

/** Strict schema of any {@link Command}. */
export const commandSchema: z.ZodType<Command> = z.discriminatedUnion("type", [invoke, fanout, review, emit, suspend]);
