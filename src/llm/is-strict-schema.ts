import { isArray } from "../base/plain-data.ts";
import { isPlainObject } from "../base/plain-data.ts";
import type { JsonSchema } from "./request.ts";

/**
 * Tells whether OpenAI's strict mode takes a schema: every object closed, and each of its fields required. Others
 * (optional fields, records) are sent without strict mode, where the SDK's own helper refuses to send them at all.
 */
export function isStrictSchema(schema: JsonSchema): boolean {
  return isStrict(schema);
}

function isStrict(node: unknown): boolean {
  if (isArray(node)) return node.every(isStrict);
  if (!isPlainObject(node)) return true;
  if (node["type"] === "object" && !isClosed(node)) return false;
  return Object.entries(node).every(([key, value]) => {
    if (key === "enum" || key === "const") return true;
    const named = (key === "properties" || key === "$defs") && isPlainObject(value);
    return named ? Object.values(value).every(isStrict) : isStrict(value);
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
