import { memberOf } from "../../../kernel/json/plain-data.ts";
import { type AISDKModel, fromAISDK } from "../../llm/ai-sdk.ts";

/** Request to a language model: instructions, then data. Plain JSON, the same for the same texts. */
export interface LlmRequest {
  /** Name of the model. Omit it if the adapter has a default model. */
  readonly model?: string;
  readonly messages: readonly { readonly role: "system" | "user"; readonly content: string }[];
  readonly temperature: number;
  /** JSON schema of the response, if it's JSON. */
  readonly responseFormat?: LlmJsonFormat;
}

/** JSON schema of a response, with its name for the provider. */
export interface LlmJsonFormat {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Language model as an adapter. Returns `{ content }` or a `Result` of it, like the adapters of `veritest/llm`. */
export interface LlmAdapter {
  complete(request: LlmRequest): unknown;
}

/** Model that judges claims: an adapter, or a model of the `ai` package such as `openai("gpt-4o")`. */
export type JudgeModel = LlmAdapter | AISDKModel;

/** Returns the adapter of a judge. */
export function judgeAdapter(judge: JudgeModel): LlmAdapter {
  return "doGenerate" in judge ? fromAISDK(judge) : judge;
}

/** Options for requests to a model. */
export interface LlmOptions {
  readonly model?: string;
}

/** Creates a request of instructions and data. The data is one JSON text, so that it can't pass for instructions. */
export function llmRequest(instructions: string, data: object, { model }: LlmOptions = {}): LlmRequest {
  return {
    ...(model === undefined ? {} : { model }),
    messages: [
      { role: "system", content: instructions },
      { role: "user", content: JSON.stringify(data) },
    ],
    temperature: 0,
  };
}

/** Returns the text of a model's response, or undefined if it has none. */
export function contentOf(answer: unknown): string | undefined {
  const content = memberOf(answer, "content");
  return typeof content === "string" ? content : undefined;
}
