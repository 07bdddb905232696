import { join } from "node:path";
import type { ProjectPaths } from "../../src/kernel/files/project-paths.ts";
import { type UpdateContext, openRecords } from "../../src/updates/update-context.ts";
import { type PendingChange, pendingChange } from "../../src/updates/pending/pending-change.ts";
import { DEFAULT_POLICY } from "../../src/updates/policy.ts";
import { type TestRun, beginRun } from "../../src/updates/test-run.ts";
import type { EndedRun } from "../../src/updates/apply-run.ts";
import { stageChanges } from "../../src/updates/pending/stage-changes.ts";
import type { World } from "./world.ts";

const NOW = new Date("2026-01-01T00:00:00.000Z");

/** What the tests of a world ask for, one change each. */
export function changesOf({ project, proposals }: World, run: string): PendingChange[] {
  const origin = {
    projectRoot: project,
    testPath: join(project, "a.test.ts"),
    passed: true,
    run,
    at: NOW.toISOString(),
  };
  return proposals.map((update, index) =>
    pendingChange(
      { update, intent: "write", verdict: "value_changed", shown: ["    changed"] },
      { ...origin, test: `test ${index}` },
    ),
  );
}

/** Stages the changes of a world as its tests would, one after another; tells each that is safely staged. */
export function stageAll(context: World, run: TestRun, told: (change: PendingChange) => void): void {
  for (const change of changesOf(context, run.id)) {
    stageChanges(run, [change], new Set());
    told(change);
  }
}

/** A run of a world whose tests all passed and staged their changes. */
export function endedRun(context: World, problems: readonly string[]): EndedRun {
  const run = beginRun(context.places);
  const keys: string[] = [];
  stageAll(context, run, ({ key }) => keys.push(key));
  return {
    run,
    context: { ...settlerOf(context.places, "run"), policy: { ...DEFAULT_POLICY, pendingDays: 100_000 }, now: NOW },
    files: [{ testPath: join(context.project, "a.test.ts"), passed: true, staged: keys }],
    problems,
    removals: [],
    runner: undefined,
  };
}

/** Somebody who settles in a world. */
export function settlerOf(paths: ProjectPaths, by: UpdateContext["by"]): UpdateContext {
  const records = openRecords(paths, DEFAULT_POLICY, { environment: {} });
  const actor = { kind: "human", because: "a fault row" } as const;
  return { ...records, policy: DEFAULT_POLICY, actor, by, reason: undefined, now: new Date(0) };
}
