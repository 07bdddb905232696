import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import {
  type PendingProject,
  changeOf,
  commitAll,
  keepPendingChange,
  makeProject,
  pathOf,
  put,
  textOf,
  updateContextOf,
} from "../../../test-support/pending-project.ts";
import { hashText, hashValueSync } from "../../kernel/json/hash.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { readReceipts } from "../receipts/receipts.ts";
import { writePending, readPending } from "./pending-store.ts";
import { type PendingChange, parsePendingChange } from "./pending-change.ts";
import type { Policy } from "../policy.ts";
import { acceptPending, rejectPending } from "./accept-pending.ts";

function textAt(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function kinds({ paths }: PendingProject): string[] {
  return readReceipts(paths.notes).values.map(({ kind }) => kind);
}

test("accepting writes exactly the bytes that were pending, with a receipt, and nothing waits any more", async () => {
  const project = makeProject();
  const path = put(project, "one", 1);
  const held = keepPendingChange(project, "one", { to: { text: "\u001b[31m \u202e 🙂 \ud800" } });
  const { receipt, ...rest } = await acceptPending([held], updateContextOf(project.paths, { reason: "meant" }));
  expect(rest).toStrictEqual({ outcome: "accepted", accepted: [held], outdated: [], problems: [] });
  expect(hashText(textAt(path) ?? "")).toBe(held.after);
  expect(textAt(path)).toBe(held.text);
  expect(readPending(project.paths.state).changes).toStrictEqual([]);
  expect(receipt).toMatchObject({
    kind: "accept",
    reason: "meant",
    actor: { kind: "human", because: "a test" },
    changes: [{ target: held.target, before: held.before, after: held.after }],
  });
});

test("accepts an addition, an update and a removal in one transaction with one receipt", async () => {
  const project = makeProject();
  const [updated, removed] = [put(project, "updated", 1), put(project, "removed", 1)];
  const changes = [
    keepPendingChange(project, "added", { to: 2, verdict: "missing" }),
    keepPendingChange(project, "updated", { to: 2 }),
    keepPendingChange(project, "removed", { to: undefined, verdict: "obsolete" }),
  ];
  expect((await acceptPending(changes, updateContextOf(project.paths))).accepted).toStrictEqual(changes);
  expect([pathOf(project, "added"), updated, removed].map(textAt)).toStrictEqual([
    textOf("added", 2),
    textOf("updated", 2),
    undefined,
  ]);
  expect(kinds(project)).toStrictEqual(["accept"]);
});

test("replaces the unused case if the new one has another input, and counts an update", async () => {
  const project = makeProject();
  const earlier = put(project, "earlier", 1);
  const added = keepPendingChange(project, "added", { to: 2, verdict: "input_changed" });
  const change: PendingChange = { ...added, replaces: basename(earlier) };
  const strict = updateContextOf(project.paths, { policy: { maxUpdates: 0 } });
  expect((await acceptPending([change], strict)).problems).toStrictEqual([
    "1 baselines would be updated or removed, but policy.maxUpdates is 0.",
  ]);
  const { accepted, receipt } = await acceptPending([change], updateContextOf(project.paths));
  expect(accepted).toStrictEqual([change]);
  expect([pathOf(project, "added"), earlier].map(textAt)).toStrictEqual([textOf("added", 2), undefined]);
  expect(receipt?.changes.map(({ target }) => basename(target)).toSorted()).toStrictEqual(
    [basename(change.target), basename(earlier)].toSorted(),
  );
});

test("drops an update that replaces a case which was edited since", async () => {
  const project = makeProject();
  const earlier = put(project, "earlier", 1);
  const added = keepPendingChange(project, "added", { to: 2, verdict: "input_changed" });
  const change = { ...added, replaces: basename(earlier), replacedHash: hashText(textOf("earlier", 1)) };
  put(project, "earlier", "edited");
  expect(await acceptPending([change], updateContextOf(project.paths))).toMatchObject({
    accepted: [],
    outdated: [change],
    problems: [],
  });
  expect([pathOf(project, "added"), earlier].map(textAt)).toStrictEqual([undefined, textOf("earlier", "edited")]);
});

test("refuses an update if the case that it replaces is edited while the policy's commands run", async () => {
  const project = makeProject();
  const earlier = put(project, "earlier", 1);
  const added = keepPendingChange(project, "added", { to: 2, verdict: "input_changed" });
  const change = { ...added, replaces: basename(earlier), replacedHash: hashText(textOf("earlier", 1)) };
  const approve = (): boolean => put(project, "earlier", "edited") !== "";
  const context = updateContextOf(project.paths, { policy: { approve } });
  expect((await acceptPending([change], context)).problems).toStrictEqual([
    `${displayPath(earlier)} changed since it was compared. No file was written. Run the test again.`,
  ]);
  expect([pathOf(project, "added"), earlier].map(textAt)).toStrictEqual([undefined, textOf("earlier", "edited")]);
});

test("refuses to replace a case that was edited by hand and isn't in git, also for a record without its hash", async () => {
  const project = makeProject({ git: true });
  const earlier = put(project, "earlier", 1);
  commitAll(project.root);
  const change = {
    ...keepPendingChange(project, "added", { to: 2, verdict: "input_changed" }),
    replaces: basename(earlier),
  };
  put(project, "earlier", "edited");
  const accept = async (policy: Partial<Policy> = {}): Promise<readonly string[]> =>
    (await acceptPending([change], updateContextOf(project.paths, { policy }))).problems;
  expect(await accept()).toStrictEqual([
    `${displayPath(earlier)} was edited by hand, or written elsewhere, and isn't in git yet. ` +
      "Commit, stash or restore it first.",
  ]);
  expect([pathOf(project, "added"), earlier].map(textAt)).toStrictEqual([undefined, textOf("earlier", "edited")]);
  put(project, "earlier", 1);
  expect(await accept()).toStrictEqual([]);
  expect(textAt(earlier)).toBe(undefined);
});

test("reports files that are staged in git with earlier content, and writes them", async () => {
  const project = makeProject({ git: true });
  const names = ["one", "two", "three"];
  for (const name of names) put(project, name, 1);
  commitAll(project.root);
  const accept = async (to: number, of: readonly string[]): Promise<readonly string[]> => {
    const changes = of.map((name) => keepPendingChange(project, name, { to }));
    return (await acceptPending(changes, updateContextOf(project.paths))).problems;
  };
  const advice = "of these files were staged in git before. Run git add again.";
  expect(await accept(2, names)).toStrictEqual([]);
  execFileSync("git", ["add", pathOf(project, "one"), pathOf(project, "two")], { cwd: project.root });
  expect(await accept(3, ["two", "three"])).toStrictEqual([`1 ${advice}`]);
  expect(await accept(4, names)).toStrictEqual([`2 ${advice}`]);
  expect(names.map((name) => textAt(pathOf(project, name)))).toStrictEqual(names.map((name) => textOf(name, 4)));
});

test("replaces a case that only a formatter changed since it was written, and no other that isn't in git", async () => {
  const project = makeProject({ git: true });
  const names = ["one", "two", "three"];
  const accept = async (to: number, of: readonly string[]): Promise<readonly string[]> => {
    const changes = of.map((name) => keepPendingChange(project, name, { to }));
    return (await acceptPending(changes, updateContextOf(project.paths))).problems;
  };
  expect(await accept(1, names)).toStrictEqual([]);
  for (const path of names.map((name) => pathOf(project, name)))
    writeFileSync(path, JSON.stringify(JSON.parse(textAt(path) ?? ""), undefined, "\t"));
  expect(await accept(2, names)).toStrictEqual([]);
  expect(textAt(pathOf(project, "one"))).toBe(textOf("one", 2));
  const [, two, three] = names.map((name) => put(project, name, "edited"));
  expect(await accept(3, ["two", "three"])).toStrictEqual([
    `${displayPath(two ?? "")} and 1 more were edited by hand, or written elsewhere, and aren't in git yet. ` +
      "Commit, stash or restore them first.",
  ]);
  expect(textAt(three ?? "")).toBe(textOf("three", "edited"));
});

test.each([
  "../other.json",
  "a/b.json",
  "a\\b.json",
  ".hidden.json",
  "notes.txt",
])("refuses a record that replaces a case named %j", (replaces) => {
  const change = { ...changeOf(makeProject(), "added", { to: 2, verdict: "input_changed" }), replaces };
  expect(parsePendingChange(JSON.stringify(change)).ok).toBe(false);
  expect(parsePendingChange(JSON.stringify({ ...change, replaces: "case-0123abcd.json" })).ok).toBe(true);
});

test("drops an update whose baseline changed since, and accepts the others", async () => {
  const project = makeProject();
  const path = put(project, "one", 1);
  const [outdated, fits] = [
    keepPendingChange(project, "one", { to: 2 }),
    keepPendingChange(project, "two", { to: 2, verdict: "missing" }),
  ];
  put(project, "one", "edited");
  expect(await acceptPending([outdated, fits], updateContextOf(project.paths))).toMatchObject({
    accepted: [fits],
    outdated: [outdated],
    problems: [],
  });
  expect(textAt(path)).toBe(textOf("one", "edited"));
  expect(readPending(project.paths.state).changes).toStrictEqual([]);
});

test("accepts a change of another machine if the checkout changed line ends, and drops it after an edit", async () => {
  const project = makeProject();
  const path = put(project, "one", 1);
  const text = textOf("one", 1);
  const changes = [keepPendingChange(project, "one", { to: 2 })];
  writeFileSync(path, text.replace("1", "7").replaceAll("\n", "\r\n"));
  expect(await acceptPending(changes, updateContextOf(project.paths))).toMatchObject({ outdated: changes });
  writeFileSync(path, text.replaceAll("\n", "\r\n"));
  expect(await acceptPending(changes, updateContextOf(project.paths))).toMatchObject({ accepted: changes });
  expect(textAt(path)).toBe(textOf("one", 2));
});

test("one whose baseline holds the text already is applied without writing", async () => {
  const project = makeProject();
  put(project, "one", 1);
  const held = keepPendingChange(project, "one", { to: 2 });
  put(project, "one", 2);
  expect(await acceptPending([held], updateContextOf(project.paths))).toStrictEqual({
    outcome: "accepted",
    accepted: [held],
    outdated: [],
    problems: [],
    receipt: undefined,
  });
  expect(readPending(project.paths.state).changes).toStrictEqual([]);
});

test("refuses two conflicting updates; accepting one by its key drops the other", async () => {
  const project = makeProject();
  put(project, "one", 1);
  const [first, second] = [
    changeOf(project, "one", { to: 2, test: "first" }),
    changeOf(project, "one", { to: 3, test: "second" }),
  ];
  writePending(project.paths, [first, second]);
  expect(await acceptPending([first, second], updateContextOf(project.paths))).toMatchObject({
    accepted: [],
    problems: [
      `Two changes of ${first.target} are pending. Accept one change with its key, and veritest drops the other.`,
    ],
  });
  expect(readPending(project.paths.state).changes).toHaveLength(2);
  expect(await acceptPending([second], updateContextOf(project.paths))).toMatchObject({
    accepted: [second],
    outdated: [first],
    problems: [],
  });
  expect(readPending(project.paths.state).changes).toStrictEqual([]);
});

test("accepts the same update of two tests once", async () => {
  const project = makeProject();
  put(project, "one", 1);
  const both = [
    changeOf(project, "one", { to: 2, test: "first" }),
    changeOf(project, "one", { to: 2, test: "second" }),
  ];
  writePending(project.paths, both);
  expect(await acceptPending(both, updateContextOf(project.paths))).toMatchObject({
    accepted: both,
    outdated: [],
    problems: [],
  });
});

test("keeps all files if a gate refuses, and records the refusal in the notes", async () => {
  const project = makeProject();
  const path = put(project, "one", 1);
  const held = keepPendingChange(project, "one", { to: 2 });
  const refused = await acceptPending(
    [held],
    updateContextOf(project.paths, { policy: { approve: () => "not on Fridays" } }),
  );
  expect(refused).toStrictEqual({
    outcome: "refused",
    accepted: [],
    receipt: undefined,
    outdated: [],
    problems: ["policy.approve refused: not on Fridays"],
  });
  expect(textAt(path)).toBe(textOf("one", 1));
  expect(readPending(project.paths.state).changes).toStrictEqual([held]);
});

test("refuses a text that would put a secret into git, whoever wrote it", async () => {
  const project = makeProject();
  // Not made by a run, which would have hidden it.
  const value = { token: ["ghp", "R8kQz3vT1mXw7LpY2nBc5HdJ9sFg4aEu6iKo"].join("_") };
  const text = serializeBaseline({
    version: 2,
    kind: "value",
    test: "a.test.ts",
    name: "one",
    labels: [],
    meta: {},
    value,
    hash: hashValueSync(value),
  });
  const uploaded = { ...changeOf(project, "one", { to: 1, verdict: "missing" }), text, after: hashText(text) };
  const { outcome, problems } = await acceptPending([uploaded], updateContextOf(project.paths));
  expect({ outcome, problems }).toStrictEqual({
    outcome: "refused",
    problems: [
      `${uploaded.target} would contain a secret (github-token: ghp_… (40 characters)). Redact it, or remove it from the input.`,
    ],
  });
  expect(textAt(pathOf(project, "one"))).toBeUndefined();
});

test.each<[Partial<Policy["redact"]>, outcome: string]>([
  [{}, "accepted"],
  [{ fields: ["memo"] }, "refused"],
  [{ fields: ["memo"], keep: ["claim.person.memo"] }, "accepted"],
  [{ patterns: ["CUST-[0-9]+"] }, "refused"],
])("the secrets gate follows the settings %o of the project", async (redact, outcome) => {
  const project = makeProject();
  const text = textOf("one", { person: { memo: "CUST-20394" } });
  const uploaded = { ...changeOf(project, "one", { to: 1, verdict: "missing" }), text, after: hashText(text) };
  const policy = { redact: { fields: [], paths: [], keep: [], ...redact } };
  expect((await acceptPending([uploaded], updateContextOf(project.paths, { policy }))).outcome).toBe(outcome);
});

test("rejecting drops the pending update, with a receipt, and keeps the baselines", () => {
  const project = makeProject();
  const path = put(project, "one", 1);
  const held = keepPendingChange(project, "one", { to: 2 });
  // It writes no baseline, so CI may do it too.
  expect(rejectPending([held], updateContextOf(project.paths, { actor: "ci" }))).toMatchObject({
    rejected: [held],
    problems: [],
    receipt: { kind: "reject", changes: [{ target: held.target, before: held.before, after: held.after }] },
  });
  expect(textAt(path)).toBe(textOf("one", 1));
  expect(readPending(project.paths.state).changes).toStrictEqual([]);
});

test("accept and reject need a reason if the policy requires one", async () => {
  const project = makeProject();
  const held = keepPendingChange(project, "one", { to: 2, verdict: "missing" });
  const asked = { policy: { requireReason: true } };
  const problems = ["A reason is required. Add --reason."];
  expect(await acceptPending([held], updateContextOf(project.paths, asked))).toMatchObject({ accepted: [], problems });
  expect(rejectPending([held], updateContextOf(project.paths, asked))).toStrictEqual({
    rejected: [],
    receipt: undefined,
    problems,
  });
  expect(readPending(project.paths.state).changes).toStrictEqual([held]);
  expect(rejectPending([held], updateContextOf(project.paths, { ...asked, reason: "noise" }))).toMatchObject({
    rejected: [held],
    receipt: { reason: "noise" },
  });
});

test("nothing to apply is nothing applied", async () => {
  const project = makeProject();
  expect(await acceptPending([], updateContextOf(project.paths))).toStrictEqual({
    outcome: "accepted",
    accepted: [],
    receipt: undefined,
    outdated: [],
    problems: [],
  });
  expect(rejectPending([], updateContextOf(project.paths))).toStrictEqual({
    rejected: [],
    receipt: undefined,
    problems: [],
  });
  expect(kinds(project)).toStrictEqual([]);
});

/** A proposal that was made up, not made by veritest. */
function forged(change: PendingChange, more: Partial<PendingChange>): PendingChange {
  const text = "text" in more ? more.text : change.text;
  return { ...change, ...more, after: text === undefined ? null : hashText(text) };
}

test.each<[string, (change: PendingChange) => Partial<PendingChange>, RegExp]>([
  [
    "outside of the project",
    () => ({ target: "../x/__baselines__/a.test.ts/c.json", root: "../x/__baselines__" }),
    /isn't a baseline path of this project\.$/,
  ],
  [
    "in a device's place",
    () => ({ target: "../../../../../../../../dev/zero", root: "../../../../../../../../dev" }),
    /isn't a baseline path of this project\.$/,
  ],
  ["that is no baseline", () => ({ text: "{}" }), /Cannot read .*"version" is missing/],
  [
    "laid out by hand",
    ({ text = "" }) => ({ text: text.replace('"version": 2', '"version":  2') }),
    /isn't in the format of this version of veritest. Capture the case again\.$/,
  ],
  [
    "with another hash",
    ({ text = "" }) => ({ text: text.replace('"value": 2', '"value": 3') }),
    /is damaged, so veritest didn't write it: "hash" doesn't match "value"\. Capture the case again\.$/,
  ],
  [
    "in another case's place",
    ({ target }) => ({ target: target.replace("one-", "two-").replace(/-[0-9a-f]{8}/, "-00000000") }),
    /is for a case with a different path\. Capture the case again\.$/,
  ],
  [
    "in another group's place",
    ({ target }) => ({ target: target.replace("a.test.ts", "b.test.ts") }),
    /is for a case with a different path\. Capture the case again\.$/,
  ],
  [
    "under another group's name",
    () => ({ group: "harmless" }),
    /is a baseline of "a\.test\.ts", but its pending change is of "harmless"\.$/,
  ],
  [
    "as an addition, which no limit counts",
    () => ({ kind: "add", before: hashText(textOf("one", 1)) }),
    /is pending as "add", but its hashes don't match\. Run its test again\.$/,
  ],
])("refuses an update %s, and writes nothing", async (_what, change, problem) => {
  const project = makeProject();
  const path = put(project, "one", 1);
  const honest = changeOf(project, "one", { to: 2 });
  const bad = forged(honest, change(honest));
  // In another place there is no file yet, which is what its record then has to say.
  const fitting =
    bad.target === honest.target || bad.target.startsWith("..") ? bad : { ...bad, kind: "add" as const, before: null };
  const { accepted, problems } = await acceptPending([fitting], updateContextOf(project.paths));
  expect({ accepted, problems }).toStrictEqual({ accepted: [], problems: [expect.stringMatching(problem)] });
  expect(textAt(path)).toBe(textOf("one", 1));
  expect(kinds(project)).toStrictEqual([]);
});

test("refuses a path behind a link that leads out of the project", async () => {
  const [project, elsewhere] = [makeProject(), makeProject()];
  symlinkSync(elsewhere.root, join(project.root, "linked"));
  const honest = changeOf(project, "one", { to: 2 });
  const through = { ...honest, target: `linked/${honest.target}`, root: `linked/${honest.root}` };
  expect(await acceptPending([through], updateContextOf(project.paths))).toMatchObject({
    accepted: [],
    problems: [`${through.target} points outside this project through a symbolic link.`],
  });
  expect(existsSync(join(elsewhere.root, "__baselines__"))).toBe(false);
});

test.each([
  { what: "both texts", isLater: true, to: "ours" },
  { what: "the text before", isLater: true, to: "theirs" },
  { what: "the text after", isLater: false, to: "ours" },
])("an outdated update of an upload keeps the local one with the same key if $what differ", async ({ isLater, to }) => {
  const project = makeProject();
  put(project, "one", 1);
  const uploaded = changeOf(project, "one", { to: "theirs" });
  if (isLater) put(project, "one", "moved on");
  const here = keepPendingChange(project, "one", { to });
  put(project, "one", "edited");
  expect(here.key).toBe(uploaded.key);
  expect(await acceptPending([uploaded], updateContextOf(project.paths))).toMatchObject({
    accepted: [],
    outdated: [uploaded],
    problems: [],
  });
  expect(readPending(project.paths.state).changes).toStrictEqual([here]);
});

test("drops an update whose baseline path is a directory, and accepts the others", async () => {
  const project = makeProject();
  const [one, two] = [
    keepPendingChange(project, "one", { to: 1, verdict: "missing" }),
    keepPendingChange(project, "two", { to: 2, verdict: "missing" }),
  ];
  mkdirSync(pathOf(project, "two"), { recursive: true });
  expect(await acceptPending([one, two], updateContextOf(project.paths))).toMatchObject({
    accepted: [one],
    outdated: [two],
    problems: [],
  });
  expect(textAt(pathOf(project, "one"))).toBe(textOf("one", 1));
});

test("refuses all updates if a file has the path of their directory, and keeps them pending", async () => {
  const project = makeProject();
  const [one, two] = [
    keepPendingChange(project, "one", { to: 1, verdict: "missing" }),
    keepPendingChange(project, "two", { to: 2, verdict: "missing" }),
  ];
  writeFileSync(join(project.root, "__baselines__"), "");
  const { accepted, problems } = await acceptPending([one, two], updateContextOf(project.paths));
  expect({ accepted, problems }).toStrictEqual({
    accepted: [],
    problems: [expect.stringMatching(/^Cannot read .*: ENOTDIR: /)],
  });
  expect(readPending(project.paths.state).changes).toHaveLength(2);
});
