import { isArray, isPlainObject, setOwnField } from "../../kernel/json/plain-data.ts";
import type { JsonSchema } from "./request.ts";

const SUPPORTED: ReadonlySet<string> = new Set([
  "$defs",
  "$ref",
  "additionalProperties",
  "allOf",
  "anyOf",
  "const",
  "description",
  "enum",
  "format",
  "items",
  "properties",
  "required",
  "title",
  "type",
]);

// Keys whose values map names to schemas, instead of being a schema.
const NAMED: ReadonlySet<string> = new Set(["$defs", "properties"]);

/**
 * Converts a schema for Anthropic, which refuses bounds and patterns: they move into the description, which the model
 * reads. The response is still checked against the complete schema here.
 */
export function anthropicSchema(schema: JsonSchema): JsonSchema {
  const converted: Record<string, unknown> = {};
  const constraints: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (SUPPORTED.has(key) || (key === "minItems" && (value === 0 || value === 1)))
      setOwnField(converted, key, convert(key, value));
    else constraints.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (constraints.length === 0) return converted;
  const description = typeof converted["description"] === "string" ? `${converted["description"]} ` : "";
  return { ...converted, description: `${description}(${constraints.join(", ")})` };
}

function convert(key: string, value: unknown): unknown {
  if (key === "enum" || key === "const" || key === "required") return value;
  if (isArray(value)) return value.map((item) => (isPlainObject(item) ? anthropicSchema(item) : item));
  if (!isPlainObject(value)) return value;
  return NAMED.has(key) ? convertNamed(value) : anthropicSchema(value);
}

function convertNamed(schemas: JsonSchema): JsonSchema {
  const converted: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(schemas))
    setOwnField(converted, name, isPlainObject(schema) ? anthropicSchema(schema) : schema);
  return converted;
}

/**
 * Returns true if OpenAI's strict mode accepts a schema: every object closed, and each of its fields required. Others
 * (optional fields, records) are sent without strict mode; the SDK's own helper would refuse to send them.
 */
export function isStrictSchema(node: unknown): boolean {
  if (isArray(node)) return node.every(isStrictSchema);
  if (!isPlainObject(node)) return true;
  if (node["type"] === "object" && !isClosed(node)) return false;
  return Object.entries(node).every(([key, value]) => {
    if (key === "enum" || key === "const") return true;
    const named = (key === "properties" || key === "$defs") && isPlainObject(value);
    return named ? Object.values(value).every(isStrictSchema) : isStrictSchema(value);
  });
}

function isClosed({ properties, required, additionalProperties }: JsonSchema): boolean {
  const names = isPlainObject(properties) ? Object.keys(properties) : [];
  return (
    additionalProperties === false &&
    isArray(required ?? []) &&
    names.every((name) => isArray(required) && required.includes(name))
  );
}
