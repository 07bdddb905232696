import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { withReplay } from "../record/with-replay.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);

beforeEach(() => stage.begin());

interface Services {
  user: { confirm(): Promise<boolean> };
  tools: { pay(): Promise<string> };
}

const adapters = { user: { confirm: async () => true }, tools: { pay: async () => "paid" } };

function checkout(asks: "first" | "last" | "without waiting" | "together"): AnyStep {
  return defineStep({
    name: "checkout",
    input: z.object({}),
    output: z.object({ paid: z.string() }),
    order: { "tools.pay": { after: ["user.confirm"] } },
    run: async (_input, ctx: StepContext<Services>) => {
      const { user, tools } = ctx.adapters;
      if (asks === "first") await user.confirm();
      const confirmed = asks === "without waiting" ? user.confirm() : undefined;
      if (asks === "together") return { output: { paid: (await Promise.all([user.confirm(), tools.pay()]))[1] } };
      const paid = await ctx.adapters.tools.pay();
      await confirmed;
      if (asks === "last") await ctx.adapters.user.confirm();
      return { output: { paid } };
    },
  });
}

const EARLY =
  "out_of_order: tools.pay was called before user.confirm succeeded, but the step's order requires tools.pay after user.confirm.";

test("a step that breaks its order of calls isn't captured", async () => {
  expect(await stage.message(() => expect(checkout("last")).toMatchBaseline({ input: {}, adapters }))).toContain(EARLY);
  expect(stage.changes).toStrictEqual([]);
});

test("a step that breaks its order fails live and recorded, even with an equal result", async () => {
  await expect(checkout("first")).toMatchBaseline({ input: {}, adapters });
  stage.settle("new");
  await expect(checkout("first")).toMatchBaseline({ input: {}, adapters });
  for (const options of [{ input: {}, adapters }, { input: {} }])
    expect(await stage.message(() => expect(checkout("last")).toMatchBaseline(options))).toContain(EARLY);
});

test.each(["without waiting", "together"] as const)("asking %s breaks the order live and recorded", async (asks) => {
  await expect(checkout("first")).toMatchBaseline({ input: {}, adapters });
  stage.settle("new");
  for (const options of [{ input: {}, adapters }, { input: {} }])
    expect(await stage.message(() => expect(checkout(asks)).toMatchBaseline(options))).toContain(EARLY);
});

test("a replay doesn't take calls as made at once because they were when it was recorded", async () => {
  interface Shop {
    user: { confirm(): Promise<boolean> };
    tools: { pay(): Promise<string>; look(at: number): Promise<string> };
  }
  const shop = { ...adapters, tools: { ...adapters.tools, look: async () => "seen" } };
  const step = (looks: number): AnyStep =>
    defineStep({
      name: "checkout",
      input: z.object({}),
      output: z.object({ paid: z.string() }),
      order: { "tools.pay": { after: ["user.confirm"] } },
      run: async (_input, ctx: StepContext<Shop>) => {
        const { user, tools } = ctx.adapters;
        await user.confirm();
        const seen = Array.from({ length: looks }, async (_, at) => tools.look(at));
        const [paid = ""] = await Promise.all([tools.pay(), ...seen].toReversed().toReversed());
        return { output: { paid } };
      },
    });
  await expect(step(2)).toMatchBaseline({ input: {}, adapters: shop });
  stage.settle("new");
  const message = await stage.message(() => expect(step(0)).toMatchBaseline({ input: {} }));
  expect(message).not.toContain("out_of_order");
  expect(message).toContain("calls_changed");
});

test.each(["all", "none"] as const)("a recorded result follows its step's scope of calls: %s", async (calls) => {
  const pays = (times: number): AnyStep =>
    defineStep({
      name: "checkout",
      input: z.object({}),
      output: z.object({ paid: z.string() }),
      calls,
      run: async (_input, ctx: StepContext<Services>) => {
        for (let made = 1; made < times; made += 1) await ctx.adapters.tools.pay();
        return { output: { paid: await ctx.adapters.tools.pay() } };
      },
    });
  const once = await withReplay(pays(1), {}, { adapters });
  await expect(once.result).toMatchBaseline();
  stage.settle("new");
  const twice = await withReplay(pays(2), {}, { adapters });
  const message = await stage.message(() => expect(twice.result).toMatchBaseline());
  expect(message).toContain(calls === "none" ? "it passed" : "calls_changed");
});

test.each([
  [
    { "tools.pay": {} },
    'defineStep "checkout": order["tools.pay"] must have a list of calls, such as { after: ["user.confirm"] }.',
  ],
  [{ "tools.pay": { after: [] } }, 'must have a list of calls, such as { after: ["user.confirm"] }'],
  [{ "tools.pay": { after: ["user.confirm"], befor: [] } }, 'order["tools.pay"]'],
])("a rule without effect is a TypeError: %j", (order, message) => {
  const config = { name: "checkout", input: z.object({}), output: z.object({}), run: async () => ({ output: {} }) };
  expect(() => Reflect.apply(defineStep, undefined, [{ ...config, order }])).toThrow(message);
});
