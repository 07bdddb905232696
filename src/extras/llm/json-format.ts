import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import { toJSONSchema, type ZodType } from "zod/v4";
import type { Schema } from "../../kernel/step/schema.ts";
import { messageOf } from "../../kernel/error-message.ts";
import type { JsonSchema, LLMJsonFormat } from "./request.ts";

// Cached, because a step converts the same schema at every call.
const converted = new WeakMap<ZodType, JsonSchema>();

/**
 * Returns the response format for a schema of zod, or of a library that implements Standard JSON Schema. Returns
 * undefined for any other schema. Objects of zod don't allow additional properties unless the schema does, and unions
 * become `anyOf`, as providers require. Throws a TypeError for a schema that JSON can't express (a Date, a Map).
 */
export function jsonFormat(schema: Schema, name = "output"): LLMJsonFormat | undefined {
  try {
    const json = isZod(schema) ? convert(schema) : ownSchema(schema);
    return json && { name: formatName(name), schema: json };
  } catch (cause) {
    const todo = "Describe the JSON itself, e.g. z.string() for a date.";
    const message = `The schema of "${name}" can't be converted to a JSON Schema: ${messageOf(cause)}. ${todo}`;
    throw new TypeError(message, { cause });
  }
}

function ownSchema(schema: Schema): JsonSchema | undefined {
  return hasJsonSchema(schema) ? standardSchema(schema) : undefined;
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

/** Converts the schema with its own library, which decides if objects are closed. */
function standardSchema(schema: StandardJSONSchemaV1): JsonSchema {
  const { $schema: _dialect, ...plain } = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
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

function hasJsonSchema(schema: Schema): schema is Schema & StandardJSONSchemaV1 {
  return "jsonSchema" in schema["~standard"];
}

function isZod(schema: object): schema is ZodType {
  return "_zod" in schema;
}
