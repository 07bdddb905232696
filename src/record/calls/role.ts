import type { CallRole, RoleRules } from "../../kernel/call-role.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { type RoleEvidence, adapterSegments, isModelCall } from "../model-call.ts";

/**
 * Creates a function that returns the role of a call: the declared one, the one the adapter declared when the call was
 * recorded, `model` if the path or the request is that of a model's client, or `read`. The first rule set that declares
 * a role wins.
 */
export function createRoleResolver(...declared: readonly RoleRules[]): (call: RoleEvidence) => CallRole {
  const rules = declared
    .flatMap((rules) => Object.entries(rules))
    .map(([pattern, role]) => ({ matches: pathGlob(pattern), role }));
  const declaredRole = (path: readonly string[]): CallRole | undefined =>
    rules.find(({ matches }) => matches(path.join(".")))?.role;
  return (call) => declaredRole(adapterSegments(call.adapter)) ?? call.role ?? (isModelCall(call) ? "model" : "read");
}

/** Boundaries of a path pattern, as sources of a RegExp, and its flags. */
interface GlobBounds {
  readonly start: string;
  readonly end: string;
  readonly flags: string;
}

/** A pattern of `roles` starts with the first name and also covers what is below a path it matches. */
const ROLE_BOUNDS: GlobBounds = { start: "^", end: "(?:\\.|$)", flags: "su" };

/**
 * Returns the test of a glob over dot paths: `*` is any part of one name, `**` any number of names. No file glob: a name
 * may contain any character.
 */
export function pathGlob(pattern: string, { start, end, flags }: GlobBounds = ROLE_BOUNDS): (path: string) => boolean {
  const names = pattern.split(/(\*{1,2})/).map((part) => {
    if (part === "**") return ".*";
    return part === "*" ? "[^.]*" : part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`);
  });
  const matcher = new RegExp(`${start}${names.join("")}${end}`, flags);
  return (path) => matcher.test(path);
}

/** The path of an adapter for people: `db.connect().query`, whichever call's answer it leads through. */
export function callPath(adapter: string): string {
  return adapter.replaceAll(/\([0-9a-f]{8}#\d+\)/g, "()");
}

/** Words in a text that make it prose: what people write to a model rather than to a tool. */
const PROSE_WORDS = 12;

/** Returns true if a request has prose, as a prompt does: the adapter may be an undeclared model. */
export function containsProse(request: unknown): boolean {
  if (typeof request === "string") return (request.match(/\p{L}+\s/gu) ?? []).length + 1 >= PROSE_WORDS;
  if (isArray(request)) return request.some(containsProse);
  return isPlainObject(request) && Object.values(request).some(containsProse);
}
