import { resolve } from "node:path";
import type { LoggedCheck, TestFileLog } from "../../explain/append-run-log.ts";
import { type TidyOptions, latestReason } from "../../updates/pending/tidy-pending.ts";

/**
 * Returns the results of the baselines whose checks all agree, by absolute path. If the sources differ, the result is a
 * live one. `contradicted` are baselines with two results.
 */
export function latestResults(logs: readonly TestFileLog[], contradicted: ReadonlySet<string>): TidyOptions["latest"] {
  const groups = Map.groupBy(
    logs.flatMap((log) => log.checks),
    ({ path }) => resolve(path),
  );
  return new Map(
    [...groups].flatMap(([path, checks]) => {
      const source = checks.every(isRecorded) ? "recorded" : undefined;
      const [reason, ...more] = new Set(contradicted.has(path) ? ["refused later" as const] : checks.map(reasonOf));
      return reason === undefined || more.length > 0 ? [] : [[path, { reason, source }]];
    }),
  );
}

function reasonOf({ outcome, source, findings, isRefused }: LoggedCheck): ReturnType<typeof latestReason> {
  const error = { code: findings?.error?.code, hasCause: Boolean(findings?.cause) };
  return latestReason({ kind: outcome, source, ...error, isRefused: isRefused === true });
}

function isRecorded({ source }: LoggedCheck): boolean {
  return source === "recorded";
}
