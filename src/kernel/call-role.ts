/**
 * What a recorded call is to the step that makes it: a question to a model, something it looks at, or something it
 * does to the world.
 */
export type CallRole = "model" | "read" | "write";

/** Every role there is. */
export const CALL_ROLES: readonly CallRole[] = ["model", "read", "write"];

/** Which calls of a case are compared: what it looks at and does, what it does alone, or none. */
export type CallScope = "all" | "writes" | "none";

/** Every scope there is. */
export const CALL_SCOPES: readonly CallScope[] = ["all", "writes", "none"];

/**
 * Roles by the dot path of the adapter, first match first: `{ "crm.*": "write", gpt: "model" }`. Globs:
 * `*` stands for any part of one name, `**` for any number of names; a path also covers what lies below it.
 */
export type RoleRules = Readonly<Record<string, CallRole>>;
