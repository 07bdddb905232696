import { type CallChain, readChain } from "./call-chain.ts";
import { type MaskedSource, maskSource } from "./mask-source.ts";
import { type Assertion, assertingFunctions, bodyAt, fold, readAssertions } from "./read-assertions.ts";
import { type SourceRange, splitAtCommas } from "./source-ranges.ts";

/** What keeps a test or a group of tests from counting. */
export type MarkKind = "skipped" | "focused" | "todo" | "conditional" | "expected-to-fail";

/** A test or a group that is marked not to count. */
export interface TestMark {
  readonly kind: MarkKind;
  readonly title: string;
  readonly offset: number;
}

/** A test with what it asserts. */
export interface TestCase {
  /** Its title as it stands in the source. */
  readonly title: string;
  readonly offset: number;
  /** `unknown` where the test is a function of another file. */
  readonly body: "empty" | "code" | "unknown";
  readonly range: SourceRange;
  readonly assertions: readonly Assertion[];
}

/** What a test file holds. */
export interface TestSource {
  readonly masked: MaskedSource;
  readonly tests: readonly TestCase[];
  readonly marks: readonly TestMark[];
  /** Every assertion, also those of helpers outside of any test. */
  readonly assertions: readonly Assertion[];
}

const TEST_NAMES: readonly string[] = ["test", "it", "specify", "xit", "xtest", "fit", "ftest", "t\\.test"];
const GROUP_NAMES: readonly string[] = ["describe", "suite", "xdescribe", "fdescribe"];
const MARKS: Readonly<Record<string, MarkKind>> = {
  skip: "skipped",
  only: "focused",
  todo: "todo",
  fails: "expected-to-fail",
  failing: "expected-to-fail",
  skipIf: "conditional",
  runIf: "conditional",
  todoIf: "conditional",
  if: "conditional",
};
/** Members that configure or wrap, and define no test. */
const NO_TEST = new Set([
  "extend",
  "beforeEach",
  "beforeAll",
  "afterEach",
  "afterAll",
  "aroundEach",
  "aroundAll",
  "before",
  "after",
  "step",
  "use",
  "override",
  "mock",
  "assert",
]);

/** Reads the tests of a JavaScript or TypeScript source, as Vitest, Jest and node:test know them. Never throws. */
export function readTests(source: string): TestSource {
  const masked = maskSource(source);
  const helpers = assertingFunctions(masked);
  const tests: TestCase[] = [];
  const marks: TestMark[] = [];
  for (const match of masked.code.matchAll(calleePattern(masked.code))) {
    const name = match[1] ?? "";
    const chain = readChain(masked.code, match.index + name.length);
    const call = chain.calls.at(-1);
    if (
      call === undefined ||
      isDeclaration(masked.code, match.index, chain.end) ||
      chain.members.some((member) => NO_TEST.has(member))
    )
      continue;
    const found = readCall({ masked, helpers, name, chain, call, offset: match.index });
    marks.push(...found.marks);
    tests.push(...found.tests);
  }
  return { masked, tests, marks, assertions: readAssertions(masked, { start: 0, end: masked.code.length }, new Set()) };
}

/** `function test(…) {…}`, and the method `test(…) {…}` of an object or class. */
function isDeclaration(code: string, start: number, end: number): boolean {
  return /\bfunction\s*\*?\s*$/.test(code.slice(0, start)) || /^\s*(?::[^;=]*)?\{/.test(code.slice(end));
}

interface Callee {
  readonly masked: MaskedSource;
  readonly helpers: ReadonlySet<string>;
  readonly name: string;
  readonly chain: CallChain;
  readonly call: SourceRange;
  readonly offset: number;
}

function readCall(callee: Callee): Pick<TestSource, "tests" | "marks"> {
  const { masked, name, chain, offset } = callee;
  const args = splitAtCommas(masked.code, callee.call);
  const title = args[0] === undefined ? "" : fold(masked.text.slice(args[0].start, args[0].end));
  const isGroup = chain.members.includes("describe") || GROUP_NAMES.includes(name);
  const run = args.findLast((arg) => isFunction(masked.code, arg));
  const kinds = new Set(
    chain.members
      .map((member) => MARKS[member])
      .concat(
        prefixMark(name),
        args.map((arg) => optionMark(masked.code, arg)),
      ),
  );
  if (!isGroup && args.length === 1 && run === undefined && /^["'`]/.test(title) && !hasMark(kinds)) kinds.add("todo");
  const test =
    isGroup || hasMark(new Set([...kinds].filter((kind) => kind === "todo"))) ? [] : [readCase(callee, title, run)];
  if (!isGroup && run !== undefined) kinds.add(ownMark(masked.code, run));
  return { tests: test, marks: [...kinds].flatMap((kind) => (kind === undefined ? [] : [{ kind, title, offset }])) };
}

function hasMark(kinds: ReadonlySet<MarkKind | undefined>): boolean {
  return [...kinds].some((kind) => kind !== undefined);
}

function readCase({ masked, helpers, offset, call }: Callee, title: string, run: SourceRange | undefined): TestCase {
  if (run === undefined) return { title, offset, body: "unknown", range: call, assertions: [] };
  const { start, end } = bodyAt(masked.code.slice(0, run.end), run.start);
  const code = masked.code.slice(start, end).replaceAll(/[;\s]/g, "");
  const isEmpty =
    /^(?:\(?(?:undefined|null|\{\}|void0)?\)?|return|debugger)$/.test(code) ||
    /^\s*return\s*[;\n]/.test(masked.code.slice(start, end));
  return {
    title,
    offset,
    body: isEmpty ? "empty" : "code",
    range: { start, end },
    assertions: isEmpty ? [] : readAssertions(masked, { start, end }, helpers),
  };
}

function isFunction(code: string, { start, end }: SourceRange): boolean {
  return /^(?:async\b\s*)?(?:function\b|(?:<[^(]*>\s*)?\([^]*=>|[\w$]+\s*=>)/.test(code.slice(start, end));
}

function prefixMark(name: string): readonly (MarkKind | undefined)[] {
  if (/^x(?:it|test|describe)$/.test(name)) return ["skipped"];
  return /^f(?:it|test|describe)$/.test(name) ? ["focused"] : [];
}

/** An object of options: `{ skip: true }`. A value that is plainly false marks nothing. */
function optionMark(code: string, { start, end }: SourceRange): MarkKind | undefined {
  const text = code.slice(start, end);
  if (!text.startsWith("{")) return undefined;
  const option = /[{,]\s*(skip|only|todo|fails)\s*(?=[,}]|:(?!\s*(?:false|undefined)\b))/.exec(text)?.[1];
  return option === undefined ? undefined : MARKS[option];
}

/** A test that marks itself while it runs: `context.skip()`, `t.todo()`, or `skip()` taken from the context. */
function ownMark(code: string, run: SourceRange): MarkKind | undefined {
  const text = code.slice(run.start, run.end);
  const [, parameter, taken] =
    /^(?:async\b\s*)?(?:function\b\s*[\w$]*\s*)?\(?\s*(?:([\w$]+)|\{([^}]*)\})/.exec(text) ?? [];
  const own =
    parameter === undefined
      ? undefined
      : new RegExp(`(?<![\\w$.])${parameter.replaceAll("$", "\\$")}\\.(skip|todo)\\s*\\(`).exec(text)?.[1];
  const destructured = /\bskip\b/.test(taken ?? "") && /(?<![\w$.])skip\s*\(/.test(text) ? "skip" : undefined;
  return MARKS[own ?? destructured ?? ""];
}

/** The names under which the file calls its runner: the usual ones, and those it gives them by import or `extend`. */
function calleePattern(code: string): RegExp {
  const renamed = [...code.matchAll(/(?<![\w$.])(?:test|it|describe|suite)\s+as\s+([\w$]+)/g)].map((match) => match[1]);
  const extended = [
    ...code.matchAll(/\b(?:const|let|var)\s+([\w$]+)\s*=\s*(?:test|it|base|baseTest)(?:\.extend)?\s*(?:[.(<]|;|\n)/g),
  ].map((match) => match[1]);
  const own = [...renamed, ...extended].flatMap((name) =>
    name === undefined || name === "test" ? [] : [name.replaceAll("$", "\\$")],
  );
  return new RegExp(`(?<![\\w$.])(${[...TEST_NAMES, ...GROUP_NAMES, ...own].join("|")})(?![\\w$])`, "g");
}
