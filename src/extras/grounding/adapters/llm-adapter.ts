/** What is asked of a language model here: instructions, then data. Plain JSON, the same for the same texts. */
export interface LlmRequest {
  /** Left out where the adapter has a default. */
  readonly model?: string;
  readonly messages: readonly { readonly role: "system" | "user"; readonly content: string }[];
  readonly temperature: number;
  /** Asks for JSON of a schema, where the answer is one. */
  readonly responseFormat?: LlmJsonFormat;
}

/** A JSON schema that an answer must fit, and its name towards the provider. */
export interface LlmJsonFormat {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * A language model: it answers with `{ content }`, or with a `Result` of that. The adapters of `veritest/llm` are such.
 */
export interface LlmAdapter {
  complete(request: LlmRequest): unknown;
}

/** Options of what asks a model. */
export interface LlmOptions {
  readonly model?: string;
}

/** A request of instructions and data; the data is one JSON text, so that nothing in it passes for an instruction. */
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

/** The text of a model's answer; undefined where it has none. */
export function contentOf(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("content" in answer)) return undefined;
  return typeof answer.content === "string" ? answer.content : undefined;
}
