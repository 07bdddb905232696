import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { sampleRun } from "../../../test-support/sample-run.ts";
import { buildRunModel } from "../../reporter/build-run-model.ts";
import { renderReport } from "../../reporter/render-report.ts";
import type { RunModel } from "../../explain/run-model.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { type PendingProject, makeProject, veritest } from "../../../test-support/pending-project.ts";

function put(project: PendingProject, path: string, model: RunModel): void {
  mkdirSync(dirname(join(project.root, path)), { recursive: true });
  writeFileSync(join(project.root, path), JSON.stringify(model));
}

function shardOf(model: RunModel, index: number, count: number): RunModel {
  const cases = model.cases.filter((_, place) => place % count === index - 1);
  return buildRunModel({ ...model, cases, environment: { ...model.environment, shard: { index, count } } });
}

function only(model: RunModel, keep: (found: ReportCase) => boolean): RunModel {
  return buildRunModel({ ...model, cases: model.cases.filter(keep), problems: [] });
}

/** A project with the three shards of the sample run, as CI gathers them. */
function makeShards(model: RunModel = sampleRun()): PendingProject {
  const project = makeProject();
  for (const index of [1, 2, 3]) put(project, `shards/report-${index}/run.json`, shardOf(model, index, 3));
  return project;
}

function read(project: PendingProject, path: string): string {
  return readFileSync(join(project.root, path), "utf8");
}

test("merge of shards prints the report of the complete run, and exits with its code", async () => {
  const whole = only(sampleRun(), ({ kind }) => kind !== "obsolete");
  const project = makeShards(whole);
  expect(await veritest(project, ["merge", "shards"])).toStrictEqual({
    code: 2,
    err: "",
    out: await renderReport("text", whole, { columns: undefined }),
  });
});

test.each<[RunModel["status"], number, (found: ReportCase) => boolean]>([
  ["pass", 0, ({ kind }) => kind === "clean"],
  ["fail", 1, ({ kind }) => kind === "clean" || kind === "value_changed"],
  ["error", 2, () => true],
])("merge of a run with status %s exits with %d", async (status, code, keep) => {
  const model = only(sampleRun(), keep);
  expect(model.status).toBe(status);
  expect((await veritest(makeShards(model), ["merge", "shards"])).code).toBe(code);
});

test("merge accepts files and directories, each once, and finds run.json at any depth", async () => {
  const project = makeShards();
  put(project, "more/deep/er/run-3.json", shardOf(sampleRun(), 3, 3));
  put(project, "more/node_modules/x/run.json", sampleRun());
  writeFileSync(join(project.root, "more/notes.json"), "{}");
  const apart = await veritest(project, [
    "merge",
    "shards/report-1/run.json",
    "shards/report-1",
    "shards/report-2",
    "more",
    "--format",
    "json",
  ]);
  expect(apart).toMatchObject({ code: 2, err: "" });
  expect(JSON.parse(apart.out)).toStrictEqual(
    JSON.parse((await veritest(project, ["merge", "shards", "--format", "json"])).out),
  );
});

test("a missing shard makes the result an error, and is named", async () => {
  const project = makeShards(only(sampleRun(), ({ kind }) => kind === "clean"));
  const { code, out } = await veritest(project, ["merge", "shards/report-1", "shards/report-3"]);
  expect(code).toBe(2);
  expect(out).toContain("Shard 2 of 3 is missing, so the result is incomplete.");
});

test("merge writes one format to the given file, and several to a directory under their usual names", async () => {
  const project = makeShards();
  const { summary } = JSON.parse((await veritest(project, ["merge", "shards", "--format", "json"])).out);
  expect(
    await veritest(project, ["merge", "shards", "--format", "markdown", "--output", "out/comment.md"]),
  ).toStrictEqual({ code: 2, err: "", out: `written  out/comment.md\n${summary}\n` });
  expect(read(project, "out/comment.md")).toContain("<!-- veritest -->");
  const several = await veritest(project, [
    "merge",
    "shards",
    "--format",
    "markdown",
    "--format",
    "junit",
    "--format",
    "json",
    "--format",
    "github",
    "--output",
    "whole",
  ]);
  expect(several.out).toBe(
    `written  whole/run.json\nwritten  whole/junit.xml\nwritten  whole/report.md\nwritten  whole/annotations.txt\n${summary}\n`,
  );
  expect(read(project, "whole/report.md")).toBe(read(project, "out/comment.md"));
  expect(await veritest(project, ["merge", "shards", "--format", "json", "--output", "whole/"])).toMatchObject({
    out: `written  whole/run.json\n${summary}\n`,
  });
  expect(await veritest(project, ["merge", "shards", "--output", "whole"])).toMatchObject({
    out: `written  whole/report.txt\n${summary}\n`,
  });
});

test.each([
  ["out.json", "json"],
  ["out.html", "html"],
  ["out.xml", "junit"],
  ["out.md", "markdown"],
  ["out.txt", "text"],
  ["out.log", "text"],
  ["out", "text"],
])("merge --output %s writes %s", async (file, format) => {
  const project = makeShards();
  await veritest(project, ["merge", "shards", "--output", file]);
  await veritest(project, ["merge", "shards", "--format", format, "--output", "expected"]);
  expect(read(project, file)).toBe(read(project, "expected"));
});

test("merging a merged run again changes nothing", async () => {
  const project = makeShards();
  await veritest(project, ["merge", "shards", "--format", "json", "--output", "once.json"]);
  await veritest(project, ["merge", "once.json", "--format", "json", "--output", "twice.json"]);
  expect(read(project, "twice.json")).toBe(read(project, "once.json"));
});

test("merge refuses runs that can't be merged, and files that aren't runs, with their names", async () => {
  const project = makeShards();
  put(project, "shards/again/run.json", shardOf(sampleRun(), 1, 3));
  expect(await veritest(project, ["merge", "shards"])).toStrictEqual({
    code: 2,
    out: "",
    err: "veritest: Cannot merge: shard 1 of 3 is listed twice. Pass the file of each shard once.\n",
  });
  writeFileSync(join(project.root, "shards/again/run.json"), "{ \u001b[2J");
  expect(await veritest(project, ["merge", "shards"])).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringMatching(/^veritest: Cannot read "shards\/again\/run\.json": [^\u001b\n]*\n$/),
  });
});

test("report writes a stored run in each format, and exits with 0 for any result", async () => {
  const project = makeProject();
  put(project, "run.json", sampleRun());
  const { code, out, err } = await veritest(project, [
    "report",
    "run.json",
    ...["html", "markdown", "junit", "json"].flatMap((format) => ["--format", format]),
    "--output",
    "a",
  ]);
  expect({ code, out, err }).toStrictEqual({
    code: 0,
    err: "",
    out: "written  a/run.json\nwritten  a/junit.xml\nwritten  a/report.md\nwritten  a/report.html\n",
  });
  expect(readdirSync(join(project.root, "a")).toSorted()).toStrictEqual([
    "junit.xml",
    "report.html",
    "report.md",
    "run.json",
  ]);
  expect(JSON.parse(read(project, "a/run.json"))).toStrictEqual(JSON.parse(read(project, "run.json")));
  expect(read(project, "a/report.md")).toBe(await renderReport("markdown", sampleRun()));
});

test("report prints for a terminal where nothing is requested, and what is asked to be printed", async () => {
  const project = makeProject();
  put(project, "run.json", sampleRun());
  const text = await renderReport("text", sampleRun());
  expect(await veritest(project, ["report", "run.json"])).toStrictEqual({ code: 0, out: text, err: "" });
  expect(await veritest(project, ["report", "run.json", "--format", "markdown"])).toStrictEqual({
    code: 0,
    out: await renderReport("markdown", sampleRun()),
    err: "",
  });
  expect(await veritest(project, ["report", "run.json", "--format", "junit", "--output", "j.xml"])).toStrictEqual({
    code: 0,
    out: "written  j.xml\n",
    err: "",
  });
});

test.each([
  ["a link to a file", "old.xml", "out.xml", "out.xml"],
  ["a link to a file that doesn't exist yet", "new.xml", "out.xml", "out.xml"],
  ["a link to a directory", ".", "out", "out/report.xml"],
])("report doesn't write through %s outside of the directory", async (_, to, link, output) => {
  const [project, outside] = [makeProject(), makeProject()];
  put(project, "run.json", sampleRun());
  writeFileSync(join(outside.root, "old.xml"), "old");
  const before = readdirSync(outside.root);
  symlinkSync(join(outside.root, to), join(project.root, link));
  expect(await veritest(project, ["report", "run.json", "--format", "junit", "--output", output])).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: "${join(project.root, output)}" points outside this directory through a symbolic link. Pass the real path.\n`,
  });
  expect([readdirSync(outside.root), read(outside, "old.xml")]).toStrictEqual([before, "old"]);
});
