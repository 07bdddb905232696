import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { hashText } from "../../kernel/json/hash.ts";
import { type ProjectPaths, projectPaths } from "../../kernel/files/project-paths.ts";
import { type PendingChange, pendingChange } from "./pending-change.ts";
import { writePending, readPending } from "./pending-store.ts";
import { ownIdentity } from "../../kernel/files/processes.ts";
import { beginRun } from "../test-run.ts";
import { stageChanges, stageDirectory } from "./stage-changes.ts";
import { adoptDeadRuns, latestReason, outdatedReason, tidyPending } from "./tidy-pending.ts";

const AT = Date.parse("2026-01-01T00:00:00.000Z");

function makePlaces(): ProjectPaths {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-tidy-")));
  return projectPaths(root, { XDG_STATE_HOME: join(root, ".home") });
}

/** A change of a file that holds "old". */
function change({ root }: ProjectPaths, file: string): PendingChange {
  const baselines = join(root, "__baselines__");
  const path = join(baselines, "step", file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "old");
  const update = { kind: "update", root: baselines, path, group: "step", before: "old", after: "new" } as const;
  return pendingChange(
    { update, intent: "review", verdict: "value_changed", shown: [] },
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

function pathOf({ root }: ProjectPaths, { target }: PendingChange): string {
  return resolve(root, target);
}

const QUESTION = { latest: new Map(), pendingDays: 30, now: AT };

test("keeps an update that still applies", () => {
  const paths = makePlaces();
  const pending = change(paths, "a.json");
  writePending(paths, [pending]);
  expect(tidyPending(paths, QUESTION)).toStrictEqual([]);
  expect(readPending(paths.state).changes).toStrictEqual([pending]);
});

test("drops a new case that was written under another label", () => {
  const paths = makePlaces();
  const path = join(paths.root, "__baselines__", "step", "first-name-2bfd14f4.json");
  const written = change(paths, "second-name-2bfd14f4.json");
  const kept = { ...change(paths, "first-name-2bfd14f5.json"), before: null };
  rmSync(pathOf(paths, kept));
  const pending = { ...written, before: null, key: "0123456789ab", target: relative(paths.root, path) };
  writePending(paths, [pending, kept]);
  // The written one may have another result, so it doesn't count as this change accepted.
  expect(tidyPending(paths, QUESTION)).toStrictEqual([{ change: pending, reason: "changed meanwhile" }]);
  expect(readPending(paths.state).changes).toStrictEqual([kept]);
});

test.each<[string, string]>([
  ["edited", "changed meanwhile"],
  ["new", "written meanwhile"],
])("drops an update whose file now has %j: %s", (now, because) => {
  const paths = makePlaces();
  const pending = change(paths, "a.json");
  writePending(paths, [pending]);
  writeFileSync(pathOf(paths, pending), now);
  expect(tidyPending(paths, QUESTION)).toStrictEqual([{ change: pending, reason: because }]);
  expect(readPending(paths.state).changes).toStrictEqual([]);
});

test.each([
  "clean again",
  "refused later",
] as const)("drops an update of a case that was checked since: %s", (reason) => {
  const paths = makePlaces();
  const [pending, other] = [change(paths, "a.json"), change(paths, "b.json")];
  writePending(paths, [pending, other]);
  const latest = new Map([[pathOf(paths, pending), { reason, source: undefined }]]);
  expect(tidyPending(paths, { ...QUESTION, latest })).toStrictEqual([{ change: pending, reason }]);
  expect(readPending(paths.state).changes).toStrictEqual([other]);
});

test.each([
  "clean again",
  "refused later",
] as const)("keeps a change on live responses if a check of the recorded ones is %s", (reason) => {
  const paths = makePlaces();
  const pending = { ...change(paths, "a.json"), answers: "live" as const };
  writePending(paths, [pending]);
  const latest = new Map([[pathOf(paths, pending), { reason, source: "recorded" as const }]]);
  expect(tidyPending(paths, { ...QUESTION, latest })).toStrictEqual([]);
  expect(readPending(paths.state).changes).toStrictEqual([pending]);
});

test.each([
  ["clean", "live", undefined, "clean again"],
  ["schema_violation", "live", undefined, "refused later"],
  ["failed", "live", "no_answer", "refused later"],
  ["failed", "recorded", "execution_failed", "refused later"],
  // Perhaps a service is down.
  ["failed", "live", "execution_failed", undefined],
  // It is, and the step handled that.
  ["failed", "live", "model_failed", undefined],
  ["failed", "live", "key_missing", undefined],
  ["value_changed", "live", undefined, undefined],
  ["request_changed", "recorded", undefined, "other requests later"],
  ["request_changed", "live", undefined, undefined],
])("a check that is %s (%s, %s) drops a pending update: %s", (kind, source, code, reason) => {
  expect(latestReason({ kind, source, code })).toBe(reason);
});

test("a step that fails on another response drops a pending update: a service that is down is no cause", () => {
  const failed = { kind: "failed", source: "live", code: "execution_failed" };
  expect(latestReason({ ...failed, hasCause: true })).toBe("refused later");
});

test("a result that can't be stored drops a pending update", () => {
  const changed = { kind: "value_changed", source: "live", code: undefined };
  expect(latestReason({ ...changed, isRefused: true })).toBe("refused later");
});

test.each([
  ["value_changed", 1],
  // It records the requests that the step sends now.
  ["request_changed", 0],
] as const)("a pending update that is %s is dropped by other requests: %s", (verdict, dropped) => {
  const paths = makePlaces();
  const { text, ...head } = change(paths, "a.json");
  const pending: PendingChange = { ...head, verdict, answers: "recorded", text };
  writePending(paths, [pending]);
  const reason = "other requests later" as const;
  const latest = new Map([[pathOf(paths, pending), { reason, source: "recorded" as const }]]);
  expect(tidyPending(paths, { ...QUESTION, latest })).toHaveLength(dropped);
});

test("a change that nobody applied in time is dropped", () => {
  const paths = makePlaces();
  const pending = change(paths, "a.json");
  writePending(paths, [pending]);
  expect(tidyPending(paths, { ...QUESTION, now: AT + 31 * 86_400_000 })).toStrictEqual([
    { change: pending, reason: "expired" },
  ]);
});

test("keeps and reports an update with a damaged text, however old", () => {
  const paths = makePlaces();
  writePending(paths, [{ ...change(paths, "a.json"), text: "another" }]);
  expect(tidyPending(paths, { ...QUESTION, now: AT + 31 * 86_400_000 })).toStrictEqual([]);
  expect(readPending(paths.state).unreadable).toHaveLength(1);
});

test("drops an update that replaces another case if that one is checked again", () => {
  const paths = makePlaces();
  const [earlier, updated] = [change(paths, "earlier.json"), change(paths, "new.json")];
  const { text, ...head } = updated;
  const pending: PendingChange = {
    ...head,
    kind: "add",
    before: null,
    verdict: "input_changed",
    answers: "live",
    replaces: "earlier.json",
    text,
  };
  rmSync(pathOf(paths, updated));
  writePending(paths, [pending]);
  expect(tidyPending(paths, QUESTION)).toStrictEqual([]);
  const latest = new Map([[pathOf(paths, earlier), { reason: "clean again", source: "recorded" } as const]]);
  expect(tidyPending(paths, { ...QUESTION, latest })).toStrictEqual([{ change: pending, reason: "clean again" }]);
  expect(readPending(paths.state).changes).toStrictEqual([]);
});

test("drops an update that replaces another case if that one was edited since", () => {
  const paths = makePlaces();
  const earlier = pathOf(paths, change(paths, "earlier.json"));
  const replacedHash = hashText(readFileSync(earlier, "utf8"));
  const added = { ...change(paths, "new.json"), before: null, replaces: "earlier.json" };
  const path = pathOf(paths, added);
  rmSync(path);
  expect(outdatedReason(path, { ...added, replacedHash })).toBeUndefined();
  writeFileSync(earlier, "edited");
  expect(outdatedReason(path, { ...added, replacedHash })).toBe("changed meanwhile");
  // A record of an earlier checkout has no hash: git's gate compares it.
  expect(outdatedReason(path, added)).toBeUndefined();
  rmSync(earlier);
  expect(outdatedReason(path, { ...added, replacedHash })).toBeUndefined();
});

test("keeps an addition while its file doesn't exist", () => {
  const paths = makePlaces();
  const addition = { ...change(paths, "a.json"), before: null };
  expect(outdatedReason(join(paths.root, "none.json"), addition)).toBeUndefined();
  expect(outdatedReason(pathOf(paths, addition), addition)).toBe("changed meanwhile");
});

/** The identity of a process that has ended. */
function deadOwner(): ReturnType<typeof ownIdentity> {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  return { ...ownIdentity(), pid, startTicks: "1" };
}

test("makes updates staged by a dead run pending", () => {
  const paths = makePlaces();
  const run = { ...beginRun(paths), owner: deadOwner() };
  const staged = { ...change(paths, "a.json"), intent: "write" as const, passed: true };
  stageChanges(run, [staged], new Set());
  expect(adoptDeadRuns(paths)).toStrictEqual([staged]);
  expect(readPending(paths.state).changes).toStrictEqual([staged]);
  expect(existsSync(stageDirectory(paths, run.id))).toBe(false);
  expect(adoptDeadRuns(paths)).toStrictEqual([]);
});

test("drops staged updates of a dead run that no longer apply", () => {
  const paths = makePlaces();
  const [fits, gone] = [change(paths, "a.json"), change(paths, "b.json")];
  stageChanges({ ...beginRun(paths), owner: deadOwner() }, [fits, gone], new Set());
  writeFileSync(pathOf(paths, gone), "edited");
  expect(adoptDeadRuns(paths)).toStrictEqual([fits]);
});

test("ignores stages of an active run, of another host and without an owner", () => {
  const paths = makePlaces();
  const staged = change(paths, "a.json");
  const runs = [
    beginRun(paths),
    { ...beginRun(paths), owner: { ...ownIdentity(), host: "elsewhere" } },
    beginRun(paths),
  ];
  for (const run of runs) stageChanges(run, [staged], new Set());
  writeFileSync(join(stageDirectory(paths, runs[2]?.id ?? ""), "OWNER"), "{");
  expect(adoptDeadRuns(paths)).toStrictEqual([]);
  expect(runs.every(({ id }) => existsSync(stageDirectory(paths, id)))).toBe(true);
});
