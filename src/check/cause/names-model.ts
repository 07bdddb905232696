import type { DiffEntry } from "../../kernel/diff/entries.ts";

/**
 * Keys under which a request names its model, in lower case without `_`. Another name is a model change, not a prompt
 * change.
 */
const MODEL_KEYS: ReadonlySet<string> = new Set([
  "deployment",
  "deploymentid",
  "deploymentname",
  "engine",
  "model",
  "modelid",
  "modelname",
  "modeluri",
  "modelversion",
]);
/** Fields of a model object that identify it. */
const MODEL_PARTS: ReadonlySet<unknown> = new Set(["name", "id", "version", "modelId", "model_id"]);
/**
 * Last word of a key above the name of a model, as in `chatOptions.model` and `fallbacks[0].model`. Below others, as in
 * `car.model` and `rows[0].model`, the model is one of the data.
 */
const SETTINGS = new RegExp(
  "^(?:agent|ai|assistant|backend|base|body|chat|client|completion|config|configurable|configuration|default|" +
    "embedding|endpoint|extra|extrabody|fallback|generation|inference|json|kwarg|llm|option|param|parameter|primary|" +
    "provider|request|route|router|routing|session|setting|target)s?$",
  "i",
);
/** Words of a key for the data of a thing that has a model, as in `carConfig.model`. */
const THINGS = /^(?:asset|camera|car|device|item|laptop|machine|phone|printer|product|robot|vehicle|watch)s?$/i;
/**
 * Names of models that people pass as a plain string, `complete("gpt-5-mini", prompt)`. A longer word is another one:
 * `phishing`, `llamaindex`, `o365`. A `command` is mostly one of a shell.
 */
const MODEL_FAMILIES =
  "gpt|chatgpt|o\\d(?!\\d)|claude|gemini|gemma|llama|mistral|mixtral|codestral|command(?=-)|" +
  "qwen|deepseek|grok|nova|phi|kimi|glm";
const MODEL_NAME = new RegExp(`^(?:[\\w.-]+[/:])?(?:${MODEL_FAMILIES})(?![a-z])[\\w.:-]*$`, "i");

/** Returns true if a name is a known model's, or begins as one: `gpt-5-mini`, `claude`. */
export function isModelName(name: string): boolean {
  return MODEL_NAME.test(name);
}

/** Returns true if an entry of a request is another name of a model. */
export function namesModel({ path, before, after }: DiffEntry): boolean {
  const [above, last] = path.slice(-2);
  if (above === "models" && typeof last === "number") return true;
  if (path.length === 3 && last === "provider" && typeof before === "string" && typeof after === "string")
    return providerOf(before) !== providerOf(after);
  // The recorder of `fetch` stores the path in a field.
  if (last === "path" && typeof before === "string" && typeof after === "string")
    return before.replace(MODEL_IN_PATH, "") === after.replace(MODEL_IN_PATH, "");
  const isKnown = [before, after].every((name) => typeof name === "string" && isModelName(name));
  const keys = path.slice(2, isModelKey(last) ? -1 : -2);
  if (isModelKey(last) || (isModelKey(above) && MODEL_PARTS.has(last))) return isKnown || keys.every(isSetting);
  // A plain argument counts only if it's a known name in both runs.
  return path.length === 2 && isKnown;
}

/** Returns the provider that the AI SDK names before its API, as in `openai.chat`. */
function providerOf(name: string): string | undefined {
  return name.split(".")[0];
}

/** Name of a model in the path of a URL, as Gemini, Vertex, Bedrock and Azure have it. */
const MODEL_IN_PATH = /(?<=\/(?:models?|deployments)\/)[^/]+?(?=:[a-z]+$|\/|$)/i;

/** Returns true for a key of settings, or for an index in a list of them. */
function isSetting(key: string | number, index: number): boolean {
  if (typeof key === "number") return index > 0;
  const words = key.split(/[_-]|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  if (/^models?$/i.test(words[0] ?? "")) return true;
  return SETTINGS.test(words.at(-1) ?? "") && !words.some((word) => THINGS.test(word));
}

function isModelKey(key: unknown): boolean {
  return typeof key === "string" && MODEL_KEYS.has(key.toLowerCase().replaceAll("_", ""));
}
