import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { commitAll, makeProject, veritest } from "../../../test-support/pending-project.ts";
import { createValueBaseline } from "../../baseline/create-baseline.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";

const SOURCE = `test("one", async () => { await expect(1).toMatchBaseline({ name: "one" }); });\n`;
const BASELINE = serializeBaseline(createValueBaseline(1, { test: "a.test.ts", name: "one" }));

/** A project in git with the same test and baseline in each of these folders. */
function projectWith(folders: readonly string[]): {
  readonly write: (files: Readonly<Record<string, string>>) => void;
  readonly move: (from: string, to: string) => void;
  readonly commit: () => void;
  readonly inUse: () => Promise<string>;
} {
  const project = makeProject({ git: true });
  const write = (files: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project.root, path)), { recursive: true });
      writeFileSync(join(project.root, path), text);
    }
  };
  for (const folder of folders) {
    write({ [`${folder}/a.test.ts`]: SOURCE });
    putBaseline(join(project.root, folder, "__baselines__/a.test.ts/one-61ef934e.json"), BASELINE);
  }
  commitAll(project.root);
  const move = (from: string, to: string): void => {
    mkdirSync(join(project.root, to), { recursive: true });
    renameSync(join(project.root, from, "a.test.ts"), join(project.root, to, "a.test.ts"));
  };
  return {
    write,
    move,
    commit: () => commitAll(project.root),
    inUse: async () => (await veritest(project, ["prune"])).out.split("\n").slice(0, 2).join("\n"),
  };
}

const NONE = "No baselines are obsolete. A complete run can find more, and -u removes them.\n";
const LEFT =
  "a.test.ts: the test was moved, and the same baselines are in new/__baselines__/a.test.ts\n" +
  "  old/__baselines__/a.test.ts/one-61ef934e.json";

test("prune lists baselines that a moved test left, before and after the commit", async () => {
  const { write, move, commit, inUse } = projectWith(["old"]);
  move("old", "new");
  write({ "new/__baselines__/a.test.ts/one-61ef934e.json": BASELINE });
  expect(await inUse()).toBe(LEFT);
  commit();
  expect(await inUse()).toBe(LEFT);
  write({ "other/a.test.ts": SOURCE });
  expect(await inUse()).toBe(LEFT);
});

test("prune lists no baselines beside equal ones of a test that was there before the other was moved", async () => {
  const { move, commit, inUse } = projectWith(["old", "new"]);
  move("old", "away");
  expect(await inUse()).toBe(NONE);
  commit();
  expect(await inUse()).toBe(NONE);
});

test("prune lists no baselines if two tests may be the moved one", async () => {
  const { write, move, commit, inUse } = projectWith(["old"]);
  move("old", "new");
  write({ "new/__baselines__/a.test.ts/one-61ef934e.json": BASELINE, "away/a.test.ts": SOURCE });
  expect(await inUse()).toBe(NONE);
  commit();
  expect(await inUse()).toBe(NONE);
});

test.each([
  ["vitest.config.ts", "export default { test: { resolveSnapshotPath } };"],
  ["jest.config.json", '{ "snapshotResolver": "./resolver.cjs" }'],
])("prune lists no baselines as moved if %s may store them away from their tests", async (file, text) => {
  const { write, move, commit, inUse } = projectWith(["old"]);
  move("old", "new");
  write({ "new/__baselines__/a.test.ts/one-61ef934e.json": BASELINE, [file]: text });
  expect(await inUse()).toBe(NONE);
  commit();
  expect(await inUse()).toBe(NONE);
});
