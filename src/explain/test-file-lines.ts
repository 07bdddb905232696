import { basename } from "node:path";
import type { TestFileLog } from "./append-run-log.ts";
import { liveText, liveTotals } from "./live-totals.ts";

const WRITTEN = ["captured", "updated", "pending"];

/**
 * Line of a test file for a run without the reporter: what it wrote, and its live calls. Empty for a file that only
 * compared recordings, so that such a run stays quiet. Safe to print.
 */
export function testFileLines({ testPath, ...log }: Pick<TestFileLog, "testPath" | "checks" | "live">): string[] {
  const counts = WRITTEN.flatMap((word) => {
    const { size } = new Set(log.checks.flatMap(({ path, outcome }) => (outcome === word ? [path] : [])));
    return size === 0 ? [] : [`${size} ${word}`];
  });
  const live = liveTotals([log]);
  const parts = [...counts, ...(live === undefined ? [] : [`live: ${liveText(live)}`])];
  return parts.length === 0 ? [] : [`veritest: ${basename(testPath)}: ${parts.join(", ")}`];
}
