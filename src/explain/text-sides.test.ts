import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lookOf } from "../kernel/diff/look-alikes.ts";
import { diff } from "../kernel/diff/diff.ts";
import { countCells } from "../kernel/terminal-cells.ts";
import { changedTexts, shownSidesOf } from "../../test-support/changed-texts.ts";
import { runCount } from "../../test-support/run-count.ts";
import { checkLines } from "./check-lines.ts";

function linesOf(before: string, after: string): string[] {
  const change = { part: "output", diff: diff({ t: before }, { t: after }) } as const;
  return checkLines({ verdict: { kind: "value_changed", changes: [change] }, findings: {} });
}

test("shows two different sides of each changed text, in lines of at most 120 columns", () => {
  fc.assert(
    fc.property(changedTexts, ([before, after]) => {
      const lines = linesOf(before, after);
      expect(lines.filter((line) => countCells(line) > 120)).toStrictEqual([]);
      const [was, is] = shownSidesOf(lines).map(lookOf);
      // Rows that are only added have no other side.
      if (was === is) expect(lines).toContainEqual(expect.stringMatching(/^ +[-+]$/));
    }),
    { numRuns: runCount(100) },
  );
});

test.each([
  [
    "a blank at the end of a line",
    "a\nb\nc",
    "a\nb \nc",
    ["    t: 3 lines", "        a", "      - b", "      + b\\u0020", "        c"],
  ],
  [
    "a space at the end of prose",
    `${"the word ".repeat(12)}end`,
    `${"the word ".repeat(12)}end `,
    ["    t: 112 characters (was 111), 1 wording change", "      word 26: … word the word the word end{+\\u0020+}"],
  ],
  ["line ends of Windows", "a\nb\nc", "a\r\nb\r\nc", ["    t: line endings: LF → CRLF"]],
  ["line ends of which some were of Windows", "a\nb\r\nc", "a\nb\nc", ["    t: line endings: CRLF and LF → LF"]],
  [
    "a word, besides line ends of Windows,",
    "one\ntwo\nthree\nfour",
    "one\r\ntwo\r\nTHREE\r\nfour",
    [
      "    t: line endings: LF → CRLF, 4 lines",
      "        one",
      "        two",
      "      - three",
      "      + THREE",
      "        four",
    ],
  ],
  [
    "a word of prose, besides line ends of Windows,",
    `${"the word ".repeat(12)}\n${"and more ".repeat(12)}end`,
    `${"the word ".repeat(12)}\r\n${"and more ".repeat(12)}END`,
    [
      "    t: line endings: LF → CRLF, 220 characters, 1 wording change",
      "      word 49: … and more and more and more [-end-]{+END+}",
    ],
  ],
  [
    "a word, besides line ends that are all of Linux now,",
    "one\r\ntwo\nthree",
    "one\ntwo\nTHREE",
    ["    t: line endings: CRLF and LF → LF, 3 lines", "        one", "        two", "      - three", "      + THREE"],
  ],
  [
    "one line end among others",
    "a\nb\r\nc",
    "a\r\nb\nc",
    ["    t: 3 lines", "      - a", "      - b\\r", "      + a\\r", "      + b", "        c"],
  ],
  [
    "an escape in place of its character",
    "a\nb\u200bc\nd",
    "a\nb\\u200bc\nd",
    ["    t: 3 lines", "        a", "      - b\\u200bc", "      + b\\\\u200bc", "        d"],
  ],
  [
    "a character in a run without spaces",
    "漢字".repeat(200),
    `${"漢字".repeat(150)}仮${"漢字".repeat(50)}`,
    [
      "    t:",
      `      - (+271 characters) …${"漢字".repeat(23)}…`,
      `      + (+271 characters) …${"漢字".repeat(15)}仮${"漢字".repeat(7)}漢…`,
    ],
  ],
])("%s is visible", (_what, before, after, lines) => {
  expect(linesOf(before, after)).toStrictEqual(lines);
});
