import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { emit } from "../kernel/step/command.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { defineWorkflow } from "../kernel/step/define-workflow.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { PLANTED_SECRETS } from "../../test-support/planted-secrets.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin());

interface Adapters {
  readonly llm: { ask(text: string): Promise<string> };
}
const read = defineStep({
  name: "read",
  input: z.object({ text: z.string() }),
  output: z.object({ total: z.string(), note: z.string() }),
  run: async ({ text }, ctx: StepContext<Adapters>) => ({
    output: { total: await ctx.adapters.llm.ask(text), note: text },
    commands: [emit("read", text)],
  }),
});
const input = { text: "A17 9.00" };
const adapters: Adapters = { llm: { ask: async (text) => text.slice(4) } };

test("reports the recorded run when it is captured, when it is clean, and in CI, where nothing is called", async () => {
  const told: unknown[] = [];
  const assert = ({
    result,
    calls,
  }: {
    readonly result: { readonly output: object };
    readonly calls: unknown;
  }): void => {
    told.push({ output: result.output, calls });
  };
  await expect(read).toMatchBaseline({ input, adapters, assert });
  stage.settle("new");
  await expect(read).toMatchBaseline({ input, adapters, assert });
  stage.settle("none");
  await expect(read).toMatchBaseline({ input, assert });
  expect(told).toHaveLength(3);
  expect(told[1]).toStrictEqual(told[0]);
  expect(told[2]).toStrictEqual(told[0]);
  expect(told[0]).toStrictEqual({
    output: { total: "9.00", note: "A17 9.00" },
    calls: [{ adapter: "llm.ask", occurrence: 0, returns: "promise", request: ["A17 9.00"], response: "9.00" }],
  });
});

test("what it reports is a result and a recording to the other matchers", async () => {
  await expect(read).toMatchBaseline({
    input,
    adapters,
    assert: async (recorded) => {
      expect(recorded.result).toCommand(emit("read", "A17 9.00"));
      expect(recorded).toCall("llm.ask", "A17 9.00", { times: 1, roles: { llm: "read" } });
      expect(recorded).toStayWithin({ maxCalls: 1 });
      await expect(recorded.result).toHaveValidCommands();
      expect(recorded.result.input).toStrictEqual(input);
      expect(recorded.result.stepName).toBe("read");
    },
  });
});

test("fails with the error it throws, and isn't called for a run that doesn't match", async () => {
  const assert = ({ result }: { readonly result: { readonly output: { readonly total?: string } } }): void => {
    expect(result.output.total).toBe("8.00");
  };
  expect(await stage.message(() => expect(read).toMatchBaseline({ input, adapters, assert }))).toBe(
    "expected '9.00' to be '8.00' // Object.is equality",
  );
  await expect(read).toMatchBaseline({ input, adapters });
  stage.settle("none");
  const other: Adapters = { llm: { ask: async () => "7.00" } };
  const changed = await stage.message(() =>
    expect(read).toMatchBaseline({ input, adapters: other, mode: "live", assert }),
  );
  expect(changed.split("\n")[0]).toBe("read: 1 of 1 baseline changed (live adapters)");
});

test("reports the new run where an update is written", async () => {
  await expect(read).toMatchBaseline({ input, adapters });
  stage.settle("all");
  const other: Adapters = { llm: { ask: async () => "7.00" } };
  let total: string | undefined;
  await expect(read).toMatchBaseline({
    input,
    adapters: other,
    assert: ({ result }) => {
      total = result.output.total;
    },
  });
  expect(total).toBe("7.00");
});

test("reports placeholders in place of secrets, as the file holds them", async () => {
  const secret = PLANTED_SECRETS.find(({ kind }) => kind === "openai-key")?.text ?? "";
  await expect(read).toMatchBaseline({
    input: { text: secret },
    adapters: { llm: { ask: async () => "none" } },
    assert: ({ result }) => expect(JSON.stringify(result)).not.toContain(secret),
  });
});

test("reports the whole run of a workflow", async () => {
  const whole = defineWorkflow({ name: "whole", version: "1.0.0", steps: { read } });
  await expect(whole).toMatchBaseline({
    input,
    adapters,
    assert: ({ result }) => {
      expect(result.stepName).toBe("whole");
      expect(JSON.stringify(result.output)).toContain("9.00");
    },
  });
});

test("is refused for a value, which has no run", async () => {
  const value: unknown = { a: 1 };
  const assert = (): void => undefined;
  expect(await stage.message(() => expect(value).toMatchBaseline({ name: "v", input: 1, assert }))).toBe(
    "toMatchBaseline: assert expects a step or a workflow, got an object with a different shape.",
  );
  const plain: AnyStep = read;
  await expect(plain).toMatchBaseline({ input, adapters, assert });
});
