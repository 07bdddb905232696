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

// Keys whose values map names to schemas, rather than being one.
const NAMED: ReadonlySet<string> = new Set(["$defs", "properties"]);

/**
 * A schema as Anthropic takes it: it refuses bounds and patterns, so these move into the description, where the model
 * reads them. Nothing gets lost: the answer is checked against the whole schema here.
 */
export function anthropicSchema(schema: JsonSchema): JsonSchema {
  const kept: Record<string, unknown> = {};
  const told: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (SUPPORTED.has(key) || (key === "minItems" && (value === 0 || value === 1)))
      setOwnField(kept, key, convert(key, value));
    else told.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (told.length === 0) return kept;
  const description = typeof kept["description"] === "string" ? `${kept["description"]} ` : "";
  return { ...kept, description: `${description}(${told.join(", ")})` };
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
 * Tells whether OpenAI's strict mode takes a schema: every object closed, and each of its fields required. Others
 * (optional fields, records) are sent without strict mode, where the SDK's own helper refuses to send them at all.
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
