export { type AISDKModel, type AISDKOptions, fromAISDK } from "./extras/llm/ai-sdk.ts";
export { type AnthropicClient, type AnthropicConfig, createAnthropic } from "./extras/llm/anthropic.ts";
export { type LLMTextStream, complete, stream } from "./extras/llm/complete.ts";
export type { AdapterOptions } from "./extras/llm/create-provider.ts";
export {
  type ExtractError,
  type ExtractOptions,
  type Extracted,
  type ExtractionStepConfig,
  defineExtractionStep,
  extract,
} from "./extras/llm/extract.ts";
export { jsonFormat } from "./extras/llm/json-format.ts";
export type { LLMError, LLMErrorCode } from "./extras/llm/llm-error.ts";
export {
  type LLMCallTrace,
  type LLMResponse,
  type LLMUsage,
  type StopReason,
  type TokenUsage,
  llmEvent,
} from "./extras/llm/response.ts";
export {
  type OpenAIChatClient,
  type OpenAIConfig,
  type OpenAIResponsesClient,
  createOpenAI,
} from "./extras/llm/openai.ts";
export type { LLMCallContext, LLMCallOptions, LLMContext, LLMProvider, LLMResult } from "./extras/llm/provider.ts";
export type { JsonSchema, LLMJsonFormat, LLMMessage, LLMRequest, LLMTool, LLMToolCall } from "./extras/llm/request.ts";
export type { SdkResource } from "./extras/llm/sdk-client.ts";
export { type LLMTotals, sumUsage, traceTotals } from "./extras/llm/trace-totals.ts";
export {
  type ModelRecorder,
  type ModelReplayer,
  createModelRecorder,
  createModelReplayer,
  recordModel,
} from "./record/interceptors/model-recorder.ts";
