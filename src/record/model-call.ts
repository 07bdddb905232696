import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { type AdapterCall, withoutResponse } from "./adapter-call.ts";

/** The parts of a call that decide its role: its path, its request, and the role its adapter declared. */
export type RoleEvidence = Pick<AdapterCall, "adapter" | "request" | "role">;

/** Returns true if a call goes to a model, by its path and request; declared roles count before. */
export function isModelCall({ adapter, request }: RoleEvidence): boolean {
  const path = adapterSegments(adapter);
  if (path.some((name) => MODEL_KEYS.has(name) || MODEL_REQUEST.test(name))) return true;
  if (adapter === "fetch") return isModelRequest(request);
  // The use of a model's response doesn't have the request.
  const suffixAt = adapter.search(/\([0-9a-f]{8}#\d+\)/);
  if (suffixAt > 0) return MODEL_METHODS.test(adapterSegments(adapter.slice(0, suffixAt)).join("."));
  const [options] = isArray(request) ? request : [];
  return MODEL_METHODS.test(adapter) && isPlainObject(options) && typeof options["model"] === "string";
}

/** Keys under which adapters of models are usually given. */
const MODEL_KEYS: ReadonlySet<string> = new Set(["llm", "model"]);

/**
 * Methods by which the SDKs of OpenAI and Anthropic call a model; other clients have such names, but without a model.
 */
const MODEL_METHODS =
  /(?:^|\.)(?:chat\.completions|completions|responses|messages)\.(?:create|parse|stream|runTools|toolRunner)$/;

/** Method names that only models have: of Gemini's SDK, and of the models of the AI SDK. */
const MODEL_REQUEST = /^(?:generateContent(?:Stream)?|doGenerate|doStream)$/;

/** The names on the way to an adapter, whichever call's answer they lead through. */
export function adapterSegments(adapter: string): readonly string[] {
  return adapter === "" ? [] : adapter.split(".").map(withoutResponse);
}

/** Paths of URLs under which providers take questions. */
const MODEL_URL = /\/(?:chat\/completions|completions|responses|messages)$|:(?:stream)?generateContent$/i;

/** A request of `fetch`, as its recorder describes it, that goes to a model: by its URL, or by its body. */
function isModelRequest(request: unknown): boolean {
  const [first] = isArray(request) ? request : [];
  if (!isPlainObject(first) || first["method"] !== "POST") return false;
  const { path, body } = first;
  if (typeof path === "string" && MODEL_URL.test(path)) return true;
  return isPlainObject(body) && (typeof body["prompt"] === "string" || isArray(body["messages"]));
}
