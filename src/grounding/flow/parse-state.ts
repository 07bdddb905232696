import { z } from "zod";
import { type Result, err, ok } from "../../base/result.ts";
import { formatIssues } from "../../step/schema.ts";
import type { FlowError, VeraState, WorkingState } from "./vera-state.ts";
import { STATE_SCHEMAS, answeredQuestionSchema } from "./vera-schemas.ts";

const phase = z.enum(["ingest", "query", "retrieve", "verify_retrieval", "generate", "verify_grounding"]);

const failed: z.ZodType<VeraState> = z.object({
  phase: z.literal("failed"),
  at: phase,
  error: z.object({
    kind: z.enum(["validation", "retrieval", "verification", "provider", "internal"]),
    code: z.string(),
    message: z.string(),
    operation: z.string(),
    input: z.string().exactOptional(),
    retryable: z.boolean(),
    cause: z.string().exactOptional(),
  }) satisfies z.ZodType<FlowError>,
});
const complete: z.ZodType<VeraState> = z.object({ phase: z.literal("complete"), answer: answeredQuestionSchema });

/** Reads a stored state with work left. What is none is told in words. */
export function parseWorkingState(value: unknown): Result<WorkingState, string> {
  const named = z.object({ phase }).safeParse(value);
  return named.success
    ? parsed<WorkingState>(STATE_SCHEMAS[named.data.phase], value)
    : err(formatIssues(named.error.issues));
}

/** Reads any stored state. What is none is told in words. */
export function parseState(value: unknown): Result<VeraState, string> {
  const named = z.object({ phase: z.enum([...phase.options, "complete", "failed"]) }).safeParse(value);
  if (!named.success) return err(formatIssues(named.error.issues));
  if (named.data.phase === "complete") return parsed(complete, value);
  return named.data.phase === "failed" ? parsed(failed, value) : parseWorkingState(value);
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): Result<T, string> {
  const answer = schema.safeParse(value);
  return answer.success ? ok(answer.data) : err(formatIssues(answer.error.issues));
}
