import { type DiffLimits, type GateFinding, type TestFileChange, importsOf, linesOf } from "./check-diff.ts";

/** Title of the test that begins in a line. */
const TITLE = /\b(?:test|it)(?:\.\w+){0,4}(?:\([^"'`]{0,200}\))?\s*\(\s*(["'`])(?<title>(?:(?!\1)[^\\]|\\.)+)\1/;
/** Lines that a test doesn't lose a check with: brackets, comments, and names of an import. */
const EMPTY = /^(?:[\s(){}[\];,]*|\/?\*.*|[\w$]+,?)$/;
/** New lines that change what older tests check, or end them early. */
const REPLACES =
  /(?:expect\.(?:extend|add(?:SnapshotSerializer|EqualityTesters))|(?:vi|jest)\.\w*[mM]ock(?:Module)?|mock\.module)\b/;
const LEAVES = /(?:^|[{;)\s])(?:return\b|try\s*\{|if\s*\(|process\.exit|throw\b)/;

/**
 * Tests that were there before and lost a line, or got one that can end them early: the old ones pass on the new code,
 * and the new ones may notice less. A line that moved isn't lost.
 */
export function changedTests(tests: readonly TestFileChange[], { approvedTests }: DiffLimits): readonly GateFinding[] {
  const left = new Map<string, number>();
  for (const line of tests.flatMap(({ after }) => linesOf(after))) left.set(line, (left.get(line) ?? 0) + 1);
  const imported = new Set(tests.flatMap(({ after }) => importsOf(after).map(({ module }) => lastName(module))));
  const isApproved = (title: string): boolean =>
    approvedTests.some((name) => name === title || name.endsWith(` > ${title}`));
  return tests
    .filter(({ before, after }) => before !== "" && (after !== "" || hasTitleElsewhere(before, left)))
    .flatMap(({ path, before, after }) => {
      const seen = new Set<string>();
      let title = "";
      const kept = new Set(importsOf(after).map(({ module }) => module));
      const lost = linesOf(before).flatMap((line, index): readonly GateFinding[] => {
        title = TITLE.exec(line)?.groups?.["title"] ?? title;
        const count = left.get(line) ?? 0;
        left.set(line, count - 1);
        const [{ module } = {}] = importsOf(line);
        // In another folder a moved test imports the same module by another path.
        const isImported = module !== undefined && (after === "" ? imported.has(lastName(module)) : kept.has(module));
        if (count > 0 || EMPTY.test(line) || isImported) return [];
        if (seen.has(title) || isApproved(title)) return [];
        seen.add(title);
        return [{ rule: "test-changed", path, line: index + 1, detail: `${title || "a test"} lost: ${line}` }];
      });
      return lost.length > 0 ? lost : insertedLines({ path, before, after });
    });
}

function lastName(module: string): string {
  return module.slice(module.lastIndexOf("/") + 1);
}

function hasTitleElsewhere(before: string, left: ReadonlyMap<string, number>): boolean {
  return linesOf(before).some((line) => TITLE.test(line) && (left.get(line) ?? 0) > 0);
}

/** New lines that end an older test early, or replace what tests use. */
function insertedLines({ path, before, after }: TestFileChange): readonly GateFinding[] {
  const old = new Set(linesOf(before).filter((line) => !EMPTY.test(line)));
  const lines = linesOf(after);
  const next = (index: number): string => lines.slice(index + 1).find((line) => !EMPTY.test(line)) ?? "";
  return lines.flatMap((line, index): readonly GateFinding[] => {
    if (old.has(line)) return [];
    const following = next(index);
    const isEarly = LEAVES.test(line) && old.has(following) && !TITLE.test(following) && !TITLE.test(line);
    if (!isEarly && !REPLACES.test(line)) return [];
    return [{ rule: "test-changed", path, line: index + 1, detail: `a new line may end or weaken a test: ${line}` }];
  });
}
