import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { tool } from "../record/calls/tool.ts";
import { type Recording, withReplay } from "../record/with-replay.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import { fail } from "../kernel/step/fail.ts";
import { run } from "../kernel/step/run.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);

beforeEach(() => {
  stage.begin();
  stage.projectMode = undefined;
  stage.isCi = false;
});

interface Adapters {
  readonly llm: { complete(prompt: string): Promise<string> };
  readonly tools: {
    lookup(where: { city: string; days?: number }): Promise<number>;
    reserve(seats: number): Promise<string>;
    charge(amount: number, currency: string): Promise<void>;
  };
}

const ran: string[] = [];
const refund = tool({
  name: "refund",
  effect: "write",
  stub: () => ({ refunded: 0 }),
  run: async ({ id }: { id: number }) => {
    ran.push(`refund ${id}`);
    return { refunded: id };
  },
});

const book = defineStep({
  name: "book",
  input: z.object({ city: z.string(), refunds: z.boolean().optional() }),
  output: z.object({ said: z.string() }),
  run: async ({ city, refunds = false }, { adapters: { llm, tools } }: StepContext<Adapters>) => {
    if (city === "nowhere") return fail("no_city", "There is no such city.");
    await llm.complete(`Book for ${city}.`);
    await tools.lookup({ city, days: 2 });
    await tools.reserve(2);
    await tools.charge(40, "EUR");
    if (refunds) await refund({ id: 7 });
    return { output: { said: "booked" } };
  },
});
const adapters: Adapters = {
  llm: { complete: async () => "yes" },
  tools: { lookup: async () => 12, reserve: async () => "ok", charge: async () => undefined },
};

async function recorded(input: { city: string; refunds?: boolean } = { city: "Oslo" }): Promise<Recording> {
  return withReplay(book, input, { adapters });
}

const message = stage.message.bind(stage);

describe("toCall", () => {
  test("passes for a call by its path or the end of it, with its request if given", async () => {
    const recording = await recorded();
    expect(recording).toCall("tools.lookup");
    expect(recording).toCall("lookup", { city: "Oslo", days: 2 });
    expect(recording).toCall("tools.lookup", expect.objectContaining({ city: "Oslo" }));
    expect(recording).toCall("tools.charge", [40, "EUR"]);
    expect(recording).toCall("tools.reserve", 2, { times: 1 });
    expect(recording).not.toCall("tools.reserve", 3);
    expect(recording).not.toCall("tools.reserve", 2, { times: 2 });
    expect(recording).not.toCall("up");
  });

  test("reads calls of a result's artifacts too", async () => {
    const { result } = await recorded();
    expect(result).toCall("tools.reserve", 2);
  });

  test("shows the calls that were made instead", async () => {
    const recording = await recorded();
    expect(await message(() => expect(recording).toCall("tools.lookup", { city: "Bergen" }))).toBe(
      `toCall: expected a call tools.lookup({"city":"Bergen"}), got 0
  tools.lookup({"city":"Oslo","days":2})
  tools.reserve(2)
  tools.charge([40,"EUR"])`,
    );
    expect(await message(() => expect(recording).toCall("tools.reserve", undefined, { times: 2 }))).toBe(
      `toCall: expected a call tools.reserve(…) 2 times, got 1
  tools.lookup({"city":"Oslo","days":2})
  tools.reserve(2)
  tools.charge([40,"EUR"])`,
    );
    expect(await message(() => expect(recording).not.toCall("tools.reserve", 2))).toBe(
      `toCall: expected no call tools.reserve(2), got 1
  tools.lookup({"city":"Oslo","days":2})
  tools.reserve(2)
  tools.charge([40,"EUR"])`,
    );
  });

  test.each<readonly [string, (recording: Recording) => void]>([
    ["a pattern", (recording) => expect(recording).not.toCall("tools.res*")],
    ["a path with slashes", (recording) => expect(recording).not.toCall("tools/reserve")],
    ["a path with colons", (recording) => expect(recording).not.toCall("tools::reserve")],
    ["a path with an arrow", (recording) => expect(recording).not.toCall("tools -> Reserve")],
    ["a path with slashes in an order", (recording) => expect(recording).not.toCallInOrder("tools/lookup", "charge")],
    ["a pattern of all", (recording) => expect(recording).not.toCall("**")],
    ["a RegExp", (recording) => expect(recording).not.toCall(/reserve$/)],
    ["another case", (recording) => expect(recording).not.toCall("Tools.Reserve")],
    ["the path above", (recording) => expect(recording).not.toCall("tools")],
    ["a part of the request", (recording) => expect(recording).not.toCall("tools.lookup", { city: "Oslo" })],
    ["the list of arguments", (recording) => expect(recording).not.toCall("tools.lookup", [{ city: "Oslo", days: 2 }])],
    ["some arguments", (recording) => expect(recording).not.toCall("tools.charge", [40])],
    ["the first argument", (recording) => expect(recording).not.toCall("tools.charge", 40)],
    ["the second argument", (recording) => expect(recording).not.toCall("tools.charge", "EUR")],
    ["a matcher of an argument", (recording) => expect(recording).not.toCall("charge", expect.any(String))],
    ["a function", (recording) => expect(recording).not.toCall("lookup", ({ days }: { days: number }) => days > 1)],
    ["a RegExp of the request", (recording) => expect(recording).not.toCall("lookup", /Oslo/)],
    ["a RegExp in the request", (recording) => expect(recording).not.toCall("lookup", { city: /^O/ })],
    ["a pattern in an order", (recording) => expect(recording).not.toCallInOrder("tools.look*", /charge/)],
    [
      "a pattern of a reference",
      (recording) => expect(recording).not.toFollowTrajectory(["tools.*"], { match: "superset" }),
    ],
  ])(".not matches %s of a call that was made", async (_what, assertion) => {
    const recording = await recorded();
    expect(await message(() => assertion(recording))).toMatch(
      /^to\w+( \(superset\))?: (?:expected no|the calls are in the order|the step made the calls) /,
    );
  });

  test.each<readonly [string, unknown, boolean]>([
    ["an element of a list", { lines: { id: 2 } }, true],
    ["elements of a list", { lines: [{ id: 1 }, { id: 2 }] }, true],
    ["an element of a list in a list", { grid: 3 }, true],
    ["an element of a Set", { ids: new Set(["b"]) }, true],
    ["a part of an element of a Set", { ids: new Set([{ name: "c" }]) }, true],
    ["an element of a Set as a value", { ids: "a" }, true],
    ["an element of a Set as a list", { ids: ["b"] }, true],
    ["a part of a value in a Map", { prices: new Map([["k", { eur: 1 }]]) }, true],
    ["a value in a Map as an object", { prices: { k: { eur: 1 } } }, true],
    ["another element of a list", { lines: { id: 3 } }, false],
    ["another element of a Set", { ids: new Set(["z"]) }, false],
    ["another key of a Map", { prices: new Map([["z", { eur: 1 }]]) }, false],
    ["another value in a Map", { prices: new Map([["k", { eur: 2 }]]) }, false],
    ["a function of the complete list", { lines: (lines: readonly object[]) => lines.length === 3 }, false],
  ])(".not matches %s of a request: %j %s", async (_what, request, matches) => {
    const sent = {
      lines: [
        { id: 1, n: 1 },
        { id: 2, n: 1 },
      ],
      grid: [[1, 2], [3]],
      ids: new Set(["a", "b", { name: "c", n: 1 }]),
      prices: new Map([
        ["k", { eur: 1, usd: 2 }],
        ["l", { eur: 3, usd: 4 }],
      ]),
    };
    const step = defineStep({
      name: "trade",
      input: z.object({}),
      output: z.object({}),
      run: async (_input, { adapters }: StepContext<{ tools: { trade(order: object): Promise<string> } }>) => {
        await adapters.tools.trade(sent);
        return { output: {} };
      },
    });
    const recording = await withReplay(step, {}, { adapters: { tools: { trade: async () => "ok" } } });
    const text = await message(() => expect(recording).not.toCall("tools.trade", request));
    expect(text.split("\n")[0]?.replace(/ tools.trade.*/, "")).toBe(matches ? "toCall: expected no call" : "it passed");
    expect(await message(() => expect(recording).toCall("tools.trade", request))).toContain("got 0");
  });

  test("accepts patterns, RegExps and functions, and matches exactly those", async () => {
    const recording = await recorded();
    expect(recording).toCall("tools.*", undefined, { times: 3 });
    expect(recording).toCall(/^tools\.re/, 2, { times: 1 });
    expect(recording).toCall("charge", [40, /EUR/]);
    expect(recording).toCall("lookup", { city: (city: string) => city.length === 4, days: 2 });
    expect(recording).not.toCall("tools.delete*");
    expect(recording).not.toCall("lookup", { city: /^B/ });
    expect(recording).toCallInOrder("tools.look*", /charge/);
    expect(recording).toFollowTrajectory(["tools.*", /reserve/, { call: "ch*", request: [40, "EUR"] }]);
    expect(await message(() => expect(recording).toCall("tools"))).toContain("got 0");
    expect(await message(() => expect(recording).toCall("Tools.lookup"))).toContain("got 0");
    expect(await message(() => expect(recording).toCall("tools.lookup", { city: "Oslo" }))).toContain("got 0");
  });

  test.each([
    /^(?!tools\.|llm\.)/,
    /(?<!tools)\.reserve/,
    /^[^.]+$/,
    /^\W/,
    /^((?!tools|llm).)*$/,
  ])(".not tests %s, which excludes something, against complete paths only", async (name) => {
    expect(await recorded()).not.toCall(name);
    expect(await message(async () => expect(await recorded()).not.toFollowTrajectory([name]))).toBe("it passed");
  });

  test.each<readonly [RegExp | string, number]>([
    [/^charge/, 1],
    [/^charge/, 2],
    ["charge.run", 2],
  ])(".not.toCall of %s fails if %i calls match, with or without the ends of a path", async (name, times) => {
    const charge = { run: async (): Promise<string> => "ok" };
    const step = defineStep({
      name: "pay",
      input: z.object({}),
      output: z.object({}),
      run: async (_input, { adapters }: StepContext<{ charge: typeof charge; tools: { charge: typeof charge } }>) => {
        await adapters.charge.run();
        await adapters.tools.charge.run();
        return { output: {} };
      },
    });
    const recording = await withReplay(step, {}, { adapters: { charge, tools: { charge } } });
    const often = times === 1 ? "once" : "2 times";
    expect(await message(() => expect(recording).not.toCall(name, undefined, { times }))).toBe(
      `toCall: expected no call ${name}(…) ${often}, got ${times}\n  charge.run([])\n  tools.charge.run([])`,
    );
    expect(recording).not.toCall(name, undefined, { times: 3 });
  });

  test(".not tests a RegExp against each end of a path", async () => {
    const recording = await recorded();
    for (const name of [
      /^lookup/,
      /^lookup$/,
      /^tools.lookup$/,
      /kup$/g,
      /^look(?!out)/,
      /^l[^.]*p$/,
      /^look\D+$/,
    ].concat(/^[^.]*okup/i, /^(?!get|list)l\w+$/, /^(look|get)\w*(?<!Draft)$/, /^\D*kup$/))
      expect(await message(() => expect(recording).not.toCall(name))).toBe(
        `toCall: expected no call ${name}(…), got 1\n` +
          '  tools.lookup({"city":"Oslo","days":2})\n  tools.reserve(2)\n  tools.charge([40,"EUR"])',
      );
    for (const name of [/^ookup/, /^Lookup/, /^tools$/]) expect(recording).not.toCall(name);
    expect(await message(() => expect(recording).not.toCallInOrder(/^lookup/, /^charge$/))).toContain(
      "toCallInOrder: the calls are in the order that .not forbids",
    );
    const part = { match: "superset" } as const;
    expect(await message(() => expect(recording).not.toFollowTrajectory([/^reserve/], part))).toContain(
      "toFollowTrajectory (superset): the step made the calls that .not forbids",
    );
    expect(await message(() => expect(recording).toCall(/^lookup/))).toContain("got 0");
  });

  test("counts model calls that it names, and lists no others", async () => {
    const recording = await recorded();
    expect(recording).toCall("llm.complete");
    expect(recording).toCallInOrder("llm.*", "tools.lookup");
    const model = { roles: { "tools.lookup": "model" } } as const;
    expect(await message(() => expect(recording).not.toCall("LLM.complete"))).toContain("LLM.complete(…), got 1\n");
    expect(await message(() => expect(recording).not.toCall("tools.lookup", undefined, model))).toContain("got 1\n");
    expect(await message(() => expect(recording).not.toCall("tools.reserve", undefined, model))).toBe(
      'toCall: expected no call tools.reserve(…), got 1\n  tools.reserve(2)\n  tools.charge([40,"EUR"])',
    );
  });

  test("names requests of fetch by method and URL", async () => {
    const { result } = await recorded();
    const order = {
      method: "POST",
      origin: "https://shop.test",
      path: "/orders",
      body: { lines: [{ n: 1 }, { n: 2 }] },
    };
    const call = { adapter: "fetch", occurrence: 0, returns: "promise", request: [order], response: null } as const;
    const recording = { result, calls: [call] };
    expect(recording).toCall("fetch POST https://shop.test/*");
    expect(recording).toCall(/^fetch POST .*orders$/);
    expect(recording).not.toCall("fetch GET https://shop.test/*");
    const hosts = ["https://shop.test", "https://shop.test/", "https://SHOP.test/Orders", "shop.test", "/"];
    const names = [
      ...hosts.map((url) => `fetch POST ${url}`),
      "fetch * https://shop.test/orders?id=1",
      "fetch /orders",
    ];
    for (const name of [...names, "fetch POST", /shop\.test/, /^POST /, /^https:\/\/shop\.test\//, "Fetch"])
      expect(await message(() => expect(recording).not.toCall(name)), String(name)).toContain("got 1\n");
    const bare = ["DELETE *", "DELETE", "DELETE /v1/Users/7", "DELETE https://shop.test/*", "/v1/Users/7", "/v1/users"];
    const hosted = ["https://shop.test/*", "*/v1/users/*", "shop.test", "shop.test/v1", "*.test", "fetch.*", "fetch/*"];
    const removal = { ...call, request: [{ method: "DELETE", origin: "https://shop.test", path: "/v1/Users/7" }] };
    for (const name of [...bare, ...hosted, "* /v1/*"])
      expect(await message(() => expect({ result, calls: [removal] }).not.toCall(name)), name).toContain("got 1\n");
    for (const name of ["POST *", "POST", "/v2", "https://shop.test/v2", "*shop*", "shop.example", "fetch.v2"])
      expect({ result, calls: [removal] }).not.toCall(name);
    for (const url of ["https://shop.test.example", "https://shop", "http://shop.test", "shop.test/order", "/order"])
      expect(recording).not.toCall(`fetch POST ${url}`);
    const second = { body: { lines: [{ n: 2 }] } };
    expect(await message(() => expect(recording).not.toCall("fetch", second))).toContain("got 1\n");
    expect(recording).not.toCall("fetch", { body: { lines: [{ n: 2 }, { n: 1 }] } });
  });

  test.each([
    [
      "tools.{lookup,reserve}",
      `under .not, "tools.{lookup,reserve}" can only use the wildcards * and **. Use a RegExp for other patterns.`,
    ],
    [
      "tools.look?p",
      `under .not, "tools.look?p" can only use the wildcards * and **. Use a RegExp for other patterns.`,
    ],
    [
      "!tools.lookup",
      `under .not, "!tools.lookup" can only use the wildcards * and **. Use a RegExp for other patterns.`,
    ],
    [
      "tools.",
      'under .not, "tools." has an empty part, which no name has. Use "tools", which also covers the names below it, or a RegExp.',
    ],
    [
      "tools..*",
      'under .not, "tools..*" has an empty part, which no name has. Use "tools.*", which also covers the names below it, or a RegExp.',
    ],
    ["fetch post /orders", 'for a request, pass its method and URL, such as "fetch POST https://api.shop.test/*".'],
    ["delete *", 'for a request, pass its method and URL, such as "fetch POST https://api.shop.test/*".'],
    ["get https://shop.test", 'for a request, pass its method and URL, such as "fetch POST https://api.shop.test/*".'],
    ["^tools", `under .not, "^tools" can only use the wildcards * and **. Use a RegExp for other patterns.`],
    [
      String.raw`tools\.lookup`,
      String.raw`under .not, "tools\\.lookup" can only use the wildcards * and **. Use a RegExp for other patterns.`,
    ],
    [
      "/lookup/i",
      'under .not, "/lookup/i" looks like a RegExp in quotes. Pass the RegExp without quotes. For a request, pass its method and URL, such as "fetch POST https://api.shop.test/*".',
    ],
  ])(".not refuses %s, which no call can match", async (name, text) => {
    const recording = await recorded();
    expect(() => expect(recording).not.toCall(name)).toThrow(new TypeError(`toCall: ${text}`));
    expect(() => expect(recording).not.toCallInOrder(name)).toThrow(new TypeError(`toCallInOrder: ${text}`));
    expect(() => expect(recording).not.toFollowTrajectory([name])).toThrow(
      new TypeError(`toFollowTrajectory: ${text}`),
    );
  });

  test("patterns cover the names below those they match, as in roles, and a path without * doesn't", async () => {
    const { result } = await recorded();
    const call = { occurrence: 0, returns: "promise", request: [], response: null } as const;
    const calls = ["tools.lookup", "tools.crm.remove", "mcp.repo/delete"].map((adapter) => ({ ...call, adapter }));
    const recording = { result, calls };
    expect(recording).toCall("tools.*", undefined, { times: 2 });
    expect(recording).toFollowTrajectory(["tools.*", "tools.*", "mcp.*"]);
    expect(recording).toCallInOrder("tools.l*", "tools.c*");
    expect(await message(() => expect(recording).toCall("tools.crm"))).toContain("got 0");
    for (const name of ["repo/delete", "mcp/repo/delete"])
      expect(await message(() => expect(recording).not.toCall(name))).toContain("got 1\n");
  });

  test("accepts a step with its input, and runs none of its writes", async () => {
    ran.length = 0;
    const options = { input: { city: "Oslo", refunds: true }, adapters };
    await expect(book).toCall(refund, { id: 7 }, options);
    await expect(book).not.toCall(refund, { id: 8 }, options);
    expect(ran).toEqual([]);
  });

  test("reports that a step made no calls at all", async () => {
    const silent = defineStep({
      name: "silent",
      input: z.object({}),
      output: z.object({}),
      run: () => ({ output: {} }),
    });
    const recording = await withReplay(silent, {}, { adapters: {} });
    expect(await message(() => expect(recording).toCall("tools.lookup"))).toBe(
      "toCall: expected a call tools.lookup(…), got 0\n  no calls at all",
    );
  });

  test("escapes terminal control characters", async () => {
    const recording = await recorded({ city: "\u001b[2JOslo" });
    const told = await message(() => expect(recording).toCall("tools.lookup", { city: "Oslo" }));
    expect(told).toContain(String.raw`"city":"\u001b[2JOslo"`);
    expect(told).not.toContain("\u001b");
  });
});

describe("toCallInOrder", () => {
  test("passes for calls in order, with others in between", async () => {
    const recording = await recorded();
    expect(recording).toCallInOrder("tools.lookup", "tools.charge");
    expect(recording).toCallInOrder("lookup", "reserve", "charge");
    expect(recording).not.toCallInOrder("tools.charge", "tools.lookup");
    expect(recording).not.toCallInOrder("tools.reserve", "tools.reserve");
    await expect(book).toCallInOrder("tools.charge", refund, { input: { city: "Oslo", refunds: true }, adapters });
  });

  test("shows both orders side by side", async () => {
    const recording = await recorded();
    expect(await message(() => expect(recording).toCallInOrder("tools.reserve", "tools.lookup"))).toBe(
      `toCallInOrder: the calls aren't in this order

  expected          found
- tools.reserve(…)
  tools.lookup(…)   tools.lookup({"city":"Oslo","days":2})
+                   tools.reserve(2)
+                   tools.charge([40,"EUR"])`,
    );
    expect(await message(() => expect(recording).not.toCallInOrder("tools.lookup", "tools.reserve"))).toContain(
      "toCallInOrder: the calls are in the order that .not forbids",
    );
  });
});

describe("toFollowTrajectory", () => {
  const all = ["tools.lookup", { call: "tools.reserve", request: 2 }, "tools.charge"] as const;
  const turned = ["tools.charge", "tools.lookup", "tools.reserve"] as const;

  test(".not also counts model calls that the reference names", async () => {
    const recording = await recorded();
    const part = { match: "superset" } as const;
    expect(await message(() => expect(recording).not.toFollowTrajectory(["llm.complete"], part))).toBe(
      `toFollowTrajectory (superset): the step made the calls that .not forbids

  expected         found
  llm.complete(…)  llm.complete("Book for Oslo.")
+                  tools.lookup({"city":"Oslo","days":2})
+                  tools.reserve(2)
+                  tools.charge([40,"EUR"])`,
    );
    expect(recording).not.toFollowTrajectory(["llm.stream"], part);
    expect(await message(() => expect(recording).not.toFollowTrajectory(["*", "*", "*"]))).toContain(
      "toFollowTrajectory (strict): the step made the calls that .not forbids",
    );
    expect(await message(() => expect(recording).toFollowTrajectory(["llm.complete"], part))).toContain(
      "toFollowTrajectory (superset): the calls differ",
    );
  });

  test.each([
    ["strict", all, true],
    ["strict", turned, false],
    ["strict", all.slice(0, 2), false],
    ["unordered", turned, true],
    ["unordered", [...turned, "tools.reserve"], false],
    ["unordered", turned.slice(1), false],
    ["subset", [...turned, "tools.cancel"], true],
    ["subset", turned.slice(1), false],
    ["superset", turned.slice(1), true],
    ["superset", [...turned, "tools.cancel"], false],
  ] as const)("%s %j: %s", async (match, reference, passes) => {
    const recording = await recorded();
    if (passes) expect(recording).toFollowTrajectory(reference, { match });
    else expect(recording).not.toFollowTrajectory(reference, { match });
  });

  test("compares requests exactly, partly, or not at all", async () => {
    const recording = await recorded();
    const some = [{ call: "tools.lookup", request: { city: "Oslo" } }];
    expect(await message(() => expect(recording).toFollowTrajectory(some, { match: "superset" }))).toContain(
      "toFollowTrajectory (superset): the calls differ",
    );
    expect(recording).not.toFollowTrajectory(some, { match: "superset", requests: "equal" });
    expect(await message(() => expect(recording).not.toFollowTrajectory(some, { match: "superset" }))).toContain(
      "toFollowTrajectory (superset): the step made the calls that .not forbids",
    );
    expect(recording).toFollowTrajectory(some, { match: "superset", requests: "subset" });
    expect(recording).toFollowTrajectory([{ call: "tools.lookup", request: { city: "Bergen" } }], {
      match: "superset",
      requests: "any",
    });
    expect(recording).toFollowTrajectory([{ call: "tools.charge", request: [40, expect.any(String)] }], {
      match: "superset",
    });
  });

  test("shows both trajectories side by side", async () => {
    const recording = await recorded();
    const reference = ["tools.lookup", { call: "tools.reserve", request: 3 }, "tools.charge"];
    expect(await message(() => expect(recording).toFollowTrajectory(reference))).toBe(
      `toFollowTrajectory (strict): the calls differ

  expected          found
  tools.lookup(…)   tools.lookup({"city":"Oslo","days":2})
- tools.reserve(3)
+                   tools.reserve(2)
  tools.charge(…)   tools.charge([40,"EUR"])`,
    );
    expect(await message(() => expect(recording).not.toFollowTrajectory(all))).toContain(
      "toFollowTrajectory (strict): the step made the calls that .not forbids",
    );
  });

  test("keeps to 40 lines", async () => {
    const recording = await recorded();
    const reference = Array.from({ length: 100 }, (_, n) => `tools.t${n}`);
    const told = await message(() => expect(recording).toFollowTrajectory(reference));
    expect(told.split("\n").length).toBeLessThanOrEqual(40);
    expect(told.split("\n").at(-1)).toBe("… and 67 more");
  });
});

describe("toStayWithin for recordings", () => {
  const { llm, ...rest } = adapters;
  const counting: Adapters = {
    ...rest,
    llm: {
      complete: async (prompt) =>
        JSON.parse(JSON.stringify({ prompt, usage: { prompt_tokens: 30, completion_tokens: 12 } })),
    },
  };

  test("counts recorded models and tools of a recording, its result and a step", async () => {
    const recording = await withReplay(book, { city: "Oslo" }, { adapters: counting });
    const whole = { maxTokens: 42, maxCalls: 1, maxTurns: 1, maxToolCalls: 3 };
    expect(recording).toStayWithin(whole);
    expect(recording.result).toStayWithin(whole);
    await expect(book).toStayWithin(whole, { input: { city: "Oslo" }, adapters: counting });
    expect(
      await message(() => expect(recording).toStayWithin({ maxTokens: 41, maxTurns: 0, maxToolCalls: 2 })),
    ).toBe(`toStayWithin: 1 call, 42 tokens, 0 ms
  tokens: 42 (maximum: 41)
  turns: 1 (maximum: 0)
  tool calls: 3 (maximum: 2)`);
    expect(recording).not.toStayWithin({ maxTokens: 41 });
  });

  test("doesn't pass with unknown usage", async () => {
    const recording = await withReplay(book, { city: "Oslo" }, { adapters: { ...rest, llm } });
    expect(recording).toStayWithin({ maxTurns: 1 });
    expect(await message(() => expect(recording).toStayWithin({ maxTokens: 1000 }))).toBe(
      "toStayWithin: 1 call, 0 tokens, 0 ms\n  1 of 1 call didn't report tokens, so the total is unknown. Report their usage, or remove maxTokens and maxCost from the budget",
    );
    const timed = await withReplay(book, { city: "Oslo" }, { adapters: counting });
    expect(await message(() => expect(timed).toStayWithin({ maxDurationMs: 1000 }))).toBe(
      "toStayWithin: 1 call, 42 tokens, 0 ms\n  recorded calls have no durations, so maxDurationMs can't be checked. Remove it from the budget, or use an adapter of veritest/llm",
    );
    const unrecorded = await run(book, { city: "Oslo" }, { adapters });
    expect(await message(() => expect(unrecorded).toStayWithin({ maxToolCalls: 9 }))).toBe(
      "toStayWithin: 0 calls, 0 tokens, 0 ms\n  no calls are recorded. To record them, use await withReplay(…)",
    );
  });

  test("uses declared roles: a call that isn't a model's counts as a tool call", async () => {
    const roles = { llm: "read" } as const;
    const recording = await withReplay(book, { city: "Oslo" }, { adapters: counting });
    expect(recording).toStayWithin({ maxTurns: 0, maxToolCalls: 4 }, { roles });
    await expect({ ...book, roles }).toStayWithin(
      { maxTurns: 0, maxToolCalls: 4 },
      { input: { city: "Oslo" }, adapters },
    );
  });
});

describe("refused values", () => {
  test.each([
    [
      "a value that is no recording",
      () => expect<unknown>(3).toCall("tools.lookup"),
      "toCall expects a recording (await withReplay(…)), its result, or a step, got number.",
    ],
    [
      "a step without its input",
      async () => expect<unknown>(book).toCall("tools.lookup"),
      "toCall needs the step's input ({ input, adapters }) or a recording (await withReplay(…)).",
    ],
    [
      "a call that is no name",
      async () => expect(await recorded()).toCall(JSON.parse("3")),
      `toCall: pass a call's path ("tools.lookup"), a pattern ("tools.*"), a RegExp or the tool.`,
    ],
    [
      "options that are no object",
      async () => expect(await recorded()).not.toCall("tools.lookup", { city: "Oslo" }, JSON.parse("2")),
      "toCall: the options must be an object, such as { times: 1 }.",
    ],
    [
      "a count that is no whole number",
      async () => expect(await recorded()).not.toCall("tools.lookup", undefined, { times: 0.5 }),
      "toCall: times must be an integer of at least 0, got 0.5.",
    ],
    [
      "a request that can't be matched",
      async () => expect(await recorded()).not.toCall("tools.lookup", z.object({})),
      "toCall: can't match a ZodObject. Use data, a function, a RegExp or an asymmetric matcher.",
    ],
    [
      "a function that returns a promise",
      async () => expect(await recorded()).not.toCall("tools.lookup", async () => false),
      "toCall: the function must return a boolean, got a Promise.",
    ],
    [
      "a reference that is no list",
      async () => expect(await recorded()).toFollowTrajectory(JSON.parse("{}")),
      "toFollowTrajectory: the reference must be a list of calls.",
    ],
    [
      "a misspelt key of a call",
      async () =>
        expect(await recorded()).toFollowTrajectory(JSON.parse('[{"call":"tools.lookup","requests":{"city":1}}]')),
      'toFollowTrajectory: a call: unknown option "requests". Did you mean "request"?',
    ],
    [
      "an unknown match",
      async () => expect(await recorded()).not.toFollowTrajectory([], JSON.parse('{"match":"exact"}')),
      'toFollowTrajectory: match is "exact". Use one of these: "strict", "unordered", "subset", "superset".',
    ],
    [
      "an unknown comparison of requests",
      async () => expect(await recorded()).not.toFollowTrajectory([], JSON.parse('{"requests":"equals"}')),
      'toFollowTrajectory: requests is "equals". Did you mean "equal"?',
    ],
    [
      "a step that failed",
      async () => expect(book).toCall("tools.lookup", undefined, { input: { city: "nowhere" }, adapters }),
      "toCall: the step failed with no_city: There is no such city.",
    ],
  ])("%s", async (_what, assertion, told) => {
    expect(await message(assertion)).toBe(told);
  });

  test("a result without recorded calls", async () => {
    const { result } = await recorded();
    if (!result.ok) throw new Error("the step failed");
    const without = { ...result.value, artifacts: [] };
    expect(await message(() => expect(without).toCallInOrder("tools.lookup"))).toBe(
      "toCallInOrder: the result has no recorded calls. Record it with await withReplay(step, input, { adapters }).",
    );
  });
});
