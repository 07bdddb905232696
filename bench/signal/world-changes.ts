import type { Refusal, Scene, ToolCall } from "./behaviour.ts";
import type { SceneMaker } from "./step-changes.ts";

const RECORDED = { matcher: "step", mode: "replay" } as const;
const LIVE = { matcher: "step", mode: "live" } as const;
const FIND: ToolCall = { tool: "find", request: { company: "A" } };
const PRICE: ToolCall = { tool: "price", request: { total: 1 } };
const POST: ToolCall = { tool: "post", request: { id: "a" } };
const NOTIFY: ToolCall = { tool: "notify", request: { to: "desk" } };

/** What `.not` refuses, and what a step does then. */
const REFUSALS: Readonly<Record<string, readonly [refusal: Refusal, before: Scene["after"], after: Scene["after"]]>> = {
  "a call, by its path": [{ matcher: "toCall", name: "tools.find" }, { calls: [PRICE] }, { calls: [PRICE, FIND] }],
  "a call, by a pattern": [{ matcher: "toCall", name: "tools.f*d" }, { calls: [PRICE] }, { calls: [PRICE, FIND] }],
  "a call, by a RegExp": [{ matcher: "toCall", pattern: "find$" }, { calls: [PRICE] }, { calls: [PRICE, FIND] }],
  "a call, by a part of its request": [
    { matcher: "toCall", name: "tools.find", part: { company: "A" } },
    { calls: [{ tool: "find", request: { company: "B", page: 1 } }] },
    { calls: [{ tool: "find", request: { company: "A", page: 1 } }] },
  ],
  "an event, by a pattern": [
    { matcher: "toEmitEvent", name: "mail.*" },
    { events: [{ type: "read" }] },
    { events: [{ type: "mail.sent" }] },
  ],
  "an event, by a part of its payload": [
    { matcher: "toEmitEvent", name: "read", part: { id: "a" } },
    { events: [{ type: "read", payload: { id: "b", at: 1 } }] },
    { events: [{ type: "read", payload: { id: "a", at: 1 } }] },
  ],
  "a step, by a RegExp": [
    { matcher: "toInvoke", pattern: "^pay" },
    { commands: [] },
    { commands: [{ type: "invoke", step: "pay-bill", input: {} }] },
  ],
  "a step, by a part of its input": [
    { matcher: "toInvoke", name: "pay", part: { id: "a" } },
    { commands: [{ type: "invoke", step: "pay", input: { id: "b", total: 1 } }] },
    { commands: [{ type: "invoke", step: "pay", input: { id: "a", total: 1 } }] },
  ],
};

/** What changes around a step: its inputs, its calls that fail or end in another order, and what a test refuses. */
export const WORLD_CHANGES: Readonly<Record<string, SceneMaker>> = {
  ...Object.fromEntries(
    Object.entries(REFUSALS).map(([name, [refusal, before, after]]): [string, SceneMaker] => [
      `not: ${name}`,
      () => [{ matcher: "not", mode: "live", options: refusal, before, after }],
    ]),
  ),
  "input: a field added, and another output": () => inputs({}, { locale: "de" }),
  "input: a field gone, and another output": () => inputs({ locale: "de" }, {}),
  "input: a value changed, and another output": () => inputs({ locale: "de" }, { locale: "fr" }),
  "calls: in order of completion": () => {
    const before = { twist: "slow", collects: "started" } as const;
    const after = { twist: "slow", collects: "completed" } as const;
    return [
      { ...RECORDED, before, after, cause: "code" },
      { ...LIVE, before, after, cause: "code" },
    ];
  },
  "calls: a check that failed isn't repeated after a write": () => attempts("find", [FIND, POST, FIND], [FIND, POST]),
  "calls: a check that failed is repeated after one more write": () =>
    attempts("find", [FIND, POST, FIND], [FIND, POST, NOTIFY, FIND]),
  "calls: a write that failed isn't repeated after another": () =>
    attempts("post", [POST, NOTIFY, POST], [POST, NOTIFY]),
  "calls: read twice": () => twice(FIND),
  "calls: read twice, with another between": () => both({ calls: [FIND, POST] }, { calls: [FIND, POST, FIND] }),
  "ordered keyed list: one moved": ({ found }) =>
    ranked(found.entities, [...found.entities.slice(1), ...found.entities.slice(0, 1)]),
  "ordered keyed list: reversed": ({ found }) =>
    ranked(found.entities.slice(0, 2), found.entities.slice(0, 2).toReversed()),
  "ordered keyed list: one in front": ({ found }) =>
    ranked(found.entities, [{ ...found.entities[0], id: "new" }, ...found.entities]),
  "tolerance for all: number outside": ({ found }) => [
    { ...RECORDED, rules: "all near", after: { edit: { total: found.total + 0.07 } }, cause: "code" },
    { ...LIVE, rules: "all near", after: { edit: { total: found.total + 0.07 } }, cause: "code" },
  ],
  "tolerance for all: text": () => [
    { ...RECORDED, rules: "all near", after: { edit: { company: "Another" } }, cause: "code" },
  ],
};

/** What varies around a step and means nothing. */
export const WORLD_NOISE: Readonly<Record<string, SceneMaker>> = {
  "calls: one attempt more": () => [
    { ...LIVE, before: { calls: [FIND, PRICE] }, after: { calls: [FIND, PRICE, PRICE], failing: "price" } },
    {
      ...LIVE,
      before: { calls: [FIND, PRICE, PRICE], failing: "price" },
      after: { calls: [FIND, PRICE], failing: null },
    },
  ],
  "tolerance for all: numbers inside": ({ found }) => [
    { ...RECORDED, rules: "all near", after: { edit: { total: found.total + 0.03 } } },
    { ...LIVE, rules: "all near", after: { edit: { total: found.total + 0.03 } } },
  ],
  "not: another request": () => [
    {
      matcher: "not",
      mode: "live",
      options: { matcher: "toCall", name: "tools.find", part: { company: "Z" } },
      before: { calls: [PRICE] },
      after: { calls: [PRICE, FIND] },
    },
  ],
};

function inputs(before: object, after: object): readonly Scene[] {
  const edit = { company: "Another" };
  return [
    { ...RECORDED, before: { more: before }, after: { more: after, edit } },
    { ...LIVE, before: { more: before }, after: { more: after, edit } },
  ];
}

function attempts(
  failing: ToolCall["tool"],
  before: readonly ToolCall[],
  after: readonly ToolCall[],
): readonly Scene[] {
  return both({ calls: before, failing }, { calls: after, failing });
}

function twice(call: ToolCall): readonly Scene[] {
  return both({ calls: [call] }, { calls: [call, call] });
}

function ranked(before: readonly object[], after: readonly object[]): readonly Scene[] {
  return both({ ordered: true, edit: { entities: before } }, { ordered: true, edit: { entities: after } });
}

function both(before: NonNullable<Scene["before"]>, after: Scene["after"]): readonly Scene[] {
  return [
    { ...RECORDED, before, after, cause: "code" },
    { ...LIVE, before, after, cause: "code" },
  ];
}
