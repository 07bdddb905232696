import type { CallRole, RoleRules } from "../base/call-role.ts";
import { isArray, isPlainObject } from "../base/plain-data.ts";
import { type AdapterCall, withoutAnswer } from "../record/adapter-call.ts";

/** What a role is read from: where the call went, what it asked, and what its adapter said of itself. */
export type RoleQuestion = Pick<AdapterCall, "adapter" | "request" | "role">;

/**
 * Makes the judge of roles: what is declared, else what the adapter said of itself when the call was recorded, else a
 * model where the path or the request is one of a model's client, else a read. Several rule sets are asked in order.
 */
export function roleJudge(...declared: readonly RoleRules[]): (call: RoleQuestion) => CallRole {
  const rules = declared
    .flatMap((one) => Object.entries(one))
    .map(([pattern, role]) => ({ matches: pathGlob(pattern), role }));
  const declaredRole = (path: readonly string[]): CallRole | undefined =>
    rules.find(({ matches }) => matches(path))?.role;
  return (call) => declaredRole(adapterSegments(call.adapter)) ?? call.role ?? (isModelCall(call) ? "model" : "read");
}

/**
 * A glob over dot paths, which also covers what lies below a path it matches. No file glob: names hold what they like.
 */
function pathGlob(pattern: string): (path: readonly string[]) => boolean {
  const names = pattern.split(/(\*{1,2})/).map((part) => {
    if (part === "**") return ".*";
    return part === "*" ? "[^.]*" : part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`);
  });
  const matcher = new RegExp(`^${names.join("")}(?:\\.|$)`, "su");
  return (path) => matcher.test(path.join("."));
}

/** The path of an adapter for people: `db.connect().query`, whichever call's answer it leads through. */
export function callPath(adapter: string): string {
  return adapter.replaceAll(/\([0-9a-f]{8}#\d+\)/g, "()");
}

/** The names on the way to an adapter, whichever call's answer they lead through. */
export function adapterSegments(adapter: string): readonly string[] {
  return adapter === "" ? [] : adapter.split(".").map(withoutAnswer);
}

/** Keys under which adapters of models are usually given. */
const MODEL_KEYS: ReadonlySet<string> = new Set(["llm", "model"]);

/** The methods by which the SDKs of OpenAI and Anthropic ask a model; others name theirs so, too, but name no model. */
const MODEL_METHODS =
  /(?:^|\.)(?:chat\.completions|completions|responses|messages)\.(?:create|parse|stream|runTools|toolRunner)$/;

/** Names of methods that nothing but a model has: of Gemini's SDK, and of the models of the AI SDK. */
const ASKS_MODEL = /^(?:generateContent(?:Stream)?|doGenerate|doStream)$/;

function isModelCall({ adapter, request }: RoleQuestion): boolean {
  const path = adapterSegments(adapter);
  if (path.some((name) => MODEL_KEYS.has(name) || ASKS_MODEL.test(name))) return true;
  if (adapter === "fetch") return isModelRequest(request);
  // What is done with a model's answer has no request that would tell.
  const asked = adapter.search(/\([0-9a-f]{8}#\d+\)/);
  if (asked > 0) return MODEL_METHODS.test(adapterSegments(adapter.slice(0, asked)).join("."));
  const [options] = isArray(request) ? request : [];
  return MODEL_METHODS.test(adapter) && isPlainObject(options) && typeof options["model"] === "string";
}

/** Paths of URLs under which providers take questions. */
const MODEL_URL = /\/(?:chat\/completions|completions|responses|messages)$|:(?:stream)?generateContent$/i;

/**
 * A request of `fetch`, as its tape describes it, that goes to a model: by its URL, or by what is asked in its body.
 */
function isModelRequest(request: unknown): boolean {
  const [first] = isArray(request) ? request : [];
  if (!isPlainObject(first) || first["method"] !== "POST") return false;
  const { path, body } = first;
  if (typeof path === "string" && MODEL_URL.test(path)) return true;
  return isPlainObject(body) && (typeof body["prompt"] === "string" || isArray(body["messages"]));
}

/** Words in a text that make it prose: what people write to a model rather than to a tool. */
const PROSE_WORDS = 12;

/** Tells whether a request holds prose, as a prompt does: the adapter may be a model that nobody declared. */
export function holdsProse(request: unknown): boolean {
  if (typeof request === "string") return (request.match(/\p{L}+\s/gu) ?? []).length + 1 >= PROSE_WORDS;
  if (isArray(request)) return request.some(holdsProse);
  return isPlainObject(request) && Object.values(request).some(holdsProse);
}
