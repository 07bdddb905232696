import { err } from "../../kernel/result.ts";
import { captureArtifactSync } from "../../record/snapshot.ts";
import { outputContentOf, inputContent } from "./call-content.ts";
import type { LLMCallContext, LLMCallOptions, LLMResult } from "./provider.ts";
import type { LLMRequest } from "./request.ts";

/**
 * Calls the step's model (`ctx.adapters.llm`) and stores the artifacts `llm-input`, `llm-output` and `llm-trace` with
 * the run. Expected failures are returned as values. A failed call stores its `llm-input`, and the other artifacts if
 * the model responded.
 *
 * @example
 * const answer = await complete(ctx, { model: "gpt-4o", messages: [{ role: "user", content: text }] });
 * if (!answer.ok) return fail(answer.error);
 */
export async function complete(ctx: LLMCallContext, request: LLMRequest, options?: LLMCallOptions): Promise<LLMResult> {
  keepInput(ctx, request);
  const { llm } = ctx.adapters;
  // Without options there is no second argument: it would be part of the recorded request.
  const result = await (options === undefined ? llm.complete(request) : llm.complete(request, options));
  keepOutput(ctx, result);
  return result;
}

/** A streamed response: its text in pieces, which you can read once, and its outcome. */
export interface LLMTextStream extends AsyncIterable<string, void, void> {
  /**
   * Reads the rest of the stream and returns the complete outcome. It's the error `aborted` if you left the loop over
   * the stream early.
   */
  readonly finish: () => Promise<LLMResult>;
}

/**
 * Calls the step's model (`ctx.adapters.llm`) and streams its response. Stores the same artifacts as `complete`. The
 * request is sent at the first read, and ends if you leave the loop early.
 *
 * @example
 * const answer = stream(ctx, request);
 * for await (const text of answer) show(text);
 * const result = await answer.finish();
 */
export function stream(ctx: LLMCallContext, request: LLMRequest, options?: LLMCallOptions): LLMTextStream {
  const outcome = Promise.withResolvers<LLMResult>();
  // The reader of the stream sees the failure, so an unread outcome must not be an unhandled rejection.
  outcome.promise.catch(() => undefined);
  const texts = readTexts(ctx, () => callModel(ctx, request, options), outcome);
  return {
    [Symbol.asyncIterator]: () => texts,
    finish: async () => {
      for (let next = await texts.next(); next.done !== true; next = await texts.next());
      return outcome.promise;
    },
  };
}

type Source = ReturnType<LLMCallContext["adapters"]["llm"]["stream"]>;

function callModel(ctx: LLMCallContext, request: LLMRequest, options: LLMCallOptions | undefined): Source {
  keepInput(ctx, request);
  const { llm } = ctx.adapters;
  return options === undefined ? llm.stream(request) : llm.stream(request, options);
}

async function* readTexts(
  ctx: LLMCallContext,
  open: () => Source,
  outcome: PromiseWithResolvers<LLMResult>,
): AsyncGenerator<string, void, void> {
  let source: Source | undefined;
  try {
    source = open();
    let next = await source.next();
    for (; next.done !== true; next = await source.next()) yield next.value;
    source = undefined;
    keepOutput(ctx, next.value);
    outcome.resolve(next.value);
  } catch (thrown) {
    source = undefined;
    outcome.reject(thrown);
    throw thrown;
  } finally {
    if (source !== undefined) {
      // Reached only if the reader left early.
      outcome.resolve(LEFT);
      await source.return(LEFT);
    }
  }
}

const LEFT: LLMResult = err({
  code: "aborted",
  message: "The stream wasn't read to its end, so its response is incomplete. Read it to the end, or call finish().",
  retryable: false,
});

/** Stores the request as the artifact `llm-input`. */
function keepInput(ctx: LLMCallContext, request: LLMRequest): void {
  ctx.onArtifact?.(captureArtifactSync("llm-input", inputContent(request)));
}

/**
 * Stores the response, also of a failed call: as `llm-output`, which is equal for equal responses of any model, and
 * its trace (provider, model, tokens, ids) as `llm-trace`.
 */
function keepOutput(ctx: LLMCallContext, result: LLMResult): void {
  const response = result.ok ? result.value : result.error.response;
  if (response === undefined) return;
  ctx.onArtifact?.(captureArtifactSync("llm-output", outputContentOf(response)));
  ctx.onArtifact?.(captureArtifactSync("llm-trace", response.trace));
}
