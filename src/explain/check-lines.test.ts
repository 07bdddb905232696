import { describe, expect, test } from "vitest";
import type { BaselineUpdate } from "../baseline/baseline.ts";
import type { GridCell, OutcomeGrid } from "../check/check.ts";
import { compareOutcomes } from "../check/compare/compare.ts";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import { diff } from "../kernel/diff/diff.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { diffCalls } from "../record/calls/diff-calls.ts";
import { checkLines, warningLines, reviewLines } from "./check-lines.ts";

const same: GridCell = { text: "same", wrong: false };

/** Eleven calls under one fault, of which each `of` makes another outcome. */
function gridOf(of: (index: number) => GridCell): OutcomeGrid {
  const rows = Array.from({ length: 11 }, (_, index) => ({ name: `tools.pay#${index + 1}`, cells: [of(index)] }));
  return { columns: ["timeout"], rows };
}

describe("the outcomes of a grid", () => {
  const changes = [{ part: "output", diff: diff({ a: 1 }, { a: 2 }) }] as const;
  const verdict = { kind: "value_changed", changes } as const;

  test("are reported by a failing test where they are wrong or changed, the wrong ones with a sign", () => {
    const grid = gridOf((index) =>
      index === 4 ? { text: "wrote twice\n::error::", before: "same", wrong: true } : same,
    );
    expect(checkLines({ verdict, findings: { grid } })).toEqual([
      "    11 outcomes: 1 wrong (!), 1 changed",
      "  ! tools.pay#5 × timeout: wrote twice\\n:\\u003aerror:: (was: same)",
      "    a: 1 → 2",
    ]);
  });

  test("are all reported to who reviews them, and ten to who reads a failing test", () => {
    const grid = gridOf(() => ({ text: "failed", before: "same", wrong: false }));
    const told = (lines: readonly string[]): (string | undefined)[] => [lines[1], lines.at(-2)];
    expect(told(checkLines({ verdict, findings: { grid } }))).toEqual([
      "    tools.pay#1 × timeout: failed (was: same)",
      "    … and 1 more wrong or changed",
    ]);
    expect(told(reviewLines({ verdict, findings: { grid }, update: undefined }))).toEqual([
      "    tools.pay#1 × timeout: failed (was: same)",
      "    tools.pay#11 × timeout: failed (was: same)",
    ]);
  });

  test("are reported by a passing check where they are wrong and somebody accepted them", () => {
    const grid = gridOf((index) => (index < 4 ? { text: "wrote twice", wrong: true } : same));
    expect(warningLines({ verdict: { kind: "clean" }, findings: { grid } })).toEqual([
      "wrong outcome, accepted: tools.pay#1 × timeout: wrote twice",
      "wrong outcome, accepted: tools.pay#2 × timeout: wrote twice",
      "wrong outcome, accepted: tools.pay#3 × timeout: wrote twice",
      "… and 1 more wrong outcomes, accepted",
    ]);
    expect(warningLines({ verdict: { kind: "clean" }, findings: { grid: gridOf(() => same) } })).toEqual([]);
  });
});

describe("a change whose two sides look the same", () => {
  const told = (before: unknown, after: unknown, keyBy = {}): string[] => {
    const compared = compareOutcomes(
      { output: before },
      { output: after },
      { parts: ["output"], keyBy, compare: {} },
    ).compared;
    return checkLines({ verdict: { kind: "value_changed", changes: compared }, findings: {} });
  };

  test("is reported by what differs: long texts without words", () => {
    const data = (end: string): string => `data:image/png;base64,${"iVBORw0KGgo".repeat(40)}${end}`;
    expect(told({ image: data("AAAA") }, { image: data("BBBB") })).toStrictEqual([
      "    image:",
      '      - (+433 characters) …ORw0KGgoiVBORw0KGgoiVBORw0KGgoAAAA"',
      '      + (+433 characters) …ORw0KGgoiVBORw0KGgoiVBORw0KGgoBBBB"',
    ]);
  });

  test("is reported by code points where it looks alike, in short texts, prose and lines", () => {
    expect(told({ name: "café" }, { name: "cafe\u0301" })).toStrictEqual(['    name: "caf\\u00e9" → "cafe\\u0301"']);
    const prose = (blank: string): string =>
      `${"The total of the bill is to be paid soon. ".repeat(4)}It is 10${blank}EUR in all.`;
    expect(told({ text: prose(" ") }, { text: prose("\u00a0") }).join("\n")).toContain("\\u00a0");
    expect(told({ text: "first\npaypal.com\nlast" }, { text: "first\np\u0430ypal.com\nlast" }).join("\n")).toContain(
      "p\\u0430ypal.com",
    );
  });

  test("shows an empty list as a list, even if its elements have keys", () => {
    expect(told({ claims: [] }, {}, { claims: "id" })).toStrictEqual(["  - claims: []"]);
    expect(told({ claims: [{ id: 1 }] }, { claims: null }, { claims: "id" })).toStrictEqual([
      '    claims: [{"id":1}] → null',
    ]);
    expect(told({ a: 1 }, { a: 1, m: { claims: [] } }, { "m.claims": "id" })).toStrictEqual(['  + m: {"claims":[]}']);
  });
});

test("shows a write that swapped positions with one of the same tool with both requests", () => {
  const pay = (order: string): AdapterCall => ({
    adapter: "tools.pay",
    occurrence: 0,
    returns: "promise",
    request: [{ order }],
    response: "ok",
  });
  const moved = (before: readonly AdapterCall[], after: readonly AdapterCall[]): string[] => {
    const compared = diffCalls(before, after, { roleOf: () => "write" });
    return checkLines({
      verdict: { kind: "calls_changed", changes: [{ part: "calls", diff: compared }] },
      findings: {},
    });
  };
  expect(moved([pay("A"), pay("B")], [pay("B"), pay("A")])).toStrictEqual([
    '    tools.pay({"order":"A"}) moved after tools.pay({"order":"B"})',
  ]);
  expect(moved([pay("A"), pay("B"), pay("C")], [pay("B"), pay("A"), pay("C")])).toStrictEqual([
    '    tools.pay({"order":"A"}) moved after tools.pay({"order":"B"})',
  ]);
  expect(moved([pay("A"), pay("B"), pay("C")], [pay("C"), pay("A"), pay("B")])).toStrictEqual([
    '    tools.pay({"order":"C"}) moved before tools.pay({"order":"A"})',
  ]);
  const long = "x".repeat(200);
  expect(moved([pay(`${long}1${long}`), pay(`${long}2`)], [pay(`${long}2`), pay(`${long}1${long}`)])).toStrictEqual([
    `    tools.pay((+200 characters) …${"x".repeat(10)}1${"x".repeat(29)}… (+173 characters)) moved after`,
    `      tools.pay((+200 characters) …${"x".repeat(10)}2"})`,
  ]);
  const mail = { ...pay("M"), adapter: "mail" };
  expect(moved([pay("A"), pay("B"), mail], [pay("B"), mail, pay("A")])).toStrictEqual([
    '    tools.pay({"order":"A"}) moved after mail({"order":"M"})',
  ]);
  expect(
    moved([pay("A"), { ...pay("B"), adapter: "mail" }], [{ ...pay("B"), adapter: "mail" }, pay("A")]),
  ).toStrictEqual(["    tools.pay moved after mail"]);
});

describe("counts instead of listing", () => {
  const base64 = (letter: string): string => bytesOf(letter).toString("base64");
  const url = (letter: string): string => bytesOf(letter).toString("base64url").replaceAll("E", "_");
  const linesOf = (before: object, after: object): string[] => {
    const changes = [{ part: "output", diff: diff(before, after) }] as const;
    return checkLines({ verdict: { kind: "value_changed", changes }, findings: {} });
  };

  test("encoded texts", () => {
    const data = (letter: string, count: number): object =>
      Array.from({ length: count }, () => ({ embedding: base64(letter) }));
    expect(linesOf({ data: data("A", 24), n: 1 }, { data: data("B", 24), n: 2 })).toStrictEqual([
      "    data[*].embedding: 24 encoded texts differ",
      "    n: 1 → 2",
    ]);
    expect(linesOf({ data: data("A", 1) }, { data: data("B", 1) })).toStrictEqual([
      "    data[0].embedding: encoded text differs (400 characters)",
    ]);
  });

  test.each([
    [
      "a data URL",
      `data:image/png;base64,${base64("A")}`,
      `data:image/png;base64,${base64("B")}BB`,
      "422 → 424 characters, the first 22 are equal",
    ],
    ["wrapped lines", wrap(base64("A")), wrap(base64("B")), "405 characters"],
    ["the alphabet of URLs", url("A"), url("B"), "400 characters"],
    [
      "a data URL of zeros",
      `data:;base64,${"A".repeat(400)}`,
      `data:;base64,${"B".repeat(400)}`,
      "413 characters, the first 13 are equal",
    ],
  ])("one encoded text: %s", (_what, before, after, size) => {
    expect(linesOf({ image: before }, { image: after })).toStrictEqual([`    image: encoded text differs (${size})`]);
  });

  const words = Array.from({ length: 40 }, (_, at) => `Word${at}`);
  const sequence = Array.from({ length: 400 }, (_, at) => "ACGT"[(at * 7 + ((at * at) % 5)) % 4]).join("");
  const hex = Array.from({ length: 256 }, (_, at) => ((at * 7 + 3) % 16).toString(16)).join("");
  const put = (text: string, at: number, piece: string): string =>
    text.slice(0, at) + piece + text.slice(at + piece.length);
  test.each([
    ["a path", `/${words.join("/")}`, `/${words.join("/")}`.replace("Word1/", "Wort1/").replace("Word38", "Wort38")],
    ["words", `${words.join("")}ab`, put(put(`${words.join("")}ab`, 10, "X"), 150, "Y")],
    ["other words", `${words.join("")}ab`, `${words.toReversed().join("")}ab`],
    ["a DNA sequence", sequence, put(put(sequence, 40, "TT"), 360, "GG")],
    ["another DNA sequence", sequence, Array.from(sequence).toReversed().join("").replaceAll("A", "G")],
    ["a board", "0".repeat(361), put(put("0".repeat(361), 5, "1"), 350, "2")],
    ["a number in hex", hex, Array.from(hex).toReversed().join("")],
    ["base64 with two changes", base64("A"), put(put(base64("A"), 8, "zzz"), 380, "yyy")],
  ])("not %s, of which it shows both sides around the change", (_what, before, after) => {
    const [head, removed = "", added = "", ...more] = linesOf({ s: before }, { s: after });
    expect([head, more]).toStrictEqual(["    s:", []]);
    expect(removed).toMatch(/^      - (?:\(\+\d+ characters\) …|")/);
    expect(added).toMatch(/^      \+ (?:\(\+\d+ characters\) …|")/);
    expect(removed.slice(8)).not.toBe(added.slice(8));
  });

  test.each([
    [
      "encoded texts",
      (letter: string): object => [1, 2, 3].map((id) => ({ id, e: base64(letter) })),
      "[*].e: 3 encoded texts differ",
    ],
    [
      "numbers",
      (letter: string): object => ({
        v: Array.from({ length: 99 }, (_, at) => letter.charCodeAt(0) + at / 2 ** (letter === "A" ? 1 : 3)),
      }),
      ".v[*]: 99 numbers differ",
    ],
  ])("%s in a JSON string", (_what, data, line) => {
    const json = (letter: string): object => ({ text: JSON.stringify(data(letter)) });
    expect(linesOf(json("A"), json("B"))).toStrictEqual([`    text${line}`]);
  });

  test("numbers of a long list, without a table", () => {
    const numbers = (count: number, add: number): number[] => Array.from({ length: count }, (_, at) => at + add);
    expect(linesOf({ vector: numbers(64, 0) }, { vector: numbers(64, 0.5) })).toStrictEqual([
      "    vector[*]: 64 numbers differ",
    ]);
    expect(linesOf({ totals: numbers(3, 0) }, { totals: numbers(3, 0.5) })).toHaveLength(3);
    expect(linesOf({ vector: numbers(1536, 0), n: 1 }, { vector: numbers(1536, 0.5), n: 2 })).toStrictEqual([
      "    n: 1 → 2",
      "    vector[*]: 1,536 numbers differ",
    ]);
  });

  test("embeddings of several calls, and fields of added calls, that are also written", () => {
    const findings = { verdict: { kind: "clean" }, findings: {} } as const;
    const numbers = [0, 1].flatMap((call) =>
      Array.from({ length: 64 }, (_, at) => ({ path: ["calls", call, "response", at], before: at, after: at + 0.5 })),
    );
    const lines = (otherChanges: readonly DiffEntry[]): readonly string[] =>
      reviewLines({ ...findings, update: { propose: () => ({ ...NO_UPDATE }), otherChanges } });
    expect(lines(numbers)).toStrictEqual(["    also written: calls[*].response[*]: 128 numbers differ"]);
    const responses = Array.from({ length: 20 }, (_, call) => ({
      path: ["calls", call, "response"],
      before: undefined,
      after: call,
    }));
    expect(lines(responses)).toStrictEqual([
      "  + also written: calls[0].response: 0",
      "    also written: calls[*].response, 19 more changes",
    ]);
    expect(lines(responses.slice(0, 3))).toHaveLength(3);
  });

  test("equal changes of several calls", () => {
    const made = (at: number, v: string): AdapterCall => ({
      adapter: "tools.save",
      occurrence: 0,
      returns: "promise",
      request: [{ at, v }],
    });
    const calls = (v: string): AdapterCall[] => Array.from({ length: 20 }, (_, at) => made(at, v));
    const compared = diffCalls(calls("o"), calls("n"), { roleOf: () => "write" });
    const verdict = { kind: "calls_changed", changes: [{ part: "calls", diff: compared }] } as const;
    expect(checkLines({ verdict, findings: {} })).toStrictEqual(['    tools.save (20 calls): v: "o" → "n"']);
  });

  test("numbers of equal requests that are also written", () => {
    const otherChanges = [5, 7].map((call) => ({ path: ["calls", call, "occurrence"], before: 0, after: 1 }));
    const role = { path: ["calls", 2, "role"], before: "read", after: "write" };
    const findings = { verdict: { kind: "clean" }, findings: {} } as const;
    const update = { propose: () => ({ ...NO_UPDATE }), otherChanges: [...otherChanges, role] };
    expect(reviewLines({ ...findings, update })).toStrictEqual([
      '    also written: calls[2].role: "read" → "write"',
      "    also written: `occurrence` of 2 calls",
    ]);
  });
});

/** 300 bytes with every value, as those of an embedding have. */
function bytesOf(letter: string): Buffer {
  return Buffer.from(Array.from({ length: 300 }, (_, at) => (at * at * 31 + at * 7 + letter.charCodeAt(0) * 57) % 251));
}

function wrap(text: string): string {
  return text.replace(/.{76}/g, "$&\n");
}

const NO_UPDATE: BaselineUpdate = {
  kind: "update",
  root: "/",
  path: "/a.json",
  group: "a",
  before: undefined,
  after: undefined,
};

test.each([
  ["a letter of another alphabet", "name", "n\u0430me", "name", "n\\u0430me"],
  ["a composed letter", "gr\u00f6sse", "gro\u0308sse", "gr\\u00f6sse", "gro\\u0308sse"],
  ["a Greek letter", "order", "\u03bfrder", "order", "\\u03bfrder"],
  ["a space", "a b", "a\u00a0b", '["a b"]', '["a\\u00a0b"]'],
])("shows how two names differ that look the same: %s", (_what, before, after, was, is) => {
  const changes = [{ part: "output", diff: diff({ [before]: 1 }, { [after]: 1 }) }] as const;
  const lines = checkLines({ verdict: { kind: "value_changed", changes }, findings: {} });
  expect(lines.toSorted()).toStrictEqual([`  + ${is}: 1`, `  - ${was}: 1`].toSorted());
});

describe("lines that would look the same", () => {
  const linesOf = (before: object, after: object): string[] => {
    const changes = [{ part: "output", diff: diff(before, after) }] as const;
    return checkLines({ verdict: { kind: "value_changed", changes }, findings: {} });
  };
  const url = (name: string): string => `https://cdn.example.com/${"folder/".repeat(14)}index-${name}.html?v=1`;

  test("long names are cut around their difference", () => {
    expect(linesOf({ [url("one")]: 1 }, { [url("two")]: 1 })).toStrictEqual([
      '  - (+118 characters) …older/index-one.html?v=1"]: 1',
      '  + (+118 characters) …older/index-two.html?v=1"]: 1',
    ]);
    expect(linesOf({ [url("one")]: 1, [url("two")]: 2 }, { [url("one")]: 5, [url("two")]: 6 })).toStrictEqual([
      '    (+118 characters) …older/index-one.html?v=1"]: 1 → 5',
      '    (+118 characters) …older/index-two.html?v=1"]: 2 → 6',
    ]);
    expect(linesOf({ [url("one")]: 1 }, { [url("one")]: 2 })).toStrictEqual([
      '    ["https://cdn.example.com/folder/folder/folder/folder/folder… (+84 characters): 1 → 2',
    ]);
    expect(linesOf({ ["\u6c49".repeat(90)]: 1 }, {})).toStrictEqual([
      `  - ${"\u6c49".repeat(30)}… (+60 characters): 1`,
    ]);
  });

  test("a moved element whose characters changed", () => {
    expect(linesOf({ l: ["caf\u00e9", "x"] }, { l: ["x", "cafe\u0301"] })).toStrictEqual([
      '    l[0]: "caf\u00e9" → "x"',
      '    l[1]: "x" → "cafe\u0301"',
      String.raw`    "caf\u00e9" and "cafe\u0301" look the same`,
    ]);
    expect(linesOf({ l: [{ n: "caf\u00e9" }, 1] }, { l: [1, { n: "cafe\u0301" }] })).toContain(
      String.raw`    {"n":"caf\u00e9"} and {"n":"cafe\u0301"} look the same`,
    );
    expect(linesOf({ l: ["caf\u00e9", "x"] }, { l: ["x", "caf\u00e9"] })).toHaveLength(2);
  });
});
