import type { Exchange } from "./provider-response.ts";
import { type AdapterOptions, createProvider, modelOf } from "./create-provider.ts";
import { chatBody, foldChat, readChat } from "./openai-chat.ts";
import { foldResponses, readResponses, responsesBody } from "./openai-responses.ts";
import type { LLMProvider } from "./provider.ts";
import { type SdkResource, createRaw } from "./sdk-client.ts";

/** The part of the `openai` client that chat completions need. */
export interface OpenAIChatClient {
  readonly chat: { readonly completions: SdkResource };
}

/** The part of the `openai` client that responses need. */
export interface OpenAIResponsesClient {
  readonly responses: SdkResource;
}

/** Options for {@link createOpenAI}: the client, and which of OpenAI's two interfaces to use. Default: `"chat"`. */
export type OpenAIConfig = AdapterOptions & {
  /** Model for requests that don't set one. */
  readonly model?: string | undefined;
} & (
    | { readonly client: OpenAIChatClient; readonly api?: "chat" | undefined }
    | { readonly client: OpenAIResponsesClient; readonly api: "responses" }
  );

/**
 * Creates an adapter from a client of the `openai` package, or from any client with the same interface. One call is one
 * HTTP request: the client's own retries are turned off.
 *
 * @example
 * const llm = createOpenAI({ client: new OpenAI(), model: "gpt-4o" });
 * await run(extractClaims, { text }, { adapters: { llm } });
 */
export function createOpenAI(config: OpenAIConfig): LLMProvider {
  return createProvider(config, (request, streamed) => {
    const model = modelOf(request, config.model);
    const [resourceOf, { bodyOf, read, fold }] =
      config.api === "responses"
        ? [() => config.client.responses, { bodyOf: responsesBody, read: readResponses, fold: foldResponses }]
        : [() => config.client.chat.completions, { bodyOf: chatBody, read: readChat, fold: foldChat }];
    const body = bodyOf(request, model, streamed);
    // A client may make its resources when they're first used, and throw without a key: an error of the request.
    const send: Exchange["send"] = async (signal) => createRaw(resourceOf(), body, signal);
    return { provider: "openai", model, body, send, read, fold };
  });
}
