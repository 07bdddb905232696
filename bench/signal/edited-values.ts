import type { Behaviour, Scene } from "./behaviour.ts";
import type { SceneMaker } from "./step-changes.ts";

/** Fields that are put over an output, before and after. */
type Edit = readonly [before: object, after: object];

const WORDS = Array.from({ length: 40 }, (_, index) => `item ${index}`);
const MATRIX = Array.from({ length: 6 }, (_, row) => Array.from({ length: 6 }, (_cell, column) => row * 6 + column));
const LINES = Array.from({ length: 12 }, (_, index) => `${index + 1}. A line of a letter.`);
const RECORD = { id: "r-1", rows: WORDS.slice(0, 20).map((name, place) => ({ name, place, open: true })) };
const HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".repeat(4);
const CHINESE = "收据显示总额为十二欧元并且已经用现金支付感谢您的光临".repeat(12);
const THAI = "ใบเสร็จแสดงยอดรวมสิบสองยูโรและชำระด้วยเงินสดแล้ว".repeat(8);
const EMBEDDING = Array.from({ length: 768 }, (_, index) => Math.sin(index));

const EDITS: Readonly<Record<string, Edit>> = {
  "list of 40: one in front": [{ list: WORDS }, { list: ["first", ...WORDS] }],
  "list of 40: one gone in the middle": [{ list: WORDS }, { list: WORDS.toSpliced(20, 1) }],
  "list of 40: first one last": [{ list: WORDS }, { list: [...WORDS.slice(1), ...WORDS.slice(0, 1)] }],
  "list: one of many duplicates gone": [{ list: Array(9).fill("a") }, { list: Array(8).fill("a") }],
  "list: one duplicate more, between others": [{ list: ["a", "b", "a"] }, { list: ["a", "b", "b", "a"] }],
  "list of objects: one in front": [{ list: RECORD.rows }, { list: [{ name: "first" }, ...RECORD.rows] }],
  "list of objects: one moved and changed": [
    { list: RECORD.rows },
    { list: [...RECORD.rows.slice(1), { ...RECORD.rows[0], open: false }] },
  ],
  "matrix: row in front": [{ matrix: MATRIX }, { matrix: [[9, 9, 9, 9, 9, 9], ...MATRIX] }],
  "matrix: one cell": [{ matrix: MATRIX }, { matrix: MATRIX.with(2, [12, 13, 14, 99, 16, 17]) }],
  "matrix: column gone": [{ matrix: MATRIX.slice(0, 2) }, { matrix: MATRIX.slice(0, 2).map((row) => row.slice(1)) }],
  "list in a list: one added": [{ lists: [[WORDS], []] }, { lists: [[[...WORDS, "last"]], []] }],
  "JSON in a text: a value": [{ raw: json(RECORD) }, { raw: json({ ...RECORD, id: "r-2" }) }],
  "JSON in a text: an element gone": [{ raw: json(RECORD) }, { raw: json({ ...RECORD, rows: RECORD.rows.slice(1) }) }],
  "JSON in a text: indented": [{ raw: json(RECORD) }, { raw: JSON.stringify(RECORD, null, 2) }],
  "JSON in a text: keys in another order": [
    { raw: json({ id: "r-1", open: true }) },
    { raw: json({ open: true, id: "r-1" }) },
  ],
  "JSON in a text: broken": [{ raw: json(RECORD) }, { raw: json(RECORD).slice(0, -1) }],
  "base64: an embedding": [{ vector: base64(EMBEDDING) }, { vector: base64(EMBEDDING.toReversed()) }],
  "long text: blank at the end of a line": [
    { letter: LINES.join("\n") },
    { letter: LINES.join("\n").replace("r.\n", "r. \n") },
  ],
  "long text: line ends of every line": [{ letter: LINES.join("\n") }, { letter: LINES.join("\r\n") }],
  "long text: line end of one line": [{ letter: LINES.join("\n") }, { letter: LINES.join("\n").replace("\n", "\r\n") }],
  "long text: two lines change places": [
    { letter: LINES.join("\n") },
    { letter: [LINES[1], LINES[0], ...LINES.slice(2)].join("\n") },
  ],
  "long text: tabs for blanks": [{ letter: "  a\n  b\n  c" }, { letter: "\ta\n  b\n  c" }],
  "long run: Chinese": [{ text: CHINESE }, { text: `${CHINESE.slice(0, 160)}百${CHINESE.slice(161)}` }],
  "long run: Thai": [{ text: THAI }, { text: `${THAI.slice(0, 160)}ก${THAI.slice(160)}` }],
  "long run: a hash": [{ text: HASH }, { text: `${HASH.slice(0, 130)}z${HASH.slice(131)}` }],
  "text: byte order mark": [{ text: "a text" }, { text: "\uFEFFa text" }],
  "text: direction mark": [{ text: "a text" }, { text: "a \u200Ftext" }],
  "text: soft hyphen": [{ text: "a receipt" }, { text: "a re\u00ADceipt" }],
  "text: quotation marks": [{ text: `a "text"` }, { text: "a “text”" }],
  "text: dash for a hyphen": [{ text: "10-12" }, { text: "10‑12" }],
  "text: full-width digits": [{ text: "total 12" }, { text: "total １２" }],
  "text: form of an emoji": [{ text: "paid ✔" }, { text: "paid ✔\uFE0F" }],
  "number: unit of it": [{ weight: { value: 1.5, unit: "kg" } }, { weight: { value: 1500, unit: "g" } }],
  "number: written for another locale": [{ text: "1,234.50" }, { text: "1.234,50" }],
  "date: another time zone": [{ at: "2026-03-01T14:30:00Z" }, { at: "2026-03-01T15:30:00+01:00" }],
  "date: seconds for milliseconds": [{ at: 1_772_375_400_000 }, { at: 1_772_375_400 }],
};

/** Values of types that JSON doesn't have; the test file makes them. */
const TYPED_EDITS: Readonly<
  Record<string, readonly [twist: "map" | "set" | "instant", before: object, after: object]>
> = {
  "Map: value of an entry": ["map", { typed: { a: 1, b: 2 } }, { typed: { a: 1, b: 3 } }],
  "Map: entry gone": ["map", { typed: { a: 1, b: 2 } }, { typed: { a: 1 } }],
  "Set: element added": ["set", { typed: ["a", "b"] }, { typed: ["a", "b", "c"] }],
  "Date: one millisecond": ["instant", { typed: 1_772_375_400_000 }, { typed: 1_772_375_400_001 }],
};

/** Fields of an output that change in ways for which a receipt has no field. */
export const EDITED_VALUES: Readonly<Record<string, SceneMaker>> = {
  ...Object.fromEntries(
    Object.entries(EDITS).map(([name, [before, after]]): [string, SceneMaker] => [
      name,
      ({ found }) => [
        ...edited({ edit: before }, { edit: after }),
        {
          matcher: "step",
          mode: "live",
          before: { answer: { ...found, ...before } },
          after: { answer: { ...found, ...after } },
          cause: "model",
        },
      ],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(TYPED_EDITS).map(([name, [twist, before, after]]): [string, SceneMaker] => [
      name,
      () => edited({ twist, edit: before }, { twist, edit: after }),
    ]),
  ),
};

function edited(before: Partial<Behaviour>, after: Partial<Behaviour>): readonly Scene[] {
  return [
    { matcher: "step", mode: "replay", before, after, cause: "code" },
    { matcher: "value", mode: "replay", before, after },
    { matcher: "result", mode: "live", before, after },
    { matcher: "replay", mode: "replay", before, after },
  ];
}

function json(value: object): string {
  return JSON.stringify(value);
}

function base64(numbers: readonly number[]): string {
  return Buffer.from(Float32Array.from(numbers).buffer).toString("base64");
}
