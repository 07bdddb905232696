import { type Result, err, ok } from "../base/result.ts";
import type { Schema, SchemaIssue } from "./schema.ts";
import { messageOf } from "./step-error.ts";

/** What a schema refused: every issue, in words, and the schema library's own error. */
export interface ParseProblem {
  readonly message: string;
  readonly issues: readonly SchemaIssue[];
  readonly cause: unknown;
}

/** The part of zod used here: its own parse calls keep the ZodError, which `~standard` does not hand out. */
interface SafeParser<Output> {
  safeParse(value: unknown): SafeAnswer<Output>;
  safeParseAsync(value: unknown): Promise<SafeAnswer<Output>>;
}

type SafeAnswer<Output> =
  | { readonly success: true; readonly data: Output }
  | { readonly success: false; readonly error: { readonly issues: readonly SchemaIssue[] } };

/** Schemas that were once seen to need an asynchronous parse, so that their transforms do not run twice again. */
const asynchronous = new WeakSet<Schema>();

/**
 * Parses a value with any Standard Schema, synchronously where the schema can. A schema that throws is a problem, not
 * a throw.
 */
export async function parseWith<Output>(
  schema: Schema<unknown, Output>,
  value: unknown,
): Promise<Result<Output, ParseProblem>> {
  try {
    return hasSafeParse(schema) ? await parseSafely(schema, value) : await parseStandard(schema, value);
  } catch (cause) {
    const message = messageOf(cause);
    return err({ message, issues: [{ message }], cause });
  }
}

/** Issues as one line, `a: …; b.c: …`; an issue of the whole value is at `(root)`. */
export function formatIssues(issues: readonly SchemaIssue[]): string {
  return issues.map((issue) => `${issuePath(issue).join(".") || "(root)"}: ${issue.message}`).join("; ");
}

/** The path of an issue, with Standard Schema's object segments unwrapped. */
export function issuePath(issue: SchemaIssue): (string | number)[] {
  return (issue.path ?? []).map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment;
    return typeof key === "number" ? key : String(key);
  });
}

async function parseSafely<Output>(
  schema: Schema<unknown, Output> & SafeParser<Output>,
  value: unknown,
): Promise<Result<Output, ParseProblem>> {
  const answer = asynchronous.has(schema) ? await schema.safeParseAsync(value) : await syncFirst(schema, value);
  if (answer.success) return ok(answer.data);
  return refused(answer.error.issues, answer.error);
}

async function syncFirst<Output>(
  schema: Schema<unknown, Output> & SafeParser<Output>,
  value: unknown,
): Promise<SafeAnswer<Output>> {
  try {
    return schema.safeParse(value);
  } catch (thrown) {
    if (!isAsyncError(thrown)) throw thrown;
    asynchronous.add(schema);
    return schema.safeParseAsync(value);
  }
}

async function parseStandard<Output>(
  schema: Schema<unknown, Output>,
  value: unknown,
): Promise<Result<Output, ParseProblem>> {
  const answer = await schema["~standard"].validate(value);
  return answer.issues === undefined ? ok(answer.value) : refused(answer.issues, answer.issues);
}

function refused(issues: readonly SchemaIssue[], cause: unknown): Result<never, ParseProblem> {
  return err({ message: formatIssues(issues), issues, cause });
}

function hasSafeParse<Output>(schema: Schema<unknown, Output>): schema is Schema<unknown, Output> & SafeParser<Output> {
  return "safeParse" in schema && "safeParseAsync" in schema;
}

/** zod's signal that a schema has asynchronous parts; told by name because zod is never imported here. */
function isAsyncError(thrown: unknown): boolean {
  if (typeof thrown !== "object" || thrown === null || typeof thrown.constructor !== "function") return false;
  return /^\$?ZodAsyncError$/.test(thrown.constructor.name);
}
