import { types } from "node:util";
import { isObject, memberOf } from "../../kernel/json/plain-data.ts";

/** Maximum number of lazy schemas within each other: each call may make a new one, without an end. */
const MAX_LAZY = 3;

/**
 * Returns the content of a schema: its JSON Schema if it offers one (Standard JSON Schema), or its definition (zod).
 * Undefined for any other value. The own fields of a schema change when its methods are used, and lack its checks.
 */
export function schemaContent(value: object, ancestors: readonly object[]): unknown {
  // A proxy of functions, such as a client of remote procedures, would call one.
  if (types.isProxy(value)) return undefined;
  const json = jsonSchemaOf(memberOf(value, "~standard"));
  const definition = json === undefined ? definitionOf(value) : undefined;
  if (!isObject(definition)) return json;
  const lazy = ancestors.filter((outer) => memberOf(definitionOf(outer), "getter") !== undefined).length;
  const fields = Object.entries<unknown>({ ...definition }).flatMap(
    ([name, item]): readonly (readonly [string, unknown])[] => {
      if (typeof item !== "function") return [[name, item]];
      // The fields of an object in zod 3, and the schema of `z.lazy`. Other functions are refinements.
      const isThunk = name === "shape" || (name === "getter" && lazy <= MAX_LAZY);
      return isThunk ? [[name, Reflect.apply(item, undefined, [])]] : [];
    },
  );
  return Object.fromEntries([...fields, ["description", memberOf(value, "description")]]);
}

/** Returns the definition of a schema of zod 4 or 3, or of a check of zod 4; undefined for any other value. */
function definitionOf(value: object): unknown {
  return memberOf(memberOf(value, "_zod"), "def") ?? ("safeParse" in value ? memberOf(value, "_def") : undefined);
}

/** Undefined if the schema offers none, or if a part, such as a Date, has none. */
function jsonSchemaOf(standard: unknown): unknown {
  const offered = memberOf(standard, "jsonSchema");
  const input = memberOf(offered, "input");
  try {
    return typeof input === "function" ? Reflect.apply(input, offered, [{ target: "draft-2020-12" }]) : undefined;
  } catch {
    return undefined;
  }
}
