/**
 * Role of a recorded call. `model`: a request to a model. `read`: a read of external data. `write`: a change of
 * external data.
 */
export type CallRole = "model" | "read" | "write";

/** Every role there is. */
export const CALL_ROLES: readonly CallRole[] = ["model", "read", "write"];

/** Recorded calls to compare: `all` (reads and writes), `writes`, or `none`. */
export type CallScope = "all" | "writes" | "none";

/** Every scope there is. */
export const CALL_SCOPES: readonly CallScope[] = ["all", "writes", "none"];

/**
 * Roles of adapters by dot path: `{ "crm.*": "write", gpt: "model" }`. The first matching rule applies. `*` matches
 * any part of one name, `**` any number of names, and a path also covers the paths below it. `fetch` requests are
 * matched by method and URL, without the query: `"fetch POST https://api.shop.test/*"`, or
 * `"fetch https://gateway.test/ask"`.
 */
export type RoleRules = Readonly<Record<string, CallRole>>;

/**
 * Rules for the order of calls, by dot path. Paths can contain the wildcards of {@link RoleRules}. `{ "tools.pay": {
 * after: ["user.confirm"] } }` requires a confirmation before each payment.
 */
export type OrderRules = Readonly<Record<string, OrderRule>>;

/** Rule that allows a call only after other calls succeeded in the same run. */
export interface OrderRule {
  readonly after: readonly string[];
}
