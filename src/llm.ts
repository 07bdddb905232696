export { type AISDKModel, type AISDKOptions, fromAISDK } from "./llm/ai-sdk.ts";
export { type AnthropicClient, type AnthropicConfig, createAnthropic } from "./llm/anthropic.ts";
export { type LLMTextStream, complete, stream } from "./llm/complete.ts";
export type { AdapterOptions } from "./llm/create-provider.ts";
export {
  type ExtractError,
  type ExtractOptions,
  type Extracted,
  type ExtractionStepConfig,
  defineExtractionStep,
  extract,
} from "./llm/extract.ts";
export { jsonFormat } from "./llm/json-format.ts";
export type { LLMError, LLMErrorCode } from "./llm/llm-error.ts";
export {
  type LLMCallTrace,
  type LLMResponse,
  type LLMUsage,
  type StopReason,
  type TokenUsage,
  llmEvent,
} from "./llm/response.ts";
export { type OpenAIChatClient, type OpenAIConfig, type OpenAIResponsesClient, createOpenAI } from "./llm/openai.ts";
export type { LLMCallContext, LLMCallOptions, LLMContext, LLMProvider, LLMResult } from "./llm/provider.ts";
export type { JsonSchema, LLMJsonFormat, LLMMessage, LLMRequest, LLMTool, LLMToolCall } from "./llm/request.ts";
export type { SdkResource } from "./llm/sdk-client.ts";
export { type LLMTotals, sumUsage, traceTotals } from "./llm/trace-totals.ts";
export { type ModelRecorder, type ModelServer, recordModel, serveModel, tapeModel } from "./record/tape/model-tape.ts";
