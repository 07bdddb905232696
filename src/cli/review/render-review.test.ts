import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countCells } from "../../kernel/terminal-cells.ts";
import {
  type PendingChangeOptions,
  changeOf,
  makeProject,
  pathOf,
  put,
} from "../../../test-support/pending-project.ts";
import { putStep } from "../../../test-support/put-step.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { paint } from "./paint.ts";
import { type Size, pageOf, renderReview } from "./render-review.ts";
import { type ReviewItem, reviewItem } from "./review-item.ts";
import { type ReviewState, beginReview, reduce } from "./review-state.ts";
import { runCount } from "../../../test-support/run-count.ts";

const NOW = Date.parse("2026-01-02T00:00:00.000Z");
const AT = "2026-01-01T21:00:00.000Z";
const SCREEN: Size = { columns: 80, rows: 24 };

function items(
  changes: Readonly<Record<string, PendingChangeOptions & { readonly from?: unknown }>>,
  trusted = true,
): ReviewItem[] {
  const project = makeProject();
  return Object.entries(changes).map(([name, { from, ...change }]) => {
    if (from !== undefined) put(project, name, from);
    return reviewItem(changeOf(project, name, { at: AT, ...change }), { root: project.root, trusted });
  });
}

function press(state: ReviewState, keys: readonly string[], size: Size = SCREEN): ReviewState {
  return keys.reduce((before, key) => reduce(before, key, pageOf(before, size)), state);
}

function screen(state: ReviewState, size: Size = SCREEN): string[] {
  return renderReview(state, size, NOW).map(({ text }) => text.trimEnd());
}

const TWO = {
  total: {
    from: { total: "9.00", sku: "A17" },
    to: { total: "10.00", sku: "A17" },
    shown: [
      "    cause: code (same requests, same responses, new output)",
      '    total: "9.00" → "10.00"',
      "  + lines.A17: 1",
    ],
    test: "known receipt",
  },
  added: { to: { total: 1 }, verdict: "missing" },
} as const;

test("shows one change with everything needed to decide", () => {
  expect(screen(beginReview(items(TWO)))).toMatchInlineSnapshot(`
    [
      "1 of 2  a.test.ts › known receipt",
      "  value_changed (update)  __baselines__/a.test.ts/total-22eb4df6.json",
      "  e88523a0e1a5  its test failed, 3 h ago: known receipt (a.test.ts)",
      "────────────────────────────────────────────────────────────────────────────────",
      "    total: "9.00" → "10.00"",
      "  + lines.A17: 1",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "  cause: code (same requests, same responses, new output)",
      "────────────────────────────────────────────────────────────────────────────────",
      "a accept  r reject  s skip  u undo  ? help",
      "w what else is written  d full text  q quit  Ctrl-C apply nothing",
    ]
  `);
});

test("shows the content of an addition, and counts decisions in the header", () => {
  expect(screen(press(beginReview(items(TWO)), ["a"])).filter((line) => line !== "")).toMatchInlineSnapshot(`
    [
      "2 of 2  a.test.ts › added",
      "  missing (add)  __baselines__/a.test.ts/added-20404b9c.json",
      "  accepted 1, rejected 0, skipped 0  52ab45443176  its test failed, 3 h ago: ad…",
      "────────────────────────────────────────────────────────────────────────────────",
      "  + {",
      "  +   "total": 1",
      "  + }",
      "────────────────────────────────────────────────────────────────────────────────",
      "a accept  r reject  s skip  u undo  ? help",
      "w what else is written  d full text  q apply 1, quit  Ctrl-C apply nothing",
    ]
  `);
});

test("d shows both complete texts, with common lines once", () => {
  expect(screen(press(beginReview(items(TWO)), ["d"])).filter((line) => line !== "")).toMatchInlineSnapshot(`
    [
      "1 of 2  a.test.ts › known receipt",
      "  value_changed (update)  __baselines__/a.test.ts/total-22eb4df6.json",
      "  e88523a0e1a5  its test failed, 3 h ago: known receipt (a.test.ts)",
      "────────────────────────────────────────────────────────────────────────────────",
      "  {",
      "    "version": 2,",
      "    "kind": "value",",
      "    "test": "a.test.ts",",
      "    "name": "total",",
      "    "labels": [],",
      "    "meta": {},",
      "    "value": {",
      "      "sku": "A17",",
      "-     "total": "9.00"",
      "+     "total": "10.00"",
      "    },",
      "-   "hash":",
      "      "sha256:34863ff389b2d8468575690d4f6eab70a3a89b1058adcf7b279886bd92b9cd43"",
      "+   "hash":",
      "      "sha256:89f39e2b06fcaafda06382337d3bd75e5b9642551aa82efeed6af3d607bd9dd5"",
      "  cause: code (same requests, same responses, new output)",
      "────────────────────────────────────────────────────────── full text 1–16 of 17",
      "a accept  r reject  s skip  u undo  ? help",
      "w what else is written  d changes only  q quit  Ctrl-C apply nothing",
    ]
  `);
});

test("w shows other written changes, ? lists the keys, and both return to the changes", () => {
  const start = beginReview(items({ ...TWO, total: { ...TWO.total, shown: ['    total: "9.00" → "10.00"'] } }));
  const body = (state: ReviewState): string[] =>
    screen(state)
      .slice(4, -3)
      .filter((line) => line !== "");
  const besides = items({
    both: { from: { a: 1, b: 1 }, to: { a: 2, b: 2 }, shown: ["    a: 1 → 2"] },
  });
  expect(body(press(beginReview(besides), ["w"]))).toStrictEqual(["    b: 1 → 2"]);
  expect(screen(press(beginReview(besides), ["w"])).at(-3)).toMatch(/─ what else is written$/);
  expect(body(press(beginReview(besides), ["w", "w"]))).toStrictEqual(["    a: 1 → 2"]);
  expect(body(press(start, ["w"]))).toStrictEqual(["    Accepting writes only these changes."]);
  const also = ["    also written: calls[0].response.a: 1 → 2", "  + also written: calls[1].response: 3"];
  const recorded = beginReview(items({ both: { from: { a: 1 }, to: { a: 2 }, shown: ["    a: 1 → 2", ...also] } }));
  expect(body(recorded)).toStrictEqual(["    a: 1 → 2", "    w shows 2 lines that are also written"]);
  expect(body(press(recorded, ["w"]))).toStrictEqual(also);
  const onlyRecorded = beginReview(items({ both: { from: 1, to: 2, shown: also.slice(0, 1) } }));
  expect(body(onlyRecorded)).toStrictEqual(also.slice(0, 1));
  expect(body(press(start, ["?"]))).toStrictEqual([
    "  a r s    accept, reject or skip the change",
    "  A R S    accept, reject or skip the rest of the group",
    "  Enter    show the changes of a group one by one",
    "  u        undo the last decision",
    "  w        show or hide what else accepting writes",
    "  d        show or hide the complete text",
    "  j k      scroll by a line (also the arrows)",
    "  space b  scroll by a page",
    "  g G      scroll to the beginning or the end",
    "  q        apply the decisions and quit",
    "  Ctrl-C   quit without applying a decision",
  ]);
  expect(body(press(start, ["?", "?"]))).toStrictEqual(['    total: "9.00" → "10.00"']);
});

test("shows three lines of the input of a step above the change, and the cause below it", () => {
  const project = makeProject();
  put(project, "one", 1);
  const target = putStep(project.root, {
    step: "answer-mail",
    input: { mail: "my order came broken\nplease pay back\nthanks\nAnn" },
    output: { amount: 2 },
  });
  const text = readFileSync(join(project.root, target), "utf8");
  const shown = ["    amount: 1 → 2", "    cause: model"];
  const change = { ...changeOf(project, "one", { to: 1, shown, at: AT }), target, text };
  const item = reviewItem(change, { root: project.root, trusted: true });
  expect(
    screen(beginReview([item]))
      .filter((line) => line !== "")
      .slice(3, -3),
  ).toStrictEqual([
    "  input  mail: my order came broken",
    "         please pay back",
    "         thanks",
    expect.stringMatching(/^─+$/),
    "    amount: 1 → 2",
    "  cause: model",
  ]);
});

test("shows a changed input and its result as differences from the earlier case", () => {
  const project = makeProject();
  const put = (text: string, priority: string): string =>
    putStep(project.root, { step: "triage", input: { text }, output: { priority } });
  const [earlier, target] = [put("Hello there", "normal"), put("Hi there", "high")];
  const path = join(project.root, target);
  const text = readFileSync(path, "utf8");
  rmSync(path);
  const change: PendingChange = {
    ...changeOf(project, "one", { to: 1, at: AT, verdict: "input_changed" }),
    target,
    text,
    shown: ['    input.text: "Hello there" → "Hi there"', '    output.priority: "normal" → "high"'],
  };
  const replaces = basename(earlier);
  const result = { text: '    priority: "normal" → "high"', tone: "changed" } as const;
  const removes = { text: `    accepting removes ${replaces}`, tone: "faint" } as const;
  const diffOf = (item: PendingChange, trusted = true): ReviewItem["diff"] =>
    reviewItem(item, { root: project.root, trusted }).diff;
  const lines = [
    { text: '    input.text: "Hello there" → "Hi there"', tone: "changed" },
    { text: '    output.priority: "normal" → "high"', tone: "changed" },
  ];
  expect(diffOf({ ...change, replaces })).toStrictEqual([...lines, removes]);
  expect(diffOf(change)).toStrictEqual([...lines, { text: "    accepting keeps the earlier baseline", tone: "faint" }]);
  expect(diffOf({ ...change, replaces }, false)).toStrictEqual([lines[0], result, removes]);
  const edited = diffOf({ ...change, replaces, replacedHash: "sha256:other" }, false);
  expect(edited.map(({ text: line }) => line)).toStrictEqual([
    "  + {",
    '  +   "priority": "high"',
    "  + }",
    removes.text,
  ]);
});

test("breaks lines between words, unless one is longer than a line", () => {
  const words = "every word of this sentence stays as it is ".repeat(8).trim();
  const start = beginReview(
    items({ one: { to: 1, from: 2, shown: [`    note: ${words}`, `    id: ${"x".repeat(100)}`] } }),
  );
  const lines = screen(start, { columns: 50, rows: 30 })
    .slice(4, -3)
    .filter((line) => line !== "");
  const known = new Set(["note:", "id:", "x".repeat(50), "x".repeat(42), ...words.split(" ")]);
  expect(
    lines.flatMap((line) => line.trim().split(" ")).filter((word) => !known.has(word) && !/^x+$/.test(word)),
  ).toEqual([]);
  expect(lines.some((line) => /^x+$/.test(line.trim()))).toBe(true);
});

test("shows at the end what will happen", () => {
  expect(screen(press(beginReview(items(TWO)), ["a", "s"]))).toMatchInlineSnapshot(`
    [
      "All 2 decided.",
      "",
      "  accept  1   writes all their baselines, or none if one can't be written",
      "  reject  0   drops them; their baselines don't change",
      "  skip    1   they stay pending",
      "",
      "Enter or q applies these.  u undoes the last decision.  Ctrl-C applies nothing.",
    ]
  `);
  expect(screen(press(beginReview(items(TWO).slice(0, 1)), ["a"]))[0]).toBe("Decided.");
});

test("completes a change of which the test showed only a part", () => {
  const [item] = items({
    one: { from: { a: 1, b: 1 }, to: { a: 2, b: 2 }, shown: ["    a: 1 → 2", "    … and 1 more change"] },
  });
  expect(item?.diff).toStrictEqual([
    { text: "    a: 1 → 2", tone: "changed" },
    { text: "    … and 1 more change", tone: "plain" },
    { text: "  the complete change, with lists compared by position:", tone: "faint" },
    { text: "    a: 1 → 2", tone: "changed" },
    { text: "    b: 1 → 2", tone: "changed" },
  ]);
});

test("shows an upload by its texts only", () => {
  const [item] = items(
    { one: { from: { total: 1 }, to: { total: 1_000_000 }, shown: ["    cause: model", "    total: 1 → 2"] } },
    false,
  );
  expect({ cause: item?.cause, diff: item?.diff }).toStrictEqual({
    cause: undefined,
    diff: [{ text: "    total: 1 → 1000000", tone: "changed" }],
  });
});

test("shows the content that a removal deletes", () => {
  const [item] = items({ one: { from: "gone", to: undefined, verdict: "obsolete", shown: [] } });
  expect(item?.diff).toStrictEqual([{ text: '  - "gone"', tone: "removed" }]);
});

test("reports an unreadable baseline first, above its new content", () => {
  const project = makeProject();
  put(project, "one", 1);
  writeFileSync(pathOf(project, "one"), "<<<<<<< ours\n");
  const { diff } = reviewItem(changeOf(project, "one", { to: 2, shown: [] }), { root: project.root, trusted: true });
  expect(diff).toStrictEqual([
    {
      text: "    Cannot read __baselines__/a.test.ts/one-61ef934e.json: it has git conflict markers (line 1). Keep one side with git checkout --ours or --theirs, run git add, and run its test with -u.",
      tone: "strong",
    },
    { text: "  + 2", tone: "added" },
  ]);
});

test("keeps the essential lines on a small terminal, and works on one of no size", () => {
  const state = beginReview(items(TWO));
  expect(screen(state, { columns: 40, rows: 6 })).toMatchInlineSnapshot(`
    [
      "1 of 2  a.test.ts › known receipt",
      "  value_changed (update)  __base…f6.json",
      "    total: "9.00" → "10.00"",
      "  + lines.A17: 1",
      "  cause: code (same requests, same resp…",
      "a accept  r reject  s skip  u undo  ? h…",
    ]
  `);
  expect(screen(state, { columns: 1, rows: 1 })).toStrictEqual(["…"]);
});

test("scrolling shows each line once", () => {
  const value = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`key-${String(index).padStart(3, "0")}`, index]),
  );
  const start = beginReview(items({ one: { to: value, verdict: "missing" } }));
  const seen = new Set<string>();
  let state = start;
  for (let page = 0; page < 20; page += 1) {
    for (const line of screen(state)) if (line.includes("key-")) seen.add(line);
    state = press(state, ["space"]);
  }
  expect(seen.size).toBe(100);
  expect(screen(state).find((line) => line.includes(" of 102"))).toMatch(/─ 86–102 of 102$/);
});

const HOSTILE = "\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u001b[31mred\r\u202egnp.exe\u009b5n\u200bhidden";

test("escapes everything in a record, in any view", () => {
  const [item] = items({
    one: {
      from: { [HOSTILE]: HOSTILE },
      to: { [HOSTILE]: `${HOSTILE}2` },
      shown: [HOSTILE, `    cause: ${HOSTILE}`],
      test: HOSTILE,
      at: HOSTILE,
    },
  });
  if (item === undefined) throw new Error("unreachable");
  const bad = { ...item, change: { ...item.change, target: HOSTILE, group: HOSTILE, testFile: HOSTILE } };
  for (const size of [SCREEN, { columns: 200, rows: 50 }, { columns: 20, rows: 8 }]) {
    for (const keys of [[], ["d"], ["d", "G"], ["w"], ["a"]]) {
      const text = renderReview(press(beginReview([bad, bad]), keys, size), size, NOW)
        .map((line) => paint(line, false))
        .join("");
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
    }
  }
});

test("after any keys, every line fits the screen, and there aren't more lines than rows", () => {
  const value = {
    wide: "日本語🙂".repeat(40),
    marks: `e${"\u0301".repeat(50)}`,
    [HOSTILE]: HOSTILE,
    list: Array.from({ length: 40 }, (_, index) => index),
  };
  const all = [
    ...items({
      one: { from: value, to: { ...value, wide: "x".repeat(500) }, shown: [], test: "日本語".repeat(100) },
      two: { to: value, verdict: "missing" },
    }),
    ...items(TWO),
  ];
  const keys = fc.array(fc.constantFrom("a", "r", "s", "u", "d", "w", "?", "j", "k", "space", "G", "A"), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 220 }), fc.integer({ min: 1, max: 60 }), (pressed, columns, rows) => {
      const size = { columns, rows };
      const lines = renderReview(press(beginReview(all), pressed, size), size, NOW);
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const { text } of lines) expect(countCells(text.replace(/^\p{M}+/u, ""))).toBeLessThanOrEqual(columns);
    }),
    { numRuns: runCount(1000) },
  );
});

test("colours a line with codes, and uses none if disabled", () => {
  expect(paint({ text: "+ a", tone: "added" }, true)).toBe("\u001b[32m+ a\u001b[39m");
  expect(paint({ text: "+ a", tone: "added" }, false)).toBe("+ a");
  expect(paint({ text: "a", tone: "plain" }, true)).toBe("a");
});
