import type { Schema } from "./schema.ts";

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
 * The schema of a partial state update: a zod object with every field optional. Refinements of the whole object run
 * once every required field is there, because zod has no `.partial()` for a refined object and a refinement of a half
 * object means nothing. Any other schema (unions, pipes, other libraries) has no partial form and checks outputs whole.
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
