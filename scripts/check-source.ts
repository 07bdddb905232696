/**
 * What no linter says of src/, `npm run check:source`: an exported name means one thing wherever it is declared, no line
 * is wider than what the formatter aims at (it leaves long texts as they are), and environment variables are read in one
 * file. Tests and what they share are free.
 */
import { globSync, readFileSync } from "node:fs";
import { listEnvironmentReads } from "./source/list-environment-reads.ts";
import { listTwins } from "./source/list-twins.ts";
import { listWideLines } from "./source/list-wide-lines.ts";

/** The same entry for another runner: it exports the same names. */
const TWIN_ENTRY = "src/reporter/jest.ts";
/**
 * A name of the public API that two entries of the package export, each with the meaning its own readers know: which
 * one is meant is said by the entry it is imported from, and another name for one would break who imports it.
 */
const OF_TWO_ENTRIES: ReadonlyMap<string, readonly string[]> = new Map([
  // `veritest/grounding`: a computation that may fail. `veritest/runner`: stages that commit one by one.
  ["Pipeline", ["src/extras/grounding/pipeline/pipeline.ts", "src/extras/runs/runner/pipeline.ts"]],
]);
const NOT_PRODUCT = /\.test(?:-d)?\.ts$|\.d\.ts$|\/(?:fixtures|testing)\//;

const files = globSync("src/**/*.{ts,js}")
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !NOT_PRODUCT.test(path))
  .sort()
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

const entries = files.filter(({ path }) => path !== TWIN_ENTRY);
const found = [...listTwins(entries, OF_TWO_ENTRIES), ...listWideLines(files), ...listEnvironmentReads(files)];
for (const line of found) console.log(line);
console.log(`check:source: ${String(files.length)} files, ${String(found.length)} to mend`);
process.exitCode = found.length > 0 ? 1 : 0;
