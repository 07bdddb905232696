import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { parseBaseline } from "../baseline/parse-baseline.ts";
import { keepsResponses } from "../updates/pending/pending-change.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
let asked: unknown[] = [];

interface Adapters {
  readonly llm: { ask(options: object): Promise<string> };
}

const adapters: Adapters = {
  llm: {
    ask: async (options) => {
      asked.push(options);
      return `answer ${asked.length}`;
    },
  },
};

/** Asks for each prompt in turn, with what the SDK adds. */
function stepOf(added: object, { prompts = ["one", "two"], parallel = false, ending = "" } = {}): AnyStep {
  return defineStep({
    name: "chat",
    input: z.object({}),
    output: z.object({ texts: z.array(z.string()) }),
    run: async (_input, { adapters: { llm } }: StepContext<Adapters>) => {
      const ask = async (prompt: string): Promise<string> => llm.ask({ model: "m", prompt, ...added });
      if (parallel) return { output: { texts: await Promise.all(prompts.map(ask)) } };
      const texts: string[] = [];
      for (const prompt of prompts) texts.push(await ask(`${prompt}${texts.length === 0 ? "" : ` ${texts[0]}`}`));
      return { output: { texts: texts.map((text) => text + ending) } };
    },
  });
}

async function captureOf(...options: Parameters<typeof stepOf>): Promise<void> {
  await expect(stepOf(...options)).toMatchBaseline({ input: {}, adapters, name: "one" });
  stage.settle("new");
  asked = [];
}

async function check(...options: Parameters<typeof stepOf>): Promise<string> {
  return stage.message(() => expect(stepOf(...options)).toMatchBaseline({ input: {}, adapters, name: "one" }));
}

function harmless(...rules: readonly unknown[]): void {
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ harmless: rules }));
}

function callsIn(text: string | undefined): readonly (readonly [request: unknown, response: unknown])[] {
  const parsed = parseBaseline(text ?? "", "the update");
  if (!parsed.ok || parsed.value.kind !== "step") throw new Error("no baseline of a step");
  return parsed.value.calls.map(({ request, response }) => [request, response] as const);
}

beforeEach(() => {
  stage.begin();
  stage.projectMode = undefined;
  asked = [];
});

afterEach(() => vi.unstubAllEnvs());

test("requests that differ only in harmless parts have a pending update that keeps the responses", async () => {
  await captureOf({});
  harmless("llm.ask[0].store");
  const failure = await check({ store: false });
  expect(failure).toBe(`chat: 1 of 1 baseline failed (recorded calls)

  ROOT/chat/one-HASH.json  request_changed
    cause: prompt (llm.ask request[0].store changed (2 times))
    adapter "llm.ask" was called with a request that wasn't recorded (2 recorded for it)
  + request[0].store: false

Only parts listed in recording.harmless changed. Accepting the change keeps the recorded responses.
Review the changes. Accept them with -u, or accept exactly these with: npx veritest review`);
  expect(asked).toStrictEqual([]);
  const [change] = stage.changes;
  expect(change).toMatchObject({ intent: "review", verdict: "request_changed", source: "recorded" });
  expect(change?.shown).toStrictEqual([
    "    cause: prompt (llm.ask request[0].store changed (2 times))",
    '    adapter "llm.ask" was called with a request that wasn\'t recorded (2 recorded for it)',
    "  + request[0].store: false",
    "    only harmless parts of requests changed, so the recorded responses are kept",
    "  + also written: calls[0].request[0].store: false",
    "  + also written: calls[1].request[0].store: false",
  ]);
  expect(callsIn(change?.update.after)).toStrictEqual([
    [[{ model: "m", prompt: "one", store: false }], "answer 1"],
    [[{ model: "m", prompt: "two answer 1", store: false }], "answer 2"],
  ]);
  expect(change && keepsResponses(change.update)).toBe(true);
});

test("-u writes the current requests with the recorded responses, without calls", async () => {
  await captureOf({});
  harmless("**.store", { path: "llm.ask[0].model", match: "/m.*/" });
  stage.mode = "all";
  expect(await check({ store: false, model: "m-2" })).toBe("it passed");
  expect(asked).toStrictEqual([]);
  stage.settle("none");
  vi.unstubAllEnvs();
  expect(await check({ store: false, model: "m-2" })).toBe("it passed");
  expect(await check({})).toContain("request_changed");
});

test("a mode for each adapter that is recorded keeps the responses as well", async () => {
  await captureOf({});
  harmless("**.store");
  stage.mode = "all";
  const options = { input: {}, adapters, name: "one", mode: { llm: "replay" } } as const;
  await expect(stepOf({ store: false })).toMatchBaseline(options);
  expect(asked).toStrictEqual([]);
  expect(callsIn(stage.stagedText())).toStrictEqual([
    [[{ model: "m", prompt: "one", store: false }], "answer 1"],
    [[{ model: "m", prompt: "two answer 1", store: false }], "answer 2"],
  ]);
});

test("parallel requests keep the responses to their own prompts", async () => {
  await captureOf({}, { parallel: true });
  harmless("**.store");
  stage.mode = "all";
  expect(await check({ store: true }, { parallel: true })).toBe("it passed");
  expect(callsIn(stage.stagedText())).toStrictEqual([
    [[{ model: "m", prompt: "one", store: true }], "answer 1"],
    [[{ model: "m", prompt: "two", store: true }], "answer 2"],
  ]);
});

test.each<[string, readonly unknown[], Parameters<typeof stepOf>]>([
  ["another part changed too", ["**.store"], [{ store: false, temperature: 1 }]],
  ["the prompt of a later request changed", ["**.store"], [{ store: false }, { prompts: ["one", "three"] }]],
  ["the result changed", ["**.store"], [{ store: false }, { ending: "!" }]],
  ["a recorded call isn't made any more", ["**.store"], [{ store: false }, { prompts: ["one"] }]],
  ["there is one request more", ["**.store"], [{ store: false }, { prompts: ["one", "two", "two"] }]],
  ["the rule names another adapter", ["crm.ask[0].store"], [{ store: false }]],
  ["no rule is configured", [], [{ store: false }]],
])("no update keeps the responses if %s", async (_what, rules, options) => {
  await captureOf({});
  harmless(...rules);
  expect(await check(...options)).toContain("Is the new request intended? Record its response:");
  expect(stage.changes).toStrictEqual([]);
  expect(asked).toStrictEqual([]);
});

test("a request that varies in each run has no update", async () => {
  await captureOf({ at: 0 });
  harmless("**.other");
  let at = 0;
  const varying = {
    get at() {
      return (at += 1);
    },
  };
  expect(await check(varying)).toContain("request_changed");
  expect(stage.changes).toStrictEqual([]);
});

test("refuses a harmless part that varies in each run, because the update doesn't replay", async () => {
  await captureOf({ at: 0 });
  harmless("**.at");
  let at = 0;
  const varying = {
    get at() {
      return (at += 1);
    },
  };
  expect(await check(varying)).toContain("request_changed");
  expect(stage.changes).toStrictEqual([]);
});
