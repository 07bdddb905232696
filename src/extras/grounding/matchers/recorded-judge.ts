import { z } from "zod/v4";
import { defineStep } from "../../../kernel/step/define-step.ts";
import { fail } from "../../../kernel/step/fail.ts";
import { callAdapter } from "../adapters/call-adapter.ts";
import { type JudgeModel, type LlmAdapter, contentOf, judgeAdapter } from "../adapters/llm-adapter.ts";

/** Matches a step against its baseline: the runner's `expect(step).toMatchBaseline(options)`. */
export type MatchBaseline = (
  step: unknown,
  options: { readonly input: unknown; readonly adapters: { readonly llm: LlmAdapter } },
) => Promise<void>;

/**
 * Creates an adapter that records the judge's responses in baselines, as those of any step: a run replays them, and CI
 * calls no model. The baseline's case is the request, so another answer to judge is another case.
 */
export function recordedJudge(judge: JudgeModel, matchBaseline: MatchBaseline): LlmAdapter {
  const llm = judgeAdapter(judge);
  return {
    async complete(request) {
      let content = "";
      const step = defineStep({
        name: "grounding-judge",
        input: z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) }),
        output: z.object({ content: z.string() }),
        run: async (_, { adapters }: { readonly adapters: { readonly llm: LlmAdapter } }) => {
          const answer = await callAdapter({
            operation: "verify",
            name: "The judge's llm.complete",
            expected: "{ content }",
            call: () => adapters.llm.complete(request),
            read: contentOf,
          });
          if (!answer.ok) return fail(answer.error);
          content = answer.value;
          return { output: { content } };
        },
      });
      await matchBaseline(step, { input: { messages: request.messages }, adapters: { llm } });
      return { content };
    },
  };
}
