import type { AuditEvent } from "../step/context.ts";
import type { LLMResponse } from "./response.ts";

/** Makes an audit event of a model's answer, with its trace; an absent payload leaves no key behind. */
export function llmEvent(type: string, { trace }: Pick<LLMResponse, "trace">, payload?: unknown): AuditEvent {
  return { type, ...(payload === undefined ? {} : { payload }), llmTrace: trace };
}
