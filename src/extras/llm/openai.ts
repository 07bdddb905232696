import type { Exchange } from "./provider-response.ts";
import { type AdapterOptions, createProvider, modelOf } from "./create-provider.ts";
import { chatBody, foldChat, readChat } from "./openai-chat.ts";
import { foldResponses, readResponses, responsesBody } from "./openai-responses.ts";
import type { LLMProvider } from "./provider.ts";
import type { LLMRequest } from "./request.ts";
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
  /** Default model of requests. */
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
  return createProvider({
    includeRawIO: config.includeRawIO,
    clock: config.clock,
    exchange: (request, streamed) =>
      (config.api === "responses" ? viaResponses(config.client, config) : viaChat(config.client, config))(
        request,
        streamed,
      ),
  });
}

type Prepare = (request: LLMRequest, streamed: boolean) => Exchange;

function viaChat(client: OpenAIChatClient, config: OpenAIConfig): Prepare {
  return (request, streamed) => {
    const model = modelOf(request, config.model);
    const body = chatBody(request, model, streamed);
    const send: Exchange["send"] = (signal) => createRaw(client.chat.completions, body, signal);
    return { provider: "openai", model, body, send, read: readChat, fold: foldChat };
  };
}

function viaResponses(client: OpenAIResponsesClient, config: OpenAIConfig): Prepare {
  return (request, streamed) => {
    const model = modelOf(request, config.model);
    const body = responsesBody(request, model, streamed);
    const send: Exchange["send"] = (signal) => createRaw(client.responses, body, signal);
    return { provider: "openai", model, body, send, read: readResponses, fold: foldResponses };
  };
}
