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
import { type Places, placesOf } from "../../kernel/files/places.ts";
import { type PendingChange, pendingChange } from "./pending-change.ts";
import { writePending, pendingDirectory, readPending } from "./pending.ts";
import { ownIdentity } from "../../kernel/files/processes.ts";
import { type TestRun, beginRun } from "../run-identity.ts";
import { stageChanges, stageDirectory } from "./stage.ts";
import { adoptDeadRuns } from "./tidy-pending.ts";

const DAY_MS = 86_400_000;

function makePlaces(): Places {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-crashed-")));
  return placesOf(root, { XDG_STATE_HOME: join(root, ".home") });
}

function change({ root }: Places, test = "a test"): PendingChange {
  const baselines = join(root, "__baselines__");
  const proposal = {
    kind: "add",
    root: baselines,
    path: join(baselines, "step", "a.json"),
    group: "step",
    before: undefined,
    after: test,
  } as const;
  return pendingChange(
    { proposal, intent: "write", verdict: "missing", shown: [] },
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

test("a stage has its owner's name from the moment it is there", () => {
  const run = beginRun(makePlaces());
  stageChanges(run, [change(run.places)], new Set());
  expect(JSON.parse(readFileSync(join(stageDirectory(run.places, run.id), "OWNER"), "utf8"))).toStrictEqual(run.owner);
  expect(readdirSync(join(run.places.state, "stage"))).toStrictEqual([run.id]);
});

test.each<[string, (run: TestRun) => void]>([
  ["of another host", () => undefined],
  ["whose owner's name a power cut took", (run) => rmSync(join(stageDirectory(run.places, run.id), "OWNER"))],
])("a run %s is adopted after a day without a sign, not before", (_which, spoil) => {
  const run = elsewhere(beginRun(makePlaces()));
  const staged = change(run.places);
  stageChanges(run, [staged], new Set());
  spoil(run);
  expect(adoptDeadRuns(run.places)).toStrictEqual([]);
  age(stageDirectory(run.places, run.id), 2 * DAY_MS);
  expect(adoptDeadRuns(run.places)).toStrictEqual([staged]);
  expect(readdirSync(join(run.places.state, "stage"))).toStrictEqual([]);
});

test("what was cut off on its way to a stage is removed in time", () => {
  const places = makePlaces();
  const cut = join(places.state, "stage", ".run.0123.tmp");
  mkdirSync(cut, { recursive: true });
  expect(adoptDeadRuns(places)).toStrictEqual([]);
  expect(existsSync(cut)).toBe(true);
  age(cut, DAY_MS);
  adoptDeadRuns(places);
  expect(existsSync(cut)).toBe(false);
});

test("a pending change that was cut off while it was written does not stand in the way of the same one", () => {
  const places = makePlaces();
  const waiting = change(places);
  mkdirSync(pendingDirectory(places.state), { recursive: true });
  writeFileSync(join(pendingDirectory(places.state), `${waiting.key}.json`), '{"version":1,');
  writePending(places, [waiting]);
  expect(readPending(places.state)).toStrictEqual({ changes: [waiting], unreadable: [] });
});

test("where a newer change finds no room the older one stays", () => {
  const places = makePlaces();
  const [older, newer] = [change(places, "older"), change(places, "newer")];
  writePending(places, [older]);
  // A directory in its place: as good as a full disk.
  mkdirSync(join(pendingDirectory(places.state), `${newer.key}.json`, "full"), { recursive: true });
  expect(() => writePending(places, [newer])).toThrow();
  rmSync(join(pendingDirectory(places.state), `${newer.key}.json`), { recursive: true });
  expect(readPending(places.state)).toStrictEqual({ changes: [older], unreadable: [] });
  expect(readdirSync(pendingDirectory(places.state))).toStrictEqual([`${older.key}.json`]);
});
