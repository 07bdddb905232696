// @module-tag deep
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readReceipts } from "../../updates/receipts/receipts.ts";
import { readAttempt } from "./attempts.ts";
import { type RecoveredRun, recoverRuns } from "./recover-runs.ts";
import {
  type Project,
  litterOf,
  makeProject,
  processesOf,
  removeProjects,
  script,
} from "../../../test-support/trial-project.ts";

// Some hundred repositories where all faults are tried.
afterAll(removeProjects, 120_000);
// Each test starts some dozen processes: a second by itself, many on a machine that has more to do.
const FULL = process.env["VERITEST_FAULTS"] === "full";
const KIT = JSON.stringify(join(import.meta.dirname, "..", "..", "..", "test-support", "trial-project.ts"));
const RECOVER = JSON.stringify(join(import.meta.dirname, "recover-runs.ts"));

/** Every step of a run, in order; the process can be killed at each. */
const STEPS = [
  "recorded",
  "folder-made",
  "tree-made",
  "command-ended",
  "tree-written",
  "diff-checked",
  "fresh-tree-made",
  "checked",
  "settling",
  "receipt-written",
  "landing",
  "index-locked",
  "ready",
  "branch-moved",
  "checked-out",
  "landed",
  "cleaned",
];
/** The tests below kill runs at `tree-made` and `branch-moved`, too. */
const SOME = ["receipt-written", "ready", "landed"];

/** Changes, removes and makes files, so that a commit has something to tear. */
const WORK = `fs.writeFileSync("a.txt", "two\\n"); fs.rmSync("gone.txt"); fs.mkdirSync("new/ü", { recursive: true }); fs.symlinkSync("a.txt", "link");
  for (let n = 0; n < 20; n += 1) fs.writeFileSync("new/ü/" + n + ".txt", "line\\n".repeat(n * 50));`;

interface Death {
  /** The step at which the process kills itself. */
  readonly step?: string;
  /** Milliseconds after which it is killed, counted from its first step. */
  readonly after?: number;
  readonly command?: readonly string[];
  /** More of the run's options, as JSON has them. */
  readonly options?: object;
}

/** Runs in a process of its own that is killed; resolves when it is gone. */
async function runAndDie(
  project: Project,
  { step, after, command = script(WORK), options = {} }: Death,
): Promise<void> {
  const signal = await inProcess(
    `import(${KIT}).then(async ({ openProject }) => {
    const project = openProject(${JSON.stringify(project.root)}, ${JSON.stringify(project.temporary)});
    await project.run({ ...${JSON.stringify(options)}, command: ${JSON.stringify(command)}, approve: () => true, onOutput: (text) => text.includes("die") && process.kill(process.pid, "SIGKILL"), onStep: (name) => {
      if (name === "recorded" && ${after ?? "undefined"} !== undefined) process.stdout.write("go");
      if (name === ${JSON.stringify(step ?? "")}) process.kill(process.pid, "SIGKILL");
    } });
  })`,
    after,
  );
  // A run has the step, and so was killed.
  if (step !== undefined) expect(signal).toBe("SIGKILL");
}

/** Runs a script, and kills it some time after it says that it has begun. */
async function inProcess(code: string, after?: number): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.once("data", () => setTimeout(() => child.kill("SIGKILL"), after));
  return new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
}

async function recover(project: Project): Promise<readonly RecoveredRun[]> {
  return recoverRuns(project.places, project.options());
}

/** What the repository looks like: as before, or with the commit whole. Anything else fails. */
function sideOf(project: Project, before: Record<string, string>): "before" | "landed" {
  if (project.git("rev-parse", "HEAD").trim() === project.base) {
    expect(project.state()).toStrictEqual(before);
    return "before";
  }
  expect(project.git("rev-parse", "HEAD~1").trim()).toBe(project.base);
  expect(project.git("log", "-1", "--format=%(trailers:key=Veritest-Receipt,valueonly)").trim()).toMatch(
    /^sha256:[0-9a-f]{64}$/,
  );
  expect(project.git("status", "--porcelain", "--untracked-files=all", "--ignored")).toBe("");
  // A time that fits by chance must not hide another content.
  project.git("update-index", "--really-refresh");
  expect(project.git("diff-index", "HEAD")).toBe("");
  expect([existsSync(join(project.root, "gone.txt")), readdirSync(join(project.root, "new/ü")).length]).toStrictEqual([
    false,
    20,
  ]);
  return "landed";
}

/** The kinds of the receipts, in order; the last one tells how a run ended. */
function receiptKinds(project: Project): readonly string[] {
  const { values, problems } = readReceipts(project.places.notes);
  expect(problems).toStrictEqual([]);
  return values.map(({ kind }) => kind);
}

async function expectRecovered(project: Project, before: Record<string, string>): Promise<string> {
  const found = await recover(project);
  const side = sideOf(project, before);
  expect(litterOf(project)).toStrictEqual([]);
  expect(await recover(project)).toStrictEqual([]);
  if (found.length > 0) {
    expect(found.map((run) => run.kind)).toStrictEqual([side === "landed" ? "landed" : "discarded"]);
    expect(receiptKinds(project).at(-1)).toBe(side === "landed" ? "run" : "discard");
    expect(project.notes.map((note) => note.type)).toStrictEqual(
      side === "landed" ? ["committed"] : ["hypothesis", "hyperthesis", "discarded"],
    );
  }
  return side;
}

test("removes an incomplete record of a killed process at once, but not of an active one", async () => {
  const project = makeProject();
  const runs = join(project.places.state, "runs");
  mkdirSync(runs, { recursive: true });
  const gone = spawnSync(process.execPath, ["-e", ""]).pid;
  const [left, written] = [gone, process.pid].map((pid) => `.run-1.json.${pid}-0123456789ab.tmp`);
  for (const name of [left, written]) writeFileSync(join(runs, name ?? ""), "{");
  expect(await recover(project)).toStrictEqual([]);
  expect(readdirSync(runs)).toStrictEqual([written]);
});

/** Where the tests of a run are asked what they notice, and moments of the runners' own work in between. */
const ASKING: readonly Pick<Death, "step" | "after">[] = [
  { step: "checked" },
  { step: "base-tree-made" },
  { step: "base-measured" },
  { step: "tests-laid-over" },
  { step: "old-code-measured" },
  { step: "results-judged" },
  { after: 900 },
  { after: 1300 },
  { after: 1700 },
  { after: 2100 },
];

test.concurrent.each(
  FULL ? ASKING : ASKING.slice(2, 5),
)("a run killed during its mutation checks leaves no file: %o", async (death) => {
  const project = makeProject();
  const source = (sum: number): string =>
    `const { add } = require("./add.js"); require("node:test").test("adds", () => require("node:assert").equal(add(1, 2), ${sum}));`;
  project.put("add.js", "exports.add = (a, b) => a - b;");
  project.put("add.test.js", source(-1));
  project.git("add", "--all");
  project.git("commit", "--quiet", "-m", "add");
  const before = project.state();
  const head = project.git("rev-parse", "HEAD");
  const work = `fs.writeFileSync("add.js", "exports.add = (a, b) => a + b;"); fs.writeFileSync("add.test.js", ${JSON.stringify(source(3))})`;
  const checks = [{ name: "tests", run: ["node", "--test", "add.test.js"], timeoutMs: 60_000 }];
  await runAndDie(project, { ...death, command: script(work), options: { checks } });
  await recover(project);
  expect(litterOf(project)).toStrictEqual([]);
  expect(await recover(project)).toStrictEqual([]);
  // One that is killed late by the clock may have landed.
  if (project.git("rev-parse", "HEAD") === head) expect(project.state()).toStrictEqual(before);
  else expect([death.after === undefined, project.git("status", "--porcelain")]).toStrictEqual([false, ""]);
});

test.concurrent.each(FULL ? STEPS : SOME)("a run killed when it is %s is undone or finished", async (step) => {
  const project = makeProject();
  const before = project.state();
  await runAndDie(project, { step });
  const moved = STEPS.indexOf(step) >= STEPS.indexOf("branch-moved");
  expect(await expectRecovered(project, before)).toBe(moved ? "landed" : "before");
});

test.concurrent.each([
  ["patch-written", false],
  ["attempt-kept", true],
])("a run killed at %s has its changes stored completely, or not at all", async (step, isKept) => {
  const project = makeProject();
  // A recovery ends all processes of its run, so runs of concurrent tests need IDs of their own.
  const runId = `killed-${step}`;
  const before = project.state();
  const attempts = join(project.temporary, "..", "attempts");
  const limits = { ...project.options().limits, maxLines: 1 };
  await runAndDie(project, { step, options: { runId, attempts, limits: { ...limits, maxFiles: 999 } } });
  expect(await expectRecovered(project, before)).toBe("before");
  const kept = readAttempt(attempts, runId);
  expect(kept.ok ? kept.value.feedback : kept.error).toEqual(
    isKept
      ? expect.stringMatching(
          /^diff: the diff has one problem\.\n.* lines changed, but the limit is 1 \(too-many-lines\)$/,
        )
      : `Can't resume run "${runId}", because its changes aren't stored. Start a new run, without --resume.`,
  );
  const modes = (isKept ? ["patch", "json"] : ["patch"]).map(
    (end) => statSync(join(attempts, `${runId}.${end}`)).mode & 0o777,
  );
  expect(modes).toEqual(isKept ? [0o600, 0o600] : [0o600]);
  if (kept.ok) expect((await project.run({ resume: kept.value, command: [] })).kind).toBe("committed");
});

test.concurrent("runs killed at any time are undone or finished", async () => {
  const rounds = FULL ? 60 : 2;
  for (let round = 0; round < rounds; round += 1) {
    const project = makeProject();
    const before = project.state();
    await runAndDie(project, { after: Math.round(((round + 0.5) / rounds) * 1000) });
    await expectRecovered(project, before);
  }
});

test.concurrent("the next recovery finishes one that was killed at any time", async () => {
  const rounds = FULL ? 30 : 2;
  for (let round = 0; round < rounds; round += 1) {
    const project = makeProject();
    const before = project.state();
    const step = ["branch-moved", "fresh-tree-made", "checked-out"][round % 3] ?? "";
    await runAndDie(project, { step });
    const options = `{ ...project.options(), note: () => undefined }`;
    const code = `Promise.all([import(${KIT}), import(${RECOVER})]).then(async ([{ openProject }, { recoverRuns }]) => {
      const project = openProject(${JSON.stringify(project.root)}, ${JSON.stringify(project.temporary)});
      process.stdout.write("go");
      await recoverRuns(project.places, ${options});
    })`;
    await inProcess(code, Math.round((round / rounds) * 150));
    expect(await expectRecovered(project, before)).toBe(step === "fresh-tree-made" ? "before" : "landed");
  }
});

test.concurrent("completes files that git wrote partly, and keeps files edited since", async () => {
  const project = makeProject();
  await runAndDie(project, { step: "branch-moved" });
  project.put("a.txt", "tw");
  rmSync(join(project.root, "gone.txt"));
  project.put("new/ü/3.txt", "line\nli");
  project.put("new/ü/4.txt", "");
  project.put("new/ü/5.txt", "mine\n");
  project.put("test/add.test.js", "mine too\n");
  expect(await recover(project)).toMatchObject([{ kind: "landed", leftAlone: ["new/ü/5.txt"] }]);
  expect(readFileSync(join(project.root, "a.txt"), "utf8")).toBe("two\n");
  expect(readFileSync(join(project.root, "new/ü/3.txt"), "utf8")).toBe("line\n".repeat(150));
  expect(project.git("-c", "core.quotePath=false", "status", "--porcelain")).toBe(
    " M new/ü/5.txt\n M test/add.test.js\n",
  );
  expect(litterOf(project)).toStrictEqual([]);
});

test.concurrent("doesn't remove a file behind a link that replaced its directory", async () => {
  const project = makeProject();
  project.put("dir/x.txt", "x\n");
  project.git("add", "--all");
  project.git("commit", "--quiet", "-m", "dir");
  const elsewhere = join(project.temporary, "..", "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "x.txt"), "x\n");
  await runAndDie(project, {
    step: "branch-moved",
    command: script(`fs.rmSync("dir", { recursive: true }); fs.writeFileSync("a.txt", "two\\n")`),
  });
  rmSync(join(project.root, "dir"), { recursive: true });
  symlinkSync(elsewhere, join(project.root, "dir"));
  expect(await recover(project)).toMatchObject([{ kind: "landed", leftAlone: [] }]);
  expect(readFileSync(join(elsewhere, "x.txt"), "utf8")).toBe("x\n");
});

test.concurrent("finishes a run in a sparse checkout, and leaves the skipped files out", async () => {
  const project = makeProject();
  project.put("out/b.txt", "one\n");
  project.git("add", "--all");
  project.git("commit", "--quiet", "-m", "outside");
  project.git("sparse-checkout", "set", "test");
  await runAndDie(project, {
    step: "branch-moved",
    command: script(`fs.writeFileSync("a.txt", "two\\n"); fs.writeFileSync("out/b.txt", "two\\n");`),
  });
  expect(await recover(project)).toMatchObject([{ kind: "landed", leftAlone: [] }]);
  expect(readFileSync(join(project.root, "a.txt"), "utf8")).toBe("two\n");
  expect(existsSync(join(project.root, "out"))).toBe(false);
  expect(project.git("show", ":out/b.txt")).toBe("two\n");
  expect(project.git("status", "--porcelain")).toBe("");
  expect(litterOf(project)).toStrictEqual([]);
});

/** What an archive's record may say otherwise than the run did, and what is said of it. */
const HOSTILE: readonly [string, (victim: string) => object, string][] = [
  ["a folder of its own choice", (victim) => ({ folder: victim }), "isn't a folder of the run"],
  ["another repository to run git in", (victim) => ({ top: victim }), "belongs to another repository"],
  ["other directories of git's", (victim) => ({ gitDir: victim, commonDir: victim }), "belongs to another repository"],
  [
    "an option for a commit",
    () => ({ landing: { target: "refs/heads/main", base: "--output=x", commit: "a".repeat(40), checkedOut: true } }),
    "isn't a commit or branch",
  ],
  [
    "something else than a branch",
    () => ({ landing: { target: "HEAD", base: "a".repeat(40), commit: "a".repeat(40), checkedOut: true } }),
    "isn't a commit or branch",
  ],
];

test.concurrent("refuses a foreign record, ignores one of another host, names an unreadable one, and changes no file", async () => {
  const project = makeProject();
  await runAndDie(project, { step: "tree-made" });
  const before = project.state();
  const directory = join(project.places.state, "runs");
  const name = readdirSync(directory).find((each) => each.endsWith(".json")) ?? "";
  const [path, id] = [join(directory, name), name.replace(".json", "")];
  const text = readFileSync(path, "utf8");
  const own: unknown = JSON.parse(text);
  const victim = join(project.temporary, "..", "victim");
  mkdirSync(victim);
  writeFileSync(join(victim, "x.txt"), "x\n");
  for (const [, change, found] of HOSTILE) {
    writeFileSync(path, JSON.stringify(Object.assign({}, own, change(victim))));
    const recovered = await recover(project);
    expect(recovered).toStrictEqual([{ id, kind: "stuck", problem: expect.stringContaining(found) }]);
    expect(recovered).toMatchObject([
      { problem: expect.stringMatching(/^Refused to recover run .*No file was changed\. Check where .* came from/) },
    ]);
    expect(readFileSync(join(victim, "x.txt"), "utf8")).toBe("x\n");
    expect(project.state()).toStrictEqual(before);
  }
  writeFileSync(path, text.replace(/"host":"[^"]*"/, '"host":"elsewhere"'));
  expect(await recover(project)).toMatchObject([
    { kind: "running", owner: expect.stringMatching(/^process \d+ on elsewhere$/) },
  ]);
  writeFileSync(path, text.replace('"version":1', '"version":2'));
  expect(await recover(project)).toMatchObject([
    {
      kind: "stuck",
      problem: `Cannot read ${path}: it isn't a record of a run that this version of veritest knows. Update veritest, or remove it.`,
    },
  ]);
  expect(project.state()).toStrictEqual(before);
  writeFileSync(path, text);
  expect(await expectRecovered(project, before)).toBe("before");
});

test.concurrent("the user has to wait for the lock of another git command, after which a removed lock is made again", async () => {
  const project = makeProject();
  await runAndDie(project, { step: "branch-moved" });
  const lock = join(project.root, ".git/index.lock");
  rmSync(lock);
  writeFileSync(lock, "another's");
  expect(await recover(project)).toMatchObject([
    {
      kind: "stuck",
      problem: `main has the commit of run "write two", and ${lock} of another git command prevents an update of the files. If no git command is running, remove it. Then run: npx veritest doctor`,
    },
  ]);
  expect(readFileSync(lock, "utf8")).toBe("another's");
  rmSync(lock);
  expect(await expectRecovered(project, {})).toBe("landed");
});

test.concurrent("removes locks that a killed git command of the run left", async () => {
  const project = makeProject();
  await runAndDie(project, { step: "branch-moved" });
  for (const name of ["HEAD.lock", "refs/heads/main.lock"]) writeFileSync(join(project.root, ".git", name), "");
  const next = readdirSync(join(project.root, ".git")).find((name) => name.endsWith(".next")) ?? "";
  writeFileSync(join(project.root, ".git", `${next}.lock`), "half of an ind");
  expect(await expectRecovered(project, {})).toBe("landed");
  expect(existsSync(join(project.root, ".git/refs/heads/main.lock"))).toBe(false);
});

test.concurrent("keeps commits made after the run's own", async () => {
  const project = makeProject();
  await runAndDie(project, { step: "landed" });
  project.git("commit", "--quiet", "--allow-empty", "-m", "on top");
  expect(await recover(project)).toMatchObject([{ kind: "landed" }]);
  expect(project.git("log", "-1", "--format=%s").trim()).toBe("on top");
  expect(litterOf(project)).toStrictEqual([]);
});

test.concurrent("ends processes of a killed run, and removes its branches and tags", async () => {
  const project = makeProject();
  const before = project.state();
  const word = `${project.root}!`;
  const idle = JSON.stringify(`setInterval(() => {}, 1000)`);
  const command = script(`
    git("checkout", "-q", "-b", "agent-work"); fs.writeFileSync("a.txt", "two\\n"); git("commit", "-qam", "wip"); git("update-ref", "refs/heads/main", "HEAD"); git("tag", "v1");
    const start = (detached) => require("child_process").spawn(process.execPath, ["-e", ${idle}, ${JSON.stringify(word)}], { detached, stdio: "ignore" });
    start(false); start(true); process.on("SIGTERM", () => {}); console.log("die"); setInterval(() => {}, 1000);`);
  await runAndDie(project, { command });
  expect(processesOf(word)).toHaveLength(2);
  expect(await expectRecovered(project, before)).toBe("before");
  expect(processesOf(word)).toStrictEqual([]);
});
