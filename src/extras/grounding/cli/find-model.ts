import { memberOf } from "../../../kernel/json/plain-data.ts";
import { readVariable } from "../../../kernel/environment.ts";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Result, err, ok } from "../../../kernel/result.ts";
import type { LlmSettings } from "../state/ground-settings.ts";
import { type AnthropicClient, createAnthropic } from "../../llm/anthropic.ts";
import { type OpenAIChatClient, createOpenAI } from "../../llm/openai.ts";
import type { LLMProvider } from "../../llm/provider.ts";
import type { SdkResource } from "../../llm/sdk-client.ts";
import { messageOf } from "../../../kernel/error-message.ts";

/** Model client with its display name. */
export interface AvailableModel {
  readonly llm: LLMProvider;
  readonly model: string;
  readonly name: string;
}

/** Environment variables and package of each provider. */
const PROVIDERS = {
  openai: { key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL", package: "openai" },
  anthropic: { key: "ANTHROPIC_API_KEY", url: "ANTHROPIC_BASE_URL", package: "@anthropic-ai/sdk" },
} as const;

/** Settings, environment and project in which to find a model. */
export interface ModelQuery extends LlmSettings {
  readonly environment: NodeJS.ProcessEnv;
  /** Project whose installed SDK is used. */
  readonly root: string;
}

/**
 * Finds the model of a provider whose key is in the environment, using the SDK installed in the project. Returns
 * undefined without a key. If anything else is missing, returns an error text with the fix.
 */
export async function findModel({
  provider,
  model,
  baseUrl,
  environment,
  root,
}: ModelQuery): Promise<Result<AvailableModel | undefined, string>> {
  const chosen =
    provider ??
    (["openai", "anthropic"] as const).find((each) => hasText(readVariable(environment, PROVIDERS[each].key)));
  if (chosen === undefined) return ok(undefined);
  const { key, url, package: sdk } = PROVIDERS[chosen];
  const apiKey = readVariable(environment, key);
  if (!hasText(apiKey))
    return err(`The provider is ${chosen}, but ${key} isn't set. Set it, or answer without a model: --extract`);
  if (model === undefined)
    return err(
      `${key} is set, but no model is set. Pass --model <name>, or run: npx veritest ground config set ` +
        "model <name>. Or answer without a model: --extract",
    );
  const baseURL = baseUrl ?? readVariable(environment, url);
  const client = await makeClient(sdk, root, { apiKey, ...(hasText(baseURL) ? { baseURL } : {}) });
  if (!client.ok) return client;
  const llm = adapterOf(client.value, model);
  return llm === undefined
    ? err(
        `The installed version of ${sdk} doesn't export a client that veritest supports. Run npm install ` +
          `${sdk}@latest, or pass --extract to answer without a model.`,
      )
    : ok({ llm, model, name: `${model} (${chosen})` });
}

async function makeClient(sdk: string, root: string, options: object): Promise<Result<unknown, string>> {
  try {
    const path = createRequire(join(root, "package.json")).resolve(sdk);
    const loaded: unknown = await import(pathToFileURL(path).href);
    // A CommonJS build's exports are the default of its import, and may contain the class under `default` again.
    const module = memberOf(loaded, "default");
    const client = [module, memberOf(module, "default")].find((each) => typeof each === "function");
    if (typeof client !== "function") return ok(undefined);
    const instance: unknown = Reflect.construct(client, [options]);
    return ok(instance);
  } catch (cause) {
    return err(
      `The package ${sdk} can't be loaded from ${root}: ${messageOf(cause).split("\n")[0]}. ` +
        `Run npm install ${sdk}, or answer without a model: --extract`,
    );
  }
}

function adapterOf(client: unknown, model: string): LLMProvider | undefined {
  if (isOpenAI(client)) return createOpenAI({ client, model });
  return isAnthropic(client) ? createAnthropic({ client, model }) : undefined;
}

function isOpenAI(client: unknown): client is OpenAIChatClient {
  return isResource(memberOf(memberOf(client, "chat"), "completions"));
}

function isAnthropic(client: unknown): client is AnthropicClient {
  return isResource(memberOf(client, "messages"));
}

function isResource(value: unknown): value is SdkResource {
  return typeof memberOf(value, "create") === "function";
}

function hasText(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
