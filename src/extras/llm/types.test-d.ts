// Compiled by `tsc -p .`, never run: an `@ts-expect-error` without its error does not compile.
import { openai } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { AzureOpenAI } from "openai";
import { z } from "zod";
import { type StepInput, type StepOutput, fail } from "../../index.ts";
import { type AuditEvent, type LLMTrace, run } from "../../kernel.ts";
import {
  type LLMCallTrace,
  type LLMContext,
  type LLMError,
  type LLMProvider,
  complete,
  createAnthropic,
  createOpenAI,
  defineExtractionStep,
  extract,
  fromAISDK,
  llmEvent,
  stream,
} from "../../llm.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_proof: Equal<A, B>): void => undefined;

// The real clients fit, and only where they belong.
export const adapters: LLMProvider[] = [
  createOpenAI({ client: new OpenAI() }),
  createOpenAI({ client: new AzureOpenAI(), api: "responses", model: "gpt-4o" }),
  createAnthropic({ client: new Anthropic(), maxTokens: 100 }),
  fromAISDK(openai("gpt-4o")),
  fromAISDK(openai.chat("gpt-4o")),
  fromAISDK(openai, { model: "gpt-4o" }),
  // @ts-expect-error not an OpenAI client
  createOpenAI({ client: new Anthropic() }),
  // @ts-expect-error not an Anthropic client
  createAnthropic({ client: new OpenAI() }),
  // @ts-expect-error no such interface
  createOpenAI({ client: new OpenAI(), api: "assistants" }),
  // @ts-expect-error a name is no model
  fromAISDK("gpt-4o"),
];

declare const ctx: LLMContext;
const request = { model: "m", messages: [{ role: "user", content: "?" }] } as const;

export async function calls(): Promise<unknown> {
  const answer = await complete(ctx, request, { signal: AbortSignal.timeout(1) });
  if (!answer.ok) {
    same<typeof answer.error, LLMError>(true);
    return fail(answer.error);
  }
  same<typeof answer.value.content, string>(true);
  const event: AuditEvent = llmEvent("answered", answer.value, { why: "?" });
  const trace: LLMTrace = answer.value.trace satisfies LLMCallTrace;
  for await (const text of stream(ctx, request)) same<typeof text, string>(true);
  // @ts-expect-error a context is no call options: it would become part of the recorded request
  await ctx.adapters.llm.complete(request, ctx);
  // @ts-expect-error a message has a role
  await complete(ctx, { messages: [{ content: "?" }] });
  return [event, trace];
}

export async function extractions(): Promise<unknown> {
  const claims = await extract(ctx, request, z.object({ at: z.string().transform((text) => new Date(text)) }));
  if (claims.ok) same<typeof claims.value.data, { at: Date }>(true);
  else
    same<
      Extract<typeof claims.error.code, "schema_error" | "json_error" | "rate_limit">,
      "schema_error" | "json_error" | "rate_limit"
    >(true);
  const step = defineExtractionStep({
    name: "extract",
    input: z.object({ text: z.string(), limit: z.number().default(3) }),
    output: z.object({ claims: z.array(z.string()), lang: z.string().default("en") }),
    request: (input) => {
      same<typeof input, { text: string; limit: number }>(true);
      return request;
    },
  });
  same<StepInput<typeof step>, { text: string; limit?: number | undefined }>(true);
  same<Required<StepOutput<typeof step>>, { claims: string[]; lang: string }>(true);
  // @ts-expect-error the step needs its model
  await run(step, { text: "" }, { adapters: {} });
  // @ts-expect-error an output schema is a schema of objects
  defineExtractionStep({ name: "wrong", input: z.string(), output: z.string(), request: () => request });
  return run(step, { text: "" }, { adapters: { llm: createOpenAI({ client: new OpenAI() }) } });
}
