import { anthropicBody, foldAnthropic, readAnthropic } from "./anthropic-body.ts";
import { type AdapterOptions, createProvider, modelOf } from "./create-provider.ts";
import type { LLMProvider } from "./provider.ts";
import { type SdkResource, createRaw } from "./sdk-client.ts";

/** The part of the `@anthropic-ai/sdk` package's client that messages need. */
export interface AnthropicClient {
  readonly messages: SdkResource;
}

/** What {@link createAnthropic} takes. */
export interface AnthropicConfig extends AdapterOptions {
  readonly client: AnthropicClient;
  /** The model of requests that name none. */
  readonly model?: string | undefined;
  /** The token limit of requests that name none, since Anthropic demands one; default 4096. */
  readonly maxTokens?: number | undefined;
}

const MAX_TOKENS = 4096;

/**
 * Makes an adapter of a client of the `@anthropic-ai/sdk` package. One call is one HTTP request: the client's own
 * retries are turned off for it.
 *
 * @example
 * const llm = createAnthropic({ client: new Anthropic(), model: "claude-sonnet-4-5" });
 */
export function createAnthropic(config: AnthropicConfig): LLMProvider {
  const { client, includeRawIO, clock, maxTokens = MAX_TOKENS } = config;
  return createProvider({
    includeRawIO,
    clock,
    exchange: (request, streamed) => {
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
    },
  });
}
