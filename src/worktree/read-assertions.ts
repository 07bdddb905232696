import { readChain } from "./call-chain.ts";
import type { MaskedSource } from "./mask-source.ts";
import { type SourceRange, insideBrackets, splitAtCommas } from "./source-ranges.ts";

/** One assertion of a test. */
export interface Assertion {
  /** Its source without comments, blanks folded, so that a moved or re-indented one stays equal. */
  readonly text: string;
  readonly offset: number;
}

/** `expect(…)` and `assert(…)` in all their forms, and functions that say by their name that they assert. */
const CALLEE =
  /(?<![\w$.])(?:[\w$]+\.)*(?:expect(?:\.(?:soft|poll|element))?|assert(?:\.[\w$]+)*|(?:expect|assert|verify|check|should|ensure)(?:[A-Z_]\w*)|should)(?=\s*[(<])/g;
const SHOULD = /(?<=[\w$)\]])\.should\b/g;
const DECLARED = /(?:\bfunction\s*\*?|\bnew)\s*$/;
const EXPECT = /(?:^|\.)expect(?:\.\w+)?$/;
const LITERAL = /^(?:true|false|null|undefined|-?\d[\w.]*|(["'])\s*\1|`\s*`|\[\s*\]|\{\s*\})$/;
const NAME = /^[\w$]+$/;

/**
 * Finds the assertions of a range of a source. One that cannot fail is none: a literal on both sides, a name compared
 * with itself, an `expect` without a matcher. `helpers` are further functions whose call asserts.
 */
export function readAssertions(
  source: MaskedSource,
  range: SourceRange,
  helpers: ReadonlySet<string>,
): readonly Assertion[] {
  const code = source.code.slice(0, range.end);
  const found: Assertion[] = [];
  const add = (start: number, end: number): void =>
    void found.push({ text: fold(source.text.slice(start, end)), offset: start });
  for (const match of matchesFrom(CALLEE, code, range.start)) {
    const chain = readChain(code, match.index + match[0].length);
    const [call] = chain.calls;
    if (
      call === undefined ||
      DECLARED.test(code.slice(0, match.index)) ||
      isVacuous(source, match[0], match.index + match[0].length)
    )
      continue;
    add(match.index, chain.end);
  }
  for (const match of matchesFrom(SHOULD, code, range.start)) add(match.index, readChain(code, match.index).end);
  if (helpers.size > 0) {
    for (const match of matchesFrom(/(?<![\w$.])[\w$]+(?=\s*\()/g, code, range.start)) {
      if (helpers.has(match[0]) && !DECLARED.test(code.slice(0, match.index)))
        add(match.index, readChain(code, match.index + match[0].length).end);
    }
  }
  return found;
}

const FUNCTION =
  /(?<![\w$.])(?:function\s*\*?\s*([\w$]+)\s*(?=[(<])|(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?=function\b|[\w$]+\s*=>|[(<]))/g;

/** The names of the functions of a source whose bodies assert, directly or through each other. */
export function assertingFunctions(source: MaskedSource): ReadonlySet<string> {
  const bodies = [...source.code.matchAll(FUNCTION)].flatMap((match) => {
    const open = source.code.slice(match.index + match[0].length).search(/=>|\{/);
    const name = match[1] ?? match[2];
    if (open === -1 || name === undefined) return [];
    return [{ name, body: bodyAt(source.code, match.index + match[0].length) }];
  });
  const names = new Set<string>();
  for (let before = -1; before < names.size; ) {
    before = names.size;
    for (const { name, body } of bodies) if (readAssertions(source, body, names).length > 0) names.add(name);
  }
  return names;
}

/**
 * The body of the function whose parameters, or whose `function`, begin at or behind an offset: a block's inside, or
 * an expression.
 */
export function bodyAt(code: string, from: number): SourceRange {
  const parameters = /^\s*(?:async\b\s*)?(?:function\b\s*\*?\s*[\w$]*\s*)?(?:<[^(]*>\s*)?(\()?/.exec(code.slice(from));
  const behind = parameters?.[1] === undefined ? from : insideBrackets(code, from + parameters[0].length - 1).end + 1;
  const isFunction = /^\s*(?:async\b\s*)?function\b/.test(code.slice(from)) || !/^[^{;]*=>/.test(code.slice(behind));
  const arrow = isFunction ? behind : code.indexOf("=>", behind) + 2;
  const start = arrow + (/^\s*/.exec(code.slice(arrow))?.[0].length ?? 0);
  const open = isFunction ? code.indexOf("{", behind) : start;
  if (open !== -1 && code.charAt(open) === "{") return insideBrackets(code, open);
  const end = code.slice(start).search(/;|\n\s*\n/);
  return { start, end: end === -1 ? code.length : start + end };
}

/** Source text with blanks folded, for comparison. */
export function fold(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([().,;:{}[\]]) ?/g, "$1")
    .replaceAll(/,([)\]}])/g, "$1")
    .trim();
}

function isVacuous(source: MaskedSource, callee: string, from: number): boolean {
  // What has type arguments asserts by its types: the compiler is its matcher.
  if (source.code.startsWith("<", from)) return false;
  const chain = readChain(source.code, from);
  const [first, second] = chain.calls;
  if (first === undefined) return true;
  const subject = splitAtCommas(source.code, first);
  const [left] = subject;
  const isLiteral = (part: SourceRange): boolean => LITERAL.test(source.code.slice(part.start, part.end).trim());
  const words = (part: SourceRange | undefined): string =>
    part === undefined ? "" : source.text.slice(part.start, part.end).trim();
  if (!EXPECT.test(callee))
    return (
      subject.length > 0 && (subject.slice(0, 2).every(isLiteral) || sameName(words(subject[0]), words(subject[1])))
    );
  if (left === undefined || chain.members.length === 0) return true;
  return (
    isLiteral(left) || (second !== undefined && sameName(words(left), words(splitAtCommas(source.code, second)[0])))
  );
}

function sameName(one: string, other: string): boolean {
  return one === other && NAME.test(one);
}

function* matchesFrom(pattern: RegExp, code: string, start: number): Generator<RegExpExecArray> {
  const own = new RegExp(pattern.source, pattern.flags);
  own.lastIndex = start;
  for (let match = own.exec(code); match !== null; match = own.exec(code)) yield match;
}
