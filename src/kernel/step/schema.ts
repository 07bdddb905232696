import { isPlainObject, memberOf } from "../json/plain-data.ts";
import { type Result, err, ok } from "../result.ts";
import { messageOf } from "../error-message.ts";

/** One issue of a schema: its path and its message. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Result of a schema's `validate`: the parsed value, or the issues. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/**
 * Interface that veritest requires of a schema: Standard Schema v1, which zod 4 implements. `Input` is the type before
 * parsing, `Output` the type after it.
 */
export interface Schema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** Type that a schema accepts, before transforms and defaults. */
export type SchemaInput<S extends Schema> = S extends Schema<infer Input, unknown> ? Input : never;

/** Type that a schema returns, after transforms and defaults. */
export type SchemaOutput<S extends Schema> = S extends Schema<infer _Input, infer Output> ? Output : never;

/** Returns true for a schema. Those of some libraries are functions. */
export function isSchema(value: unknown): value is Schema {
  return memberOf(value, "~standard") !== undefined;
}

/** A schema made of its check alone. */
export function schemaOf<Value>(
  validate: (value: unknown) => SchemaResult<Value> | Promise<SchemaResult<Value>>,
): Schema<Value> {
  return { "~standard": { version: 1, vendor: "veritest", validate } };
}

/** Schema of any object, the most general output of a step. */
export const PLAIN_OBJECT: Schema<object> = schemaOf((value) =>
  isPlainObject(value) ? { value } : { issues: [{ message: "An output is an object." }] },
);

/** Refusal of a schema: every issue as text, and the schema library's own error. */
interface ParseProblem {
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
 * Parses a value with any Standard Schema, synchronously if the schema can. A schema that throws is a problem, not
 * a throw.
 */
export async function parseWith<Output>(
  schema: Schema<unknown, Output>,
  value: unknown,
): Promise<Result<Output, ParseProblem>> {
  try {
    if (hasSafeParse(schema)) {
      const parsed = syncFirst(schema, value);
      const answer = "then" in parsed ? await parsed : parsed;
      return answer.success ? ok(answer.data) : refused(answer.error.issues, answer.error);
    }
    const validated = schema["~standard"].validate(value);
    // Most schemas answer at once, and each promise that is waited for takes a turn of the queue.
    const answer = "then" in validated ? await validated : validated;
    return answer.issues === undefined ? ok(answer.value) : refused(answer.issues, answer.issues);
  } catch (cause) {
    const message = messageOf(cause);
    return err({ message, issues: [{ message }], cause });
  }
}

/** Issues as one line, `a: …; b.c: …`; an issue of the complete value is at `(root)`. */
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

function syncFirst<Output>(
  schema: Schema<unknown, Output> & SafeParser<Output>,
  value: unknown,
): SafeAnswer<Output> | Promise<SafeAnswer<Output>> {
  if (asynchronous.has(schema)) return schema.safeParseAsync(value);
  try {
    return schema.safeParse(value);
  } catch (thrown) {
    if (!isAsyncError(thrown)) throw thrown;
    asynchronous.add(schema);
    return schema.safeParseAsync(value);
  }
}

function refused(issues: readonly SchemaIssue[], cause: unknown): Result<never, ParseProblem> {
  return err({ message: formatIssues(issues), issues, cause });
}

function hasSafeParse<Output>(schema: Schema<unknown, Output>): schema is Schema<unknown, Output> & SafeParser<Output> {
  return "safeParse" in schema && "safeParseAsync" in schema;
}

/**
 * zod's signal that a schema has asynchronous parts; recognized by name because zod is never imported here. For an
 * asynchronous transform in an object, zod's own code throws a TypeError.
 */
function isAsyncError(thrown: unknown): boolean {
  if (typeof thrown !== "object" || thrown === null || typeof thrown.constructor !== "function") return false;
  if (/^\$?ZodAsyncError$/.test(thrown.constructor.name)) return true;
  if (!(thrown instanceof Error)) return false;
  const [innermost = ""] = /^\s+at .*$/m.exec(thrown.stack ?? "") ?? [];
  // The error of zod 3 is a plain Error.
  const isOfZod3 = thrown.message.endsWith("synchronous parse operation. Use .parseAsync instead.");
  return isOfZod3 || (thrown.name === "TypeError" && /[\\/]zod[\\/]/.test(innermost));
}

/** The parts of a zod object schema that making it partial needs. */
interface ObjectSchema extends Schema<unknown, object> {
  readonly def: { readonly type: "object"; readonly checks?: readonly unknown[] };
  readonly shape: Readonly<Record<string, { readonly _zod: { readonly optin?: string | undefined } }>>;
  clone(def: object): ObjectSchema;
  partial(): ObjectSchema;
  safeParse(value: unknown): unknown;
  safeParseAsync(value: unknown): Promise<unknown>;
}

/**
 * The schema of a partial state update: a zod object with every field optional. Refinements of the complete object run
 * once every required field is present, because zod has no `.partial()` for a refined object and a refinement of a
 * partial object has no meaning. Any other schema (unions, pipes, other libraries) has no partial form and checks
 * complete outputs.
 */
export function partialSchema(schema: Schema<unknown, object>): Schema<unknown, object> {
  if (!isObjectSchema(schema)) return schema;
  if ((schema.def.checks ?? []).length === 0) return schema.partial();
  return refinedWhenComplete(schema, schema.clone({ ...schema.def, checks: [] }).partial());
}

function refinedWhenComplete(whole: ObjectSchema, partial: ObjectSchema): Schema<unknown, object> {
  // zod's own word on absence, which sees through wrappers: nullable(optional), pipes of a default, catch.
  const required = Object.entries(whole.shape)
    .filter(([, field]) => field._zod.optin === undefined)
    .map(([key]) => key);
  const choose = (value: unknown): ObjectSchema => (hasAll(value, required) ? whole : partial);
  const chosen = {
    "~standard": { ...whole["~standard"], validate: (value: unknown) => choose(value)["~standard"].validate(value) },
    safeParse: (value: unknown) => choose(value).safeParse(value),
    safeParseAsync: (value: unknown) => choose(value).safeParseAsync(value),
  };
  return chosen;
}

function hasAll(value: unknown, keys: readonly string[]): boolean {
  return typeof value === "object" && value !== null && keys.every((key) => Reflect.get(value, key) !== undefined);
}

function isObjectSchema(schema: Schema<unknown, object>): schema is ObjectSchema {
  if (!("def" in schema && "partial" in schema && "clone" in schema)) return false;
  const { def } = schema;
  return typeof def === "object" && def !== null && "type" in def && def.type === "object";
}
