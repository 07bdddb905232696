// @module-tag deep
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, expect, test } from "vitest";
import {
  ENVIRONMENT,
  type Project,
  litterOf,
  makeProject,
  removeProjects,
  script,
} from "../../../../test-support/trial-project.ts";
import { runCommandLine } from "../../../cli/main.ts";
import { readNotes } from "../../../updates/receipts/read-notes.ts";
import { runCommand } from "./run.ts";

afterAll(removeProjects, 120_000);

const MAIN = JSON.stringify(join(import.meta.dirname, "../../../cli/main.ts"));
const RUN = JSON.stringify(join(import.meta.dirname, "run.ts"));
const CHECK = `node -e 'process.exit(require("fs").readFileSync("a.txt", "utf8") === "two\\n" ? 0 : 5)'`;
const TWO = script(`console.log("\\u001b[32mwriting\\u001b[0m"); fs.writeFileSync("a.txt", "two\\n")`);

async function veritest(
  project: Project,
  argv: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const io = {
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
    stdin: new PassThrough(),
    environment: { ...ENVIRONMENT, XDG_STATE_HOME: join(project.temporary, "..", "state"), ...more },
    cwd: project.root,
  };
  const code = await runCommandLine(["run", ...argv], io, [
    { name: "run", group: "Advanced", summary: "run a command", load: async () => runCommand },
  ]);
  return { code, out: out.join(""), err: err.join("") };
}

test("a successful run commits, reports it, and exits with 0", async () => {
  const project = makeProject();
  const ran = await veritest(project, [
    "--work-item",
    "write two",
    "--mood",
    "calm",
    "--budget",
    "1m",
    "--verify",
    CHECK,
    "--max-files",
    "1",
    "--",
    ...TWO,
  ]);
  expect(ran).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^committed [0-9a-f]{12} on main: 1 file, receipt sha256:[0-9a-f]{64}\n$/),
  });
  expect(ran.err).toContain("\u001b[32mwriting\u001b[0m\n");
  expect(ran.err.match(/^veritest: .*?:/gm)).toStrictEqual([
    "veritest: command:",
    'veritest: check node -e \'process.exit(require("fs").readFileSync("a.txt", "utf8") === "two\\n" ? 0 :',
  ]);
  expect(readFileSync(join(project.root, "a.txt"), "utf8")).toBe("two\n");
  expect(litterOf(project)).toStrictEqual([]);
});

test("the notes of a run have its mood", async () => {
  const project = makeProject();
  await veritest(project, ["--work-item", "w", "--mood", "calm", "--verify", "false", "--", ...TWO]);
  const { values } = readNotes(join(project.root, ".git/veritest/notes"));
  expect(values.map(({ mood }) => mood)).toContain("calm");
});

test("a failed run leaves no change, reports why, and exits with 1", async () => {
  const project = makeProject();
  const before = project.state();
  const ran = await veritest(project, ["--work-item", "w", "--verify", "true", "--max-lines", "1", "--", ...TWO]);
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toMatch(
    /veritest: The run was discarded\. Your branch and files are unchanged\. diff: the diff has one problem\.\n {2}a\.txt: 2 lines changed, but the limit is 1 \(too-many-lines\)\nveritest: To continue with its changes, run: npx veritest run --resume [\w-]+\n$/,
  );
  expect(project.state()).toStrictEqual(before);
});

test("a command without changes exits with 1", async () => {
  expect(await veritest(makeProject(), ["--work-item", "w", "--verify", "true", "--", "true"])).toMatchObject({
    code: 1,
    err: "veritest: command: true\nveritest: The command didn't change any files, so there is nothing to commit.\n",
  });
});

test.each<[string, readonly string[], NodeJS.ProcessEnv, string]>([
  [
    "no work item",
    ["--verify", "true", "--", "true"],
    {},
    'A run needs a work item. Pass its name: --work-item "<task>". See: veritest run --help',
  ],
  [
    "a budget that is no time",
    ["--work-item", "w", "--budget", "soon", "--", "true"],
    {},
    "--budget must be a time such as 90s, 30m or 2h.",
  ],
  [
    "a check that needs a shell",
    ["--work-item", "w", "--verify", "npm test | tee log", "--", "true"],
    {},
    'Cannot read the check "npm test | tee log": "|" is shell syntax, but veritest doesn\'t start a shell. Put it in single quotes, or use a shell: sh -c \'…\'.',
  ],
  [
    "a count that is none",
    ["--work-item", "w", "--max-files", "-1", "--", "true"],
    {},
    "--max-files must be an integer.",
  ],
  [
    "links that it is to do without",
    ["--work-item", "w", "--link", "x", "--without-links", "--", "true"],
    {},
    "--link and --without-links exclude each other. Remove one of them.",
  ],
  [
    "a rule nobody knows",
    ["--work-item", "w", "--allow", "all", "--", "true"],
    {},
    "--allow must be one of skipped, focused, todo, conditional, expected-to-fail, baseline-removed, no-assertion, test-file-removed, test-not-run, suite-smaller, assertions-gone, tests-insensitive, differs-outside-tests, untested-code, expectation-changed, check-changed, test-changed, test-aware, tests-not-measured.",
  ],
  [
    "no check",
    ["--work-item", "w", "--", "true"],
    {},
    'Only verified code is committed, but no check is set. Add a check, such as --verify "npm test", or policy.verify in veritest.config.',
  ],
  [
    "CI",
    ["--work-item", "w", "--verify", "true", "--", "true"],
    { CI: "1" },
    "CI never commits (CI is set). If this job should write, set VERITEST_ACTOR=human or VERITEST_ACTOR=agent.",
  ],
  [
    "an agent that allows itself a stub",
    ["--work-item", "w", "--verify", "true", "--allow", "todo", "--", "true"],
    { VERITEST_ACTOR: "agent" },
    "Only a person can disable checks of a run (todo), and this run was started by an agent (VERITEST_ACTOR). Remove --allow, --allow-unmeasured and --approve-test.",
  ],
])("%s is refused with one line and exit code 2", async (_what, argv, environment, line) => {
  expect(await veritest(makeProject(), argv, environment)).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: ${line}\n`,
  });
});

test("a refused run leaves no log", async () => {
  const project = makeProject();
  const ran = await veritest(project, ["--work-item", "w", "--verify", "true", "--", "true"], { CI: "1" });
  expect([ran.code, ran.out]).toEqual([2, ""]);
  expect(existsSync(join(project.temporary, "..", "state"))).toBe(false);
});

test("applies the policy of the project: its checks, its approve function, and agents", async () => {
  const project = makeProject();
  project.put(
    "veritest.config.mjs",
    `export default { policy: { agents: "propose-only", verify: [{ name: "two", run: ["grep", "-q", "two", "a.txt"] }], approve: (proposals, { actor, reason }) => "not " + [actor, reason, ...proposals.map((p) => p.kind + " " + p.target + " " + p.text.trim())].join(" ") } };`,
  );
  project.git("add", "--all");
  project.git("commit", "--quiet", "-m", "policy");
  expect((await veritest(project, ["--work-item", "w", "--", ...TWO])).err).toMatch(
    /approve: approve refused: not human w update a\.txt two\nveritest: To continue with its changes, run: /,
  );
  expect((await veritest(project, ["--work-item", "w", "--", "true"], { AI_AGENT: "x" })).err).toBe(
    "veritest: A run commits, but agents can only propose changes here (AI_AGENT is set; policy.agents in veritest.config). Ask a human to start it.\n",
  );
});

/** Makes a program that is found before the system's, and returns the variables to find it. */
function withProgram(project: Project, name: string, text: string): Record<string, string> {
  const programs = join(project.temporary, "..", "programs");
  mkdirSync(programs);
  writeFileSync(join(programs, name), text, { mode: 0o755 });
  return { PATH: `${programs}:${String(ENVIRONMENT["PATH"])}` };
}

/** Returns the variables of a system that doesn't support namespaces. */
function withoutNamespaces(project: Project): Record<string, string> {
  return withProgram(project, "unshare", "#!/bin/sh\nexit 1\n");
}

/** Texts of all files that runs keep. */
function storedTexts(project: Project): string {
  return [join(project.root, ".git/veritest"), join(project.temporary, "..", "state")]
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

test("the log, the notes and the commit contain no secret of the command line", async () => {
  const project = makeProject();
  const secrets = ["s3cr3t-value-9", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"];
  const check = `env TOKEN=${secrets[0]} true`;
  const ran = await veritest(project, ["--work-item", `use ${secrets[1]}`, "--verify", check, "--", ...TWO]);
  expect(ran).toMatchObject({ code: 0 });
  const git = [project.git("log", "-1", "--format=%B"), project.git("reflog")];
  const all = [ran.err, ran.out, ...git, storedTexts(project)].join("\n");
  expect(all).toContain("use «redacted:github-token");
  expect(all).toContain("env TOKEN=«redacted:token");
  expect(secrets.filter((secret) => all.includes(secret))).toStrictEqual([]);
});

test("--resume restores a discarded run's changes, its command can read the reasons, and its cost is printed", async () => {
  const project = makeProject();
  const first = await veritest(project, ["--work-item", "w", "--verify", CHECK, "--max-lines", "1", "--", ...TWO]);
  const id = /--resume ([\w-]+)/.exec(first.err)?.[1] ?? "";
  expect(project.git("status", "--porcelain", "--ignored")).toBe("");
  const command = script(
    `fs.appendFileSync("-dash ü.txt", fs.readFileSync(0, "utf8") + fs.readFileSync("a.txt", "utf8"));
    console.log(JSON.stringify({ type: "result", total_cost_usd: 0.5, usage: { input_tokens: 7, output_tokens: 2 } }));`,
  );
  const second = await veritest(project, ["--resume", id, "--verify", CHECK, "--json", "--", ...command]);
  expect([second.code, second.out]).toEqual([0, expect.stringMatching(/^\{.*\}\n$/)]);
  expect(JSON.parse(second.out)).toMatchObject({
    outcome: "committed",
    files: 2,
    gates: [{ name: "command", ok: true }, { name: "diff" }, { name: expect.stringMatching(/^check /) }],
    cost: { usd: 0.5, inputTokens: 7, outputTokens: 2 },
  });
  expect(project.git("show", "HEAD:-dash ü.txt")).toBe(
    "dash\ndiff: the diff has one problem.\na.txt: 2 lines changed, but the limit is 1 (too-many-lines)two\n",
  );
  expect(project.git("log", "-1", "--format=%s")).toBe("w\n");
});

test("the cost that a command reports is printed", async () => {
  const result = { type: "result", total_cost_usd: 0.5, usage: { input_tokens: 7, output_tokens: 2 } };
  const command = script(`console.log(${JSON.stringify(JSON.stringify(result))});`);
  expect((await veritest(makeProject(), ["--work-item", "w", "--verify", "true", "--", ...command])).err).toContain(
    "\nveritest: cost reported by the command: $0.50, 7 input tokens, 2 output tokens\n",
  );
});

test("--resume without a command checks the changes again, and refuses an unknown run", async () => {
  const project = makeProject();
  const first = await veritest(project, ["--work-item", "w", "--verify", CHECK, "--max-lines", "1", "--", ...TWO]);
  const id = /--resume ([\w-]+)/.exec(first.err)?.[1] ?? "";
  expect(await veritest(project, ["--resume", "../x", "--verify", CHECK])).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: Can't resume run "../x", because its changes aren't stored. Pass a run with stored changes: --resume ${id}\n`,
  });
  const again = await veritest(project, ["--resume", id, "--verify", CHECK]);
  expect(again).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^committed [0-9a-f]{12} on main: 1 file, receipt/),
  });
  expect(readFileSync(join(project.root, "a.txt"), "utf8")).toBe("two\n");
});

test("--resume on a commit that changed the same lines keeps the changes and names the command that applies them", async () => {
  const project = makeProject();
  const first = await veritest(project, ["--work-item", "w", "--verify", CHECK, "--max-lines", "1", "--", ...TWO]);
  const id = /--resume ([\w-]+)/.exec(first.err)?.[1] ?? "";
  writeFileSync(join(project.root, "a.txt"), "three\n");
  project.git("commit", "-qam", "three");
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { code, err } = await veritest(project, ["--resume", id, "--verify", CHECK]);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(
        /unchanged\. resume: the run's changes don't apply to the current commit, whose files changed since \(git apply: .*a\.txt.*\)\.\n {2}Apply them by hand: git apply --3way .+\.patch['"]?\n/,
      ),
    ]);
  }
  expect(project.git("status", "--porcelain")).toBe("");
});

test("Ctrl-C ends the command and discards the run", async () => {
  const project = makeProject();
  const before = project.state();
  const code = `Promise.all([import(${MAIN}), import(${RUN})]).then(async ([{ runCommandLine }, { runCommand }]) => {
    const io = { stdout: process.stdout, stderr: process.stderr, stdin: process.stdin, environment: process.env, cwd: ${JSON.stringify(project.root)} };
    process.exitCode = await runCommandLine(["run", "--work-item", "w", "--verify", "true", "--", "node", "-e", "console.log('go'); setInterval(() => {}, 1000)"], io, [{ name: "run", group: "Advanced", summary: "", load: async () => runCommand }]);
  })`;
  const child = spawn(process.execPath, ["-e", code], {
    env: { ...ENVIRONMENT, TMPDIR: project.temporary, XDG_STATE_HOME: join(project.temporary, "..", "state") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
    if (!child.killed && err.includes("go\n")) child.kill("SIGINT");
  });
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(1);
  expect(err).toMatch(/Your branch and files are unchanged\. command: node -e .* was interrupted\.\n {2}go\n$/);
  expect(project.state()).toStrictEqual(before);
  expect(litterOf(project)).toStrictEqual([]);
});

/** Programs that test in other languages, with the output of their real versions. */
const OTHER_RUNNERS: readonly (readonly [command: string, output: string])[] = [
  ["pytest --junitxml=report.xml", "collected 2 items\n\ntest_a.py ..   [100%]\n\n2 passed in 0.01s"],
  ["cargo test", "running 2 tests\ntest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored"],
  ["go test -json ./...", '{"Action":"pass","Package":"a","Test":"TestA"}\n{"Action":"pass","Package":"a"}'],
];

test.each(OTHER_RUNNERS)("the tests of %s aren't measured, which only a person can allow", async (command, output) => {
  const project = makeProject();
  const [name = ""] = command.split(" ");
  const path = withProgram(project, name, `#!/bin/sh\ncat <<'END'\n${output}\nEND\n`);
  const code = ["--", ...script(`fs.writeFileSync("b.js", "export const b = 1;\\n")`)];
  const strict = await veritest(project, ["--work-item", "w", "--verify", command, ...code], path);
  expect([strict.code, strict.out, strict.err]).toEqual([
    1,
    "",
    expect.stringContaining(
      "results: the test results have one problem. To commit without a count of the tests, a person can pass --allow-unmeasured.\n" +
        `  ${command}: veritest couldn't count the tests: it only reads the results of Vitest, Jest and node --test ` +
        "(tests-not-measured)\n",
    ),
  ]);
  const options = ["--work-item", "w", "--verify", command, "--allow-unmeasured"];
  const byAgent = await veritest(project, [...options, ...code], { ...path, VERITEST_ACTOR: "agent" });
  expect([byAgent.code, byAgent.err]).toEqual([2, expect.stringContaining("Only a person can disable checks")]);
  expect(await veritest(project, [...options, ...code], path)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^committed [0-9a-f]{12} on main: 1 file, tests weren't measured, receipt /),
  });
});

/** A `pytest` that passes if the test file has the text of the code. */
const PYTEST = `#!/bin/sh\ncmp a.py test_a.py && echo "1 passed in 0.01s"\n`;
const NODE_TEST = `require("node:test")("adds", () => require("node:assert").equal(1 + 1, 2));\n`;

test("a runner that isn't measured is named beside one that is, and its old tests run on the new code", async () => {
  const project = makeProject();
  const path = withProgram(project, "pytest", PYTEST);
  for (const name of ["a.py", "test_a.py"]) project.put(name, "one = 1\n");
  project.put("b.test.js", NODE_TEST);
  project.git("rm", "-q", "test/add.test.js");
  project.git("add", "--all");
  project.git("commit", "-qm", "two runners");
  const checks = ["--work-item", "w", "--verify", "node --test", "--verify", "pytest"];
  const wrong = script(`for (const name of ["a.py", "test_a.py"]) fs.writeFileSync(name, "one = 2\\n")`);
  expect((await veritest(project, [...checks, "--", ...wrong], path)).err).toMatch(
    new RegExp(
      "results: the test results have 2 problems\\. To allow a changed check, a person can pass --allow check-changed\\. " +
        "To commit without a count of the tests, a person can pass --allow-unmeasured\\.\n" +
        " {2}pytest: its old version fails on the new code: .* differ: .* \\(check-changed\\)\n" +
        " {2}pytest: veritest couldn't count the tests: it only reads the results of Vitest, Jest and node --test " +
        "\\(tests-not-measured\\)\n",
    ),
  );
  const right = script(`fs.writeFileSync("c.py", "two = 2\\n")`);
  const json = await veritest(project, [...checks, "--allow-unmeasured", "--json", "--", ...right], path);
  expect(JSON.parse(json.out)).toMatchObject({ outcome: "committed", tests: 1, unmeasured: ["pytest"] });
  const more = script(`fs.writeFileSync("d.py", "three = 3\\n")`);
  expect(await veritest(project, [...checks, "--allow-unmeasured", "--", ...more], path)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^committed \w{12} on main: 1 file, 1 test, tests of pytest weren't measured, receipt /),
  });
});

test("failures of tests that have to fail are logged, and not printed above the verdict", async () => {
  const project = makeProject();
  const test = `const { add } = require("./add.js");\nrequire("node:test")("adds", () => require("node:assert").equal(add(1, 2), 3));\n`;
  project.put("add.js", "exports.add = (a, b) => a - b;\n");
  project.git("rm", "-q", "test/add.test.js");
  project.git("add", "--all");
  project.git("commit", "-qm", "add");
  const fix = script(
    `fs.writeFileSync("add.js", "exports.add = (a, b) => a + b;\\n"); fs.writeFileSync("add.test.js", ${JSON.stringify(test)})`,
  );
  const ran = await veritest(project, ["--work-item", "w", "--verify", "node --test", "--", ...fix]);
  expect(ran).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^committed \w{12} on main: 2 files, 1 test, receipt /),
  });
  expect(ran.err).not.toMatch(/failing tests|AssertionError/);
  const attempts = join(project.temporary, "..", "state", "veritest");
  const [log = ""] = readdirSync(attempts, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".log"),
  );
  const logged = readFileSync(join(attempts, log), "utf8");
  expect(logged).toMatch(/failing tests/);
  // The suite runs once on the new code, and once as the base's tests on it; then only the changed file, elsewhere.
  expect(logged.match(/^veritest: .*/gm)).toEqual([
    expect.stringMatching(/^veritest: command: /),
    "veritest: check node --test: node --test",
    "veritest: base node --test: node --test",
    "veritest: old code node --test: node --test add.test.js",
    "veritest: old code again node --test: node --test add.test.js",
    "veritest: altered code node --test: node --test add.test.js",
    // Without the small edit.
    "veritest: altered code node --test: node --test add.test.js",
  ]);
});

test("names and secrets of a discarded run are escaped and redacted, in text and in JSON", async () => {
  const project = makeProject();
  const [secret, item, word] = [
    ["kettle", "Blue", "93x"].join(""),
    `ghp_${"abcdefghij".repeat(4).slice(4)}`,
    "otterGreen71q",
  ];
  const options = ["--work-item", `use ${item}`, "--verify", `env API_TOKEN=${secret} true`];
  const command = script(`fs.writeFileSync("a\\u001b]52;c;eA==\\u0007\\n::error::x.js", "process.env.VITEST;\\n")`);
  for (const more of [[], ["--json"]]) {
    const ran = await veritest(project, [...options, ...more, "--", ...command]);
    expect(ran.code).toBe(1);
    expect(`${ran.out}${ran.err}`).not.toMatch(/[\u0007\u001b]|^\s*::error/m);
    const code = script(`fs.writeFileSync("b.js", "export const b = 1;\\n")`);
    const checked = await veritest(project, [...options, ...more, "--", ...code, "--", "--api-key", word]);
    expect(checked.err + checked.out).toContain("tests-not-measured");
    const all = [checked.err, checked.out, storedTexts(project)].join("\n");
    expect(all).toContain("b.js");
    expect([secret, item, word].filter((each) => all.includes(each))).toStrictEqual([]);
  }
});

test("the names of changed files can neither forge a line nor, in advice to undo a change, run a command", async () => {
  const project = makeProject();
  const [broken, hostile] = [
    "x\nveritest: Your repository is unchanged.js",
    '$(touch owned)`touch owned`";touch owned;*',
  ];
  const written = [broken, hostile].map((name) => `fs.writeFileSync(${JSON.stringify(join(project.root, name))}, "");`);
  const options = ["--work-item", "w", "--verify", CHECK, "--", ...script(written.join(""))];
  const ran = await veritest(project, options, withoutNamespaces(project));
  const lines = ran.err.split("\n").filter((line) => line.includes("changed in your checkout during the run"));
  expect(lines).toStrictEqual([
    `veritest: ${hostile} changed in your checkout during the run. If you didn't change it, run: ` +
      'git --literal-pathspecs clean -f -- "\\$(touch owned)\\`touch owned\\`\\";touch owned;*"',
    "veritest: x\\nveritest: Your repository is unchanged.js changed in your checkout during the run. " +
      "Check whether you changed it.",
  ]);
  execFileSync("sh", ["-c", String(lines[0]).split("run: ")[1] ?? ""], { cwd: project.root, stdio: "ignore" });
  expect(readdirSync(project.root)).not.toEqual(expect.arrayContaining([hostile]));
  expect(readdirSync(project.root)).toContain(broken);
  expect(readdirSync(project.root)).not.toContain("owned");
});

test("a run without namespaces goes on without its log if the command removes the state directory", async () => {
  const project = makeProject();
  const path = withoutNamespaces(project);
  const state = join(project.temporary, "..", "state");
  const command = script(
    `console.log("one"); fs.rmSync(${JSON.stringify(state)}, { recursive: true, force: true });
     console.log("two"); setTimeout(() => { console.log("three"); fs.writeFileSync("a.txt", "two\\n"); }, 300)`,
  );
  const options = ["--work-item", "w", "--verify", CHECK, "--allow-unmeasured"];
  const ran = await veritest(project, [...options, "--", ...command], path);
  expect(ran).toMatchObject({ code: 0, out: expect.stringMatching(/^committed /) });
  expect(ran.err).toMatch(
    /^veritest: The log of this run can't be written: ENOENT: .*\. The run continues without it\.$/m,
  );
  expect(litterOf(project)).toStrictEqual([]);
});
