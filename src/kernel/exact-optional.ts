import type { z } from "zod/v4";

/**
 * Returns the schema of a key that may be missing but not undefined. zod before 4.3 doesn't have such a schema: there
 * the key may be undefined, too.
 */
export function exactOptional<Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<Schema>;
export function exactOptional(schema: z.ZodType): z.ZodType {
  const isKnown = typeof Reflect.get(schema, "exactOptional") === "function";
  return isKnown ? schema.exactOptional() : schema.optional();
}
