import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { PLANTED_SECRETS } from "../../test-support/planted-secrets.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
let asked: string[] = [];

beforeEach(() => {
  stage.begin();
  asked = [];
});

const secret = PLANTED_SECRETS.find(({ kind }) => kind === "openai-key")?.text ?? "";
const input = { letter: `My key is ${secret}.` };
const adapters = {
  llm: {
    ask: async (text: string) => {
      asked.push(text);
      return text.length;
    },
  },
};
const asking: AnyStep = defineStep({
  name: "asking",
  input: z.object({ letter: z.string() }),
  output: z.object({ said: z.number() }),
  run: async ({ letter }, ctx: StepContext<{ llm: { ask(text: string): Promise<number> } }>) => ({
    output: { said: await ctx.adapters.llm.ask(letter) },
  }),
});
const pure: AnyStep = defineStep({
  name: "pure",
  input: z.object({ letter: z.string() }),
  output: z.object({ long: z.boolean() }),
  run: ({ letter }) => ({ output: { long: letter.length > 3 } }),
});

const NOT_LIVE =
  "1 case checked with recorded responses instead of live, because its stored input has placeholders for secrets. To check it live, " +
  "pass a name and the input in the test: toMatchBaseline({ name, input, adapters })";

test("a live check of all compares a case with a redacted input on recorded responses, and counts it", async () => {
  await expect(asking).toMatchBaseline({ input, adapters, name: "a key" });
  stage.settle("new");
  expect(asked).toEqual([input.letter]);
  await expect(asking).toMatchBaseline({ input: { letter: "No key." }, adapters, name: "no key" });
  stage.settle("new");
  asked = [];
  await expect(asking).toRecomputeClean({ adapters });
  expect(stage.notes.flat()).toStrictEqual([NOT_LIVE]);
  expect(stage.checks.map(({ findings }) => findings.source)).toStrictEqual(["recorded", "live"]);
  await expect(asking).toRecomputeClean({ adapters, trials: 3 });
  expect(asked).toEqual(["No key.", "No key.", "No key.", "No key."]);
});

test("the remark belongs to the case with the secret, not to the first one", async () => {
  await expect(asking).toMatchBaseline({ input: { letter: "No key." }, adapters, name: "ann" });
  await expect(asking).toMatchBaseline({ input, adapters, name: "eve" });
  stage.settle("new");
  await expect(asking).toRecomputeClean({ adapters });
  expect(stage.notes).toStrictEqual([[], [NOT_LIVE]]);
});

test("an adapter that is live on its own gets no placeholder of a secret either", async () => {
  await expect(asking).toMatchBaseline({ input, adapters, name: "a key" });
  stage.settle("new");
  asked = [];
  await expect(asking).toRecomputeClean({ adapters, mode: { llm: "live" } });
  expect(asked).toEqual([]);
  expect(stage.notes.flat()).toStrictEqual([NOT_LIVE]);
  await expect(asking).toRecomputeClean({ adapters, mode: { llm: "replay" } });
  expect(stage.notes.flat()).toStrictEqual([NOT_LIVE]);
});

test("beside an adapter that isn't live for that, a scripted one is still replayed in order", async () => {
  const sent: string[] = [];
  const both = { ...adapters, tools: { send: async (text: string) => sent.push(text) } };
  const sending = (prompt: string): AnyStep =>
    defineStep({
      name: "sending",
      input: z.object({ letter: z.string() }),
      output: z.object({ said: z.number() }),
      run: async ({ letter }, ctx: StepContext<typeof both>) => {
        await ctx.adapters.tools.send("a");
        return { output: { said: await ctx.adapters.llm.ask(`${prompt} ${letter}`) } };
      },
    });
  await expect(sending("Read")).toMatchBaseline({ input, adapters: both, name: "a key" });
  stage.settle("new");
  await expect(sending("Read closely")).toRecomputeClean({ adapters: both, mode: { llm: "scripted", tools: "live" } });
  expect([sent, asked.length]).toStrictEqual([["a"], 1]);
  expect(stage.notes.flat()).toStrictEqual([
    NOT_LIVE,
    "scripted: 1 request differs from the recording, and veritest replayed the responses in the recorded order",
  ]);
});

test("says why a changed request of a redacted input wasn't sent with mode auto", async () => {
  await expect(asking).toMatchBaseline({ input, adapters, name: "a key" });
  stage.settle("new");
  asked = [];
  const other: AnyStep = {
    ...asking,
    run: async (value, ctx) => asking.run({ letter: `${String(Reflect.get(Object(value), "letter"))}!` }, ctx),
  };
  await stage.message(() => expect(other).toRecomputeClean({ adapters, mode: "auto" }));
  expect(asked).toStrictEqual([]);
  expect(stage.notes.flat()).toStrictEqual([NOT_LIVE]);
});

test("a redacted input doesn't hide a changed result, and keeps no other update pending", async () => {
  await expect(asking).toMatchBaseline({ input, adapters, name: "a key" });
  await expect(asking).toMatchBaseline({ input: { letter: "No key." }, adapters, name: "no key" });
  stage.settle("new");
  const doubled = {
    ...asking,
    run: async (...args: Parameters<AnyStep["run"]>) => {
      const { output } = z.object({ output: z.object({ said: z.number() }) }).parse(await asking.run(...args));
      return { output: { said: output.said * 2 } };
    },
  };
  expect(await stage.message(() => expect(doubled).toRecomputeClean({ adapters }))).toContain(
    "2 of 2 baselines changed",
  );
  stage.settle("all");
  asked = [];
  await expect(doubled).toRecomputeClean({ adapters });
  expect(stage.changes).toHaveLength(2);
  expect(asked).toEqual(["No key."]);
});

test("recorded responses, a given input, and a step without calls still work", async () => {
  await expect(asking).toMatchBaseline({ input, adapters, name: "a key" });
  await expect(pure).toMatchBaseline({ input, name: "a key" });
  stage.settle("new");
  await expect(asking).toRecomputeClean();
  await expect(asking).toReplay();
  await expect(asking).toMatchBaseline({ input, adapters, name: "a key" });
  await expect(pure).toRecomputeClean({ adapters });
  expect(asked).toEqual([input.letter, input.letter]);
});

test("refuses two inputs that differ only in secrets without names, and accepts them with names", async () => {
  const other = {
    letter: input.letter.replace(
      secret,
      secret.replace(/.$/, (last) => (last === "x" ? "y" : "x")),
    ),
  };
  await expect(asking).toMatchBaseline({ input, adapters });
  await expect(asking).toMatchBaseline({ input, adapters });
  expect(await stage.message(() => expect(asking).toMatchBaseline({ input: other, adapters }))).toContain(
    'ambiguous_case: Two inputs of step "asking" differ only in their redacted secrets, so they count as one case. ' +
      'Name each: toMatchBaseline({ name: "…", input }).',
  );
  await expect(asking).toMatchBaseline({ input, adapters, name: "one" });
  await expect(asking).toMatchBaseline({ input: other, adapters, name: "other" });
});
