import { expect, test } from "vitest";
import { requestDifference } from "./request-difference.ts";
import { withToolNames } from "./tool-names.ts";

const tool = (name: string, description = `tool ${name}`): object => ({ name, description });
const openAi = (name: string, description = `tool ${name}`): object => ({
  type: "function",
  function: { name, description },
});
const change = { before: "tool b", after: "new" };

test.each<readonly [string, unknown, unknown, readonly object[]]>([
  [
    "in another order, one changed",
    [{ tools: [tool("a"), tool("b"), tool("c")], messages: [1] }],
    [{ tools: [tool("c"), tool("a"), tool("b", "new")], messages: [1] }],
    [{ path: [0, "tools", "b", "description"], ...change }],
  ],
  [
    "of OpenAI, with one more in front",
    [{ body: { tools: [openAi("a"), openAi("b")] } }],
    [{ body: { tools: [openAi("z"), openAi("a"), openAi("b", "new")] } }],
    [
      { path: [0, "body", "tools", "b", "function", "description"], ...change },
      { path: [0, "body", "tools", "z"], before: undefined, after: openAi("z") },
    ],
  ],
  [
    "of Gemini",
    [{ config: { tools: [{ functionDeclarations: [tool("a"), tool("b")] }] } }, 1],
    [{ config: { tools: [{ functionDeclarations: [tool("b", "new"), tool("a")] }] } }, 2],
    [
      { path: [0, "config", "tools", 0, "functionDeclarations", "b", "description"], ...change },
      { path: [1], before: 1, after: 2 },
    ],
  ],
  ["without names", [{ tools: [1, 2] }], [{ tools: [1, 3] }], [{ path: [0, "tools", 1], before: 2, after: 3 }]],
  ["that are the same", [{ tools: [tool("a")] }], [{ tools: [tool("a")] }], []],
])("compares tools by name: %s", (_what, before, after, entries) => {
  expect(requestDifference(before, after)).toStrictEqual(entries);
});

test("shows the order of tools if only that differs", () => {
  const [before, after] = [
    ["a", "b", "c"],
    ["c", "a", "b"],
  ].map((names) => [{ tools: names.map((name) => tool(name)) }]);
  expect(requestDifference(before, after).length).toBeGreaterThan(0);
});

test("compares a Date, a Map and NaN as such", () => {
  const at = "2026-01-02T00:00:00.000Z";
  const before = [{ query: "find", limit: 5, at, n: { $t: "nan" }, m: { $t: "map", v: [["k", 1]] } }];
  const after = [{ query: "find", limit: 5, at: { $t: "date", v: at }, n: null, m: { $t: "map", v: [["k", 2]] } }];
  expect(requestDifference(before, after)).toStrictEqual([
    { path: [0, "at"], before: at, after: new Date(at) },
    { path: [0, "m", "k"], before: 1, after: 2 },
    { path: [0, "n"], before: Number.NaN, after: null },
  ]);
});

test.each<[string, (string | number)[], unknown, unknown, string]>([
  ["a changed tool", ["tools", 1, "function", "description"], "a", "b", "tools.pay.function.description"],
  ["a new tool", ["tools", 2], undefined, openAi("list"), "tools.list"],
  ["a removed tool", ["tools", 0, "function"], openAi("old"), undefined, "tools.find.function"],
  ["a removed tool at the place of another", ["tools", 0], openAi("old"), undefined, "tools.old"],
  ["a tool without a name", ["tools", 2], undefined, {}, "tools.2"],
  ["a message", ["messages", 0, "content"], "a", "b", "messages.0.content"],
])("names %s in the path of a difference", (_what, keys, before, after, path) => {
  const request = [{ messages: [{ content: "b" }], tools: [openAi("find"), openAi("pay")] }];
  const entry = withToolNames({ path: ["request", 0, ...keys], before, after }, { request });
  expect(entry.path.slice(2).join(".")).toBe(path);
});
