import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { keyOf } from "../../updates/pending/key-of.ts";
import { openNotes } from "../../updates/receipts/open-notes.ts";
import { readReceipts } from "../../updates/receipts/receipts.ts";
import { createValueBaseline } from "../../baseline/create-baseline.ts";
import { groupDirectory } from "../../baseline/baseline-paths.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { targetName } from "../../kernel/files/project-paths.ts";
import { pendingDirectory } from "../../updates/pending/pending-store.ts";
import { callOf, putStep } from "../../../test-support/put-step.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import {
  type PendingProject,
  commitAll,
  keepPendingChange,
  makeProject,
  pathOf,
  put,
  veritest,
} from "../../../test-support/pending-project.ts";

const KEY = `sk-proj-${"Ab1".repeat(16)}`;

function newestReceipt({ paths }: PendingProject): string {
  return readReceipts(paths.notes).values.at(-1)?.id.slice(7, 19) ?? "none";
}

function replaceIn(project: PendingProject, target: string, change: (text: string) => string): void {
  const path = join(project.root, target);
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

/** Two steps and a value, whose test and source are there. */
function makeTasks(options: { readonly git?: boolean } = {}): {
  readonly project: PendingProject;
  readonly monday: string;
  readonly tuesday: string;
  readonly other: string;
} {
  const project = makeProject(options);
  const monday = putStep(project.root, {
    step: "extract-tasks",
    name: "monday",
    labels: ["edge", "de"],
    meta: { lang: "de", size: 3 },
    directory: "steps",
    input: { notes: "A hall" },
    output: { tasks: [{ id: "T1" }] },
    commands: [{ type: "emit", topic: "done", payload: {} }],
    calls: [callOf("List the tasks.", "T1 | \u001b[2Jhall")],
  });
  const tuesday = putStep(project.root, {
    step: "extract-tasks",
    label: "tuesday",
    input: { notes: "B" },
    directory: "steps",
  });
  const other = putStep(project.root, { step: "route", name: "monday", input: {}, directory: "steps" });
  put(project, "one", 1);
  writeFileSync(join(project.root, "steps/tasks.test.ts"), `// extract-tasks, "route"`);
  writeFileSync(join(project.root, "a.test.ts"), "");
  return { project, monday, tuesday, other };
}

test("lists every baseline by directory, with its name, labels and size", async () => {
  const { project } = makeTasks();
  expect(await veritest(project, ["list"])).toStrictEqual({
    code: 0,
    err: "",
    out: `a.test.ts  __baselines__/a.test.ts
  one-61ef934e                            207 B  value  name one

extract-tasks  steps/__baselines__/extract-tasks
  monday-b620d743                        1.2 kB  1 call  name monday  labels edge, de  meta lang=de, size=3
  tuesday-991d7729                        496 B  0 calls

route  steps/__baselines__/route
  monday-b620d743                         488 B  0 calls  name monday

4 baselines. To show one, run: npx veritest show <name>
`,
  });
});

test("list --json is an array with one baseline on each line, with its last receipt", async () => {
  const { project, monday, tuesday } = makeTasks();
  const key = keyOf(keepPendingChange(project, "one", { to: 2 }));
  await veritest(project, ["accept", key]);
  const { code, out } = await veritest(project, ["list", "--json"]);
  expect(code).toBe(0);
  expect(out.split("\n")).toHaveLength(7);
  expect(JSON.parse(out)).toMatchObject([
    {
      target: "__baselines__/a.test.ts/one-61ef934e.json",
      kind: "value",
      test: "a.test.ts",
      name: "one",
      receipt: newestReceipt(project),
    },
    {
      target: monday,
      kind: "step",
      step: "extract-tasks",
      name: "monday",
      labels: ["edge", "de"],
      meta: { lang: "de", size: 3 },
      calls: 1,
      receipt: null,
    },
    { target: tuesday, calls: 0 },
    { step: "route" },
  ]);
  expect((await veritest(makeProject(), ["list", "--json"])).out).toBe("[]\n");
});

test("a receipt of a rejected change isn't that of a baseline", async () => {
  const { project } = makeTasks();
  const key = keyOf(keepPendingChange(project, "one", { to: 2 }));
  await veritest(project, ["reject", key]);
  expect(JSON.parse((await veritest(project, ["list", "--json", "--name", "one"])).out)).toMatchObject([
    { receipt: null },
  ]);
  expect((await veritest(project, ["show", "one"])).out).toContain("receipts    none\n");
});

test.each<[string[], number]>([
  [["--step", "extract-*"], 2],
  [["--step", "route", "--step", "a.test.ts"], 2],
  [["--name", "monday"], 2],
  [["--name", "monday", "--step", "route"], 1],
  [["--label", "edge", "--label", "de"], 1],
  [["--label", "edge", "--label", "fr"], 0],
  [["--meta", "lang=de", "--meta", "size=3"], 1],
  [["--meta", "lang=fr"], 0],
  [["--meta", "constructor=x"], 0],
])("list %j selects its baselines", async (argv, count) => {
  const { project } = makeTasks();
  expect(JSON.parse((await veritest(project, ["list", "--json", ...argv])).out)).toHaveLength(count);
});

test("a damaged baseline is listed whatever is requested, and what is wrong with it is said", async () => {
  const { project, monday } = makeTasks();
  writeFileSync(join(project.root, monday), "");
  const { code, out, err } = await veritest(project, ["list", "--step", "nothing"]);
  expect({ code, out, err }).toStrictEqual({
    code: 0,
    out: `extract-tasks  steps/__baselines__/extract-tasks\n  monday-b620d743  can't be read\n\n1 baseline, 1 damaged. To show one, run: npx veritest show <name>\n`,
    err: `veritest: Cannot read ${monday}: it is empty. Restore the file with npx veritest repair --restore, or delete it and capture the case again.\n`,
  });
  expect(JSON.parse((await veritest(project, ["list", "--json", "--step", "nothing"])).out)).toMatchObject([
    { target: monday, problem: expect.stringContaining("it is empty") },
  ]);
  expect(await veritest(makeProject(), ["list"])).toStrictEqual({ code: 0, out: "No baselines.\n", err: "" });
});

test("shows the content of a baseline, escaped", async () => {
  const { project, monday } = makeTasks();
  expect(await veritest(project, ["show", monday])).toStrictEqual({
    code: 0,
    err: "",
    out: `baseline    ${monday}
kind        step
step        extract-tasks
workflow    default 1
name        monday
labels      edge, de
meta        lang=de, size=3
size        1.2 kB
hashes      fit (input ${inputHash(project, monday)})
input
  {
    "notes": "A hall"
  }
output
  {
    "tasks": [
      {
        "id": "T1"
      }
    ]
  }
events      none
commands    1
  {"payload":{},"topic":"done","type":"emit"}
calls       1
  llm.complete  promise
    request   ["List the tasks."]
    response  "T1 | \\u001b[2Jhall"
receipts    none
`,
  });
});

function inputHash(project: PendingProject, target: string): string {
  return /"inputHash": "sha256:([0-9a-f]{12})/.exec(readFileSync(join(project.root, target), "utf8"))?.[1] ?? "";
}

test("shows who accepted a baseline when and why, and cuts what is long unless --full is given", async () => {
  const project = makeProject();
  const long = Array.from({ length: 30 }, (_, index) => "x".repeat(index === 0 ? 300 : 1));
  const key = keyOf(keepPendingChange(project, "one", { to: long, verdict: "missing" }));
  await veritest(project, ["accept", key, "--reason", "meant\u202e"]);
  const cut = await veritest(project, ["show", "one"]);
  expect(cut.out).toContain(`receipts    1\n  ${newestReceipt(project)}  `);
  expect(cut.out).toMatch(/ {2}accept {2}human {2}added {2}none → [0-9a-f]{12} {2}meant\\u202e\n$/);
  expect(cut.out).toContain(`    "${"x".repeat(197)}… (+105 characters)\n`);
  expect(cut.out).toContain("  … and 8 more lines: --full\n");
  const full = await veritest(project, ["show", "one", "--full"]);
  expect(full.out).toContain(`"${"x".repeat(300)}",\n`);
  expect(full.out).not.toContain("more lines");
  expect(JSON.parse((await veritest(project, ["show", "one", "--json"])).out)).toMatchObject({
    baseline: { kind: "value", value: long },
    receipts: [{ reason: "meant\u202e" }],
  });
});

test("finds a baseline by its file, its path, its name or its hash", async () => {
  const { project, tuesday } = makeTasks();
  const name = basename(tuesday, ".json");
  for (const operand of [
    tuesday,
    join(project.root, tuesday),
    `./${tuesday}`,
    `${name}.json`,
    name,
    name.slice(-8),
    "tuesday",
  ]) {
    expect(await veritest(project, ["show", operand])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`baseline    ${tuesday}\n`),
    });
  }
});

test("lists the candidates of an ambiguous name", async () => {
  const { project, monday, other } = makeTasks();
  expect(await veritest(project, ["show", "monday"])).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: 2 baselines are called "monday": ${monday}, ${other}. Pass the file.\n`,
  });
  const key = keyOf(keepPendingChange(project, "one", { to: 2 }));
  await veritest(project, ["accept", key]);
  // A file whose digits are those of a receipt.
  const digits = newestReceipt(project).slice(0, 8);
  const target = `__baselines__/a.test.ts/two-${digits}.json`;
  writeFileSync(join(project.root, target), "{}");
  expect(await veritest(project, ["show", digits])).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: "${digits}" is a baseline, ${target}, and a receipt, ${newestReceipt(project)}. Pass the file, or more of the id.\n`,
  });
});

test("shows the problem of a damaged baseline", async () => {
  const { project, monday } = makeTasks();
  replaceIn(project, monday, (text) => text.replace("A hall", "A hut"));
  expect(await veritest(project, ["show", monday])).toStrictEqual({
    code: 2,
    out: "",
    err: `veritest: Cannot use ${monday}: "inputHash" doesn't match "input". See: veritest repair\n`,
  });
});

test("check finds no problem in a valid project", async () => {
  const { project } = makeTasks();
  expect(await veritest(project, ["check"])).toStrictEqual({
    code: 0,
    out: "4 baselines checked, no problems.\n",
    err: "",
  });
  expect(JSON.parse((await veritest(project, ["check", "--with-state", "--json"])).out)).toStrictEqual({
    baselines: 4,
    otherFiles: 0,
    findings: [],
  });
});

test("check reports each secret by its location, and prints none", async () => {
  const { project } = makeTasks();
  const leak = putStep(project.root, {
    step: "route",
    name: "leak",
    input: {},
    output: { nested: [{ "a.b": 1 }, { note: "x" }] },
    directory: "steps",
  });
  replaceIn(project, leak, (text) => text.replace('"x"', `"the key is ${KEY}"`));
  const { code, out } = await veritest(project, ["check", leak]);
  expect(code).toBe(2);
  expect(
    out.replaceAll(/sha256:[0-9a-f]{64}/g, "HASH"),
  ).toBe(`damaged     ${leak}  hash mismatch of step-output: expected HASH, got HASH. Restore it: npx veritest repair --restore.
secret      ${leak}  output.nested[1].note: openai-key, sk-p… (56 characters). Run its test with -u, and revoke the key, because git's history keeps the old file.
1 baseline checked, 2 findings: 1 damaged, 1 secret.
`);
  expect(out).not.toContain(KEY.slice(0, 12));
});

const OWN = ". Run its test with -u. Git's history keeps the old file.";

test("check finds the project's own secrets: fields, paths, and values of the environment", async () => {
  const project = makeProject();
  const written = putStep(project.root, {
    step: "route",
    name: "a",
    input: { memberNumber: "A-1234567", email: "a@example.com", text: "hunter2-hunter2", who: "KD-204417" },
    output: {},
  });
  writeFileSync(join(project.root, "route.ts"), `"route"`);
  writeFileSync(
    join(project.root, "veritest.config.mjs"),
    `export default { redact: { fields: ["memberNumber"], paths: ["input.email"], patterns: ["KD-[0-9]{6}"] } };\n`,
  );
  const { code, out } = await veritest(project, ["check"], { MY_PASSWORD: "hunter2-hunter2" });
  expect(code).toBe(1);
  expect(out.split("\n").slice(0, -1)).toStrictEqual([
    expect.stringMatching(
      new RegExp(`^secret {6}${written.replaceAll(".", "\\.")} {2}input\\.memberNumber: .*${OWN}$`),
    ),
    expect.stringMatching(/ {2}input\.text: env-my-password, … \(15 characters\)\. .* and revoke the key, /),
    expect.stringMatching(new RegExp(` {2}input\\.who: custom, … \\(9 characters\\)${OWN}$`)),
    `secret      ${written}  input.email: redact.paths hides this path, but the file has its value${OWN}`,
    "1 baseline checked, 4 findings: 4 secret.",
  ]);
});

test("check applies the project's paths into recorded calls", async () => {
  const project = makeProject();
  putStep(project.root, { step: "route", name: "a", input: {}, calls: [callOf("the question", "the answer")] });
  writeFileSync(join(project.root, "route.ts"), `"route"`);
  writeFileSync(
    join(project.root, "veritest.config.mjs"),
    `export default { redact: { paths: ["llm.complete.response"] } };\n`,
  );
  const { findings } = JSON.parse((await veritest(project, ["check", "--json"])).out);
  expect(findings).toMatchObject([{ kind: "secret", path: "llm.complete.response" }]);
});

test("check reports damage, and ends with 2", async () => {
  const { project, monday, tuesday, other } = makeTasks();
  replaceIn(project, monday, (text) => `<<<<<<< HEAD\n${text}`);
  replaceIn(project, tuesday, (text) => text.replace('"version": 2', '"version": 9'));
  replaceIn(project, other, (text) => text.replace('"route"', '"other"'));
  expect(await veritest(project, ["check"])).toStrictEqual({
    code: 2,
    err: "",
    out: `damaged     ${monday}  it has git conflict markers (line 1). Keep one side with git checkout --ours or --theirs, run git add, and run its test with -u.
damaged     ${tuesday}  it has format 9, and this version of veritest only reads formats up to 2. Update veritest: npm install --save-dev veritest@latest.
damaged     ${other}  its path doesn't match its case. Restore it: npx veritest repair --restore.
obsolete    steps/__baselines__/route  no source file or configuration names the step other (1 baseline). To remove obsolete baselines, run: npx veritest prune --yes; or add it to steps in the configuration.
4 baselines checked, 4 findings: 3 damaged, 1 obsolete.
`,
  });
});

test("check reports what lies about, what is there twice, what is too large, and what nothing uses; it ends with 1", async () => {
  const { project, tuesday } = makeTasks();
  writeFileSync(join(project.root, "veritest.config.mjs"), `export default { policy: { maxBytes: 900 } };\n`);
  const copy = tuesday.replace("tuesday", "later");
  writeFileSync(join(project.root, copy), readFileSync(join(project.root, tuesday)));
  const baselines = join(project.root, "steps/__baselines__");
  mkdirSync(join(baselines, "route/deep"));
  writeFileSync(join(baselines, "route/notes.txt"), "");
  writeFileSync(join(baselines, "README.md"), "");
  writeFileSync(join(baselines, ".gitkeep"), "");
  symlinkSync(join(project.root, tuesday), join(baselines, "route/link.json"));
  execFileSync("mkfifo", [join(baselines, "route/pipe.json")]);
  rmSync(join(project.root, "a.test.ts"));
  const { code, out } = await veritest(project, ["check"]);
  expect(code).toBe(1);
  expect(
    out,
  ).toBe(`size        steps/__baselines__/extract-tasks/monday-b620d743.json  1.2 kB, and policy.maxBytes is 900 B. Reduce its input or its output.
duplicate   ${tuesday}  it stores the same case as ${copy}. Keep one file, and delete the other.
misplaced   steps/__baselines__/README.md  not a baseline: it isn't in a step's directory. Move the file, or delete it.
misplaced   steps/__baselines__/route/deep  not a baseline: veritest doesn't read directories at this depth. Move the file, or delete it.
misplaced   steps/__baselines__/route/link.json  not a baseline: it is a link, and veritest doesn't follow links. Move the file, or delete it.
misplaced   steps/__baselines__/route/notes.txt  not a baseline: its name doesn't end in .json. Move the file, or delete it.
misplaced   steps/__baselines__/route/pipe.json  not a baseline: it is a pipe or a device. Move the file, or delete it.
obsolete    __baselines__/a.test.ts  the test file a.test.ts doesn't exist (1 baseline). To remove obsolete baselines, run: npx veritest prune --yes.
5 baselines checked, 8 findings: 1 size, 1 duplicate, 5 misplaced, 1 obsolete.
`);
});

test("check names unknown fields, even an own __proto__", async () => {
  const project = makeProject();
  const path = put(project, "one", { a: 1 });
  const text = readFileSync(path, "utf8").replace("{", '{\n  "__proto__": {"value": 900},\n  "approved by": "me",');
  writeFileSync(path, text);
  writeFileSync(join(project.root, "a.test.ts"), "");
  const { code, out } = await veritest(project, ["check"]);
  const file = targetName(project.root, path);
  expect([code, out]).toStrictEqual([
    1,
    `unknown     ${file}  __proto__: an unknown field, which veritest ignores. Remove it.
unknown     ${file}  ["approved by"]: an unknown field, which veritest ignores. Remove it.
1 baseline checked, 2 findings: 2 unknown.
`,
  ]);
});

test("check names an unknown field of an agent's file, but none that a reference replaces", async () => {
  const project = makeProject();
  const messages = Array.from({ length: 8 }, (_, turn) => ({ role: "user", content: `${turn} ${"more ".repeat(60)}` }));
  const calls = messages.map((_message, turn) => ({
    ...callOf("", "Go on."),
    request: [{ messages: messages.slice(0, turn + 1) }],
  }));
  const target = putStep(project.root, { step: "agent", name: "one", input: {}, calls });
  writeFileSync(join(project.root, "a.test.ts"), `"agent"`);
  expect(readFileSync(join(project.root, target), "utf8")).toContain('"v": 7');
  expect((await veritest(project, ["check"])).out).toBe("1 baseline checked, no problems.\n");
  replaceIn(project, target, (text) => text.replace('"callsHash":', '"approved": true,\n  "callsHash":'));
  expect((await veritest(project, ["check"])).out).toBe(
    `unknown     ${target}  approved: an unknown field, which veritest ignores. Remove it.
1 baseline checked, 1 finding: 1 unknown.
`,
  );
  replaceIn(project, target, (text) => text.replace('  "approved": true,\n', "").replace("Go on.", "Stop."));
  expect((await veritest(project, ["check"])).out).toContain(`damaged     ${target}  hash mismatch of adapter-call:`);
});

test("check --with-state checks pending updates and notes too", async () => {
  const { project } = makeTasks();
  const { key } = keepPendingChange(project, "two", { to: 2 });
  const waiting = join(pendingDirectory(project.paths.state), `${key}.json`);
  writeFileSync(waiting, `${readFileSync(waiting, "utf8").trimEnd().slice(0, -1)},"more":"${KEY}"}\n`);
  const notes = openNotes({ directory: project.paths.notes, clock: () => 0 });
  notes.write({ type: "observation", run: "r", body: `the key is ${KEY}` });
  expect(await veritest(project, ["check"])).toMatchObject({ code: 0 });
  const { code, out } = await veritest(project, ["check", "--with-state"]);
  expect(code).toBe(1);
  expect(out).not.toContain(KEY.slice(0, 12));
  expect(out.split("\n")).toStrictEqual([
    expect.stringMatching(new RegExp(`^secret {6}\\.veritest/pending/${key}\\.json {2}more: openai-key, `)),
    expect.stringMatching(/^secret {6}\S+\.ndjson {2}line 1, body: openai-key, /),
    "4 baselines and 2 other files checked, 2 findings: 2 secret.",
    "",
  ]);
});

test.each<[string[], number]>([
  [["steps"], 3],
  [["steps/__baselines__/route"], 1],
  [["*/extract-tasks/*"], 2],
  [["steps", "__baselines__"], 4],
  [["nothing-*"], 0],
])("check %j checks only those", async (paths, count) => {
  const { project } = makeTasks();
  expect(JSON.parse((await veritest(project, ["check", "--json", ...paths])).out)).toMatchObject({ baselines: count });
});

test("check of a missing path, or with an invalid configuration, exits with 2", async () => {
  const { project } = makeTasks();
  expect(await veritest(project, ["check", "nowhere"])).toStrictEqual({
    code: 2,
    out: "",
    err: 'veritest: There is no file or directory "nowhere".\n',
  });
  writeFileSync(join(project.root, "veritest.config.mjs"), "export default { polcy: {} };\n");
  expect(await veritest(project, ["check"])).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining('Unrecognized key: "polcy"'),
  });
});

test("a step that only the configuration names isn't obsolete", async () => {
  const { project } = makeTasks();
  rmSync(join(project.root, "steps/tasks.test.ts"));
  expect((await veritest(project, ["check", "--json"])).out).toContain("names the step route");
  const step = `{ name: "ro" + "ute", inputSchema: schema, outputSchema: schema, partialOutputSchema: schema, keyBy: {}, compare: {}, run: () => ({ output: {} }) }`;
  const schema = `{ "~standard": { version: 1, vendor: "own", validate: (value) => ({ value }) } }`;
  writeFileSync(
    join(project.root, "veritest.config.mjs"),
    `const schema = ${schema};\nexport default { steps: [${step}] };\n`,
  );
  const { findings } = JSON.parse((await veritest(project, ["check", "--json"])).out);
  expect(findings).toMatchObject([{ file: "steps/__baselines__/extract-tasks" }]);
});

test("prune lists obsolete files, and removes none", async () => {
  const { project, monday, tuesday } = makeTasks();
  expect(await veritest(project, ["prune"])).toStrictEqual({
    code: 0,
    out: "No baselines are obsolete. A complete run can find more, and -u removes them.\n",
    err: "",
  });
  writeFileSync(join(project.root, "steps/tasks.test.ts"), `// "route"`);
  const listed = `extract-tasks: no source file or configuration names the step extract-tasks\n  ${monday}\n  ${tuesday}\n`;
  expect(await veritest(project, ["prune"])).toStrictEqual({
    code: 0,
    out: `${listed}2 baselines. To remove obsolete baselines and outdated changes, run: npx veritest prune --yes\n`,
    err: "",
  });
  expect(JSON.parse((await veritest(project, ["list", "--json"])).out)).toHaveLength(4);
});

test("prune lists no baselines of test files in other languages, or with a decomposed name", async () => {
  const { root, ...project } = makeProject();
  for (const file of ["a.test.civet", "k\u00e4se.test.ts"]) {
    const text = serializeBaseline(createValueBaseline(1, { test: file, name: "one" }));
    putBaseline(join(root, "__baselines__", groupDirectory(file), "one-61ef934e.json"), text);
  }
  writeFileSync(join(root, "k\u00e4se.test.ts".normalize("NFD")), "");
  expect((await veritest({ root, ...project }, ["prune"])).out).toMatch(/^No baselines are obsolete/);
});

test("prune --yes removes them as one transaction, with a receipt", { tags: "deep" }, async () => {
  const { project, monday, tuesday } = makeTasks({ git: true });
  rmSync(join(project.root, "steps/tasks.test.ts"));
  commitAll(project.root);
  const ran = await veritest(project, ["prune", "--yes", "--step", "extract-*", "--reason", "gone"]);
  expect(ran).toStrictEqual({
    code: 0,
    err: "",
    out: `extract-tasks: no source file or configuration names the step extract-tasks\n  ${monday}\n  ${tuesday}\nremoved  ${monday}\nremoved  ${tuesday}\n2 accepted by human (VERITEST_ACTOR), receipt ${newestReceipt(project)}\n`,
  });
  expect(JSON.parse((await veritest(project, ["list", "--json"])).out)).toHaveLength(2);
  expect(readReceipts(project.paths.notes).values[0]).toMatchObject({
    kind: "accept",
    reason: "gone",
    changes: [
      { target: monday, after: null },
      { target: tuesday, after: null },
    ],
  });
});

test("prune --yes applies the gates: keeps uncommitted files, and removes none in CI", { tags: "deep" }, async () => {
  const { project, monday } = makeTasks({ git: true });
  commitAll(project.root);
  rmSync(join(project.root, "steps/tasks.test.ts"));
  expect(await veritest(project, ["prune", "--yes"], { VERITEST_ACTOR: "ci" })).toMatchObject({
    code: 1,
    err: expect.stringContaining("CI never writes baselines (VERITEST_ACTOR).\n"),
  });
  replaceIn(project, monday, (text) => `${text}\n`);
  expect(await veritest(project, ["prune", "--yes"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("was edited by hand, or written elsewhere, and isn't in git yet"),
  });
  expect(JSON.parse((await veritest(project, ["list", "--json"])).out)).toHaveLength(4);
});

test("prune drops pending updates that no longer apply", async () => {
  const { project } = makeTasks();
  keepPendingChange(project, "one", { to: 2 });
  put(project, "one", "edited");
  expect(await veritest(project, ["prune"])).toStrictEqual({
    code: 0,
    out: "1 outdated pending change. To remove obsolete baselines and outdated changes, run: npx veritest prune --yes\n",
    err: "",
  });
  expect(await veritest(project, ["prune", "--yes"])).toMatchObject({
    code: 0,
    err: "",
    out: expect.stringMatching(/^dropped {2}[0-9a-f]{12} {2}.*: its baseline has changed since then\n$/),
  });
  expect((await veritest(project, ["prune"])).out).toMatch(/^No baselines are obsolete/);
});

test("finds the name of a step in another folder of the repository", async () => {
  const { project } = makeTasks({ git: true });
  rmSync(join(project.root, "steps/tasks.test.ts"));
  const inner = join(project.root, "packages/a");
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(inner, "package.json"), "{}");
  putStep(inner, { step: "shared", input: {} });
  mkdirSync(join(project.root, "lib"));
  writeFileSync(join(project.root, "lib/shared.ts"), `defineStep({ name: "shared" })`);
  expect((await veritest({ ...project, root: inner }, ["prune"])).out).toMatch(/^No baselines are obsolete/);
  expect(dirname(pathOf(project, "one"))).toContain("__baselines__");
});

test("log --limit reads no more receipts than it shows", async () => {
  const project = makeProject();
  for (const name of ["one", "two", "three"]) {
    keepPendingChange(project, name, { to: 1, verdict: "missing" });
    await veritest(project, ["accept", "--all"]);
  }
  const path = join(project.paths.notes, "receipts.ndjson");
  writeFileSync(path, `{}${readFileSync(path, "utf8").replace(/^.*/, "")}`);
  expect(await veritest(project, ["log", "--limit", "2"])).toMatchObject({ code: 0, err: "" });
  const { out, err } = await veritest(project, ["log"]);
  expect([out.trim().split("\n").length, err]).toStrictEqual([
    2,
    "veritest: receipts.ndjson, line 1: its checksum doesn't match. See: veritest log verify\n",
  ]);
});

test("check --migrate rewrites baselines of format 1, and keeps damaged ones", async () => {
  const { project, monday, tuesday, other } = makeTasks();
  const written = [monday, tuesday].map((target) => readFileSync(join(project.root, target), "utf8"));
  for (const target of [monday, tuesday, other])
    replaceIn(project, target, (text) => text.replace('"version": 2', '"version": 1'));
  replaceIn(project, other, (text) => text.replace('"route"', '"other"'));
  const problem = `Cannot use ${other}: its path doesn't match its case.`;
  expect(await veritest(project, ["check", "--migrate", "--dry-run", "--json"])).toMatchObject({ code: 1, err: "" });
  expect(await veritest(project, ["check", "--migrate", "--dry-run"])).toStrictEqual({
    code: 1,
    err: `veritest: ${problem}\n`,
    out: `due       ${monday}\ndue       ${tuesday}\n2 baselines to rewrite in format 2.\n`,
  });
  const { out, ...rest } = await veritest(project, ["check", "--migrate"]);
  expect(rest).toStrictEqual({ code: 1, err: `veritest: ${problem}\n` });
  expect(out).toMatch(/^migrated {2}.*\nmigrated {2}.*\n2 baselines rewritten in format 2, receipt [0-9a-f]{12}\.\n$/);
  expect([monday, tuesday].map((target) => readFileSync(join(project.root, target), "utf8"))).toStrictEqual(written);
  expect(await veritest(project, ["check", "--migrate", monday])).toStrictEqual({
    code: 0,
    err: "",
    out: "0 baselines rewritten in format 2.\n",
  });
});
