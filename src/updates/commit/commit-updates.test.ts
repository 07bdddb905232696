import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type BaselineUpdate, type ValueBaseline, identityOf } from "../../baseline/baseline.ts";
import { createValueBaseline } from "../../baseline/create-baseline.ts";
import { caseFileName, caseHash } from "../../baseline/baseline-paths.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { projectPaths } from "../../kernel/files/project-paths.ts";
import { type CommitContext, commitUpdates as commitIn } from "./commit-updates.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";

const GROUP = "a.test.ts";

function makeRoot(): string {
  return join(temporaryProject("settle"), "__baselines__");
}

/** A project whose baselines lie below `root`, all its state in the same temporary directory. */
function contextOf(root: string): CommitContext {
  const project = dirname(root);
  return {
    paths: projectPaths(project, { XDG_STATE_HOME: join(project, ".home") }),
    receiptHead: {
      kind: "commit",
      at: "2026-01-01T00:00:00.000Z",
      run: "run",
      actor: { kind: "human", because: "a test" },
      gates: [],
      versions: { veritest: "0.0.0", node: "24.0.0", platform: "linux-x64" },
    },
  };
}

/** Commits without what a receipt adds to the answer. */
function commitProposals(proposals: readonly BaselineUpdate[]): object {
  const end = commitIn(proposals, contextOf(proposals[0]?.root ?? makeRoot()));
  return end.kind === "committed" ? { kind: end.kind, written: end.written } : end;
}

function value(of: unknown, name = "n"): ValueBaseline {
  return createValueBaseline(of, { test: GROUP, name });
}

function pathOf(root: string, baseline: ValueBaseline, label: string): string {
  return join(root, GROUP, caseFileName(label, caseHash(identityOf(baseline))));
}

function addition(root: string, baseline: ValueBaseline, label = "label"): BaselineUpdate {
  return {
    kind: "add",
    root,
    group: GROUP,
    path: pathOf(root, baseline, label),
    before: undefined,
    after: serializeBaseline(baseline),
  };
}

function replacement(
  root: string,
  [old, next]: readonly [ValueBaseline, ValueBaseline],
  label: string,
): BaselineUpdate {
  const path = pathOf(root, old, label);
  return { kind: "update", root, group: GROUP, path, before: serializeBaseline(old), after: serializeBaseline(next) };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Every file below the root by name, with its text. */
function files(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(root, name)).isFile(),
  );
  return Object.fromEntries(
    names.map((name) => [name.split(/[\\/]/).at(-1) ?? "", readFileSync(join(root, name), "utf8")]),
  );
}

test("adds, updates and removes in one transaction, and returns the written paths", () => {
  const root = makeRoot();
  const [added, old, next, gone] = [value(1, "added"), value(1, "updated"), value(2, "updated"), value(1, "gone")];
  put(pathOf(root, old, "updated"), serializeBaseline(old));
  put(pathOf(root, gone, "gone"), serializeBaseline(gone));
  const proposals: BaselineUpdate[] = [
    addition(root, added, "added"),
    replacement(root, [old, next], "updated"),
    {
      kind: "remove",
      root,
      group: GROUP,
      path: pathOf(root, gone, "gone"),
      before: serializeBaseline(gone),
      after: undefined,
    },
  ];
  const written = proposals.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  expect(commitProposals(proposals)).toStrictEqual({ kind: "committed", written });
  expect(Object.values(files(root))).toStrictEqual([serializeBaseline(added), serializeBaseline(next)]);
});

test("writes no file and no receipt without updates", () => {
  expect(commitProposals([])).toStrictEqual({ kind: "committed", written: [] });
});

test("doesn't rewrite a file that already has the new text", () => {
  const root = makeRoot();
  const update = addition(root, value(1));
  commitProposals([update]);
  utimesSync(update.path, 1000, 1000);
  expect(commitProposals([update])).toStrictEqual({ kind: "committed", written: [] });
  expect(statSync(update.path).mtimeMs).toBe(1_000_000);
});

test.each<[string, string | undefined]>([
  ["edited", "edited by hand"],
  ["removed", undefined],
])("refuses all updates if a baseline was %s while the test ran", (_what, now) => {
  const root = makeRoot();
  const [old, next] = [value(1, "updated"), value(2, "updated")];
  const path = pathOf(root, old, "updated");
  mkdirSync(dirname(path), { recursive: true });
  if (now !== undefined) writeFileSync(path, now);
  const update = replacement(root, [old, next], "updated");
  expect(commitProposals([addition(root, value(1, "other"), "other"), update])).toStrictEqual({
    kind: "refused",
    problem: `${path} changed while the test ran. No file was written. Run the test again.`,
  });
  expect(Object.values(files(root))).toStrictEqual(now === undefined ? [] : [now]);
});

test("refuses to remove a file that was edited meanwhile; one that is already gone is fine", () => {
  const root = makeRoot();
  const path = pathOf(root, value(1), "label");
  const removal: BaselineUpdate = { kind: "remove", root, group: GROUP, path, before: "old", after: undefined };
  put(path, "new");
  expect(commitProposals([removal])).toStrictEqual({
    kind: "refused",
    problem: `${path} changed while the test ran. No file was written. Run the test again.`,
  });
  commitProposals([{ ...removal, before: "new" }]);
  expect(commitProposals([removal])).toStrictEqual({ kind: "committed", written: [] });
});

test.each(["first", "a label before"])("captures a case once under its label and %j if its results are the same", {
  tags: "deep",
}, (label) => {
  const root = makeRoot();
  const first = addition(root, value(1), "first");
  commitProposals([first]);
  expect(commitProposals([addition(root, value(1), label)])).toStrictEqual({ kind: "committed", written: [] });
  expect(commitProposals([addition(root, value(2), label)])).toStrictEqual({
    kind: "refused",
    problem: `${first.path} was captured by another test with a different result. No file was written. Give each case its own name: toMatchBaseline({ name: "…" }).`,
  });
  expect(files(root)).toStrictEqual({ [first.path.split(/[\\/]/).at(-1) ?? ""]: serializeBaseline(value(1)) });
});

test("refuses a set that adds a case twice with different results", () => {
  const root = makeRoot();
  const [first, second] = [addition(root, value(1), "first"), addition(root, value(2), "second")];
  expect(commitProposals([first, second])).toStrictEqual({
    kind: "refused",
    problem: `${first.path} was captured by another test with a different result. No file was written. Give each case its own name: toMatchBaseline({ name: "…" }).`,
  });
  expect(existsSync(root)).toBe(false);
});

test("adds a case even if a file with its hash and another label is damaged", () => {
  const root = makeRoot();
  put(pathOf(root, value(1), "damaged"), "");
  const update = addition(root, value(1), "label");
  expect(commitProposals([update])).toStrictEqual({ kind: "committed", written: [update] });
});

test("writes two cases of one set whose hashes begin alike", () => {
  const root = makeRoot();
  const proposals = [addition(root, value(1, "one"), "label"), addition(root, value(1, "two"), "label")];
  expect(commitProposals(proposals)).toStrictEqual({ kind: "committed", written: proposals });
  expect(Object.keys(files(root))).toHaveLength(2);
});

test("undoes the earlier writes if a write fails", () => {
  const root = makeRoot();
  const [old, next] = [value(1, "updated"), value(2, "updated")];
  const path = pathOf(root, old, "updated");
  put(path, serializeBaseline(old));
  const outside: BaselineUpdate = {
    kind: "add",
    root,
    group: GROUP,
    path: join(root, "..", "outside.json"),
    before: undefined,
    after: "{}",
  };
  const update = replacement(root, [old, next], "updated");
  expect(commitProposals([update, addition(root, value(1, "other"), "other"), outside])).toStrictEqual({
    kind: "refused",
    problem: `Refused to change ${outside.path}: it is outside ${root}.`,
  });
  expect(Object.values(files(root))).toStrictEqual([serializeBaseline(old)]);
});

test("updates a file whose permission bits were widened by hand", () => {
  const root = makeRoot();
  const [old, next] = [value(1), value(2)];
  const path = pathOf(root, old, "label");
  put(path, serializeBaseline(old));
  chmodSync(path, 0o666);
  expect(commitProposals([replacement(root, [old, next], "label")])).toMatchObject({ kind: "committed" });
  expect(statSync(path).mode & 0o777).toBe(0o666);
  expect(Object.values(files(root))).toStrictEqual([serializeBaseline(next)]);
});

/** Commits an addition in a process of its own as soon as the clock shows `at`, so that several do so at once. */
async function commitInProcess(update: BaselineUpdate, at: number): Promise<string> {
  const script = `import(${JSON.stringify(join(import.meta.dirname, "commit-updates.ts"))}).then(({ commitUpdates }) => {
    while (Date.now() < ${at});
    process.stdout.write(commitUpdates([${JSON.stringify(update)}], ${JSON.stringify(contextOf(update.root))}).kind);
  });`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  for await (const chunk of child.stdout) output += String(chunk);
  return output;
}

test("processes that add one case under several labels at once leave one file", { tags: "deep" }, async () => {
  for (let round = 0; round < 4; round += 1) {
    const root = makeRoot();
    const labels = ["alpha", "beta", "gamma"];
    const at = Date.now() + 1500;
    const kinds = await Promise.all(labels.map((label) => commitInProcess(addition(root, value(round), label), at)));
    expect(kinds).toStrictEqual(["committed", "committed", "committed"]);
    expect(Object.values(files(root))).toStrictEqual([serializeBaseline(value(round))]);
  }
});
