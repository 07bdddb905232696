import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { appendReceipt } from "../updates/receipts/receipts.ts";
import { openNotes } from "../updates/receipts/open-notes.ts";
import type { NewNote } from "../updates/receipts/note.ts";
import type { Receipt, ReceiptDraft } from "../updates/receipts/receipt.ts";
import type { CommandInput } from "./terminal/command-input.ts";
import { COMMANDS } from "../command-line.ts";
import { runCommandLine } from "./main.ts";
import { parseSince } from "./parse-since.ts";
import type { RegisteredCommand } from "./command.ts";

const CLI = join(import.meta.dirname, "..", "cli.ts");
const HASH = (digit: string): string => `sha256:${digit.repeat(64)}`;

/** Variables of the next commands, beside those of every one. */
let variables: NodeJS.ProcessEnv = {};

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A project in a directory of its own, without git. */
function makeProject(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-cli-")));
  writeFileSync(join(root, "package.json"), "{}");
  return root;
}

function environmentOf(root: string): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], VERITEST_NOTES_DIR: join(root, "state", "notes") };
}

async function veritest(root: string, argv: readonly string[], commands = COMMANDS): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCommandLine(
    argv,
    {
      stdout: { write: (text) => out.push(text) },
      stderr: { write: (text) => err.push(text) },
      stdin: new PassThrough(),
      environment: { ...environmentOf(root), ...variables },
      cwd: root,
    },
    commands,
  );
  return { code, out: out.join(""), err: err.join("") };
}

function settle(root: string, txId: string, more: Partial<ReceiptDraft> = {}): Receipt {
  return appendReceipt(join(root, "state", "notes"), {
    txId,
    kind: "commit",
    at: "2026-01-02T03:04:05.000Z",
    run: "r1",
    actor: { kind: "human", because: "a terminal" },
    gates: [{ name: "replay", ok: true, ms: 12.4 }],
    changes: [{ target: "a.json", before: null, after: HASH("a") }],
    versions: { veritest: "0.1.0", node: "24.0.0", platform: "linux-x64" },
    ...more,
  });
}

function short({ id }: Pick<Receipt, "id">): string {
  return id.slice(7, 19);
}

test("the overview lists every command without loading any", async () => {
  const { code, out, err } = await veritest(
    makeProject(),
    ["--help"],
    [
      { name: "one", group: "Review", summary: "do one thing", load: async () => Promise.reject(new Error("loaded")) },
      { name: "two", group: "Check", summary: "do another", load: async () => Promise.reject(new Error("loaded")) },
      { name: "three", group: "Review", summary: "do a third", load: async () => Promise.reject(new Error("loaded")) },
    ],
  );
  expect({ code, err }).toStrictEqual({ code: 0, err: "" });
  expect(out).toBe(`Usage: veritest <command> [options]

Replay, recompute and diff AI-workflow steps, and apply changes.

Options:
  -v, --version    print the version
  --debug          print the stack trace of an unexpected error
  -h, --help       print help

Review:
  one [options]    do one thing
  three [options]  do a third

Check:
  two [options]    do another

Help of a command: veritest help <command>
Exit codes: 0 clean, 1 regressions or refused, 2 usage or infrastructure.
`);
});

test.each([
  "log",
  "show",
  "log verify",
  "notes",
  "notes add",
  "runs list",
  "ground query",
])("%s --help has an example, and help %s prints the same", async (name) => {
  const root = makeProject();
  const { code, out } = await veritest(root, [...name.split(" "), "--help"]);
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^Usage: veritest ${name} `));
  expect(out).toContain(`\nExamples:\n  veritest ${name} `);
  expect(await veritest(root, ["help", ...name.split(" ")])).toStrictEqual({ code: 0, out, err: "" });
});

test("prints the version", async () => {
  for (const flag of ["--version", "-v"])
    expect(await veritest(makeProject(), [flag])).toStrictEqual({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+.*\n$/),
      err: "",
    });
});

test("without a command prints the overview as an error", async () => {
  const { code, out, err } = await veritest(makeProject(), []);
  expect({ code, out }).toStrictEqual({ code: 2, out: "" });
  expect(err).toMatch(/^Usage: veritest/);
});

test.each<[string[], string]>([
  [["lgo"], "veritest: unknown command 'lgo' (Did you mean log?) See: veritest --help\n"],
  [["log", "--limt"], "veritest: unknown option '--limt' (Did you mean --limit?) See: veritest log --help\n"],
  [["--verzion"], "veritest: unknown option '--verzion' (Did you mean --version?) See: veritest --help\n"],
  [["help", "tset"], "veritest: unknown command 'tset' (Did you mean test?) See: veritest --help\n"],
  [["tset", "--help"], "veritest: unknown command 'tset' (Did you mean test?) See: veritest --help\n"],
  [["log", "more"], "veritest: unknown command 'more'. See: veritest log --help\n"],
  [["log", "vrify"], "veritest: unknown command 'vrify' (Did you mean verify?) See: veritest log --help\n"],
  [["help", "log", "vrify"], "veritest: unknown command 'vrify' (Did you mean verify?) See: veritest log --help\n"],
  [["help", "runs", "lst"], "veritest: unknown command 'lst' (Did you mean list?) See: veritest runs --help\n"],
  [["recover"], "veritest: unknown command 'recover'. See: veritest --help\n"],
  [["show"], "veritest: missing required argument 'name'. See: veritest show --help\n"],
  [["log", "--limit", "none"], 'veritest: --limit must be an integer of at least 1, got "none".\n'],
  [["log", "--limit", "0"], 'veritest: --limit must be an integer of at least 1, got "0".\n'],
  [["\u001b[2J\n\u202e"], "veritest: unknown command '\\u001b[2J \\u202e'. See: veritest --help\n"],
  [["constructor"], "veritest: unknown command 'constructor'. See: veritest --help\n"],
  [["notes", "--limit", "0"], 'veritest: --limit must be an integer of at least 1, got "0".\n'],
  [
    ["notes", "--since", "1"],
    'veritest: "1" is neither a date nor a time span. Use a value such as 2026-05-01, 30m, 6h or 2d.\n',
  ],
  [
    ["notes", "add", "hypothesis", "rounding"],
    'veritest: The hypothesis is incomplete: "test" is missing; "budget" is missing. See: veritest notes add --help\n',
  ],
  [
    ["notes", "add", "hyperthesis", "x", "--blind-spot", "", "--bound", "b"],
    'veritest: The hyperthesis is incomplete: "blindSpot" is empty. See: veritest notes add --help\n',
  ],
  [["notes", "add", "status", " "], "veritest: A note needs a body. See: veritest notes add --help\n"],
])("misuse %j prints one line and exits with 2", async (argv, err) => {
  expect(await veritest(makeProject(), argv)).toStrictEqual({ code: 2, out: "", err });
});

test("a kind of note that is none is reported with all that are", async () => {
  const { code, err } = await veritest(makeProject(), ["notes", "--type", "thought"]);
  expect(code).toBe(2);
  expect(err).toMatch(
    /^veritest: option '--type <type>' argument 'thought' is invalid\. Allowed choices are hypothesis, .*\. See: veritest notes --help\n$/,
  );
});

const failing: RegisteredCommand = {
  name: "fail",
  group: "Start",
  summary: "fail",
  load: async () => ({
    examples: [],
    run() {
      throw new Error("the disk\nis \u001b[2J full.");
    },
  }),
};

test("notes of veritest's own actions can't be added by hand", async () => {
  const { code, err } = await veritest(makeProject(), ["notes", "add", "committed", "forged"]);
  expect(code).toBe(2);
  expect(err).toBe(
    "veritest: command-argument value 'committed' is invalid for argument 'type'. Allowed choices are observation, hypothesis, hyperthesis, conjecture, status, request_help, request_verify, spec_change_request. See: veritest notes add --help\n",
  );
});

test("an unexpected error prints one line, and its stack with --debug", async () => {
  const root = makeProject();
  expect(await veritest(root, ["fail"], [failing])).toStrictEqual({
    code: 2,
    out: "",
    err: "veritest: the disk is \\u001b[2J full. Run the command again with --debug for details.\n",
  });
  for (const argv of [
    ["--debug", "fail"],
    ["fail", "--debug"],
  ]) {
    const { code, err } = await veritest(root, argv, [failing]);
    expect(code).toBe(2);
    expect(err).toMatch(/^veritest: the disk is \\u001b\[2J full\.\nError: the disk\nis \\u001b\[2J full\.\n {4}at /);
  }
});

test("an error for another user's file says what to do", async () => {
  const command: RegisteredCommand = {
    name: "fail",
    group: "Start",
    summary: "fail",
    load: async () => ({
      examples: [],
      run: async () => {
        throw Object.assign(new Error("EACCES: permission denied, mkdir 'notes'"), { code: "EACCES" });
      },
    }),
  };
  expect((await veritest(makeProject(), ["fail"], [command])).err).toBe(
    "veritest: EACCES: permission denied, mkdir 'notes'. It might belong to another user, for example after a run as root. " +
      "Change its owner (chown -R), or set VERITEST_STATE_DIR and VERITEST_NOTES_DIR to directories of your own. " +
      "Run the command again with --debug for details.\n",
  );
});

test("passes operands and options to a command, typed, and exits with its code", async () => {
  const given: unknown[] = [];
  const command: RegisteredCommand = {
    name: "take",
    group: "Check",
    summary: "take",
    load: async () => ({
      arguments: [{ name: "[keys...]", description: "keys" }],
      options: [
        { flags: "--all", description: "all" },
        { flags: "--work-item <id>", description: "item" },
        { flags: "--verify <command>", description: "checks", repeatable: true },
      ],
      examples: [],
      run(input: CommandInput) {
        given.push(
          input.operands,
          input.flag("all"),
          input.flag("none"),
          input.text("workItem"),
          input.text("constructor"),
          input.list("verify"),
          input.list("none"),
        );
        return 1;
      },
    }),
  };
  const { code } = await veritest(
    makeProject(),
    ["take", "a", "--verify", "npm test", "--all", "--verify", "b", "--work-item", "w", "--", "npx", "--flag"],
    [command],
  );
  expect(code).toBe(1);
  expect(given).toStrictEqual([["a", "npx", "--flag"], true, false, "w", undefined, ["npm test", "b"], []]);
});

test("lists receipts, newest first", async () => {
  const root = makeProject();
  expect(await veritest(root, ["log"])).toStrictEqual({
    code: 0,
    out: "No receipts yet. veritest writes a receipt when you accept or reject a change.\n",
    err: "",
  });
  const first = settle(root, "1");
  const second = settle(root, "2", {
    kind: "hold",
    actor: { kind: "ci", because: "CI is set" },
    gates: [{ name: "secrets", ok: false, ms: 1 }],
    changes: [],
    reason: "red\u001b[2J\nrun",
  });
  const lines = [
    `${short(second)}  2026-01-02T03:04:05.000Z  hold     ci     0 changes  failed: secrets  red\\u001b[2J\\nrun\n`,
    `${short(first)}  2026-01-02T03:04:05.000Z  commit   human  1 change\n`,
  ];
  expect(await veritest(root, ["log"])).toStrictEqual({ code: 0, out: lines.join(""), err: "" });
  expect(await veritest(root, ["log", "-n", "1"])).toStrictEqual({ code: 0, out: lines[0], err: "" });
  expect(JSON.parse((await veritest(root, ["log", "--json"])).out)).toStrictEqual([second, first]);
});

test("lists the readable part of a damaged log, and reports the damage", async () => {
  const root = makeProject();
  const first = settle(root, "1");
  settle(root, "2");
  const path = join(root, "state", "notes", "receipts.ndjson");
  writeFileSync(path, `${readFileSync(path, "utf8").replace('"txId":"2"', '"txId":"3"')}{"v":1,"txId"`);
  const { code, out, err } = await veritest(root, ["log"]);
  expect({ code, err }).toStrictEqual({
    code: 0,
    err:
      "veritest: receipts.ndjson, line 2: its checksum doesn't match. See: veritest log verify\n" +
      "veritest: 1 line was incomplete, because a process ended while it wrote.\n",
  });
  expect(out).toContain(short(first));
});

test("shows all fields of a receipt", async () => {
  const root = makeProject();
  const receipt = settle(root, "tx-1", {
    reason: "new model\u202e",
    scope: "run",
    gitHead: "abc",
    dirty: true,
    runner: { name: "vitest", version: "5.1.1" },
    gates: [
      { name: "replay", ok: true, ms: 12.4 },
      { name: "secrets", ok: false, ms: 1, detail: "a\tkey" },
    ],
    changes: [
      { target: "a.json", before: null, after: HASH("a") },
      { target: "b.json", before: HASH("a"), after: HASH("b") },
      { target: "c\n.json", before: HASH("c"), after: null },
    ],
  });
  expect(await veritest(root, ["show", short(receipt)])).toStrictEqual({
    code: 0,
    err: "",
    out: `receipt     ${receipt.id}
kind        commit
at          2026-01-02T03:04:05.000Z
run         r1
transaction tx-1
actor       human (a terminal)
reason      new model\\u202e
scope       run
git head    abc with changes
runner      vitest 5.1.1
versions    veritest 0.1.0, node 24.0.0, linux-x64
gates       2
  passed  replay  12 ms
  failed  secrets  1 ms  a\\tkey
changes     3
  added    a.json  none → aaaaaaaaaaaa
  changed  b.json  aaaaaaaaaaaa → bbbbbbbbbbbb
  removed  c\\n.json  cccccccccccc → none
`,
  });
  expect(JSON.parse((await veritest(root, ["show", receipt.id, "--json"])).out)).toStrictEqual(receipt);
  expect(await veritest(root, ["show", "zz"])).toStrictEqual({
    code: 2,
    out: "",
    err: 'veritest: There is no baseline or receipt "zz". To list them, run: npx veritest list, or npx veritest log\n',
  });
});

test("verify-log exits with 0 if every line is intact, and with 1 and the damaged lines otherwise", async () => {
  const root = makeProject();
  settle(root, "1");
  settle(root, "2");
  const directory = join(root, "state", "notes");
  for (const body of ["one", "two", "three"]) openNotes({ directory, clock: () => 0 }).write(statusNote(body));
  const change = (name: string, edit: (text: string) => string): void =>
    writeFileSync(join(directory, name), edit(readFileSync(join(directory, name), "utf8")));
  change("notes.ndjson", (text) => text.slice(0, -9));
  expect(await veritest(root, ["log", "verify"])).toStrictEqual({
    code: 0,
    out: "2 receipts and 2 notes intact, 1 incomplete line (a process ended while it wrote).\n",
    err: "",
  });
  change("receipts.ndjson", (text) => text.replace("a.json", "b.json"));
  change("notes.ndjson", (text) => text.replace("two", "twO"));
  const problems = ["receipts.ndjson, line 1", "notes.ndjson, line 2"].map(
    (line) => `${line}: its checksum doesn't match`,
  );
  expect(await veritest(root, ["log", "verify"])).toStrictEqual({
    code: 1,
    out:
      `${problems.join("\n")}\n2 problems, 1 receipt and 1 note intact, 1 incomplete line (a process ended while it wrote), in ` +
      `${directory}. Restore the files from a backup.\n`,
    err: "",
  });
  const json = await veritest(root, ["log", "verify", "--json"]);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.out)).toStrictEqual({ directory, receipts: 1, notes: 1, torn: 1, problems });
});

function statusNote(body: string): NewNote {
  return { type: "status", run: "r", body };
}

test("writes notes and reads them back, escaped", async () => {
  const root = makeProject();
  expect(await veritest(root, ["notes"])).toStrictEqual({ code: 0, out: "No notes.\n", err: "" });
  const wrote = [
    await veritest(root, [
      "notes",
      "add",
      "hypothesis",
      "rounding\n\u001b]52;c;AAAA\u0007",
      "--test",
      "half-even",
      "--budget",
      "10 min",
      "--item",
      "w-7",
      "--mood",
      "calm",
      "--run",
      "r9",
    ]),
    await veritest(root, [
      "notes",
      "add",
      "hyperthesis",
      "all EUR",
      "--blind-spot",
      "other currencies",
      "--bound",
      "totals",
      "--ref",
      "sha256:a",
      "--ref",
      "diff:1",
    ]),
    await veritest(root, ["notes", "add", "observation", "plain"]),
  ];
  expect(wrote.map(({ code, err }) => ({ code, err }))).toStrictEqual(wrote.map(() => ({ code: 0, err: "" })));
  const ids = wrote.map(({ out }) => out.trim());
  const [first, second, third] = ids.map((id) => short({ id }));
  const all = await veritest(root, ["notes"]);
  expect(
    all.out.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME"),
  ).toBe(`${first}  TIME  hypothesis  run r9  item w-7  mood calm
    rounding
    \\u001b]52;c;AAAA\\u0007
    test: half-even
    budget: 10 min
${second}  TIME  hyperthesis  run cli
    all EUR
    blind spot: other currencies
    bound: totals
    refs: sha256:a, diff:1
${third}  TIME  observation  run cli
    plain
`);
  const json = await veritest(root, [
    "notes",
    "--type",
    "observation",
    "--type",
    "hypothesis",
    "--since",
    "1h",
    "--json",
  ]);
  expect(json.out).not.toContain("\u001b");
  expect(JSON.parse(json.out)).toMatchObject([
    { type: "hypothesis", body: "rounding\n\u001b]52;c;AAAA\u0007" },
    { type: "observation", id: ids[2] },
  ]);
  expect((await veritest(root, ["notes", "--run", "r9", "--item", "w-7"])).out).toContain("half-even");
  expect((await veritest(root, ["notes", "--run", "r8"])).out).toBe("No notes.\n");
  let time = Date.now();
  const later = openNotes({ directory: join(root, "state", "notes"), clock: () => (time += 1000) });
  for (const body of ["more", "last"]) later.write({ type: "status", run: "r9", body });
  const bodies = async (...argv: readonly string[]): Promise<unknown> =>
    JSON.parse((await veritest(root, ["notes", "--json", ...argv])).out).map(
      ({ body }: { readonly body: string }) => body,
    );
  expect(await bodies("--limit", "1")).toStrictEqual(["last"]);
  expect(await bodies("-n", "3")).toStrictEqual(["plain", "more", "last"]);
  expect(await bodies("-n", "9", "--type", "observation")).toStrictEqual(["plain"]);
});

test("reports damage among the notes", async () => {
  const root = makeProject();
  const directory = join(root, "state", "notes");
  for (const body of ["one", "two"]) openNotes({ directory, clock: () => 0 }).write(statusNote(body));
  const path = join(directory, "notes.ndjson");
  writeFileSync(path, `${readFileSync(path, "utf8").replace("two", "twO")}{"v":1`);
  const { code, out, err } = await veritest(root, ["notes"]);
  expect({ code, err }).toStrictEqual({
    code: 0,
    err:
      "veritest: notes.ndjson, line 2: its checksum doesn't match. See: veritest log verify\n" +
      "veritest: 1 line was incomplete, because a process ended while it wrote.\n",
  });
  expect(out).toMatch(/^[0-9a-f]{12} {2}1970-01-01T00:00:00\.000Z {2}status {2}run r\n {4}one\n$/);
});

test("a note that can't be written exits with 2", async () => {
  const root = makeProject();
  writeFileSync(join(root, "state"), "a file");
  const { code, out, err } = await veritest(root, ["notes", "add", "status", "x"]);
  expect({ code, out }).toStrictEqual({ code: 2, out: "" });
  expect(err).toMatch(
    /^veritest: Cannot write notes to .*: ENOTDIR: not a directory, (?:open|mkdir|lstat) .*\. The run continues without these notes\.\n$/,
  );
});

test.each<[string, number | undefined]>([
  ["30m", -1_800_000],
  ["6h", -21_600_000],
  ["2d", -172_800_000],
  ["1970-01-02", 86_400_000],
  ["1970-01-01T00:00:01Z", 1000],
  ["1970-01-01T01:00:01.5+01:00", 1500],
  ["1", undefined],
  ["yesterday", undefined],
  ["1970-13-01", undefined],
  ["5y", undefined],
  ["", undefined],
])("parses the time %j", (text, time) => {
  expect(parseSince(text, 0)).toBe(time);
});

test("the program works in any directory of a project, and sets its exit code", {
  tags: "deep",
}, () => {
  const root = makeProject();
  mkdirSync(join(root, "below"));
  const run = (
    ...argv: string[]
  ): { readonly status: number | null; readonly stdout: string; readonly stderr: string } =>
    spawnSync(process.execPath, [CLI, ...argv], {
      cwd: join(root, "below"),
      env: environmentOf(root),
      encoding: "utf8",
    });
  expect(run("notes", "add", "status", "from a child").status).toBe(0);
  expect(run("notes").stdout).toContain("    from a child\n");
  settle(root, "1");
  appendFileSync(join(root, "state", "notes", "receipts.ndjson"), "strange\n");
  expect(run("log", "verify").status).toBe(1);
  expect(run("lgo")).toMatchObject({
    status: 2,
    stdout: "",
    stderr: "veritest: unknown command 'lgo' (Did you mean log?) See: veritest --help\n",
  });
});

test.each([
  ["ends", async () => Promise.resolve()],
  ["fails", async () => Promise.reject(new Error("no collector"))],
  ["hangs", async () => new Promise<void>(() => {})],
])("exports a command's spans at its end, and a flush that %s doesn't change the exit code", async (_what, flush) => {
  const api = Symbol.for("opentelemetry.js.api.1");
  let flushes = 0;
  const forceFlush = async (): Promise<void> => {
    flushes += 1;
    return flush();
  };
  Reflect.set(globalThis, api, { trace: { forceFlush } });
  try {
    expect(await veritest(makeProject(), ["notes"])).toStrictEqual({ code: 0, out: "No notes.\n", err: "" });
    expect(await veritest(makeProject(), ["lgo"])).toMatchObject({ code: 2, out: "" });
    expect(flushes).toBe(2);
  } finally {
    Reflect.deleteProperty(globalThis, api);
  }
});

test("ends the output quietly with the right exit code if its reader closes", { tags: "deep" }, async () => {
  const root = makeProject();
  const directory = join(root, "state", "notes");
  const notes = openNotes({ directory, clock: () => 0 });
  for (let index = 0; index < 100; index += 1)
    notes.write({ type: "status", run: "r", body: `${"x".repeat(100)}\n`.repeat(500) });
  const child = spawn(process.execPath, [CLI, "notes"], {
    cwd: dirname(directory),
    env: environmentOf(root),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => (err += String(chunk)));
  child.stdout.once("data", () => child.stdout.destroy());
  const code = await new Promise((resolve) => {
    child.on("close", resolve);
  });
  expect({ code, err }).toStrictEqual({ code: 0, err: "" });
});

test("refuses an invalid flag before it runs the command", async () => {
  variables = { VERITEST_VERBOSE: "yes" };
  onTestFinished(() => {
    variables = {};
  });
  expect(await veritest(makeProject(), ["notes"])).toStrictEqual({
    code: 2,
    out: "",
    err: 'veritest: VERITEST_VERBOSE must be 1 or 0, got "yes".\n',
  });
});
