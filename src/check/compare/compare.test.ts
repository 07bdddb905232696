import { afterEach, expect, test, vi } from "vitest";
import type { CompareBy } from "../../kernel/diff/compare-rules.ts";
import { formatDiff } from "../../kernel/diff/format-diff.ts";
import { anything, within } from "../../kernel/diff/tolerances.ts";
import { captureArtifactSync, createSnapshot } from "../../record/snapshot.ts";
import { compareOutcomes, compareStored, compareValues, diffOf, diffOutcomes } from "./compare.ts";

afterEach(() => vi.unstubAllEnvs());

const before = { mean: 0.4, parts: [{ weight: 0.2 }] };
const near = { mean: 0.4 + 1e-10, parts: [{ weight: 0.2 - 1e-10 }] };

test("applies the project's tolerance to every number, after the rules of the step", () => {
  expect(compareValues(before, near, { keyBy: {}, compare: {} }).diff.entries).toHaveLength(2);
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ tolerance: 1e-9 }));
  const { diff, tolerated } = compareValues(before, near, { keyBy: {}, compare: { mean: within(1e-3) } });
  expect([diff.equal, tolerated.map(({ rule, label }) => `${rule}: ${label}`)]).toStrictEqual([
    true,
    ["mean: within 0.001", "**: within 1e-9"],
  ]);
});

test("the project's tolerance accepts near values only, and a rule for ** replaces it", () => {
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ tolerance: 1e-9 }));
  const far = { mean: 0.5, parts: [{ weight: 0.2 }] };
  expect(compareValues(before, far, { keyBy: {}, compare: {} }).diff.entries).toHaveLength(1);
  expect(compareValues(before, near, { keyBy: {}, compare: { "**": within(0) } }).diff.entries).toHaveLength(2);
});

test("aligns events like the elements of a list, those of one type first", () => {
  const read = (path: string, ms = 1): object => ({ type: "read", payload: { path, ms } });
  const many = Array.from({ length: 40 }, (_, index) => read(`file-${index}`));
  const kinds = (ms: number): object[] => many.map((_, index) => ({ type: `event-${index}`, payload: { ms } }));
  const few = (ms: number): object[] => many.slice(0, 5).map((_, index) => read(`file-${index}`, ms));
  const [first, ...rest] = many;
  const extra = read("extra", 3);
  const lines = (events: readonly object[], after: readonly object[], compare: CompareBy = {}): readonly string[] => {
    const sides = [events, after].map((list) => ({ output: {}, events: list }));
    const compared = compareOutcomes(sides[0] ?? {}, sides[1] ?? {}, { parts: ["events"], keyBy: {}, compare });
    return formatDiff(diffOf(compared, "events") ?? { equal: true, entries: [] }).split("\n");
  };
  const added = '{"payload":{"ms":3,"path":"extra"},"type":"read"}';
  expect(lines(many, [extra, ...many])).toStrictEqual([`+ [0]: ${added}`]);
  expect(lines(many, rest)).toStrictEqual(['- [0]: {"payload":{"ms":1,"path":"file-0"},"type":"read"}']);
  expect(lines(many, [first, extra, ...rest.slice(0, -1), read("last")].map(Object))).toStrictEqual([
    `+ [1]: ${added}`,
    '  [40].payload.path: "file-39" → "last"',
  ]);
  expect(lines(few(1), [extra, ...few(2)])).toStrictEqual([
    `+ [0]: ${added}`,
    ...few(2).map((_, index) => `  [${index + 1}].payload.ms: 1 → 2`),
  ]);
  const times = { "events.payload.ms": anything() };
  expect(lines(kinds(1), [...kinds(2).slice(0, 20), extra, ...kinds(3).slice(20)], times)).toStrictEqual([
    `+ [20]: ${added}`,
  ]);
  expect(lines([{ type: "sent" }], [{ type: "read" }])).toStrictEqual([
    '- [0]: {"type":"sent"}',
    '+ [0]: {"type":"read"}',
  ]);
  expect(lines(few(1), [extra, ...few(1)], { "events.0": anything() })).toStrictEqual([`+ [0]: ${added}`]);
  expect(lines(few(1), few(1).slice(1), { "events.0.payload.ms": anything() })).toHaveLength(1);
});

test("a rule that ends in ** tolerates values of events, but no other number of events", () => {
  const paid = (euros: number): object => ({ type: "paid", payload: { euros } });
  const compared = (after: readonly object[], compare: CompareBy, output: object = {}): boolean => {
    const [left, right] = [
      { output, events: [paid(5)] },
      { output, events: after },
    ];
    const comparison = compareOutcomes(left, right, { parts: ["events"], keyBy: {}, compare });
    return diffOf(comparison, "events")?.equal === true;
  };
  expect(compared([paid(6)], { "events.**": anything() })).toBe(true);
  expect(compared([paid(5), paid(5)], { "events.**": anything() })).toBe(false);
  expect(compared([], { "events.**": anything() })).toBe(false);
  expect(compared([paid(5), paid(5)], { events: anything() })).toBe(true);
  // The rule is that of the output's field.
  expect(compared([paid(5), paid(5)], { events: anything() }, { events: ["concert"] })).toBe(false);
});

test.each<readonly [string, CompareBy]>([
  ["within a distance", { "events.**": within(1) }],
  ["any payload", { "events.payload.**": anything() }],
  ["a function for the event", { "events.*": (before, after) => before !== undefined && after !== undefined }],
])("values of events that are tolerated may become equal to those of the next event: %s", (_name, compare) => {
  const paid = (euros: number): object => ({ type: "paid", payload: { euros } });
  const changes = (before: readonly object[], after: readonly object[]): readonly string[] => {
    const [left, right] = [before, after].map((events) => ({ output: {}, events }));
    const compared = compareOutcomes(Object(left), Object(right), { parts: ["events"], keyBy: {}, compare });
    return formatDiff(diffOf(compared, "events") ?? { equal: true, entries: [] }).split("\n");
  };
  expect(changes([paid(1), paid(1.5), paid(2)], [paid(1.5), paid(2), paid(2.2)])).toStrictEqual(["(no changes)"]);
  const ended = (by: string): object => ({ type: "ended", by });
  expect(changes([paid(1), paid(1.5), ended("a")], [paid(1.5), paid(2), ended("b")])).toStrictEqual(
    "events.*" in compare ? ["(no changes)"] : ['  [2].by: "a" → "b"'],
  );
});

test("doesn't serialize a stored output if the current one has its hash", async () => {
  const output = { total: 9 };
  const { hash, kind } = captureArtifactSync("step-output", { output, events: [] });
  const unreadable = new Proxy(output, {
    ownKeys: () => {
      throw new Error("the stored output was serialized");
    },
  });
  const snapshot = await createSnapshot({
    workflowId: "w",
    workflowVersion: "1",
    stepName: "total",
    input: {},
    artifacts: [{ hash, kind, content: { output: unreadable, events: [] } }],
  });
  const rules = { parts: ["output"], keyBy: {}, compare: {} } as const;
  expect(compareStored(snapshot, { output: { total: 9 } }, rules)).toStrictEqual({
    ok: true,
    value: { compared: [{ part: "output", diff: { equal: true, entries: [] } }], tolerated: [] },
  });
  expect(compareStored(snapshot, { output: { total: 8 } }, rules)).toMatchObject({
    error: { message: "the stored output was serialized" },
  });
});

test("compares lists with secrets and duplicate keys by index", () => {
  const keys = (key: (count: number) => string): object => ({
    output: { lines: [1, 2].map((count) => ({ id: "a", key: key(count) })) },
  });
  const stored = keys((count) => `«redacted:anthropic-key#${count}»`);
  const current = keys((count) => `sk-ant-${"b".repeat(23)}${count}`);
  const rules = { parts: ["output"], keyBy: { lines: "id" }, compare: {} } as const;
  expect(diffOutcomes(stored, current, rules)).toStrictEqual([]);
  expect(() => compareOutcomes(stored, current, rules)).toThrow(new TypeError('keyBy: duplicate key "a" in lines'));
});
