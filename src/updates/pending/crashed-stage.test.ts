import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ProjectPaths, projectPaths } from "../../kernel/files/project-paths.ts";
import { type PendingChange, pendingChange } from "./pending-change.ts";
import { writePending, pendingDirectory, readPending } from "./pending-store.ts";
import { ownIdentity } from "../../kernel/files/processes.ts";
import { type TestRun, beginRun } from "../test-run.ts";
import { stageChanges, stageDirectory } from "./stage-changes.ts";
import { adoptDeadRuns } from "./tidy-pending.ts";

const DAY_MS = 86_400_000;

function makePlaces(): ProjectPaths {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-crashed-")));
  return projectPaths(root, { XDG_STATE_HOME: join(root, ".home") });
}

function change({ root }: ProjectPaths, test = "a test"): PendingChange {
  const baselines = join(root, "__baselines__");
  const update = {
    kind: "add",
    root: baselines,
    path: join(baselines, "step", "a.json"),
    group: "step",
    before: undefined,
    after: test,
  } as const;
  return pendingChange(
    { update, intent: "write", verdict: "missing", shown: [] },
    {
      projectRoot: root,
      testPath: join(root, "a.test.ts"),
      test,
      passed: true,
      run: "run",
      at: "2026-01-01T00:00:00.000Z",
    },
  );
}

/** Makes what lies there look so old. */
function age(path: string, milliseconds: number): void {
  const then = new Date(Date.now() - milliseconds);
  utimesSync(path, then, then);
}

function elsewhere(run: TestRun): TestRun {
  return { ...run, owner: { ...ownIdentity(), host: "elsewhere" } };
}

test("a stage has its OWNER file from the start", () => {
  const run = beginRun(makePlaces());
  stageChanges(run, [change(run.paths)], new Set());
  expect(JSON.parse(readFileSync(join(stageDirectory(run.paths, run.id), "OWNER"), "utf8"))).toStrictEqual(run.owner);
  expect(readdirSync(join(run.paths.state, "stage"))).toStrictEqual([run.id]);
});

test.each<[string, (run: TestRun) => void]>([
  ["of another host", () => undefined],
  ["whose owner's name a power cut took", (run) => rmSync(join(stageDirectory(run.paths, run.id), "OWNER"))],
])("adopts a run %s a day after its last sign of life, not earlier", (_which, spoil) => {
  const run = elsewhere(beginRun(makePlaces()));
  const staged = change(run.paths);
  stageChanges(run, [staged], new Set());
  spoil(run);
  expect(adoptDeadRuns(run.paths)).toStrictEqual([]);
  age(stageDirectory(run.paths, run.id), 2 * DAY_MS);
  expect(adoptDeadRuns(run.paths)).toStrictEqual([staged]);
  expect(readdirSync(join(run.paths.state, "stage"))).toStrictEqual([]);
});

test("removes an unfinished stage directory after a day", () => {
  const paths = makePlaces();
  const cut = join(paths.state, "stage", ".run.0123.tmp");
  mkdirSync(cut, { recursive: true });
  expect(adoptDeadRuns(paths)).toStrictEqual([]);
  expect(existsSync(cut)).toBe(true);
  age(cut, DAY_MS);
  adoptDeadRuns(paths);
  expect(existsSync(cut)).toBe(false);
});

test("overwrites the partly written file of the same pending update", () => {
  const paths = makePlaces();
  const pending = change(paths);
  mkdirSync(pendingDirectory(paths.state), { recursive: true });
  writeFileSync(join(pendingDirectory(paths.state), `${pending.key}.json`), '{"version":1,');
  writePending(paths, [pending]);
  expect(readPending(paths.state)).toStrictEqual({ changes: [pending], unreadable: [] });
});

test("keeps the older pending update if the newer one can't be written", () => {
  const paths = makePlaces();
  const [older, newer] = [change(paths, "older"), change(paths, "newer")];
  writePending(paths, [older]);
  // A directory in its place: as good as a full disk.
  mkdirSync(join(pendingDirectory(paths.state), `${newer.key}.json`, "full"), { recursive: true });
  expect(() => writePending(paths, [newer])).toThrow();
  rmSync(join(pendingDirectory(paths.state), `${newer.key}.json`), { recursive: true });
  expect(readPending(paths.state)).toStrictEqual({ changes: [older], unreadable: [] });
  expect(readdirSync(pendingDirectory(paths.state))).toStrictEqual([`${older.key}.json`]);
});
