// Compiled by `tsc -p .`, never run: an `@ts-expect-error` without its error does not compile.
import { z } from "zod";
import {
  type StepContext,
  type StepInput,
  type StepOutput,
  defineStep,
  defineWorkflow,
  withReplay,
} from "../../index.ts";
import { type Command } from "../../commands.ts";
import { type Result, type StepError, recompute, run, type Snapshot } from "../../kernel.ts";

interface Llm {
  complete(prompt: string): Promise<string>;
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_proof: Equal<A, B>): void => undefined;

const extract = defineStep({
  name: "extract",
  input: z.object({ text: z.string(), limit: z.number().default(3), id: z.string().transform(Number) }),
  output: z.object({
    claims: z.array(z.string()),
    at: z.string().transform((text) => new Date(text)),
    lang: z.string().default("en"),
  }),
  run: async (input, ctx: StepContext<{ llm: Llm }>) => {
    same<typeof input, { text: string; limit: number; id: number }>(true);
    same<typeof ctx.adapters.llm, Llm>(true);
    // @ts-expect-error no such adapter was declared
    void ctx.adapters.db;
    // What run returns is what the schema takes: text for `at`, and nothing is required.
    return { output: { claims: [await ctx.adapters.llm.complete(input.text)], at: "2026-01-01" } };
  },
});
const verify = defineStep({
  name: "verify",
  input: z.object({ claims: z.array(z.string()) }),
  output: z.object({ sound: z.boolean() }),
  run: () => ({ output: {} }),
});

// Input types are those before parsing, output types those after it.
same<StepInput<typeof extract>, { text: string; limit?: number | undefined; id: string }>(true);
// `Required` flattens the intersection with `object`.
same<Required<StepOutput<typeof extract>>, { claims: string[]; at: Date; lang: string }>(true);

defineStep({
  name: "wrong",
  input: z.object({}),
  output: z.object({ n: z.number() }),
  // @ts-expect-error the output's field is no number
  run: () => ({ output: { n: "1" } }),
});
// @ts-expect-error an output schema is a schema of objects
defineStep({ name: "wrong", input: z.object({}), output: z.string(), run: () => ({ output: {} }) });

declare const llm: Llm;
declare const snapshot: Snapshot;

export async function adaptersAreAskedForExactlyWhenDeclared(): Promise<void> {
  const input = { text: "a", id: "1" };
  await run(extract, input, { adapters: { llm } });
  await run(verify, { claims: [] });
  await run(verify, { claims: [] }, { runId: "r1" });
  await withReplay(extract, input, { adapters: { llm } });
  await withReplay(verify, { claims: [] });
  await recompute(snapshot, extract, { adapters: { llm } });
  await recompute(snapshot, verify);
  // @ts-expect-error options are missing
  await run(extract, input);
  // @ts-expect-error adapters are missing
  await run(extract, input, { runId: "r1" });
  // @ts-expect-error the adapter is missing
  await run(extract, input, { adapters: {} });
  // @ts-expect-error options are missing
  await withReplay(extract, input);
  // @ts-expect-error options are missing
  await recompute(snapshot, extract);
}

export async function inputsAreCheckedBeforeParsing(): Promise<void> {
  // @ts-expect-error `id` is a text before its transform
  await run(extract, { text: "a", id: 1 }, { adapters: { llm } });
  // @ts-expect-error `text` is missing
  await run(extract, { id: "1" }, { adapters: { llm } });
}

export async function resultsAreTyped(): Promise<void> {
  const result = await run(extract, { text: "a", id: "1" }, { adapters: { llm } });
  if (!result.ok) {
    same<typeof result.error, StepError>(true);
    return;
  }
  same<typeof result.value.output, Partial<{ claims: string[]; at: Date; lang: string }>>(true);
  same<typeof result.value.input, { text: string; limit?: number | undefined; id: string }>(true);
  const commands: readonly Command[] | undefined = result.value.commands;
  void commands;
  // @ts-expect-error outputs are partial, so a field may be absent
  void result.value.output.claims.length;
  const { result: recorded } = await withReplay(verify, { claims: [] });
  const typed: Result<{ readonly output: { sound?: boolean } }, StepError> = recorded;
  void typed;
  const recomputed = await recompute(result.value, extract, { adapters: { llm } });
  if (recomputed.ok)
    same<typeof recomputed.value.parsedOutput, Partial<{ claims: string[]; at: Date; lang: string }> | undefined>(true);
}

const workflow = defineWorkflow({ name: "claims", version: "1.0.0", steps: { extract, verify } });
workflow.invoke("verify", { claims: ["a"] });
workflow.invoke("extract", { text: "a", id: "1" });
workflow.fanout("verify", [{ claims: [] }]);
workflow.suspend({ reason: "wait", checkpoint: {}, resumeStep: "verify" });
same<ReturnType<typeof workflow.getStep<"verify">>, typeof verify>(true);
// @ts-expect-error the input is extract's
workflow.invoke("verify", { text: "a", id: "1" });
// @ts-expect-error `id` is a text before its transform
workflow.invoke("extract", { text: "a", id: 1 });
// @ts-expect-error one of the inputs is wrong
workflow.fanout("verify", [{ claims: [] }, { claims: "a" }]);
// @ts-expect-error no such step
workflow.invoke("unknown", {});
// @ts-expect-error no such step
workflow.fanout("unknown", []);
// @ts-expect-error no such step
workflow.getStep("unknown");
// @ts-expect-error no such step
workflow.suspend({ reason: "wait", checkpoint: {}, resumeStep: "unknown" });
