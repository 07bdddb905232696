/** Role of a recorded call: a call of a model, a read of external data, or a write. */
export type CallRole = "model" | "read" | "write";

/** Every role there is. */
export const CALL_ROLES: readonly CallRole[] = ["model", "read", "write"];

/** Calls of a case to compare: reads and writes, only writes, or none. */
export type CallScope = "all" | "writes" | "none";

/** Every scope there is. */
export const CALL_SCOPES: readonly CallScope[] = ["all", "writes", "none"];

/**
 * Roles by the dot path of the adapter, first match first: `{ "crm.*": "write", gpt: "model" }`. Globs: `*` matches any
 * part of one name, `**` any number of names; a path also covers the paths below it. Requests of `fetch` are matched by
 * method and URL without the query: `"fetch POST https://api.shop.test/*"`, `"fetch https://gateway.test/ask"`.
 */
export type RoleRules = Readonly<Record<string, CallRole>>;

/**
 * Calls that must come before others, by dot path with the globs of {@link RoleRules}:
 * `{ "tools.pay": { after: ["user.confirm"] } }`.
 */
export type OrderRules = Readonly<Record<string, OrderRule>>;

/** Calls before a call: each must have been made earlier in the run, without an error. */
export interface OrderRule {
  readonly after: readonly string[];
}
