import { type DiffLimits, type GateFinding, type TestFileChange, importsOf, linesOf } from "./check-diff.ts";
import { weakeningLines } from "./weakening-lines.ts";

/** Title of the test that begins in a line. */
const TITLE = /\b(?:test|it)(?:\.\w+){0,4}(?:\([^"'`]{0,200}\))?\s*\(\s*(["'`])(?<title>(?:(?!\1)[^\\]|\\.)+)\1/;
/** A call that makes a test. */
const TEST = /\b(?:test|it)(?:\.\w+){0,4}\s*[(`]/;
/** Name of the function that begins in a line of Python, Go or Rust, and is a test. */
const FUNCTION = /^(?:(?:pub )?(?:async )?(?:def|fn)|func) (?<title>\w+)/;
/** A line with which a test, or a group of tests, begins. */
const BEGINS = new RegExp(String.raw`${TITLE.source}|^(?:describe|suite)\b`);
/** Lines that a test doesn't lose a check with: brackets, comments, and names of an import. */
const WITHOUT_CHECK = /^(?:[\s(){}[\];,]*|\/?\*.*|[\w$]+,?)$/;
/** New lines that change what older tests check, or end them early. */
const REPLACES = new RegExp(
  String.raw`(?:expect\.(?:extend|add(?:SnapshotSerializer|EqualityTesters))|(?:vi|jest)\.\w*[mM]ock(?:Module)?|` +
    String.raw`mock\.module|(?:overwrite|add)(?:Method|Property)|chai\.(?:use|util)|` +
    String.raw`(?:Assertion|Object|Function|Promise)\.prototype)\b|\b\w+\.prototype\.\w+\s*=(?!=)|` +
    String.raw`\btask\.(?:result|mode|fails)\b|@(?:vitest|jest)-\w+`,
);
/** Runs a module that may change `expect`. */
const IMPORTS_NO_NAME = /^import\s*["']/;
const LEAVES = /(?:^|[{;)\s])(?:return\b|try\s*\{|if\s*\(|process\.exit|throw\b)/;
/** A line that the next one continues: a block, a function, a loop, an operator. */
const CONTINUES = /(?:=>|&&|\|\||\?\?|[?:=({]|\b(?:while|for|with)\b.*\)|\b(?:else|do|void))$/;
/** A line that makes the next one a comment, or a part of a text. */
const HIDES = /\/\*(?!.*\*\/)|^[^`]*`(?:[^`]*`[^`]*`)*[^`]*$/;
/** Tests in languages of which veritest can't read results. */
const FOREIGN = /\.(?:py|go|rs)$/;
/** First lines of a file, which a removed file shares with the file that its tests moved to. */
const HEADER = /^(?:(?:package|import|from|use)\b|"[^"]+"$)/;
/** Import of names in Python or Rust, without new names for them. */
const NAMES = /^(?:from (?<python>\S+) import |use (?<rust>[\w:]+)::)(?!.*\bas\b)[({]?(?<names>[\w, ]+)[)}]?;?$/;
const DECLARES = /\b(?:const|let|var|function|class)\b([^=]*)/;

/**
 * Tests that were there before and lost a line, or got one that can end them early: the old ones pass on the new code,
 * and the new ones may notice less. A line that moved isn't lost. The lines of a removed file are lost, unless a
 * person allows this for tests that a check counted and that aren't replaced.
 */
export function changedTests(
  tests: readonly TestFileChange[],
  { approvedTests, allow }: DiffLimits,
  uncounted: ReadonlySet<string> = new Set(),
): readonly GateFinding[] {
  const left = new Map<string, number>();
  for (const line of tests.flatMap(({ after }) => linesOf(after))) left.set(line, (left.get(line) ?? 0) + 1);
  const known = new Set(left.keys());
  const imported = new Set(tests.flatMap(({ after }) => importsOf(after).map(({ module }) => lastName(module))));
  const isApproved = (title: string): boolean =>
    approvedTests.some((name) => name === title || name.endsWith(` > ${title}`));
  const isJudged = ({ path, before, after }: TestFileChange): boolean =>
    after !== "" ||
    FOREIGN.test(path) ||
    uncounted.has(path) ||
    (TEST.test(before) && !allow.includes("test-file-removed")) ||
    hasTitleElsewhere(before, tests);
  const weaker = weakeningLines(tests)
    .filter(({ title }) => !isApproved(title))
    .map(({ path, line, text }) => weakening(path, line, text));
  const findings = tests
    .filter((change) => change.before !== "" && isJudged(change))
    .flatMap(({ path, before, after }) => {
      const seen = new Set<string>();
      let title = "";
      const kept = importsIn(path, after);
      const lost = linesOf(before).flatMap((line, index): readonly GateFinding[] => {
        title = (TITLE.exec(line) ?? FUNCTION.exec(line))?.groups?.["title"] ?? title;
        if (after === "" && HEADER.test(line) && known.has(line)) return [];
        const count = left.get(line) ?? 0;
        left.set(line, count - 1);
        const [{ module } = {}] = importsOf(line);
        // In another folder a moved test imports the same module by another path.
        const isImported = module !== undefined && (after === "" ? imported.has(lastName(module)) : kept.has(module));
        if (count > 0 || WITHOUT_CHECK.test(line) || isImported || importsNames(line, after)) return [];
        if (seen.has(title) || isApproved(title)) return [];
        seen.add(title);
        return [{ rule: "test-changed", path, line: index + 1, detail: `${title || "a test"} lost: ${line}` }];
      });
      return lost.length > 0 ? lost : insertedLines({ path, before, after });
    })
    .concat(weaker);
  const byLine = Map.groupBy(findings, ({ path, line }) => `${path}:${line}`);
  return [...byLine.values()].flatMap((same) => same.slice(0, 1));
}

function weakening(path: string, line: number, text: string): GateFinding {
  return { rule: "test-changed", path, line, detail: `a new line might end or weaken a test: ${text}` };
}

/** The modules that a text imports. Go imports several in one block, with a line for each. */
function importsIn(path: string, text: string): ReadonlySet<string> {
  const modules = importsOf(text).map(({ module }) => module);
  const block = path.endsWith(".go") ? linesOf(text).flatMap((line) => /^"([^"]+)"$/.exec(line)?.[1] ?? []) : [];
  return new Set([...modules, ...block]);
}

/** Returns true if a line of a text imports the same names as this line from the same module, and perhaps more. */
function importsNames(line: string, text: string): boolean {
  const before = namesOf(line);
  return (
    before !== undefined &&
    linesOf(text).some((each) => {
      const after = namesOf(each);
      return after?.module === before.module && before.names.every((name) => after.names.includes(name));
    })
  );
}

function namesOf(line: string): { readonly module: string; readonly names: readonly string[] } | undefined {
  const { python, rust, names } = NAMES.exec(line)?.groups ?? {};
  const module = python ?? rust;
  if (module === undefined || names === undefined) return undefined;
  return { module, names: names.split(",").map((name) => name.trim()) };
}

function lastName(module: string): string {
  return module.slice(module.lastIndexOf("/") + 1);
}

function hasTitleElsewhere(before: string, tests: readonly TestFileChange[]): boolean {
  const titles = new Set(tests.flatMap(({ after }) => titlesIn(after)));
  return titlesIn(before).some((title) => titles.has(title));
}

function titlesIn(text: string): readonly string[] {
  return linesOf(text).flatMap((line) => TITLE.exec(line)?.groups?.["title"] ?? []);
}

/** New lines that end an older test early, or replace what tests use. */
function insertedLines({ path, before, after }: TestFileChange): readonly GateFinding[] {
  const old = new Set(linesOf(before).filter((line) => !WITHOUT_CHECK.test(line)));
  const lines = linesOf(after);
  const imported = namesIn(before);
  let isOlder = true;
  return lines.flatMap((line, index): readonly GateFinding[] => {
    if (TITLE.test(line)) isOlder = old.has(line);
    if (old.has(line)) return [];
    const following = lines.slice(index + 1).find((each) => !WITHOUT_CHECK.test(each)) ?? "";
    const isBefore = old.has(following) && !BEGINS.test(following) && !BEGINS.test(line);
    const isEarly = isBefore && (LEAVES.test(line) || (isOlder && CONTINUES.test(line)));
    const isHiding = HIDES.test(line) && old.has(lines[index + 1] ?? "");
    const names = isOlder ? (DECLARES.exec(line)?.[1] ?? "").split(/[^\w$]+/) : [];
    const isReplacing = REPLACES.test(line) || (IMPORTS_NO_NAME.test(line) && !FOREIGN.test(path));
    if (!isEarly && !isHiding && !isReplacing && !names.some((name) => imported.has(name))) return [];
    return [weakening(path, index + 1, line)];
  });
}

/** The names that a test file imports, and those of its assertions. */
function namesIn(text: string): ReadonlySet<string> {
  const clauses = [...text.matchAll(/\bimport\s+([^;"'`]{1,2000}?)\s+from\b/g)].map(([, names = ""]) => names);
  const names = clauses.flatMap((clause) => clause.split(/[^\w$]+|\b(?:type|as|default)\b/));
  return new Set(["expect", "assert", ...names.filter((name) => name !== "")]);
}
