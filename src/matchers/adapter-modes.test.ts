import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { tool } from "../record/calls/tool.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
let done: string[] = [];
let seats = 4;

beforeEach(() => {
  stage.begin();
  done = [];
  seats = 4;
});

interface Adapters {
  readonly llm: { ask(prompt: string): Promise<string> };
  readonly crm: { seats(city: string): Promise<number>; log(line: string): Promise<string> };
}

const adapters: Adapters = {
  llm: {
    ask: async (prompt) => {
      done.push(`ask ${prompt}`);
      return `${prompt.length} words`;
    },
  },
  crm: {
    seats: async (city) => {
      done.push(`seats ${city}`);
      return seats;
    },
    log: async (line) => {
      done.push(`log ${line}`);
      return "logged";
    },
  },
};

const book = tool({
  name: "book",
  effect: "write",
  run: async ({ city }: { city: string }) => {
    done.push(`book ${city}`);
    return { booked: city };
  },
});

interface How {
  readonly prompt?: string;
  readonly city?: string;
  readonly asks?: number;
}

function step({ prompt = "Where to?", city = "Oslo", asks = 2 }: How = {}): AnyStep {
  return defineStep({
    name: "trip",
    input: z.object({}),
    output: z.object({ said: z.array(z.string()), seats: z.number() }),
    run: async (_, { adapters: { llm, crm } }: StepContext<Adapters>) => {
      const said: string[] = [];
      for (let n = 0; n < asks; n += 1) said.push(await llm.ask(`${prompt} ${n}`));
      const free = await crm.seats(city);
      await book({ city });
      return { output: { said, seats: free } };
    },
  });
}

async function captured(): Promise<void> {
  await expect(step()).toMatchBaseline({ input: {}, adapters, effects: "run" });
  stage.settle("none");
  done = [];
}

test("replays some adapters and calls others; unnamed ones are replayed, and tools are named by path", async () => {
  await captured();
  const mode = { llm: "replay", crm: "live" } as const;
  await expect(step()).toMatchBaseline({ input: {}, adapters, mode });
  expect(done).toStrictEqual(["seats Oslo"]);
  await expect(step()).toRecomputeClean({ adapters, mode: { llm: "live", tools: "live" }, effects: "run" });
  expect(done).toStrictEqual(["seats Oslo", "ask Where to? 0", "ask Where to? 1", "book Oslo"]);
});

test("writes of tools that are called are pending, those that are served are no proposals", async () => {
  await captured();
  await expect(step()).toRecomputeClean({ adapters, mode: { tools: "live" } });
  expect(stage.notes.at(-1)).toContain(
    "veritest skipped 1 call that writes data. The step got recorded results, or results of stubs",
  );
  await expect(step()).toRecomputeClean({ adapters, mode: { crm: "live" } });
  expect(stage.notes.at(-1)).not.toContain(
    "veritest skipped 1 call that writes data. The step got recorded results, or results of stubs",
  );
  expect(done).toStrictEqual(["seats Oslo"]);
});

test("a skipped write isn't counted as a live call", async () => {
  await captured();
  await expect(step()).toRecomputeClean({ adapters, mode: "live" });
  expect(done).toStrictEqual(["ask Where to? 0", "ask Where to? 1", "seats Oslo"]);
  expect(stage.checks.at(-1)?.findings.liveCalls).toBe(3);
});

test("frozen adapters have a mode for each adapter, too", async () => {
  await captured();
  await expect(step()).toMatchBaseline({
    input: {},
    adapters: Object.freeze({ ...adapters }),
    mode: { llm: "replay", crm: "live" },
  });
  expect(done).toStrictEqual(["seats Oslo"]);
});

test("a replayed call of a run with a mode for each adapter isn't counted as a live call", async () => {
  await captured();
  await expect(step()).toMatchBaseline({ input: {}, adapters, mode: { llm: "replay", crm: "live" } });
  expect(stage.checks.at(-1)?.findings.liveCalls).toBe(1);
  await expect(step()).toRecomputeClean({ adapters, mode: { llm: "live" } });
  expect(stage.checks.at(-1)?.findings.liveCalls).toBe(2);
  await expect(step()).toMatchBaseline({ input: {}, adapters, mode: { llm: "replay", crm: "replay" } });
  expect(stage.checks.at(-1)?.findings.liveCalls).toBeUndefined();
});

test("a changed answer of an adapter that is called is reported, and -u writes it with the served ones", async () => {
  await captured();
  seats = 3;
  const mode = { crm: "live" } as const;
  const told = await stage.message(() => expect(step()).toMatchBaseline({ input: {}, adapters, mode }));
  expect(told).toContain("trip: 1 of 1 baseline changed (live adapters)");
  expect(told).toContain("seats: 4 → 3");
  stage.mode = "all";
  await expect(step()).toMatchBaseline({ input: {}, adapters, mode });
  stage.settle("none");
  await expect(step()).toRecomputeClean();
  expect(done.filter((line) => line.startsWith("ask"))).toStrictEqual([]);
});

test("a changed result of a run whose adapters are all replayed by name is pending", async () => {
  await captured();
  const loud = { ...step(), run: async () => ({ output: { said: ["LOUD"], seats: 4 } }) };
  const message = await stage.message(() =>
    expect(loud).toMatchBaseline({ input: {}, adapters, mode: { llm: "replay", crm: "replay" } }),
  );
  expect(message).toContain('said[0]: "11 words" → "LOUD"');
  expect(message).not.toContain("scripted");
  expect(stage.checks.at(-1)?.update?.state).toBe("pending");
});

test("an unrecorded request of a replayed adapter is reported as usual", async () => {
  await captured();
  const told = await stage.message(() =>
    expect(step({ prompt: "Whither?" })).toMatchBaseline({ input: {}, adapters, mode: { crm: "live" } }),
  );
  expect(told).toContain("request_changed");
  expect(done).toStrictEqual([]);
});

test("scripted responses come in order for any request, with a remark, and without an update", async () => {
  await captured();
  stage.mode = "all";
  await expect(step({ prompt: "Whither?" })).toMatchBaseline({ input: {}, mode: "scripted" });
  expect(stage.notes.at(-1)).toContain(
    "scripted: 2 requests differ from the recording, and veritest replayed the responses in the recorded order",
  );
  expect(stage.changes).toStrictEqual([]);
  await expect(step()).toRecomputeClean({ mode: "scripted" });
  expect(stage.notes.at(-1)?.join()).not.toContain("scripted");
  expect(done).toStrictEqual([]);
});

test("a script does not hide what the step does: another argument of a tool is reported, and not accepted", async () => {
  await captured();
  stage.mode = "all";
  const told = await stage.message(() =>
    expect(step({ prompt: "Whither?", city: "Bergen" })).toMatchBaseline({ input: {}, mode: "scripted" }),
  );
  expect(told).toBe(`trip: 1 of 1 baseline changed (recorded responses in their recorded order)

  ROOT/trip/the-test-HASH.json  calls_changed
    cause: mixed: code (with the same responses, it sends different requests: crm.seats request[0] changed, tools.book request[0].city changed), prompt (llm.ask request[0] changed (2 times))
    crm.seats: "Oslo" → "Bergen"
    tools.book: city: "Oslo" → "Bergen"

Changes of a scripted run can't be accepted. To record live responses, remove mode and run with -u.`);
  expect(stage.changes).toStrictEqual([]);
});

test("scripted reports a request after the last response", async () => {
  await captured();
  const told = await stage.message(() => expect(step({ asks: 3 })).toRecomputeClean({ mode: "scripted" }));
  expect(told).toContain("request_changed");
  expect(told).toContain("llm.ask");
});

test("one adapter can be scripted while others are called", async () => {
  await captured();
  const mode = { llm: "scripted", crm: "live" } as const;
  await expect(step({ prompt: "Whither?" })).toRecomputeClean({ adapters, mode });
  expect(done).toStrictEqual(["seats Oslo"]);
  expect(stage.notes.at(-1)).toContain(
    "scripted: 2 requests differ from the recording, and veritest replayed the responses in the recorded order",
  );
});

test("trials refuse scripted mode", async () => {
  await captured();
  await expect(expect(step()).toRecomputeClean({ adapters, mode: "scripted", trials: 3 })).rejects.toThrow(
    'toRecomputeClean: trials need live adapters, but mode is "scripted". Set mode to "live", or remove trials.',
  );
});

test("live doesn't report a request that differs because of another response: a replay sends the recorded one", async () => {
  let query = "fjords";
  const search = { llm: { query: async () => query, find: async (words: string) => words.length } };
  const found = (limit: number, least: number = 0): AnyStep =>
    defineStep({
      name: "search",
      input: z.object({}),
      output: z.object({ isFound: z.boolean() }),
      run: async (_, context: StepContext<typeof search>) => {
        const { llm } = context.adapters;
        return { output: { isFound: (await llm.find(`${await llm.query()}, ${limit}`)) > least } };
      },
    });
  const live = { input: {}, adapters: search, mode: "live" } as const;
  await expect(found(5)).toMatchBaseline({ input: {}, adapters: search });
  stage.settle("none");
  query = "fjords and hills";
  await expect(found(5)).toMatchBaseline(live);
  expect(stage.notes.at(-1)).toStrictEqual([]);
  await expect(found(5)).toMatchBaseline({ ...live, mode: "replay" });
  const asks = "requests differ from the recording (CI will fail): run with -u";
  await expect(found(7)).toMatchBaseline(live);
  expect(stage.notes.at(-1)).toStrictEqual([asks]);
  // Its result is other than the recorded one on the recorded responses, and a replay would fail.
  await expect(found(5, 9)).toMatchBaseline(live);
  expect(stage.notes.at(-1)).toStrictEqual([asks]);
});

test("live reports a changed request with an unchanged response, until -u records it", async () => {
  await captured();
  const mode = { llm: "live", crm: "replay", tools: "replay" } as const;
  const asks = "requests differ from the recording (CI will fail): run with -u";
  await expect(step()).toMatchBaseline({ input: {}, adapters, mode });
  expect(stage.notes.at(-1)).toStrictEqual([]);
  // As long as the prompt that was recorded: the same answer.
  const otherwise = step({ prompt: "Whither, o" });
  const told = await stage.message(() => expect(otherwise).toMatchBaseline({ input: {}, adapters, mode }));
  expect(told).toContain("said[0]");
  const alike = step({ prompt: "Where  to" });
  await expect(alike).toMatchBaseline({ input: {}, adapters, mode });
  expect(stage.notes.at(-1)).toStrictEqual([asks]);
  stage.mode = "all";
  await expect(alike).toMatchBaseline({ input: {}, adapters, mode });
  expect(stage.notes.at(-1)).toStrictEqual([]);
});
