import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { RunDirector } from "../reporter/run/run-director.ts";
import { type PendingProject, keepPendingChange, makeProject, veritest } from "../../test-support/pending-project.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";

/** What of a state directory that came from elsewhere is a link. */
const LINKS = [
  ".veritest",
  ".veritest/lock",
  ".veritest/tx",
  ".veritest/tx/abc-1-2",
  ".veritest/stage",
  ".veritest/stage/abc-1-2",
  ".veritest/pending",
  ".veritest/runs",
];

const TWO_DAYS_AGO = new Date(Date.now() - 2 * 86_400_000);

/** A directory of somebody's, older than anything veritest waits for. */
function victim(): string {
  const directory = temporaryProject("victim");
  // Also what a state directory holds, so that a link to one in the place of `.veritest` leads to the same.
  for (const name of [
    "notes.txt",
    ".draft.tmp",
    "tx/work/kept.txt",
    "stage/work/kept.txt",
    "work/kept.txt",
    "lock/key",
  ]) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), "mine");
  }
  for (const name of all(directory)) utimesSync(join(directory, name), TWO_DAYS_AGO, TWO_DAYS_AGO);
  return directory;
}

function all(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
}

/** A run of a test runner, begun and ended. */
async function run({ root, environment }: PendingProject): Promise<void> {
  const director = new RunDirector(root, environment);
  await director.begin();
  await director.end({ files: [], problems: [], complete: false, update: true, runner: undefined });
  director.close();
}

const COMMANDS: readonly [string, (project: PendingProject) => Promise<unknown>][] = [
  ["a run", run],
  [
    "a run in CI",
    async (project) => run({ ...project, environment: { ...project.environment, VERITEST_ACTOR: "ci" } }),
  ],
  ...["doctor", "pending", "accept --all", "reject --all", "unlock", "check --with-state", "log"].map(
    (line): [string, (project: PendingProject) => Promise<unknown>] => [
      line,
      async (project) => veritest(project, line.split(" ")),
    ],
  ),
];

test.each(LINKS)("changes no file beyond %s if it is a link, in all commands and runs", async (link) => {
  for (const [what, command] of COMMANDS) {
    const project = makeProject();
    const elsewhere = victim();
    const before = all(elsewhere);
    mkdirSync(dirname(join(project.root, link)), { recursive: true });
    symlinkSync(elsewhere, join(project.root, link));
    await command(project);
    expect([what, all(elsewhere)]).toStrictEqual([what, before]);
    expect(existsSync(join(project.root, link))).toBe(true);
  }
});

test.each([
  "recover",
  "pending",
  "log",
  "notes",
  "verify-log",
  "unlock",
  "check --with-state --untrusted",
])("%s runs no code of the project", async (command) => {
  const project = makeProject({ git: true });
  const mark = join(project.root, "ran");
  writeFileSync(
    join(project.root, "veritest.config.mjs"),
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(mark)}, ""); export default {};`,
  );
  keepPendingChange(project, "one", { to: 1 });
  mkdirSync(join(project.paths.state, "runs"), { recursive: true });
  writeFileSync(join(project.paths.state, "runs", "work.json"), "{}");
  mkdirSync(join(project.paths.state, "tx", "abc-1-2"), { recursive: true });
  writeFileSync(join(project.paths.state, "tx", "abc-1-2", "PREPARED"), "{}");
  await veritest(project, command.split(" "));
  expect(existsSync(mark)).toBe(false);
});

test("refuses a link in the state directory, and the message says what to do", async () => {
  const project = makeProject();
  const elsewhere = victim();
  mkdirSync(project.paths.state);
  symlinkSync(elsewhere, join(project.paths.state, "tx"));
  const { code, err } = await veritest(project, ["doctor"]);
  expect([code, err]).toStrictEqual([
    2,
    `veritest: Refused to use ${project.paths.state}/tx: it is a link, so veritest could remove files elsewhere. ` +
      "Check where it came from, then delete it.\n",
  ]);
});

test("recover removes temporary files of ended processes, and keeps those of active ones", async () => {
  const project = makeProject();
  const { state } = project.paths;
  // No process has a number that large.
  const [gone, alive] = [4_194_304 + 1, process.pid];
  const places = [
    [join(state, "lock"), "4.lock"],
    [join(state, "pending"), "0123456789ab.json"],
  ] as const;
  for (const [directory, name] of places) {
    mkdirSync(directory, { recursive: true });
    for (const pid of [gone, alive]) writeFileSync(join(directory, `.${name}.${pid}-0123456789ab.tmp`), "");
  }
  const stage = join(state, "stage");
  for (const pid of [gone, alive]) mkdirSync(join(stage, `.abc-${pid}-01234567.0123456789ab.tmp`), { recursive: true });
  expect(await veritest(project, ["doctor"])).toMatchObject({ code: 0, err: "" });
  const left = [...places.map(([directory]) => directory), stage].flatMap((directory) => readdirSync(directory));
  expect(left.filter((name) => name.endsWith(".tmp"))).toStrictEqual([
    ...places.map(([, name]) => `.${name}.${alive}-0123456789ab.tmp`),
    `.abc-${alive}-01234567.0123456789ab.tmp`,
  ]);
});
