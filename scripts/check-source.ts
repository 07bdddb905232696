/**
 * Checks of src/ that no linter makes, `npm run check:source`: an exported name means one thing wherever it is declared,
 * no line is wider than the formatter's limit (it leaves long strings alone), environment variables are read in one file,
 * and outputs are written by a few. Tests and their helpers are free. Sources and documents, except the word lists,
 * also keep the rules of CONTRIBUTING's "Language".
 */
import { globSync, readFileSync } from "node:fs";
import { listDirectWrites } from "./source/list-direct-writes.ts";
import { listEnvironmentReads } from "./source/list-environment-reads.ts";
import { listTwins } from "./source/list-twins.ts";
import { listWideLines } from "./source/list-wide-lines.ts";
import { type WordingException, listWording } from "./source/list-wording.ts";

/** The same entry for another runner: it exports the same names. */
const TWIN_ENTRY = "src/reporter/jest.ts";
/**
 * Names of the public API that two entries of the package export, each with the meaning its own readers know: the entry
 * of an import decides the meaning, and another name for one would break its users.
 */
const OF_TWO_ENTRIES: ReadonlyMap<string, readonly string[]> = new Map([
  // `veritest/grounding`: a computation that may fail. `veritest/runner`: stages that commit one by one.
  ["Pipeline", ["src/extras/grounding/pipeline/pipeline.ts", "src/extras/runs/runner/pipeline.ts"]],
]);
const NOT_PRODUCT = /\.test(?:-d)?\.ts$|\.d\.ts$|\/(?:fixtures|testing)\//;

/** Lists of English words that grounding compares: data, not sentences of ours. */
const WORD_LISTS: readonly string[] = [
  "src/extras/grounding/text/common-words.ts",
  "src/extras/grounding/verify/antonyms.ts",
  "src/extras/grounding/verify/split-claims.ts",
  "src/extras/grounding/verify/frames.ts",
];
/** Words in checked files that aren't ours to choose, each with its reason: at most 20. */
const WORDING_EXCEPTIONS: readonly WordingException[] = [
  { path: "src/extras/runs/store/sql-statements.ts", text: "null where", reason: "SQL" },
  { path: "src/cli/commands/capture.ts", text: "whole", reason: "the option --whole" },
  { path: "src/extras/runs/store/sql-statements.ts", text: "true where", reason: "SQL" },
  { path: "src/updates/policy.ts", text: "ProposedChange", reason: "public: a policy's approve gets it" },
];
const DOCUMENTS = ["*.md", "docs/**/*.md", "{bench,faults}/README.md", "examples/*/README.md"];

const files = globSync("src/**/*.{ts,js}")
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !NOT_PRODUCT.test(path))
  .sort()
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

const entries = files.filter(({ path }) => path !== TWIN_ENTRY);
const documents = globSync(DOCUMENTS).map((path) => ({
  path: path.replaceAll("\\", "/"),
  text: readFileSync(path, "utf8"),
}));
const isChecked = ({ path }: { readonly path: string }): boolean =>
  !WORD_LISTS.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
const problems = [
  ...listTwins(entries, OF_TWO_ENTRIES),
  ...listWideLines(files),
  ...listEnvironmentReads(files),
  ...listDirectWrites(files),
  ...listWording([...files, ...documents].filter(isChecked), WORDING_EXCEPTIONS),
];
for (const problem of problems) console.log(problem);
console.log(`check:source: ${String(files.length)} files, ${String(problems.length)} to fix`);
process.exitCode = problems.length > 0 ? 1 : 0;
