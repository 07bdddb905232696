import * as fc from "fast-check";
import { expect, test } from "vitest";
import { partners, tokenize } from "./tokenize.ts";

function textsOf(source: string): string[] | undefined {
  return tokenize(source)?.map(({ text }) => text);
}

test.each<[string, string[] | undefined]>([
  ["", []],
  ["#!/usr/bin/env node\na", ["a"]],
  ["a // b\n/* c\n */ d", ["a", "d"]],
  [`"a\\"b" 'c"d'`, [`"a\\"b"`, `'c"d'`]],
  ["`a ${b + `c ${ {d: 1}.d }`} }` e", ["`a ${b + `c ${ {d: 1}.d }`} }`", "e"]],
  ["`\\`${'`'}`", ["`\\`${'`'}`"]],
  ['x = /a[/"]b/g.test(y)', ["x", "=", '/a[/"]b/g', ".", "test", "(", "y", ")"]],
  ["a / b / c", ["a", "/", "b", "/", "c"]],
  ["(a) / b[0] / '/'", ["(", "a", ")", "/", "b", "[", "0", "]", "/", "'/'"]],
  ["return /x/", ["return", "/x/"]],
  ["({...a}) => 1.5e3", ["(", "{", "...", "a", "}", ")", "=>", "1.5e3"]],
  ["größe: $x_1", ["größe", ":", "$x_1"]],
  ['"open', undefined],
  ["`open ${a", undefined],
  ["/* open", undefined],
])("reads %j", (source, texts) => {
  expect(textsOf(source)).toStrictEqual(texts);
});

test("pairs brackets, and refuses those that do not fit", () => {
  const pairs = (source: string): [number, number][] | undefined => {
    const found = partners(tokenize(source) ?? []);
    return found === undefined ? undefined : [...found].filter(([from, to]) => from < to);
  };
  expect(pairs("f({ a: [1] }, `(`, ')')")).toStrictEqual([
    [5, 7],
    [2, 8],
    [1, 13],
  ]);
  for (const source of ["(", ")", "(]", "([)]", "{}}"]) expect(pairs(source)).toBeUndefined();
});

test("of any text: tokens stand in order, apart, and between them is nothing but blanks and comments", () => {
  const pieces = fc.constantFrom(
    "a",
    "'x'",
    '"y"',
    "`z${1}`",
    "/r/",
    "/",
    "//",
    "\n",
    "/*",
    "*/",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    "=>",
    "...",
    "1",
    " ",
    "\\",
    "é",
    "\u{1f600}",
    "\u2028",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(pieces).map((parts) => parts.join("")),
        fc.string(),
      ),
      (source) => {
        const tokens = tokenize(source);
        if (tokens === undefined) return;
        let end = 0;
        for (const token of tokens) {
          expect(source.slice(token.start, token.end)).toBe(token.text);
          expect(token.start).toBeGreaterThanOrEqual(end);
          expect(source.slice(end, token.start)).toMatch(/^(?:#![^\n]*)?(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*$/);
          end = token.end;
        }
      },
    ),
    { numRuns: 5000 },
  );
});
