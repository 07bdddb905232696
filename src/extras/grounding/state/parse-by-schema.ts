import type { z } from "zod/v4";
import { messageOf } from "../../../kernel/error-message.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { formatIssues } from "../../../kernel/step/schema.ts";

/** Checks a value by a schema. The error lists the issues. */
export function checkBySchema<T>(schema: z.ZodType<T>, value: unknown): Result<T, string> {
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : err(formatIssues(parsed.error.issues));
}

/** Parses a stored JSON text by a schema. The error says what is wrong with it. */
export function parseBySchema<T>(schema: z.ZodType<T>, text: string): Result<T, string> {
  try {
    return checkBySchema(schema, JSON.parse(text));
  } catch (cause) {
    return err(messageOf(cause));
  }
}
