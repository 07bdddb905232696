import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyDiff } from "./apply-diff.ts";
import { diff } from "./diff.ts";
import { formatDiff } from "./format-diff.ts";
import { walkByIndex } from "./walk-diff.ts";
import { timesAsLong } from "../../../test-support/cpu-ms.ts";

function lines(before: unknown, after: unknown): string[] {
  return formatDiff(diff(before, after)).split("\n");
}

const names = Array.from({ length: 40 }, (_, index) => `street ${index}`);

describe("lists without a key", () => {
  test.each<[string, unknown, unknown, readonly string[]]>([
    ["a string in front", names, ["new street", ...names], ['+ [0]: "new street"']],
    ["a deletion in the middle", names, names.toSpliced(20, 1), ['- [20]: "street 20"']],
    ["a string in the middle", { names }, { names: names.toSpliced(20, 0, "here") }, ['+ names[20]: "here"']],
    ["a move", names, [...names.slice(1), "street 0"], ['- [0]: "street 0"', '+ [39]: "street 0"']],
    ["duplicates", ["a", "a", "b", "c"], ["a", "b", "c", "a"], ['- [1]: "a"', '+ [3]: "a"']],
    ["one more duplicate", ["x", "a", "x", "b"], ["x", "x", "a", "x", "b"], ['+ [1]: "x"']],
    ["the last one", [1, 2, 3], [1, 2], ["- [2]: 3"]],
    ["one more at the end", [1, 2], [1, 2, 3], ["+ [2]: 3"]],
    [
      "two changed strings and one more in front",
      ["x", "y", ...names],
      ["n", "y", "x", ...names],
      ['  [0]: "x" → "n"', '+ [2]: "x"'],
    ],
    [
      "a row of a matrix",
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      [
        [1, 2],
        [5, 6],
      ],
      ["- [1]: [3,4]"],
    ],
    [
      "a number in a row",
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      [
        [1, 2],
        [9, 3, 4],
        [5, 6],
      ],
      ["+ [1][0]: 9"],
    ],
    ["all numbers", [1, 2, 3], [4, 5, 6], ["  [0]: 1 → 4", "  [1]: 2 → 5", "  [2]: 3 → 6"]],
  ])("%s", (_what, before, after, expected) => {
    expect(lines(before, after)).toStrictEqual(expected);
  });

  test("an element of another type is one line, one with other values a line for each", () => {
    const before: readonly unknown[] = [{ a: 1, b: 2, c: 3 }, { id: 1, name: "x", size: 3 }, ["a", "b", "c"]];
    expect(lines(before, before.with(0, { d: 1, e: 2, f: 3, a: "1" }).with(2, [[], {}, "c", 4, 5, 6]))).toStrictEqual([
      '  [0]: {"a":1,"b":2,"c":3} → {"a":"1","d":1,"e":2,"f":3}',
      '  [2]: ["a","b","c"] → [[],{},"c",4,5,6]',
    ]);
    expect(lines(before, before.with(1, { id: 2, name: "y", size: 4 }))).toStrictEqual([
      "  [1].id: 1 → 2",
      '  [1].name: "x" → "y"',
      "  [1].size: 3 → 4",
    ]);
  });

  const talk = ["Is it in stock?", "Yes.", "Then four, please."].map((content) => ({ role: "user", content }));

  test("an inserted first message is one line, even if a later one changed", () => {
    const system = { role: "system", content: "Never promise a date." };
    expect(lines({ messages: talk }, { messages: [system, ...talk] })).toStrictEqual([
      '+ messages[0]: {"content":"Never promise a date.","role":"system"}',
    ]);
    const changed = talk.toSpliced(2, 1, { role: "user", content: "Then five, please." });
    const found = diff({ messages: talk }, { messages: [system, ...changed] });
    expect(formatDiff(found).split("\n").slice(1)).toStrictEqual([
      '  messages[3].content: "Then four, please." → "Then five, please."',
    ]);
    expect(found.entries[1]).toMatchObject({ path: ["messages", 3, "content"], was: [2, "content"] });
  });

  test("an inserted first tool or message is one line, even if all others changed", () => {
    const called = (name: string, description: string): object => ({
      type: "function",
      function: { name, description },
    });
    const flat = (name: string, description: string): object => ({
      name,
      description,
      input_schema: { type: "object" },
    });
    const changed = (index: number, name: string): string => `tools[${index}]${name}: "old" → "as of today"`;
    for (const [tool, path] of [
      [called, ".function.description"],
      [flat, ".description"],
    ] as const) {
      const tools = ["find", "pay"].map((name) => tool(name, "old"));
      const now = ["new", "find", "pay"].map((name) => tool(name, "as of today"));
      expect(lines({ tools }, { tools: now })).toStrictEqual([
        expect.stringMatching(/^\+ tools\[0\]: .*"name":"new"/),
        `  ${changed(1, path)}`,
        `  ${changed(2, path)}`,
      ]);
      expect(lines({ tools }, { tools: now.slice(2) })).toStrictEqual([
        expect.stringMatching(/^- tools\[0\]: .*"name":"find"/),
        `  ${changed(0, path)}`,
      ]);
    }
    const system = { role: "system", content: "Never promise a date." };
    const now = talk.map(({ role, content }) => ({ role, content: `${content}!` }));
    expect(lines(talk, [system, ...now])).toStrictEqual([
      '+ [0]: {"content":"Never promise a date.","role":"system"}',
      ...talk.map(({ content }, index) => `  [${index + 1}].content: "${content}" → "${content}!"`),
    ]);
  });

  test("compares lists of different lengths without equal elements by index", () => {
    expect(lines([{ a: 1 }, { a: 2 }], [{ a: 3 }, { a: 4 }, { a: 5 }])).toStrictEqual([
      "  [0].a: 1 → 3",
      "  [1].a: 2 → 4",
      '+ [2]: {"a":5}',
    ]);
  });

  test("between equal elements compares similar ones, and replaces the others", () => {
    const item = (id: number, color: string): object => ({ id, color, size: 3 });
    const before = [item(1, "red"), item(2, "blue"), item(3, "green")];
    const after = [item(1, "red"), { note: "new" }, item(2, "black"), item(3, "green")];
    expect(lines(before, after)).toStrictEqual(['+ [1]: {"note":"new"}', '  [2].color: "blue" → "black"']);
    const unlike = [item(1, "red"), { a: 1, b: 2, c: 3 }, { d: 4, e: 5, f: 6 }, item(3, "green")];
    expect(lines(before, unlike)).toStrictEqual([
      '  [1]: {"color":"blue","id":2,"size":3} → {"a":1,"b":2,"c":3}',
      '+ [2]: {"d":4,"e":5,"f":6}',
    ]);
  });
});

const element = fc.oneof(
  fc.integer({ min: 0, max: 9 }),
  fc.string({ maxLength: 3 }),
  fc.constant(null),
  fc.record({ a: fc.integer({ min: 0, max: 3 }), b: fc.constantFrom("x", "y") }, { noNullPrototype: true }),
  fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
);
const edits = fc.array(
  fc.record({
    kind: fc.constantFrom("insert", "delete", "replace", "move"),
    at: fc.nat(),
    to: fc.nat(),
    // An element like the others, or a string of its own. A changed list has its own edits.
    item: fc.option(element.filter((item) => !Array.isArray(item))),
  }),
  { minLength: 1, maxLength: 5 },
);

interface Edit {
  readonly kind: string;
  readonly at: number;
  readonly to: number;
  readonly item?: unknown;
}

function edited(list: readonly unknown[], changes: readonly Edit[]): unknown[] {
  return changes.reduce<unknown[]>(
    (current, { kind, at, to, item }, index) => {
      const place = at % (current.length + 1);
      if (kind === "insert") return current.toSpliced(place, 0, item ?? `new ${index}`);
      if (place === current.length) return current;
      const without = current.toSpliced(place, 1);
      if (kind === "delete") return without;
      if (kind === "replace") return current.toSpliced(place, 1, item ?? `new ${index}`);
      return without.toSpliced(to % (without.length + 1), 0, current[place]);
    },
    [...list],
  );
}

test("k inserted, deleted, replaced or moved elements are at most 2 k entries that restore the list", () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 30 }), edits, (list, changes) => {
      const after = edited(list, changes);
      const found = diff(list, after);
      expect(found.entries.length).toBeLessThanOrEqual(2 * changes.length);
      expect(applyDiff(list, found)).toStrictEqual(after);
    }),
  );
});

/** A number for an index, without a pattern. */
function hashOf(index: number): number {
  const hash = Math.imul(index ^ (index >>> 7), 0x9e_37_79_b1);
  return (hash ^ (hash >>> 15)) >>> 0;
}

const longLists = [
  ["strings", fc.nat({ max: 700 }).map((index) => `street ${index}`)],
  ["few values", fc.constantFrom(0, 1, "0", "1", true, null)],
  ["objects", fc.nat({ max: 300 }).map((id) => ({ id, name: `n${id % 7}`, size: 3 }))],
] as const;

test.each(longLists)("the same for long lists: %s", (_what, items) => {
  const list = fc.array<unknown>(items, { minLength: 600, maxLength: 700, size: "max" });
  fc.assert(
    fc.property(list, edits, (before, changes) => {
      const after = structuredClone(edited(before, changes));
      const found = diff(before, after);
      expect(found.entries.length).toBeLessThanOrEqual(2 * changes.length);
      expect(applyDiff(before, found)).toStrictEqual(after);
    }),
    { numRuns: 30 },
  );
});

const tenThousand = {
  strings: Array.from({ length: 10_000 }, (_, index) => `street ${index}`),
  objects: Array.from({ length: 10_000 }, (_, id) => ({ id, kind: "row", size: 3 })),
  "few values": Array.from({ length: 10_000 }, (_, index) => `v${(index * 7919) % 13}`),
  "three values": Array.from({ length: 10_000 }, (_, index) => `v${hashOf(index) % 3}`),
  "objects of few values": Array.from({ length: 10_000 }, (_, index) => ({ kind: "row", value: hashOf(index) % 5 })),
  dates: Array.from({ length: 10_000 }, (_, index) => new Date(index * 1000)),
};

/** Returns true for some of the indexes, spread without a pattern. */
function isChosen(index: number, percent: number): boolean {
  return ((index * 2_654_435_761) >>> 8) % 100 < percent;
}

const hundredMoves = Array.from({ length: 100 }, (_, index) => ({
  kind: "move",
  at: index * 7919,
  to: index * 104_729,
}));

const shapes: readonly [shape: string, change: (list: readonly unknown[]) => unknown[], atMost: number][] = [
  ["the first one moved last", (list) => [...list.slice(1), list[0]], 2],
  ["all replaced, and one more", (list) => [...list.map((_, index) => `new ${index}`), "one more"], 10_001],
  ["all but one replaced, and that one moved", (list) => [...list.map((_, index) => `new ${index}`), list[5]], 10_001],
  ["all neighbours swapped", (list) => list.map((_, index) => list[index ^ 1]), 10_000],
  [
    "1 % replaced, and one in front",
    (list) => ["here", ...list.map((item, index) => (isChosen(index, 1) ? `new ${index}` : item))],
    140,
  ],
  ["half of them removed", (list) => list.filter((_, index) => isChosen(index, 50)), 10_000],
  ["reversed", (list) => list.toReversed(), 10_000],
  [
    "a tenth replaced by others of them",
    (list) => list.map((_, at) => list[isChosen(at, 10) ? (at * 31) % 10_000 : at]),
    1010,
  ],
  ["another order, without some", (list) => list.slice(7).map((_, at) => list[(at * 7907) % 10_000]), 10_000],
  ["a hundred moved", (list) => edited(list, hundredMoves), 200],
];
const longShapes = Object.entries<readonly unknown[]>(tenThousand).flatMap(([items, list]) =>
  shapes.map(([shape, change, most]) => ({ items, shape, list, change, most })),
);

test.each(longShapes)("ten thousand $items, $shape: as few entries as by index, in about the time of these", {
  tags: "deep",
}, ({ list, change, most }) => {
  const after = structuredClone(change(list));
  const found = diff(list, after);
  expect(found.entries.length).toBeLessThanOrEqual(Math.min(most, walkByIndex(list, after).length));
  expect(applyDiff(list, found)).toStrictEqual(after);
  // The least of several times. Measured: 0.1 to 2.9 times, and 5 times for objects that strings replaced: numbering
  // those takes longer than an entry for each. A busy machine needs more rounds to show it.
  const limit = typeof list[0] === "string" ? 4 : 8;
  let [aligned, byIndex] = [Infinity, Infinity];
  for (let round = 0; round < 3 || (round < 1000 && aligned >= limit * byIndex); round += 1) {
    aligned = Math.min(
      aligned,
      wallMs(() => diff(list, after)),
    );
    byIndex = Math.min(
      byIndex,
      wallMs(() => walkByIndex(list, after)),
    );
  }
  expect(aligned).toBeLessThan(limit * byIndex);
});

function wallMs(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

test("swapped or moved rows of many fields are at most two lines for each, not one for each field", () => {
  const rows = Array.from({ length: 7 }, (_, id) => ({ id: `r${id}`, name: `n${id}`, a: id, b: id * 2, c: [id] }));
  fc.assert(
    fc.property(fc.nat({ max: 6 }), fc.nat({ max: 6 }), fc.boolean(), (from, to, swaps) => {
      const after = rows.filter((_, index) => swaps || index !== from);
      const [first, second] = [rows[from], rows[to]];
      if (first === undefined || second === undefined) return;
      if (swaps) [after[from], after[to]] = [second, first];
      else after.splice(to, 0, first);
      const found = diff(rows, after);
      expect(found.entries.length).toBeLessThanOrEqual(swaps ? 4 : 2);
      expect(applyDiff(rows, found)).toStrictEqual(after);
    }),
  );
});

test("applying the diff of any two JSON values restores the second", () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      element,
      fc.array(tie("value"), { maxLength: 5 }),
      fc.record({ p: tie("value") }, { noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(value, value, (before, after) => {
      const kept = structuredClone(before);
      expect(applyDiff(before, diff(before, after))).toStrictEqual(after);
      expect(before).toStrictEqual(kept);
    }),
  );
});

test("applying the diff of a matrix or of nested lists with few values restores the edited one", () => {
  const row = fc.array(fc.nat({ max: 2 }), { maxLength: 5 });
  const rows = fc.array(fc.oneof(row, fc.array(row, { maxLength: 4 }), fc.nat({ max: 2 })), { maxLength: 8 });
  fc.assert(
    fc.property(rows, edits, edits, fc.nat(), (before, ofRows, ofCells, at) => {
      const inner = before.map((item, index) =>
        Array.isArray(item) && index >= at % (before.length + 1) ? edited(item, ofCells) : item,
      );
      const after = edited(inner, ofRows);
      expect(applyDiff(before, diff(before, after))).toStrictEqual(after);
    }),
  );
});

test("the time to compare shuffled elements grows with their number, not with its square", async () => {
  const comparing = (length: number): (() => unknown) => {
    const list = Array.from({ length }, (_, id) => ({ id }));
    const shuffled = list.map((_, index) => list[(index * 773) % length]);
    expect(applyDiff(list, diff(list, shuffled))).toStrictEqual(shuffled);
    return () => diff(list, shuffled);
  };
  // With the square, 256 times as long.
  expect(await timesAsLong(comparing(2000), comparing(32_000))).toBeLessThan(80);
});

describe("a keyed list with a significant order", () => {
  const keyBy = { hits: { by: "id", ordered: true } };
  const hits = ["A", "B", "C", "D", "E"].map((id) => ({ id, score: 1 }));

  test("has an entry for each element that moved", () => {
    const moved = { hits: [...hits.slice(1), hits[0]] };
    expect(formatDiff(diff({ hits }, moved, keyBy))).toBe('  hits.A["(position)"]: 1 → 5');
    expect(diff({ hits }, moved, { hits: "id" })).toStrictEqual({ equal: true, entries: [] });
    expect(diff({ hits }, moved, { hits: { by: "id" } })).toStrictEqual({ equal: true, entries: [] });
    expect(diff({ hits }, { hits }, keyBy).equal).toBe(true);
  });

  test("has none for elements that only shift", () => {
    const after = { hits: [{ id: "N", score: 2 }, ...hits.toSpliced(2, 1)] };
    expect(formatDiff(diff({ hits }, after, keyBy))).toBe(
      '- hits.C: {"id":"C","score":1}\n+ hits.N: {"id":"N","score":2}',
    );
  });

  test("keeps the order of the list for numeric keys", () => {
    const numbered = [{ id: 2 }, { id: 10 }, { id: 1 }];
    expect(formatDiff(diff({ hits: numbered }, { hits: numbered.toReversed() }, keyBy)).split("\n")).toHaveLength(2);
  });
});

class Money {
  readonly cents: bigint;
  constructor(cents: number) {
    this.cents = BigInt(cents);
  }
}

test.each<[string, (index: number) => unknown]>([
  ["bigints", BigInt],
  ["objects with a bigint", (index) => ({ id: BigInt(index), name: `row ${index}` })],
  ["objects with a nested bigint", (index) => ({ at: { id: BigInt(index), kind: "row" }, name: "row", n: index })],
  ["Maps", (index) => new Map([["k", index]])],
  ["Maps by objects", (index) => new Map([[{ id: index }, new Set([index])]])],
  ["Sets", (index) => new Set([index, { n: index }])],
  ["bytes", (index) => new Uint8Array([1, 2, index])],
  ["buffers", (index) => new Uint16Array([index]).buffer],
  ["errors", (index) => new Error(`no ${index}`)],
  ["errors by a field", (index) => Object.assign(new Error("no"), { code: index })],
  ["RegExps", (index) => RegExp(`a{${index}}`)],
  ["instances of a class", (index) => new Money(index)],
])("%s are aligned by equal elements", (_what, make) => {
  const list = Array.from({ length: 40 }, (_unused, index) => make(index + 1));
  const again = (): unknown[] => Array.from({ length: 40 }, (_unused, index) => make(index + 1));
  expect(diff(list, [make(99), ...again()]).entries).toStrictEqual([
    { path: [0], before: undefined, after: make(99), edit: "inserted" },
  ]);
  expect(diff(list, again().toSpliced(20, 1)).entries).toStrictEqual([
    { path: [20], before: make(21), after: undefined, edit: "removed" },
  ]);
  expect(diff(list, again()).equal).toBe(true);
});

test("a list with one bigint, Map or Set among plain values is aligned", () => {
  const list = Array.from({ length: 40 }, (_unused, index): unknown => ({ id: index, name: `row ${index}` }));
  for (const special of [1n, new Map([["a", 1]]), new Set([1]), new Uint8Array([1]), { id: 5n }]) {
    const old = list.with(7, special);
    expect(diff(old, [{ id: 99 }, ...structuredClone(old)]).entries).toHaveLength(1);
  }
});
