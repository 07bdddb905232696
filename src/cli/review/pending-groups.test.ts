import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyOf } from "../../updates/pending/key-of.ts";
import { readReceipts } from "../../updates/receipts/receipts.ts";
import type { Receipt } from "../../updates/receipts/receipt.ts";
import { writePending, readPending } from "../../updates/pending/pending-store.ts";
import {
  type PendingProject,
  changeOf,
  keepPendingChange,
  makeProject,
  pathOf,
  put,
  textOf,
  veritest,
} from "../../../test-support/pending-project.ts";
import { checkProject } from "../../../test-support/check-project.ts";
import { findGroup, pendingGroups } from "./pending-groups.ts";

/** Three changes of one kind, and one of another. */
function projectWith(config?: string): PendingProject {
  const project = makeProject();
  if (config !== undefined) writeFileSync(join(project.root, "veritest.config.mjs"), config);
  for (const name of ["one", "two", "three"]) {
    put(project, name, { licence: "MIT", total: 1 });
    keepPendingChange(project, name, { to: { licence: null, total: 1 } });
  }
  put(project, "other", { total: 1 });
  keepPendingChange(project, "other", { to: { total: 2 } });
  return project;
}

function idsOf({ paths, root }: PendingProject): string[] {
  const { changes } = readPending(paths.state);
  return pendingGroups(changes, { root, trusted: true }).map(({ id }) => id);
}

function newest({ paths }: PendingProject): Receipt | undefined {
  return readReceipts(paths.notes).values.at(-1);
}

test("pending lists updates by kind", async () => {
  const project = projectWith();
  const [licence = "", total = ""] = idsOf(project);
  const { out } = await veritest(project, ["pending"]);
  expect(out).toContain(`4 changed, 2 groups:
${licence}  3 × licence: "MIT" → null
${total}  1 × total: 1 → 2

4 changes are pending.`);
  const listed: { target: string; groupId: string }[] = JSON.parse(
    (await veritest(project, ["pending", "--json"])).out,
  );
  expect(listed.map(({ groupId }) => groupId).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
    [licence, licence, licence, total].toSorted((a, b) => (a < b ? -1 : 1)),
  );
});

test("accept --group shows one example, writes all unchanged, and names the group in the receipt", async () => {
  const project = projectWith();
  const [licence = ""] = idsOf(project);
  const { code, out, err } = await veritest(project, ["accept", "--group", licence]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(`${licence}  3 × licence: "MIT" → null\n  __baselines__/`);
  for (const name of ["one", "two", "three"])
    expect(readFileSync(pathOf(project, name), "utf8")).toBe(textOf(name, { licence: null, total: 1 }));
  expect(readFileSync(pathOf(project, "other"), "utf8")).toBe(textOf("other", { total: 1 }));
  expect(newest(project)).toMatchObject({ kind: "accept", groups: [licence], changes: { length: 3 } });
  expect(readPending(project.paths.state).changes).toHaveLength(1);
});

test("writes no update of a group if one changed since", async () => {
  const project = projectWith();
  const [licence = ""] = idsOf(project);
  const [first] = readPending(project.paths.state).changes.filter(({ target }) => target.includes("/two-"));
  put(project, "two", { licence: "GPL", total: 1 });
  const { code, err } = await veritest(project, ["accept", "--group", licence]);
  expect(code).toBe(1);
  expect(err).toBe(
    `veritest: Group ${licence} differs from what was shown, because the baseline of ${first?.target} changed. ` +
      "Run its tests again, and review the remaining changes.\n" +
      "veritest: No file was written. 3 changes stay pending.\n",
  );
  expect(readFileSync(pathOf(project, "one"), "utf8")).toBe(textOf("one", { licence: "MIT", total: 1 }));
  expect(readFileSync(pathOf(project, "three"), "utf8")).toBe(textOf("three", { licence: "MIT", total: 1 }));
  expect(readPending(project.paths.state).changes).toHaveLength(4);
  expect(readReceipts(project.paths.notes).values).toEqual([]);
});

test("reject --group drops all of the kind, with a receipt that names the group", async () => {
  const project = projectWith();
  const [licence = ""] = idsOf(project);
  expect(await veritest(project, ["reject", "--group", licence, "--reason", "no"])).toMatchObject({ code: 0, err: "" });
  expect(newest(project)).toMatchObject({ kind: "reject", groups: [licence], reason: "no" });
  expect(readPending(project.paths.state).changes.map(({ target }) => target)).toEqual([
    expect.stringContaining("/other-"),
  ]);
});

test.each([
  ["g-000000", 'The group "g-000000" isn\'t pending. Pending groups: '],
  ["3fa9c1", '--group must be the id of a group, such as g-3fa9c1, got "3fa9c1".'],
  ["g-\u001b[2J", '--group must be the id of a group, such as g-3fa9c1, got "g-\\u001b[2J".'],
])("--group %j is refused, and writes nothing", async (name, problem) => {
  const project = projectWith();
  const { code, err } = await veritest(project, ["accept", "--group", name]);
  expect(code).toBe(2);
  expect(err).toContain(problem);
  expect(readPending(project.paths.state).changes).toHaveLength(4);
});

test("refuses a group, keys and --all together", async () => {
  const project = projectWith();
  expect(await veritest(project, ["accept", "--all", "--group", "g-000000"])).toMatchObject({
    code: 2,
    err: "veritest: Pass only one of: keys, --group, --all.\n",
  });
});

test("a policy forbids accepting groups of protected steps, or as an agent", async () => {
  const forbidden = (more: string): string =>
    `export default { policy: { forbidGroups: ["protected", "agents"], ${more} } };`;
  const protect = projectWith(forbidden('protect: ["a.test.ts"]'));
  const [licence = ""] = idsOf(protect);
  expect(await veritest(protect, ["accept", "--group", licence])).toMatchObject({
    code: 1,
    err:
      'veritest: policy.protect protects a.test.ts. Review each change, because policy.forbidGroups contains "protected".\n' +
      "veritest: No file was written. 3 changes stay pending.\n",
  });
  const keys = readPending(protect.paths.state).changes.map(keyOf);
  expect(await veritest(protect, ["accept", ...keys])).toMatchObject({ code: 0 });
  const agents = projectWith(forbidden(""));
  const more = { VERITEST_ACTOR: "agent" };
  expect(await veritest(agents, ["accept", "--group", licence], more)).toMatchObject({
    code: 1,
    err:
      "veritest: An agent can't accept groups, because policy.forbidGroups contains " +
      '"agents" (VERITEST_ACTOR). Accept the changes by key: npx veritest accept <keys>\n' +
      "veritest: No file was written. 3 changes stay pending.\n",
  });
  expect(await veritest(agents, ["accept", "--group", licence])).toMatchObject({ code: 0 });
});

test("a change has the same id as in its run's report, even after another one joins", async () => {
  const project = checkProject();
  for (const name of ["a", "b", "c"]) project.write(`in/${name}.json`, JSON.stringify({ text: `receipt ${name}` }));
  await project.veritest(["capture", "--step", "total", "--input", "in/*.json"]);
  project.write("steps/mood.json", '{ "reverse": true }');
  const run: { readonly groups: readonly { readonly id: string; readonly count: number }[] } = JSON.parse(
    (await project.veritest(["test", "--format", "json"])).out,
  );
  const pending: readonly { readonly groupId: string }[] = JSON.parse(
    (await project.veritest(["pending", "--json"])).out,
  );
  expect(run.groups.map(({ count }) => count)).toEqual([3]);
  expect(pending.map(({ groupId }) => groupId)).toEqual(Array.from({ length: 3 }, () => run.groups[0]?.id));
});

test("groups an upload by its texts, and separates changes that only claim a group", () => {
  const project = makeProject();
  const changes = ["one", "two", "three", "four"].map((name) => {
    put(project, name, { licence: "MIT", price: 1 });
    return changeOf(project, name, { to: { licence: null, price: name === "four" ? 9 : 1 } });
  });
  const [honest] = pendingGroups(changes.slice(0, 1), { root: project.root, trusted: true });
  const claim = { kind: "value_changed", cause: "code", lines: honest?.lines ?? [] } as const;
  const claiming = changes.map((change) => ({ ...change, shape: claim }));
  const trusted = pendingGroups(claiming, { root: project.root, trusted: true });
  expect(trusted.map(({ count, cause }) => [count, cause])).toEqual([[4, "code"]]);
  const groups = pendingGroups(claiming, { root: project.root, trusted: false });
  expect(groups.map(({ count, cause, lines }) => [count, cause, lines.map(({ path }) => path)])).toEqual([
    [3, null, ["licence"]],
    [1, null, ["licence", "price"]],
  ]);
  expect(groups[0]?.id).toBe(trusted[0]?.id);
  expect(groups[1]?.id).not.toBe(trusted[0]?.id);
});

test("refuses a pending update with an invalid shape", () => {
  const project = makeProject();
  put(project, "one", 1);
  const change = changeOf(project, "one", { to: 2 });
  writePending(project.paths, [{ ...change, shape: JSON.parse('{"kind":"clean","cause":1,"lines":[]}') }]);
  expect(readPending(project.paths.state)).toMatchObject({ changes: [], unreadable: { length: 1 } });
});

test("compares a name with the complete shape, for any length of the id", () => {
  const project = projectWith();
  const groups = pendingGroups(readPending(project.paths.state).changes, { root: project.root, trusted: true });
  const [first] = groups;
  const hash = first?.hash ?? "";
  expect(findGroup(groups, `g-${hash.slice(0, 12)}`)).toEqual({ ok: true, value: first });
  const other = `${hash.slice(0, 11)}${hash[11] === "0" ? "1" : "0"}`;
  expect(findGroup(groups, `g-${other}`).ok).toBe(false);
});
