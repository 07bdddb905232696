/**
 * Looks for what the fixed seed of `npm test` does not show: runs every property with new seeds until the time is up,
 * and prints each find with the command that shows it again. Exits with 1 when it found something.
 *
 *   npm run explore -- --minutes 10            every property; at least one round
 *   npm run explore -- --minutes 10 src/kernel/diff   those under src/kernel/diff
 *   npm run explore -- --seed=-12 --path=3:1:0 --test="title" src/kernel/diff/….test.ts   one find again
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type FailedTest, readTestReport } from "./ci/test-report.ts";
import { describeFind, isOutOfTime } from "./explore/describe-find.ts";
import { listPropertyTests } from "./explore/list-property-tests.ts";

/** So many files share a seed and a start of the runner, and the time's end is looked at after them. */
const FILES_AT_ONCE = 8;
/** A property may be slow if others use the machine: slowness isn't a find. */
const TEST_TIMEOUT = 600_000;
const SEEDS = 2 ** 31;

interface Draw {
  readonly seed: number;
  /** Path of a find in the seed's values. */
  readonly path?: string | undefined;
  /** The full title of the one test to run. */
  readonly test?: string | undefined;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    path: { type: "string" },
    test: { type: "string" },
  },
});

/** Matches the title as a report writes it: the runner sets " > " between those of groups, its report a space. */
function patternOf(title: string): string {
  const text = title.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return `^${text.replaceAll(" ", " (?:> )?")}$`;
}

function runFiles(files: readonly string[], { seed, path, test }: Draw): readonly FailedTest[] {
  const directory = mkdtempSync(join(tmpdir(), "veritest-explore-"));
  const report = join(directory, "report.json");
  const only = test === undefined ? [] : ["-t", patternOf(test)];
  try {
    const { stderr } = spawnSync(
      process.execPath,
      [
        "node_modules/vitest/vitest.mjs",
        "run",
        "--reporter=json",
        `--outputFile.json=${report}`,
        `--testTimeout=${String(TEST_TIMEOUT)}`,
        ...only,
        ...files,
      ],
      {
        encoding: "utf8",
        maxBuffer: 64 * 2 ** 20,
        env: {
          ...process.env,
          DEEP_TESTS: "1",
          VERITEST_SEED: String(seed),
          ...(path === undefined ? {} : { VERITEST_SEED_PATH: path }),
        },
      },
    );
    const { passed, failed, failures } = readTestReport(report);
    if (passed + failed + failures.length > 0) return failures;
    return [{ file: files.join(" "), title: "", message: `No test ran.\n${stderr}` }];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The tests that failed, by their names. */
interface Finds {
  readonly found: Set<string>;
  readonly slow: Set<string>;
}

/** Prints the new failures: a test that fails again, with other values, isn't a second find. */
function printFinds(failures: readonly FailedTest[], seed: number, { found, slow }: Finds): void {
  for (const failure of failures) {
    const name = `${failure.file} > ${failure.title}`;
    if (isOutOfTime(failure)) {
      slow.add(name);
      console.log(`out of time: ${name}`);
      continue;
    }
    if (!found.has(name)) console.log(describeFind(failure, seed));
    found.add(name);
  }
}

/** The last words, which also make the exit code. */
function sum({ found, slow }: Finds): string {
  process.exitCode = found.size > 0 ? 1 : 0;
  return `${String(found.size)} found${slow.size === 0 ? "" : `, ${String(slow.size)} out of time`}`;
}

function explore(files: readonly string[], minutes: number): string {
  const end = Date.now() + minutes * 60_000;
  const finds: Finds = { found: new Set(), slow: new Set() };
  let seeds = 0;
  let runs = 0;
  for (let first = 0; runs < files.length || Date.now() < end; first += FILES_AT_ONCE) {
    if (first >= files.length) first = 0;
    const batch = files.slice(first, first + FILES_AT_ONCE);
    const seed = randomInt(SEEDS) * (randomInt(2) * 2 - 1);
    printFinds(runFiles(batch, { seed }), seed, finds);
    seeds += 1;
    runs += batch.length;
  }
  return `explore: ${String(runs)} runs of ${String(files.length)} test files, ${String(seeds)} seeds: ${sum(finds)}`;
}

function showAgain(files: readonly string[], generated: Draw): string {
  const finds: Finds = { found: new Set(), slow: new Set() };
  printFinds(runFiles(files, generated), generated.seed, finds);
  return `explore: seed ${String(generated.seed)}: ${sum(finds)}`;
}

function main(): string {
  const { minutes, seed, path, test } = values;
  const files = listPropertyTests().filter(
    (file) => positionals.length === 0 || positionals.some((part) => file.includes(part)),
  );
  process.exitCode = 1;
  if (files.length === 0) return `explore: no property is tested in ${positionals.join(" ")}.`;
  if (!(Number(minutes) >= 0)) return `explore: --minutes ${minutes} isn't a number of minutes.`;
  if (seed === undefined) return explore(files, Number(minutes));
  if (!/^-?\d+$/.test(seed)) return `explore: --seed ${seed} isn't an integer.`;
  return showAgain(files, { seed: Number(seed), path, test });
}

console.log(main());
