import { isArray, isPlainObject, memberOf } from "../../../kernel/json/plain-data.ts";
import { listIn } from "../../../kernel/json/read-data.ts";
import { messageOf } from "../../../kernel/error-message.ts";

/** Definition of a zod 4 schema, as far as it is read here: a kind, and fields of each kind. */
export type SchemaDef = Readonly<Record<string, unknown>> & { readonly type: string };

/** A part of a schema, and how values are tried on it. */
export interface SchemaNode {
  readonly def: SchemaDef;
  /** The values of a literal or an enum. */
  readonly values: readonly unknown[] | undefined;
  /** True if an object may leave the field out. */
  readonly optional: boolean;
  readonly safeParse: (value: unknown) => {
    readonly success: boolean;
    readonly error?: { readonly message: string; readonly values?: readonly unknown[] };
  };
}

/** Reads a zod 4 schema; undefined for anything else. */
export function schemaNode(schema: unknown): SchemaNode | undefined {
  const inner = memberOf(schema, "_zod");
  const def = memberOf(inner, "def");
  const safeParse = memberOf(schema, "safeParse");
  if (!isDef(def) || typeof safeParse !== "function") return undefined;
  const values = memberOf(inner, "values");
  const optin = memberOf(inner, "optin");
  return {
    def,
    values: values instanceof Set ? [...values] : undefined,
    optional: optin !== undefined,
    safeParse: (value) => {
      try {
        return answerOf(Reflect.apply(safeParse, schema, [value]));
      } catch (thrown) {
        // An asynchronous check, or one that throws.
        return { success: false, error: { message: messageOf(thrown) } };
      }
    },
  };
}

/** Returns the checks of a schema in their order, its own format first. */
export function checksOf(def: SchemaDef): readonly SchemaCheck[] {
  const own = isCheck(def) ? [def] : [];
  const more = listIn(def["checks"]).map((check) => memberOf(memberOf(check, "_zod"), "def"));
  return [...own, ...more.filter(isCheck)];
}

/** One check: its kind, and its parameters. */
export type SchemaCheck = Readonly<Record<string, unknown>> & { readonly check: string };

function isDef(value: unknown): value is SchemaDef {
  return isPlainObject(value) && typeof value["type"] === "string";
}

function isCheck(value: unknown): value is SchemaCheck {
  return isPlainObject(value) && typeof value["check"] === "string";
}

function answerOf(answer: unknown): ReturnType<SchemaNode["safeParse"]> {
  const [first] = listIn(memberOf(memberOf(answer, "error"), "issues"));
  const values = memberOf(first, "values");
  const error = { message: String(memberOf(first, "message")), ...(isArray(values) ? { values } : {}) };
  return { success: memberOf(answer, "success") === true, error };
}
