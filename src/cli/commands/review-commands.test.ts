import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { expect, onTestFinished, test, vi } from "vitest";
import { keyOf } from "../../updates/pending/key-of.ts";
import { readReceipts } from "../../updates/receipts/receipts.ts";
import { numberedWith, ownIdentity } from "../../kernel/files/processes.ts";
import { projectPaths } from "../../kernel/files/project-paths.ts";
import { writePending, pendingDirectory, readPending } from "../../updates/pending/pending-store.ts";
import { beginRun } from "../../updates/test-run.ts";
import { stageChanges } from "../../updates/pending/stage-changes.ts";
import { acceptPending } from "../../updates/pending/accept-pending.ts";
import {
  type PendingProject,
  type Ran,
  changeOf,
  commitAll,
  keepPendingChange,
  inGit,
  makeProject,
  pathOf,
  put,
  textOf,
  veritest,
  updateContextOf,
} from "../../../test-support/pending-project.ts";

const CLI = join(import.meta.dirname, "..", "..", "cli.ts");

function inChild({ root, environment }: PendingProject, argv: readonly string[], more: NodeJS.ProcessEnv = {}): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...argv], {
    cwd: root,
    env: { ...environment, ...more },
    encoding: "utf8",
  });
  return { code: status ?? -1, out: stdout, err: stderr };
}

function receiptsOf({ paths }: PendingProject): string[] {
  return readReceipts(paths.notes).values.map(({ kind }) => kind);
}

function newestReceipt({ paths }: PendingProject): string {
  return readReceipts(paths.notes).values.at(-1)?.id.slice(7, 19) ?? "none";
}

function waiting({ paths }: PendingProject): string[] {
  return readPending(paths.state).changes.map(({ key }) => key);
}

test.each([
  ["pending"],
  ["review"],
  ["accept", "--all"],
  ["reject", "--all"],
])("a package without pending updates names the directory above it that has some: %s", {
  tags: "deep",
}, async (...command) => {
  const project = makeProject({ git: true });
  const root = join(project.root, "packages", "a");
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "package.json"), "{}");
  const held = changeOf({ root }, "one", { to: 1 });
  writePending(project.paths, [{ ...held, target: `packages/a/${held.target}` }, changeOf(project, "two", { to: 2 })]);
  expect(await veritest({ ...project, root }, command)).toStrictEqual({
    code: 0,
    out: "No change is pending.\nA run in ../.. has 1 change of this folder: cd ../.. && npx veritest pending\n",
    err: "",
  });
});

test("a project without pending updates counts those of runs in other folders of the repository", async () => {
  const project = makeProject({ git: true });
  const root = join(project.root, "packages", "a");
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "package.json"), "{}");
  writePending(projectPaths(root, project.environment), [changeOf({ root }, "one", { to: 1 })]);
  expect(await veritest(project, ["pending"])).toStrictEqual({
    code: 0,
    out: `No change is pending.
Runs in other folders of this repository have 1 change: run npx veritest pending in the folder of the run.
`,
    err: "",
  });
});

test("pending lists what waits, why, and how to apply it", async () => {
  const project = makeProject();
  put(project, "one", 1);
  const one = keepPendingChange(project, "one", { to: 2 });
  const two = keepPendingChange(project, "two", {
    to: 2,
    verdict: "missing",
    intent: "write",
    passed: true,
    test: "\u001b[2J",
  });
  expect(await veritest(project, ["pending"])).toStrictEqual({
    code: 0,
    err: "",
    out: `${keyOf(one)}  update  value_changed     ${one.target}
              one (a.test.ts): its test failed, just now
${keyOf(two)}  add     missing           ${two.target}
              \\u001b[2J (a.test.ts): its test passed, but the run couldn't write it, just now

2 changes are pending. Review them: npx veritest review
To decide on one change, run: npx veritest accept <key>, or reject <key>
`,
  });
});

test("pending --json has all fields except texts, marks outdated updates, and removes none", async () => {
  const project = makeProject();
  put(project, "one", 1);
  const one = keepPendingChange(project, "one", { to: 2 });
  put(project, "one", "edited");
  const { code, out } = await veritest(project, ["pending", "--json"]);
  const { text: _text, version: _version, ...data } = one;
  const state = { state: "changed meanwhile", groupId: expect.stringMatching(/^g-[0-9a-f]{6}$/) };
  expect({ code, out: JSON.parse(out) }).toStrictEqual({ code: 0, out: [{ ...data, key: keyOf(one), ...state }] });
  expect(waiting(project)).toStrictEqual([one.key]);
});

test.each([
  ["pending"],
  ["review"],
  ["accept", "--all"],
  ["reject", "--all"],
])("without pending updates %s reports it and exits with 0", async (...argv) => {
  expect(await veritest(makeProject(), argv)).toStrictEqual({ code: 0, out: "No change is pending.\n", err: "" });
});

test("a pending file that cannot be read is reported by every command", async () => {
  const project = makeProject();
  mkdirSync(pendingDirectory(project.paths.state), { recursive: true });
  writeFileSync(join(pendingDirectory(project.paths.state), "0123456789ab.json"), "{");
  const err =
    "veritest: A pending change can't be read: 0123456789ab.json: this version of veritest can't read its format. Run its test again.\n";
  for (const argv of [["pending"], ["review"], ["accept", "--all"]])
    expect(await veritest(project, argv)).toStrictEqual({ code: 0, out: "No change is pending.\n", err });
});

test("accept writes what it has to, prints each file and the receipt, and leaves the rest", {
  tags: "deep",
}, async () => {
  const project = makeProject();
  put(project, "one", 1);
  const [one, two] = [
    keepPendingChange(project, "one", { to: 2 }),
    keepPendingChange(project, "two", { to: 2, verdict: "missing" }),
  ];
  const ran = inChild(project, ["accept", keyOf(one).slice(0, 6), "--reason", "meant"]);
  expect(ran).toStrictEqual({
    code: 0,
    err: "",
    out: `updated  ${one.target}\n1 accepted by human (VERITEST_ACTOR), receipt ${newestReceipt(project)}\n`,
  });
  expect(readFileSync(pathOf(project, "one"), "utf8")).toBe(textOf("one", 2));
  expect(waiting(project)).toStrictEqual([two.key]);
  expect(readReceipts(project.paths.notes).values[0]).toMatchObject({
    kind: "accept",
    reason: "meant",
  });
});

test("accept --all writes all in one transaction, and a pattern the matching ones", async () => {
  const project = makeProject();
  for (const name of ["one", "two", "three"]) keepPendingChange(project, name, { to: 1, verdict: "missing" });
  expect(await veritest(project, ["accept", "*/one-*", "*/two-*"])).toMatchObject({ code: 0, err: "" });
  expect(await veritest(project, ["accept", "--all"])).toMatchObject({ code: 0, err: "" });
  expect(receiptsOf(project)).toStrictEqual(["accept", "accept"]);
  expect(["one", "two", "three"].map((name) => existsSync(pathOf(project, name)))).toStrictEqual([true, true, true]);
});

test("a baseline without a receipt isn't reported only as a user's edit", async () => {
  const project = makeProject({ git: true });
  put(project, "one", 1);
  keepPendingChange(project, "one", { to: 2 });
  expect(await veritest(project, ["accept", "--all"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("was edited by hand, or written elsewhere, and isn't in git yet. Commit, stash or"),
  });
});

test("accept refuses if git can't read the repository or isn't installed, and says how to see why", async () => {
  const project = makeProject();
  mkdirSync(join(project.root, ".git"));
  const broken = { ...project, paths: projectPaths(project.root, project.environment) };
  put(broken, "one", 1);
  keepPendingChange(broken, "one", { to: 2 });
  const refused = (reason: string): Ran => ({
    code: 1,
    out: "",
    err: `veritest: git can't check whether the replaced baselines are committed: ${reason}. Fix that, or set policy.allowDirty. To see git's message, run: git status
veritest: No file was written. 1 change stays pending.
`,
  });
  expect(await veritest(broken, ["accept", "--all"])).toStrictEqual(
    refused("not a git repository (or any of the parent directories): .git"),
  );
  vi.stubEnv("PATH", project.root);
  expect(await veritest(broken, ["accept", "--all"])).toStrictEqual(refused("git isn't installed, or isn't in PATH"));
  vi.unstubAllEnvs();
});

test("reject drops what it has to, with a receipt", async () => {
  const project = makeProject();
  const path = put(project, "one", 1);
  const one = keepPendingChange(project, "one", { to: 2 });
  expect(await veritest(project, ["reject", one.target, "--reason", "noise"])).toStrictEqual({
    code: 0,
    err: "",
    out: `rejected  ${keyOf(one)}  ${one.target}\n1 rejected by human (VERITEST_ACTOR), receipt ${newestReceipt(project)}\n`,
  });
  expect({ text: readFileSync(path, "utf8"), waiting: waiting(project), receipts: receiptsOf(project) }).toStrictEqual({
    text: textOf("one", 1),
    waiting: [],
    receipts: ["reject"],
  });
});

test.each<[string[], string]>([
  [
    ["accept"],
    "No change was passed. Pass keys, files or --group to accept, or --all. To list them, run: npx veritest pending",
  ],
  [
    ["reject"],
    "No change was passed. Pass keys, files or --group to reject, or --all. To list them, run: npx veritest pending",
  ],
  [["accept", "a", "--all"], "Pass only one of: keys, --group, --all."],
  [["accept", "--from", "none.zip", "--all"], "Cannot read ROOT/none.zip: it doesn't exist."],
])("%j reports what is missing, and applies nothing", async (argv, problem) => {
  const project = makeProject();
  const one = keepPendingChange(project, "one", { to: 1, verdict: "missing" });
  expect(await veritest(project, argv)).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: ${problem.replace("ROOT", project.root)}\n`,
  });
  expect(waiting(project)).toStrictEqual([one.key]);
});

test("an unknown name applies nothing, not even the known ones beside it", async () => {
  const project = makeProject();
  const one = keepPendingChange(project, "one", { to: 1, verdict: "missing" });
  expect(await veritest(project, ["accept", keyOf(one), "zzz"])).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: No pending change matches "zzz". The pending change is: ${keyOf(one)} (${one.target}). To list all keys, run: npx veritest pending\n`,
  });
  expect(existsSync(pathOf(project, "one"))).toBe(false);
});

test("accepting a key that was shown doesn't write the result that a later run found instead", async () => {
  const project = makeProject();
  put(project, "one", 1);
  const shown = keepPendingChange(project, "one", { to: 2 });
  const later = keepPendingChange(project, "one", { to: 3 });
  const before = readFileSync(pathOf(project, "one"), "utf8");
  for (const command of ["accept", "review", "reject"])
    expect(await veritest(project, [command, keyOf(shown)])).toStrictEqual({
      code: 2,
      out: "",
      err:
        `veritest: "${keyOf(shown)}" isn't pending: a later result of the same test replaced it. Its key is ` +
        `${keyOf(later)} (${later.target}). To see it, run: npx veritest review ${keyOf(later)}\n`,
    });
  expect(readFileSync(pathOf(project, "one"), "utf8")).toBe(before);
  keepPendingChange(project, "one", { to: 2 });
  expect(await veritest(project, ["accept", keyOf(shown)])).toMatchObject({ code: 0, err: "" });
});

test("a configuration that cannot be read applies nothing", { tags: "deep" }, async () => {
  const project = makeProject();
  const one = keepPendingChange(project, "one", { to: 1, verdict: "missing" });
  writeFileSync(join(project.root, "veritest.config.ts"), "export default { policy: { agent: 'propose-only' } };");
  for (const argv of [["accept", "--all"], ["reject", "--all"], ["review"], ["commit", "."], ["repair", "--restore"]]) {
    const ran = await veritest(project, argv);
    if (argv[0] === "commit" || argv[0] === "repair") continue;
    expect({ code: ran.code, out: ran.out, err: ran.err }).toStrictEqual({
      code: 2,
      out: "",
      err: expect.stringContaining("veritest.config.ts: policy: "),
    });
  }
  expect(waiting(project)).toStrictEqual([one.key]);
  expect(existsSync(pathOf(project, "one"))).toBe(false);
});

test("a gate that refuses exits with 1, with a line for each reason", { tags: "deep" }, async () => {
  const project = makeProject();
  writeFileSync(
    join(project.root, "veritest.config.ts"),
    "export default { policy: { requireReason: true, forbid: ['missing'], protect: ['a.*'] } };",
  );
  keepPendingChange(project, "one", { to: 1, verdict: "missing" });
  expect(inChild(project, ["accept", "--all"])).toStrictEqual({
    code: 1,
    out: "",
    err: "veritest: A reason is required. Add --reason.\nveritest: policy.forbid forbids missing.\nveritest: No file was written. 1 change stays pending.\n",
  });
});

test("a policy's actor takes precedence over the environment", async () => {
  const project = makeProject();
  writeFileSync(
    join(project.root, "veritest.config.ts"),
    "export default { policy: { actor: 'agent', agents: 'propose-only' } };",
  );
  keepPendingChange(project, "one", { to: 1, verdict: "missing" });
  expect(await veritest(project, ["accept", "--all"])).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      'An agent can\'t accept changes here (policy.actor; policy.agents is "propose-only").',
    ),
  });
});

test.each<[NodeJS.ProcessEnv, string | undefined]>([
  [{ VERITEST_ACTOR: "" }, undefined],
  [{ VERITEST_ACTOR: "", CI: "1" }, "CI never writes baselines (CI is set)."],
  [
    { VERITEST_ACTOR: "", CLAUDECODE: "1" },
    "policy.protect protects a.test.ts. A person has to accept the changes: npx veritest review",
  ],
  [{ VERITEST_ACTOR: "ci" }, "CI never writes baselines (VERITEST_ACTOR)."],
])("with %j accepting a protected step is refused: %s", async (environment, problem) => {
  const project = makeProject();
  writeFileSync(join(project.root, "veritest.config.ts"), "export default { policy: { protect: ['a.*'] } };");
  keepPendingChange(project, "one", { to: 1, verdict: "missing" });
  const { code, err } = await veritest(project, ["accept", "--all"], environment);
  expect({ code, err: problem === undefined ? err : err.split("\n").includes(`veritest: ${problem}`) }).toStrictEqual({
    code: problem === undefined ? 0 : 1,
    err: problem === undefined ? "" : true,
  });
  expect(existsSync(pathOf(project, "one"))).toBe(problem === undefined);
});

test("drops and reports outdated and expired updates", async () => {
  const project = makeProject();
  for (const name of ["edited", "written"]) put(project, name, 1);
  const [edited, written] = [
    keepPendingChange(project, "edited", { to: 2 }),
    keepPendingChange(project, "written", { to: 2 }),
  ];
  const old = keepPendingChange(project, "old", { to: 2, verdict: "missing", at: "2020-01-01T00:00:00.000Z" });
  put(project, "edited", "by hand");
  put(project, "written", 2);
  const out = [
    `dropped  ${keyOf(edited)}  ${edited.target}: its baseline has changed since then`,
    `dropped  ${keyOf(old)}  ${old.target}: the change is older than transaction.pendingDays`,
    `dropped  ${keyOf(written)}  ${written.target}: its baseline already contains this change`,
  ];
  expect(await veritest(project, ["accept", "--all"])).toStrictEqual({ code: 1, out: `${out.join("\n")}\n`, err: "" });
  expect(waiting(project)).toStrictEqual([]);
});

test("accepting all updates, one of which is outdated, writes the others and exits with 1", async () => {
  const project = makeProject();
  for (const name of ["edited", "one"]) put(project, name, 1);
  const edited = keepPendingChange(project, "edited", { to: 2 });
  const one = keepPendingChange(project, "one", { to: 2 });
  put(project, "edited", "by hand");
  const { code, out } = await veritest(project, ["accept", "--all", "--json"]);
  expect({ code, json: JSON.parse(out) }).toMatchObject({
    code: 1,
    json: {
      outcome: "accepted",
      accepted: [{ key: keyOf(one), target: one.target }],
      dropped: [{ key: keyOf(edited), target: edited.target }],
    },
  });
  expect(waiting(project)).toStrictEqual([]);
});

test("accepting an update that the baseline already has succeeds", async () => {
  const project = makeProject();
  put(project, "one", 1);
  const one = keepPendingChange(project, "one", { to: 2 });
  put(project, "one", 2);
  expect(await veritest(project, ["accept", keyOf(one)])).toMatchObject({ code: 0, err: "" });
});

test("review without a terminal prints each change and the commands that apply it", { tags: "deep" }, () => {
  const project = makeProject();
  put(project, "one", { total: 1 });
  const one = keepPendingChange(project, "one", {
    to: { total: 2 },
    shown: ["    cause: code (new output)", "    total: 1 → 2"],
  });
  const two = keepPendingChange(project, "two", { to: "\u001b[2J", verdict: "missing", test: "\u202e" });
  expect(inChild(project, ["review"])).toStrictEqual({
    code: 0,
    err: "",
    out: `${one.target}  value_changed (update)  a.test.ts
  one (a.test.ts): its test failed, just now
  cause: code (new output)
    total: 1 → 2
  accept  npx veritest accept ${keyOf(one)}
  reject  npx veritest reject ${keyOf(one)}

${two.target}  missing (add)  a.test.ts
  \\u202e (a.test.ts): its test failed, just now
  + "\\u001b[2J"
  accept  npx veritest accept ${keyOf(two)}
  reject  npx veritest reject ${keyOf(two)}
`,
  });
  expect(waiting(project)).toHaveLength(2);
});

test("accepting an upload of 22 kB with a million objects takes at most 4 times as much memory as one with 8", {
  tags: "deep",
}, () => {
  const peak = `data:text/javascript,process.on('exit',()=>console.error(process.resourceUsage().maxRSS))`;
  const [few, many] = [1, 120_000].map((length) => {
    const project = makeProject();
    const to = Array.from({ length }, () => ({}));
    const changes = Array.from({ length: 8 }, (_, index) => changeOf(project, `${index}`, { to, verdict: "missing" }));
    const files = changes.map((change) => [`pending/${change.key}.json`, strToU8(JSON.stringify(change))]);
    writeFileSync(join(project.root, "state.zip"), zipSync(Object.fromEntries(files), { level: 9 }));
    const argv = ["accept", "--all", "--from", "state.zip"];
    const { code, err } = inChild(project, argv, { NODE_OPTIONS: `--import=${peak}` });
    expect([code, err]).toStrictEqual([0, expect.stringMatching(/^\d+\n$/)]);
    return Number(err);
  });
  expect(many).toBeLessThan(4 * (few ?? 0));
});

test("on a full disk, no change is written, and the message says what to do", { tags: "deep" }, async ({ skip }) => {
  const { root, environment: variables } = makeProject();
  const state = join(root, "state");
  mkdirSync(state);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", state]).status !== 0) skip();
  onTestFinished(() => void spawnSync("umount", [state]));
  const environment = { ...variables, VERITEST_STATE_DIR: state };
  const project = { root, environment, paths: projectPaths(root, environment) };
  keepPendingChange(project, "one", { to: 1, verdict: "missing" });
  expect(() => writeFileSync(join(state, "filler"), Buffer.alloc(100_000))).toThrow("ENOSPC");
  expect(await veritest(project, ["accept", "--all"])).toStrictEqual({
    code: 1,
    out: "",
    err:
      "veritest: ENOSPC: no space left on device, write. The disk is full. Free some space (df -h shows what is left), " +
      "and run the same command again\nveritest: No file was written. 1 change stays pending.\n",
  });
  expect(existsSync(pathOf(project, "one"))).toBe(false);
  expect(waiting(project)).toHaveLength(1);
});

test("accepts the bytes of a CI upload, from a zip or a directory", async () => {
  const ci = makeProject();
  put(ci, "one", 1);
  const [one, two] = [
    keepPendingChange(ci, "one", { to: "what CI saw" }),
    keepPendingChange(ci, "two", { to: 2, verdict: "missing" }),
  ];
  const zip = join(ci.root, "state.zip");
  writeFileSync(
    zip,
    zipSync(
      Object.fromEntries(
        [one, two].map((change) => [
          `pending/${change.key}.json`,
          strToU8(readFileSync(join(pendingDirectory(ci.paths.state), `${change.key}.json`), "utf8")),
        ]),
      ),
    ),
  );
  for (const from of [zip, ci.paths.state]) {
    const here = makeProject();
    put(here, "one", 1);
    expect((await veritest(here, ["pending", "--from", from])).out).toContain(
      `${keyOf(one)}  update  value_changed     ${one.target}\n`,
    );
    expect(await veritest(here, ["accept", "--from", from])).toMatchObject({ code: 2 });
    expect(await veritest(here, ["accept", "--all", "--from", from])).toMatchObject({ code: 0, err: "" });
    expect([readFileSync(pathOf(here, "one"), "utf8"), readFileSync(pathOf(here, "two"), "utf8")]).toStrictEqual([
      one.text,
      two.text,
    ]);
  }
});

test("review of an upload shows the change of its texts, whatever its record says", async () => {
  const ci = makeProject();
  put(ci, "one", { total: 1 });
  keepPendingChange(ci, "one", { to: { total: 1_000_000 }, shown: ["    total: 1 → 2"] });
  const here = makeProject();
  put(here, "one", { total: 1 });
  const { out } = await veritest(here, ["review", "--from", ci.paths.state]);
  expect(out).toContain("    total: 1 → 1000000\n");
  expect(out).not.toContain("1 → 2\n");
});

test("refuses an upload with paths outside of the project before reading those", async () => {
  const ci = makeProject();
  const bad = {
    ...changeOf(ci, "one", { to: 1, verdict: "missing" }),
    target: "../../../../../../dev/zero",
    root: "../../../../../../dev",
  };
  writePending(ci.paths, [bad]);
  const here = makeProject();
  const err = "veritest: ../../../../../../dev/zero isn't a baseline path of this project.\n";
  expect(await veritest(here, ["review", "--from", ci.paths.state])).toStrictEqual({ code: 2, out: "", err });
  expect(await veritest(here, ["accept", "--all", "--from", ci.paths.state])).toMatchObject({
    code: 1,
    err: expect.stringContaining(err),
  });
  expect((await veritest(here, ["pending", "--from", ci.paths.state])).out).toContain("(misplaced)");
});

test("doctor reports that all is fine, or what it fixed", { tags: "deep" }, async () => {
  const project = makeProject();
  expect(await veritest(project, ["doctor"])).toStrictEqual({
    code: 0,
    out: "The lock is free, and no interrupted work is left.\n",
    err: "",
  });
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const left = mkdtempSync(join(tmpdir(), `veritest-log-${pid}-${numberedWith()}-`));
  stageChanges(
    { ...beginRun(project.paths), owner: { ...ownIdentity(), pid, startTicks: "1" } },
    [changeOf(project, "one", { to: 1, verdict: "missing" })],
    new Set(),
  );
  expect(inChild(project, ["doctor"], { TMPDIR: tmpdir() })).toStrictEqual({
    code: 0,
    out: "A run was interrupted: its 1 change is pending.\n",
    err: "",
  });
  expect(waiting(project)).toHaveLength(1);
  expect(existsSync(left)).toBe(false);
});

/** Accepts all that waits in a process that is killed right after a file of its transaction became visible. */
function killAccept({ root, environment }: PendingProject, at: "PREPARED" | "COMMIT"): void {
  const script = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { renameSync } = fs;
    fs.renameSync = (from, to) => { renameSync(from, to); if (String(to).endsWith(process.argv[1])) process.kill(process.pid, "SIGKILL"); };
    syncBuiltinESMExports();
    const { main } = await import(${JSON.stringify(join(import.meta.dirname, "..", "..", "command-line.ts"))});
    await main(["accept", "--all"], { stdout: process.stdout, stderr: process.stderr, stdin: process.stdin, environment: process.env, cwd: process.cwd() });
  `;
  expect(
    spawnSync(process.execPath, ["--input-type=module", "-e", script, at], { cwd: root, env: environment }).signal,
  ).toBe("SIGKILL");
}

test.each([
  ["PREPARED", false, /^A run was killed before it could commit\. Its partial writes were undone/],
  ["COMMIT", true, /^A run was killed while it wrote baselines\. Its commit was completed/],
] as const)("recover finishes or undoes an accept that was killed at %s", { tags: "deep" }, (at, written, words) => {
  const project = makeProject();
  keepPendingChange(project, "one", { to: 1, verdict: "missing" });
  killAccept(project, at);
  expect(inChild(project, ["doctor"])).toStrictEqual({ code: 0, out: expect.stringMatching(words), err: "" });
  expect({
    written: existsSync(pathOf(project, "one")),
    waiting: waiting(project).length,
    receipts: receiptsOf(project),
  }).toStrictEqual({ written, waiting: 1, receipts: written ? ["accept"] : [] });
  expect(inChild(project, ["accept", "--all"])).toMatchObject({ code: 0, err: "" });
  expect({
    text: readFileSync(pathOf(project, "one"), "utf8"),
    waiting: waiting(project),
    receipts: receiptsOf(project),
  }).toStrictEqual({ text: textOf("one", 1), waiting: [], receipts: ["accept"] });
});

test("a file edited after a killed accept blocks every command that applies updates", {
  tags: "deep",
}, async () => {
  const project = makeProject();
  put(project, "one", 1);
  const one = keepPendingChange(project, "one", { to: 2 });
  killAccept(project, "COMMIT");
  put(project, "one", "by hand");
  const stuck = "A run was interrupted while it wrote baselines, and since then someone changed ";
  for (const argv of [["doctor"], ["accept", "--all"], ["review"]])
    expect(inChild(project, argv)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(stuck) });
  const fresh = changeOf(project, "two", { to: 2, verdict: "missing" });
  expect(await acceptPending([fresh], updateContextOf(project.paths))).toMatchObject({
    outcome: "blocked",
    accepted: [],
    problems: [expect.stringContaining(stuck)],
  });
  expect({ text: readFileSync(pathOf(project, "one"), "utf8"), waiting: waiting(project) }).toStrictEqual({
    text: textOf("one", "by hand"),
    waiting: [one.key],
  });
});

function lockBy(project: PendingProject, owner: object): void {
  mkdirSync(join(project.paths.state, "lock"), { recursive: true });
  writeFileSync(join(project.paths.state, "lock", "3.lock"), JSON.stringify({ ...ownIdentity(), ...owner }));
}

test("doctor releases the lock of an ended process, but not of an active one", async () => {
  const project = makeProject();
  expect(await veritest(project, ["doctor"])).toStrictEqual({
    code: 0,
    out: "The lock is free, and no interrupted work is left.\n",
    err: "",
  });
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  lockBy(project, { pid, startTicks: "1" });
  expect(await veritest(project, ["doctor"])).toStrictEqual({
    code: 0,
    out: `Released the lock of process ${pid} on ${hostname()}, which ended.\n`,
    err: "",
  });
  expect(await veritest(project, ["doctor"])).toMatchObject({
    out: "The lock is free, and no interrupted work is left.\n",
  });
});

test("doctor releases the lock of an active process only if forced", async () => {
  const project = makeProject();
  lockBy(project, {});
  const held = `process ${process.pid} on ${hostname()}`;
  expect(await veritest(project, ["doctor"])).toStrictEqual({
    code: 1,
    out: "",
    err: `veritest: The lock belongs to ${held}, which seems to be running. Wait until it ends. If it has already ended, run: npx veritest doctor --force-unlock\n`,
  });
  expect(await veritest(project, ["doctor", "--force-unlock"])).toStrictEqual({
    code: 0,
    out: `Released the lock of ${held}.\n`,
    err: "",
  });
});

test("doctor releases the lock of another machine only if forced", async () => {
  const project = makeProject();
  lockBy(project, { host: "elsewhere" });
  expect(await veritest(project, ["doctor"])).toMatchObject({ code: 1 });
  expect(await veritest(project, ["doctor", "--force-unlock"])).toMatchObject({ code: 0 });
});

test("repair lists damaged baselines of every kind in any directory, and changes none", async () => {
  const project = makeProject();
  put(project, "fine", 1);
  const damage = {
    conflict: `<<<<<<< ours\n${textOf("conflict", 1)}=======\n`,
    hash: textOf("hash", 1).replace('"value": 1', '"value": 2'),
    empty: "",
    place: textOf("elsewhere", 1),
  };
  for (const [name, text] of Object.entries(damage)) {
    put(project, name, 1);
    writeFileSync(pathOf(project, name), text);
  }
  const deep = join(project.root, "packages", "x");
  mkdirSync(deep, { recursive: true });
  writeFileSync(put({ root: deep }, "deep", 1), "{");
  for (const ignored of ["node_modules", ".git"])
    writeFileSync(put({ root: join(project.root, ignored) }, "ignored", 1), "{");
  const { code, out, err } = await veritest(project, ["repair"]);
  expect({ code, err }).toStrictEqual({ code: 1, err: "" });
  expect(
    out.split("\n").map((line) => line.replace(/__baselines__\/a\.test\.ts\/(\w+)-[0-9a-f]{8}\.json/, "<$1>")),
  ).toStrictEqual([
    "Cannot read <conflict>: it has git conflict markers (line 1). Keep one side with git checkout --ours or --theirs, run git add, and run its test with -u.",
    "Cannot read <empty>: it is empty. Restore the file with npx veritest repair --restore, or delete it and capture the case again.",
    `Cannot use <hash>: "hash" doesn't match "value".`,
    "Cannot use <place>: its path doesn't match its case.",
    expect.stringMatching(/^Cannot read packages\/x\/<deep>: it isn't JSON/),
    "5 of 6 damaged. Restore git's versions: npx veritest repair --restore",
    "",
  ]);
  expect(Object.keys(damage).map((name) => readFileSync(pathOf(project, name), "utf8"))).toStrictEqual(
    Object.values(damage),
  );
});

test("repair --restore takes the last committed files, all or none, with a receipt", {
  tags: "deep",
}, async () => {
  const project = makeProject({ git: true });
  for (const name of ["one", "two", "rotten"]) put(project, name, 1);
  writeFileSync(pathOf(project, "rotten"), "{");
  commitAll(project.root);
  for (const name of ["one", "two", "new"]) {
    put(project, name, 1);
    writeFileSync(pathOf(project, name), "<<<<<<< ours\n");
  }
  const { code, out, err } = inChild(project, ["repair", "--restore"]);
  const named = (text: string): string =>
    text.replaceAll(/__baselines__\/a\.test\.ts\/(\w+)-[0-9a-f]{8}\.json/g, "<$1>");
  expect({ code, out: named(out), err: named(err) }).toStrictEqual({
    code: 1,
    out: `restored  <one>\nrestored  <two>\n2 restored from git, receipt ${newestReceipt(project)}\n`,
    err: "veritest: <new> isn't in git's last commit. Delete it and capture the case again.\nveritest: <rotten> is damaged in git's last commit too. Delete it and capture the case again.\n",
  });
  expect(inGit(project.root, ["status", "--porcelain"])).toBe(
    `?? ${pathOf(project, "new").slice(project.root.length + 1)}\n`,
  );
  expect(receiptsOf(project)).toStrictEqual(["commit"]);
});

test.each([
  [{ devDependencies: { vitest: "4" } }, "npx vitest run"],
  [{ devDependencies: { jest: "30" } }, "npx jest"],
  [{ packageManager: "pnpm@10.0.0", jest: { preset: "veritest/jest" } }, "pnpm exec jest"],
  [{ type: "module", devDependencies: { jest: "30" } }, "NODE_OPTIONS=--experimental-vm-modules npx jest"],
  [{ devDependencies: { jest: "30", vitest: "4" } }, "npx vitest run, or npx jest"],
])("repair --restore without a commit names the command of the project's runner: %j", async (manifest, command) => {
  const project = makeProject();
  writeFileSync(join(project.root, "package.json"), JSON.stringify(manifest));
  writeFileSync(put(project, "one", 1), "damaged");
  expect(await veritest(project, ["repair", "--restore"])).toStrictEqual({
    code: 1,
    out: "",
    err: `veritest: The repository has no commit to restore from. Delete the damaged baselines, then capture them again: ${command}\n`,
  });
});

test("repair restores only the named files", { tags: "deep" }, async () => {
  const project = makeProject({ git: true });
  for (const name of ["one", "two"]) put(project, name, 1);
  commitAll(project.root);
  for (const name of ["one", "two"]) writeFileSync(pathOf(project, name), "");
  expect(await veritest(project, ["repair", "--restore", "*/one-*"])).toMatchObject({ code: 0 });
  expect([readFileSync(pathOf(project, "one"), "utf8"), readFileSync(pathOf(project, "two"), "utf8")]).toStrictEqual([
    textOf("one", 1),
    "",
  ]);
  expect(await veritest(project, ["repair", "sound.json"])).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: "sound.json" isn't a damaged baseline in ${project.root}. To list damaged baselines, run: npx veritest repair\n`,
  });
});

test.each<[NodeJS.ProcessEnv, string]>([
  [{ VERITEST_ACTOR: "ci" }, "export default {};"],
  [{ VERITEST_ACTOR: "agent" }, "export default { policy: { agents: 'propose-only' } };"],
])("repair --restore changes no tracked file with %j", async (environment, config) => {
  const project = makeProject({ git: true });
  writeFileSync(join(project.root, "veritest.config.ts"), config);
  const path = put(project, "one", 1);
  commitAll(project.root);
  writeFileSync(path, "damaged");
  expect(await veritest(project, ["repair", "--restore"], environment)).toMatchObject({ code: 1 });
  expect(readFileSync(path, "utf8")).toBe("damaged");
});
