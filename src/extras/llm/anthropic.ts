import { anthropicBody, foldAnthropic, readAnthropic } from "./anthropic-body.ts";
import { type AdapterOptions, createProvider, modelOf } from "./create-provider.ts";
import type { LLMProvider } from "./provider.ts";
import { type SdkResource, createRaw } from "./sdk-client.ts";

/** The part of the `@anthropic-ai/sdk` client that messages need. */
export interface AnthropicClient {
  readonly messages: SdkResource;
}

/** Options for {@link createAnthropic}. */
export interface AnthropicConfig extends AdapterOptions {
  readonly client: AnthropicClient;
  /** Default model of requests. */
  readonly model?: string | undefined;
  /** Default token limit of requests, because Anthropic requires one. Default: 4096. */
  readonly maxTokens?: number | undefined;
}

const MAX_TOKENS = 4096;

/**
 * Creates an adapter from a client of the `@anthropic-ai/sdk` package. One call is one HTTP request: the client's own
 * retries are turned off.
 *
 * @example
 * const llm = createAnthropic({ client: new Anthropic(), model: "claude-sonnet-4-5" });
 */
export function createAnthropic(config: AnthropicConfig): LLMProvider {
  const { client, maxTokens = MAX_TOKENS } = config;
  return createProvider(config, (request, streamed) => {
    const model = modelOf(request, config.model);
    const body = anthropicBody(request, { model, maxTokens, streamed });
    return {
      provider: "anthropic",
      model,
      body,
      send: (signal) => createRaw(client.messages, body, signal),
      read: readAnthropic,
      fold: foldAnthropic,
    };
  });
}
