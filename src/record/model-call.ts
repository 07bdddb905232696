import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { type AdapterCall, withoutResponse } from "./adapter-call.ts";

/** What a role is read from: where the call went, what it asked, and what its adapter said of itself. */
export type RoleEvidence = Pick<AdapterCall, "adapter" | "request" | "role">;

/** Whether a call asks a model, by where it went and what it asked; what is declared of adapters counts before. */
export function isModelCall({ adapter, request }: RoleEvidence): boolean {
  const path = adapterSegments(adapter);
  if (path.some((name) => MODEL_KEYS.has(name) || MODEL_REQUEST.test(name))) return true;
  if (adapter === "fetch") return isModelRequest(request);
  // What is done with a model's answer has no request that would tell.
  const asked = adapter.search(/\([0-9a-f]{8}#\d+\)/);
  if (asked > 0) return MODEL_METHODS.test(adapterSegments(adapter.slice(0, asked)).join("."));
  const [options] = isArray(request) ? request : [];
  return MODEL_METHODS.test(adapter) && isPlainObject(options) && typeof options["model"] === "string";
}

/** Keys under which adapters of models are usually given. */
const MODEL_KEYS: ReadonlySet<string> = new Set(["llm", "model"]);

/** The methods by which the SDKs of OpenAI and Anthropic ask a model; others name theirs so, too, but name no model. */
const MODEL_METHODS =
  /(?:^|\.)(?:chat\.completions|completions|responses|messages)\.(?:create|parse|stream|runTools|toolRunner)$/;

/** Names of methods that nothing but a model has: of Gemini's SDK, and of the models of the AI SDK. */
const MODEL_REQUEST = /^(?:generateContent(?:Stream)?|doGenerate|doStream)$/;

/** The names on the way to an adapter, whichever call's answer they lead through. */
export function adapterSegments(adapter: string): readonly string[] {
  return adapter === "" ? [] : adapter.split(".").map(withoutResponse);
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
