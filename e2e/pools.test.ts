import { describe, expect, test } from "vitest";
import { type Project, createProject } from "./harness/project.ts";
import { majors, runners, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const FILES = ["one", "two", "three", "four"];

/** Each file has cases of its own and, of the same step, cases all files share. */
const TESTS = Object.fromEntries(
  FILES.map((file) => [
    `${file}.test.js`,
    testFile(`
for (const name of ["${file} a", "${file} b", "${file} c", "shared a", "shared b"]) {
  test("case " + name, async () => {
    await expect(extractClaims).toMatchBaseline({ input: { text: name }, adapters: { llm } });
    await expect({ name }).toMatchBaseline({ name: "value " + name });
  });
}
test.concurrent("together ${file}", async () => { await expect(countWords).toMatchBaseline({ input: { text: "${file}" } }); });
test("shared under the file's title ${file}", async () => { await expect(countWords).toMatchBaseline({ input: { text: "shared by all" } }); });
`),
  ]),
);

const CASES = [
  ...FILES.flatMap((file) => ["a", "b", "c"].map((letter) => `${file}-${letter}`)),
  "shared-a",
  "shared-b",
];

/** Without the hashes; the one case every file captures under its own title may bear any of the titles. */
const EXPECTED = [
  ...FILES.map((file) => `__baselines__/count-words/together-${file}`),
  "__baselines__/count-words/shared-under-the-file-s-title-*",
  ...CASES.map((name) => `__baselines__/extract-claims/case-${name}`),
  ...FILES.flatMap((file) =>
    [`${file}-a`, `${file}-b`, `${file}-c`, "shared-a", "shared-b"].map(
      (name) => `__baselines__/${file}.test.js/value-${name}`,
    ),
  ),
].toSorted();

function unnamed(path: string): string {
  return path.replace(/-[0-9a-f]{8}\.json$/, "").replace(/(title)-(?:one|two|three|four)$/, "$1-*");
}

/** The texts of all baseline files, in the order of their cases. */
function contents(project: Project): string[] {
  return project
    .baselines()
    .toSorted((a, b) => (unnamed(a) < unnamed(b) ? -1 : 1))
    .map((path) => project.read(path));
}

const WAYS = {
  vitest: [
    "--pool=threads",
    "--pool=forks",
    "--pool=vmThreads",
    "--no-isolate",
    "--pool=threads --no-isolate --no-file-parallelism",
  ],
  jest: ["-w 4", "--runInBand", "-w 2 --workerThreads"],
};

describe.each(sampled(runners, majors))("$name", (runner) => {
  test("every way to run four files of one step loses and duplicates nothing", async () => {
    const project = createProject(runner);
    project.write(TESTS);
    const captured: string[][] = [];
    for (const way of WAYS[runner.kind]) {
      const first = await project.run(way.split(" "));
      expect({ way, ...first }).toMatchObject({ way, exitCode: 0, failures: {}, fileTroubles: [] });
      expect(first.summary.split("\n")[0]).toBe(`Baselines  ${EXPECTED.length} captured`);
      expect({ way, cases: project.baselines().map(unnamed).toSorted() }).toEqual({ way, cases: EXPECTED });
      captured.push(contents(project));
      project.remove("__baselines__");
    }
    for (const other of captured) expect(other).toEqual(captured[0]);
  });
});

describe.each(sampled(runners))("$name", (runner) => {
  test("two whole runs at once on one checkout lose and duplicate nothing", async () => {
    const project = createProject(runner);
    project.write(TESTS);
    const both = await Promise.all([project.run(), project.run()]);
    expect(both.map(({ exitCode, failures }) => ({ exitCode, failures }))).toEqual([
      { exitCode: 0, failures: {} },
      { exitCode: 0, failures: {} },
    ]);
    expect(project.baselines().map(unnamed).toSorted()).toEqual(EXPECTED);
    expect(Object.keys(project.tree()).filter((path) => path.endsWith(".tmp"))).toEqual([]);
    expect(await project.run([], { env: { CI: "1" } })).toMatchObject({
      exitCode: 0,
      summary: `Baselines  ${EXPECTED.length} clean`,
    });
  });
});
