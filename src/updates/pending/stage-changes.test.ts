import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ProjectPaths, projectPaths } from "../../kernel/files/project-paths.ts";
import { type PendingChange, pendingChange } from "./pending-change.ts";
import { writePending, pendingDirectory } from "./pending-store.ts";
import { type TestRun, beginRun } from "../test-run.ts";
import { readStaged, stageChanges, stageDirectory } from "./stage-changes.ts";

function makePlaces(): ProjectPaths {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-stage-")));
  return projectPaths(root, { XDG_STATE_HOME: join(root, ".home") });
}

function change(
  { root }: ProjectPaths,
  intent: "write" | "review",
  after: string | undefined = `a "text" of ${intent}\u2028\ud800`,
): PendingChange {
  const baselines = join(root, "__baselines__");
  const update = {
    kind: "update",
    root: baselines,
    path: join(baselines, "step", `${intent}.json`),
    group: "step",
    before: "old",
    after,
  } as const;
  return pendingChange(
    { update, intent, verdict: "value_changed", shown: ["    a: 1 → 2"] },
    {
      projectRoot: root,
      testPath: join(root, "a.test.ts"),
      test: intent,
      passed: intent === "write",
      run: "run",
      at: "2026-01-01T00:00:00.000Z",
    },
  );
}

function fileOf({ paths, id }: TestRun, { key }: PendingChange): string {
  return join(stageDirectory(paths, id), `${key}.json`);
}

test("what waits for review is kept by the bytes that were staged, the same as if it were written again", () => {
  const run = beginRun(makePlaces());
  const [write, review] = [change(run.paths, "write"), change(run.paths, "review")];
  stageChanges(run, [write, review], new Set());
  const { changes, texts } = readStaged(run.paths, run.id);
  expect(changes).toStrictEqual([review, write]);
  expect([...texts]).toStrictEqual([[review, readFileSync(fileOf(run, review), "utf8")]]);
  expect([...texts.values()]).toStrictEqual([JSON.stringify(review)]);
  writePending(run.paths, changes, texts);
  const kept = readFileSync(join(pendingDirectory(run.paths.state), `${review.key}.json`), "utf8");
  expect(kept).toBe(`${readFileSync(fileOf(run, review), "utf8")}\n`);
});

test("reports a staged update with a damaged text as unreadable, and drops its bytes", () => {
  const run = beginRun(makePlaces());
  const review = change(run.paths, "review");
  stageChanges(run, [review], new Set());
  writeFileSync(fileOf(run, review), readFileSync(fileOf(run, review), "utf8").replace("of review", "of reviex"));
  expect(readStaged(run.paths, run.id)).toStrictEqual({
    changes: [],
    unreadable: [`${review.key}.json: its text doesn't match its hash`],
    texts: new Map(),
  });
});
