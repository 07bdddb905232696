import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import type { StepContext } from "../../kernel/step/context.ts";
import { type Step, defineStep } from "../../kernel/step/define-step.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import "../../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin());
afterEach(() => vi.unstubAllEnvs());

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
  readonly tool_call_id?: string;
}
interface Completion {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly choices: readonly { readonly message: Message }[];
}
interface Adapters {
  readonly openai: {
    readonly chat: {
      readonly completions: { create(body: { model: string; messages: readonly Message[] }): Completion };
    };
  };
  readonly tools: { look(input: object): { readonly total: number } };
}

let drawn = 0;

/** A model that asks for a tool first, under ids that are others each time. */
function adapters(): Adapters {
  return {
    openai: {
      chat: {
        completions: {
          create: ({ messages }) => {
            drawn += 1;
            const use = { id: `call_x${drawn}Zq81`, function: { arguments: '{"of":"A17"}' } };
            const told = messages.some(({ role }) => role === "tool");
            const message = { role: "assistant", content: told ? "9.00" : null, ...(!told && { tool_calls: [use] }) };
            const created = 1_795_269_729 + drawn;
            return { id: `chatcmpl-x${drawn}k2`, object: "chat.completion", created, choices: [{ message }] };
          },
        },
      },
    },
    tools: { look: () => ({ total: 9 }) },
  };
}

interface Read {
  readonly first: Completion;
  readonly last: Completion;
}
function agent(output: (read: Read) => string): Step<{ text: string }, { answer: string }, Adapters> {
  return defineStep({
    name: "agent",
    input: z.object({ text: z.string() }),
    output: z.object({ answer: z.string() }),
    run: ({ text }, ctx: StepContext<Adapters>) => {
      const ask = (messages: readonly Message[]): Completion =>
        ctx.adapters.openai.chat.completions.create({ model: "gpt-4o", messages });
      const question = { role: "user", content: text };
      const first = ask([question]);
      const [choice] = first.choices;
      const uses = choice?.message.tool_calls ?? [];
      const found = uses.map((use) => ({
        role: "tool",
        content: JSON.stringify(ctx.adapters.tools.look(JSON.parse(use.function.arguments))),
        tool_call_id: use.id,
      }));
      const last = ask([question, ...(choice === undefined ? [] : [choice.message]), ...found]);
      return { output: { answer: output({ first, last }) } };
    },
  });
}
const input = { text: "How much is A17?" };
const contentOf = ({ last }: Read): string => last.choices[0]?.message.content ?? "";

test("an agent with other ids in its requests is clean, and -u writes nothing", async () => {
  const step = agent(contentOf);
  await expect(step).toMatchBaseline({ input, adapters: adapters() });
  expect(stage.stagedText()).not.toMatch(/chatcmpl-x|call_x|17952/);
  expect(stage.stagedText()).toContain('"tool_call_id": "call_000001"');
  stage.settle("all");
  await expect(step).toMatchBaseline({ input, adapters: adapters(), mode: "live" });
  await expect(step).toRecomputeClean({ adapters: adapters(), mode: "live" });
  expect(stage.changes).toStrictEqual([]);
  expect(stage.notes).toStrictEqual([[], []]);
  await expect(step).toReplay();
});

test("strictRequests accepts recorded requests with other ids", async () => {
  const step = agent(contentOf);
  await expect(step).toMatchBaseline({ input, adapters: adapters() });
  stage.settle("none");
  await expect(step).toMatchBaseline({ input, adapters: adapters(), mode: "live", strictRequests: true });
});

test("an id that the output contains is kept as it came", async () => {
  const step = agent(({ last }) => last.id);
  await expect(step).toMatchBaseline({ input, adapters: adapters() });
  const { answer } = z
    .object({ output: z.object({ answer: z.string() }) })
    .parse(JSON.parse(stage.stagedText())).output;
  expect(answer).toMatch(/^chatcmpl-x\d+k2$/);
  expect(stage.stagedText().split(answer)).toHaveLength(3);
  expect(stage.stagedText()).toContain('"id": "chatcmpl-000001"');
  stage.settle("none");
  await expect(step).toReplay();
});

test("keeps all ids if the step reads them in a way that its result doesn't show", async () => {
  const step = agent(({ first, last }) => `${first.id.length} ${last.created > 0}`);
  await expect(step).toMatchBaseline({ input, adapters: adapters() });
  expect(stage.stagedText()).toMatch(/chatcmpl-x\d+k2/);
  expect(stage.stagedText()).toMatch(/"tool_call_id": "call_x/);
  stage.settle("none");
  await expect(step).toReplay();
});

test("keeps all ids if the configuration says so", async () => {
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ keepIds: true }));
  await expect(agent(contentOf)).toMatchBaseline({ input, adapters: adapters() });
  expect(stage.stagedText()).toMatch(/chatcmpl-x\d+k2/);
  expect(stage.stagedText()).toMatch(/"created": 17952/);
});

test("a baseline of before placeholders stays clean, and is written again by -u once", async () => {
  const step = agent(contentOf);
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ keepIds: true }));
  await expect(step).toMatchBaseline({ input, adapters: adapters() });
  stage.settle("none");
  vi.unstubAllEnvs();
  await expect(step).toReplay();
  await expect(step).toMatchBaseline({ input, adapters: adapters(), mode: "live" });
  stage.settle("all");
  await expect(step).toMatchBaseline({ input, adapters: adapters(), mode: "live" });
  expect(stage.stagedText()).toContain('"tool_call_id": "call_000001"');
  stage.settle("all");
  await expect(step).toMatchBaseline({ input, adapters: adapters(), mode: "live" });
  expect(stage.changes).toStrictEqual([]);
});
