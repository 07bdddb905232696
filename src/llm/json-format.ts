import { toJSONSchema, type ZodType } from "zod";
import type { Schema } from "../step/schema.ts";
import { messageOf } from "../base/thrown.ts";
import type { JsonSchema, LLMJsonFormat } from "./request.ts";

// A step converts the same schema at every call.
const converted = new WeakMap<ZodType, JsonSchema>();

/**
 * The response format that asks for what a zod schema accepts; undefined for a schema of another library. Objects are
 * closed unless the schema says otherwise, and unions are `anyOf`, as the providers want them. Throws a TypeError for a
 * schema JSON cannot express (a Date, a Map).
 */
export function jsonFormat(schema: Schema, name = "output"): LLMJsonFormat | undefined {
  if (!isZod(schema)) return undefined;
  try {
    return { name: formatName(name), schema: convert(schema) };
  } catch (cause) {
    const message = `The schema of "${name}" has no JSON Schema to send: ${messageOf(cause)}. Describe the JSON itself, e.g. z.string() for a date.`;
    throw new TypeError(message, { cause });
  }
}

function convert(schema: ZodType): JsonSchema {
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...plain } = toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => closeObjects(jsonSchema),
  });
  converted.set(schema, plain);
  return plain;
}

function closeObjects(node: {
  type?: unknown;
  properties?: unknown;
  additionalProperties?: unknown;
  oneOf?: unknown;
  anyOf?: unknown;
}): void {
  if (node.type === "object" && node.properties !== undefined) node.additionalProperties ??= false;
  if (node.oneOf === undefined) return;
  node.anyOf = node.oneOf;
  delete node.oneOf;
}

function formatName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "output";
}

function isZod(schema: object): schema is ZodType {
  return "_zod" in schema;
}
