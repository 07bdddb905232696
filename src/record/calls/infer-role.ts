import type { CallRole, RoleRules } from "../../kernel/call-role.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { RESPONSE_MARK, adapterSegments } from "../adapter-call.ts";
import { type HttpCall, type RoleEvidence, httpRequestOf, isModelCall } from "../model-call.ts";

/**
 * Creates a function that returns the role of a call: the declared one, the one the adapter declared when the call was
 * recorded, `model` if the path or the request is that of a model's client, or `read`. A request of `fetch` has its
 * own role: `model` at a known endpoint, `read` for GET, HEAD and OPTIONS, and else `write`. The first rule set that
 * declares a role wins.
 */
export function createRoleResolver(...declared: readonly RoleRules[]): (call: RoleEvidence) => CallRole {
  const declaredRole = createDeclaredRoles(...declared);
  return (call) => declaredRole(call) ?? inferredRole(call);
}

/** Creates a function that returns the declared role of a call; undefined if no rule matches it. */
export function createDeclaredRoles(...declared: readonly RoleRules[]): (call: RoleEvidence) => CallRole | undefined {
  const rules = declared
    .flatMap((rules) => Object.entries(rules))
    .map(([pattern, role]) => ({ matches: rolePattern(pattern), role }));
  return (call) => rules.find(({ matches }) => matches(call))?.role;
}

/**
 * Returns the role of a call that no rule declares, for comparisons and causes. It doesn't decide if a write runs: in a
 * live run `SkippedWrites` does, by declared roles and facts of tools, and a replay calls no adapter.
 */
function inferredRole(call: RoleEvidence): CallRole {
  const http = httpRequestOf(call);
  // Older recordings may have one role for all requests of fetch.
  if (http === undefined) return call.role ?? (isModelCall(call) ? "model" : "read");
  if (isModelCall(call)) return "model";
  return READING.has(http.method) ? "read" : "write";
}

/** Methods that change nothing, by HTTP's own definition. */
const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** `fetch POST https://api.shop.test/*`: a method, a URL or both after the name of the recorder. */
export const FETCH_PATTERN: RegExp = /^fetch +(?:([A-Z]+|\*)(?: +|$))?(\S+)?$/;

/**
 * A rule's pattern: a glob over requests of `fetch`, or over dot paths. A loose one ignores case, and its URL also
 * covers all paths below it, any query, and any scheme if it has none. `mayMatch` decides for a URL that doesn't match,
 * such as one with a redacted part.
 */
export function rolePattern(
  pattern: string,
  isLoose: boolean = false,
  mayMatch?: (url: string, pattern: string) => boolean,
): (call: RoleEvidence) => boolean {
  const [isFetch, method = "*", url = "*"] = FETCH_PATTERN.exec(pattern) ?? [];
  if (isFetch === undefined) {
    const matches = pathGlob(pattern);
    return ({ adapter }) => matches(adapterSegments(adapter).join("."));
  }
  const glob = (text: string): string => text.split("*").map(literal).join(".*");
  const scheme = /^(?:\/|[^/]*(?:\*|:\/\/))/.test(url) ? "" : "https?://";
  const matcher = isLoose
    ? new RegExp(`^${scheme}${glob(url.replace(/\/*(?:[?#].*)?$/s, ""))}(?:/.*)?$`, "siu")
    : new RegExp(`^${glob(url)}$`, "su");
  const matches = (http: HttpCall): boolean => {
    if (method !== "*" && method !== http.method) return false;
    const target = url.startsWith("/") ? http.path : `${http.origin}${http.path}`;
    return matcher.test(target) || mayMatch?.(target, url) === true;
  };
  return (call) => {
    const http = httpRequestOf(call);
    return http !== undefined && matches(http);
  };
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
 * Returns the test of a glob over dot paths: `*` is any part of one name, `**` any number of names. It isn't a file
 * glob: a name may contain any character.
 */
export function pathGlob(pattern: string, { start, end, flags }: GlobBounds = ROLE_BOUNDS): (path: string) => boolean {
  const names = pattern.split(/(\*{1,2})/).map((part) => {
    if (part === "**") return ".*";
    return part === "*" ? "[^.]*" : literal(part);
  });
  const matcher = new RegExp(`${start}${names.join("")}${end}`, flags);
  return (path) => matcher.test(path);
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`);
}

/** The path of an adapter for people: `db.connect().query`, whichever call's response it leads through. */
export function callPath(adapter: string): string {
  return adapter.split(RESPONSE_MARK).join("()");
}

/** Words in a text that make it prose: what people write to a model rather than to a tool. */
const PROSE_WORDS = 12;

/** Returns true if a request has prose, as a prompt does: the adapter may be an undeclared model. */
export function containsProse(request: unknown): boolean {
  if (typeof request === "string") return (request.match(/\p{L}+\s/gu) ?? []).length + 1 >= PROSE_WORDS;
  if (isArray(request)) return request.some(containsProse);
  return isPlainObject(request) && Object.values(request).some(containsProse);
}
