import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unwrap } from "../../kernel/result.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { verifySerialized } from "../../baseline/serialize-baseline.ts";
import { callOf, putStep } from "../../../test-support/put-step.ts";
import { type PendingProject, makeProject, put, veritest } from "../../../test-support/pending-project.ts";
import { targetName } from "../../kernel/files/project-paths.ts";

function makeExtract(): { readonly project: PendingProject; readonly old: readonly string[] } {
  const project = makeProject();
  const calls = [callOf("List the tasks.", "T1")];
  const one = putStep(project.root, { step: "extract", name: "monday", input: {}, calls, directory: "steps" });
  const two = putStep(project.root, { step: "extract", input: { notes: "B" }, label: "b", directory: "other" });
  putStep(project.root, { step: "extract-all", name: "monday", input: {}, directory: "steps" });
  return { project, old: [two, one] };
}

test("renames a step's baselines in all folders as one transaction", async () => {
  const { project, old } = makeExtract();
  const texts = old.map((target) => readFileSync(join(project.root, target), "utf8"));
  const next = old.map((target) => target.replace("/extract/", "/extract-tasks/"));
  const { code, out } = await veritest(project, ["rename-step", "extract", "extract-tasks"]);
  expect([code, out.replace(/receipt \w+/, "receipt ID")]).toStrictEqual([
    0,
    `${old[0]} → ${next[0]}\n${old[1]} → ${next[1]}\n` +
      "2 baselines moved, receipt ID. Next: git add -A, and run the tests.\n",
  ]);
  expect(old.map((target) => existsSync(join(project.root, target)))).toStrictEqual([false, false]);
  for (const [index, target] of next.entries()) {
    const text = readFileSync(join(project.root, target), "utf8");
    expect(text).toBe(texts[index]?.replace('"step": "extract"', '"step": "extract-tasks"'));
    expect([verifySerialized(text), unwrap(parseBaseline(text, target))]).toMatchObject([
      undefined,
      { step: "extract-tasks" },
    ]);
  }
  expect((await veritest(project, ["rename-step", "extract", "extract-tasks"])).err).toBe(
    'veritest: No baseline of "extract". To list the names, run: npx veritest list\n',
  );
});

test("renames the values of a renamed test file too; --dry-run only lists them", async () => {
  const project = makeProject();
  const old = targetName(project.root, put(project, "one", { a: 1 }));
  const next = old.replace("a.test.ts", "b.test.ts");
  const argv = ["rename-step", "a.test.ts", "b.test.ts"];
  expect((await veritest(project, [...argv, "--dry-run"])).out).toBe(`${old} → ${next}\n1 baseline to move.\n`);
  expect(existsSync(join(project.root, old))).toBe(true);
  expect((await veritest(project, argv)).code).toBe(0);
  expect(readFileSync(join(project.root, next), "utf8")).toContain('"test": "b.test.ts"');
});

test("refuses if the new name already has a case, unless forced", async () => {
  const { project, old } = makeExtract();
  const all = await veritest(project, ["rename-step", "extract", "extract-all"]);
  const target = old[1]?.replace("/extract/", "/extract-all/");
  expect([all.code, all.err]).toStrictEqual([
    2,
    `veritest: ${target} exists: "extract-all" has a baseline of the same case. To replace it, add --force\n`,
  ]);
  const text = readFileSync(join(project.root, old[1] ?? ""), "utf8");
  expect((await veritest(project, ["rename-step", "extract", "extract-all", "--force"])).code).toBe(0);
  expect(readFileSync(join(project.root, target ?? ""), "utf8")).toBe(text.replace('"extract"', '"extract-all"'));
});

test("replaces the case of a test whose title changed too, and keeps one file of it", async () => {
  const project = makeProject();
  const input = { notes: "B" };
  const old = putStep(project.root, { step: "extract", input, label: "old title", output: { n: 1 } });
  const next = putStep(project.root, { step: "extract-tasks", input, label: "new title", output: { n: 2 } });
  const argv = ["rename-step", "extract", "extract-tasks"];
  expect(await veritest(project, argv)).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: ${next} exists: "extract-tasks" has a baseline of the same case. To replace it, add --force\n`,
  });
  const text = readFileSync(join(project.root, old), "utf8");
  expect((await veritest(project, [...argv, "--force"])).code).toBe(0);
  expect(readFileSync(join(project.root, next), "utf8")).toBe(text.replace('"extract"', '"extract-tasks"'));
  expect((await veritest(project, ["list", "--json"])).out).not.toContain("old-title");
});

test("refuses if a baseline is damaged, or the new name is blank", async () => {
  const { project, old } = makeExtract();
  writeFileSync(join(project.root, old[0] ?? ""), "");
  const { code, err } = await veritest(project, ["rename-step", "extract", "x"]);
  expect([code, err]).toStrictEqual([
    2,
    `veritest: Cannot read ${old[0]}: it is empty. Restore the file with npx veritest repair --restore, or delete it and capture the case again. ` +
      "No baseline was moved. See: veritest repair\n",
  ]);
  expect(existsSync(join(project.root, old[1] ?? ""))).toBe(true);
  expect((await veritest(project, ["rename-step", "extract", " "])).err).toBe(
    "veritest: The new name is blank, or the same as before. Choose a different name.\n",
  );
});

test("refuses in CI", async () => {
  const { project, old } = makeExtract();
  const { code, err } = await veritest(project, ["rename-step", "extract", "x"], { VERITEST_ACTOR: "ci" });
  expect([code, err]).toStrictEqual([1, "veritest: CI never writes baselines (VERITEST_ACTOR).\n"]);
  expect(existsSync(join(project.root, old[0] ?? ""))).toBe(true);
});
