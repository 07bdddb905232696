import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { type Places, placesOf } from "../../kernel/files/places.ts";
import { type PendingChange, pendingChange } from "./pending-change.ts";
import { writePending, readPending } from "./pending.ts";
import { ownIdentity } from "../../kernel/files/processes.ts";
import { beginRun } from "../run-identity.ts";
import { stageChanges, stageDirectory } from "./stage.ts";
import { adoptDeadRuns, outdatedReason, tidyPending } from "./tidy-pending.ts";

const AT = Date.parse("2026-01-01T00:00:00.000Z");

function makePlaces(): Places {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-tidy-")));
  return placesOf(root, { XDG_STATE_HOME: join(root, ".home") });
}

/** A change of a file that holds "old". */
function change({ root }: Places, file: string): PendingChange {
  const baselines = join(root, "__baselines__");
  const path = join(baselines, "step", file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "old");
  const proposal = { kind: "update", root: baselines, path, group: "step", before: "old", after: "new" } as const;
  return pendingChange(
    { proposal, intent: "review", verdict: "value_changed", shown: [] },
    {
      projectRoot: root,
      testPath: join(root, "a.test.ts"),
      test: file,
      passed: false,
      run: "run",
      at: new Date(AT).toISOString(),
    },
  );
}

function pathOf({ root }: Places, { target }: PendingChange): string {
  return resolve(root, target);
}

const QUESTION = { clean: new Map(), pendingDays: 30, now: AT };

test("what still has a meaning stays", () => {
  const places = makePlaces();
  const waiting = change(places, "a.json");
  writePending(places, [waiting]);
  expect(tidyPending(places, QUESTION)).toStrictEqual([]);
  expect(readPending(places.state).changes).toStrictEqual([waiting]);
});

test.each<[string, string]>([
  ["edited", "changed meanwhile"],
  ["new", "written meanwhile"],
])("a change whose file now holds %j is dropped: %s", (now, because) => {
  const places = makePlaces();
  const waiting = change(places, "a.json");
  writePending(places, [waiting]);
  writeFileSync(pathOf(places, waiting), now);
  expect(tidyPending(places, QUESTION)).toStrictEqual([{ change: waiting, reason: because }]);
  expect(readPending(places.state).changes).toStrictEqual([]);
});

test("a change of a case that was checked since and is clean is dropped", () => {
  const places = makePlaces();
  const [waiting, other] = [change(places, "a.json"), change(places, "b.json")];
  writePending(places, [waiting, other]);
  expect(tidyPending(places, { ...QUESTION, clean: new Map([[pathOf(places, waiting), undefined]]) })).toStrictEqual([
    { change: waiting, reason: "clean again" },
  ]);
  expect(readPending(places.state).changes).toStrictEqual([other]);
});

test("a change that nobody settled in time is dropped", () => {
  const places = makePlaces();
  const waiting = change(places, "a.json");
  writePending(places, [waiting]);
  expect(tidyPending(places, { ...QUESTION, now: AT + 31 * 86_400_000 })).toStrictEqual([
    { change: waiting, reason: "expired" },
  ]);
});

test("a change whose text is damaged is left for somebody to see, however old", () => {
  const places = makePlaces();
  writePending(places, [{ ...change(places, "a.json"), text: "another" }]);
  expect(tidyPending(places, { ...QUESTION, now: AT + 31 * 86_400_000 })).toStrictEqual([]);
  expect(readPending(places.state).unreadable).toHaveLength(1);
});

test("an addition stands while there is no file", () => {
  const places = makePlaces();
  const addition = { ...change(places, "a.json"), before: null };
  expect(outdatedReason(join(places.root, "none.json"), addition)).toBeUndefined();
  expect(outdatedReason(pathOf(places, addition), addition)).toBe("changed meanwhile");
});

/** The identity of a process that has ended. */
function deadOwner(): ReturnType<typeof ownIdentity> {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  return { ...ownIdentity(), pid, startTicks: "1" };
}

test("what a dead run staged waits for review from then on", () => {
  const places = makePlaces();
  const run = { ...beginRun(places), owner: deadOwner() };
  const staged = { ...change(places, "a.json"), intent: "write" as const, passed: true };
  stageChanges(run, [staged], new Set());
  expect(adoptDeadRuns(places)).toStrictEqual([staged]);
  expect(readPending(places.state).changes).toStrictEqual([staged]);
  expect(existsSync(stageDirectory(places, run.id))).toBe(false);
  expect(adoptDeadRuns(places)).toStrictEqual([]);
});

test("of a dead run only what still fits is kept", () => {
  const places = makePlaces();
  const [fits, gone] = [change(places, "a.json"), change(places, "b.json")];
  stageChanges({ ...beginRun(places), owner: deadOwner() }, [fits, gone], new Set());
  writeFileSync(pathOf(places, gone), "edited");
  expect(adoptDeadRuns(places)).toStrictEqual([fits]);
});

test("a living run, another host's and one without a name are left alone", () => {
  const places = makePlaces();
  const staged = change(places, "a.json");
  const runs = [
    beginRun(places),
    { ...beginRun(places), owner: { ...ownIdentity(), host: "elsewhere" } },
    beginRun(places),
  ];
  for (const run of runs) stageChanges(run, [staged], new Set());
  writeFileSync(join(stageDirectory(places, runs[2]?.id ?? ""), "OWNER"), "{");
  expect(adoptDeadRuns(places)).toStrictEqual([]);
  expect(runs.every(({ id }) => existsSync(stageDirectory(places, id)))).toBe(true);
});
