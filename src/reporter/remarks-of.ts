import type { TestFileLog } from "./append-run-log.ts";
import type { Remark } from "./render-summary.ts";

/** What passing checks have to say all the same, each line once: several tests may check one baseline. */
export function remarksOf(logs: readonly TestFileLog[]): Remark[] {
  const remarks = logs.flatMap(({ checks }) =>
    checks.flatMap(({ path, remarks: texts = [] }) => texts.map((text) => ({ path, text }))),
  );
  return [...Map.groupBy(remarks, ({ path, text }) => `${path}\n${text}`).values()].flatMap((of) => of.slice(0, 1));
}
