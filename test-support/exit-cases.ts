import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { COMMANDS } from "../src/command-line.ts";
import { createValueBaseline } from "../src/baseline/create-baseline.ts";
import { caseFileName, caseHash } from "../src/baseline/baseline-paths.ts";
import { serializeBaseline } from "../src/baseline/serialize-baseline.ts";
import type { VerdictClass } from "../src/check/verdict.ts";
import { REPORT_FORMATS } from "../src/explain/format-names.ts";
import { buildRunModel } from "../src/reporter/build-run-model.ts";
import type { ReportCase } from "../src/explain/report-case.ts";
import { temporaryProject } from "./temporary-project.ts";

/** One command line, and what it must come to: its exit code and all that it prints. */
export interface ExitCase {
  readonly argv: readonly string[];
  readonly code: 0 | 1 | 2;
  /** `ROOT` stands for the project's directory. A pattern must fit the whole. */
  readonly out?: string | RegExp;
  readonly err?: string | RegExp;
  /** Files of the project beside package.json. */
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Makes the project of a case in a directory of its own, outside of git. Returns it, and the environment to run in. */
export function exitProject({ files = {}, environment = {} }: ExitCase): {
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
} {
  const root = temporaryProject("exit");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return {
    root,
    environment: {
      PATH: process.env["PATH"] ?? "",
      HOME: root,
      XDG_STATE_HOME: join(root, ".home"),
      VERITEST_ACTOR: "human",
      ...environment,
    },
  };
}

const BASELINE = `__baselines__/a.test.ts/${caseFileName("one", caseHash({ name: "one" }))}`;
const SOUND = { [BASELINE]: baseline(1), "a.test.ts": "" };
const NO_STEPS =
  'veritest: There is no veritest.config.ts here, and so no steps to run. In a monorepo, run the command in a package. To add one: export default defineConfig({ steps: () => import("./steps/index.ts") })\n';
const FORMATS = REPORT_FORMATS.join(", ");

function baseline(value: unknown): string {
  return serializeBaseline(createValueBaseline(value, { test: "a.test.ts", name: "one" }));
}

function runOf(kind: VerdictClass): string {
  const found: ReportCase = {
    step: "s",
    baseline: BASELINE,
    labels: [],
    test: null,
    kind,
    updateState: "none",
    source: null,
    durationMs: null,
    usage: null,
    findings: null,
  };
  const environment = {
    veritest: "0.1.0",
    runner: null,
    node: "24.0.0",
    platform: "linux-x64",
    ci: false,
    adapterMode: null,
    shard: null,
  };
  return JSON.stringify(
    buildRunModel({
      cases: [found],
      startedAt: "2026-01-02T03:04:05.678Z",
      durationMs: 1,
      environment,
      applied: null,
      problems: [],
    }),
  );
}

/** What the parser of command lines refuses. */
function refused(command: string, argv: readonly string[], complaint: string): ExitCase {
  return {
    argv: [...command.split(" "), ...argv],
    code: 2,
    err: `veritest: ${complaint} See: veritest ${command} --help\n`,
  };
}

function says(argv: readonly string[], out: string): ExitCase {
  return { argv, code: 0, out };
}

function fails(argv: readonly string[], err: string): ExitCase {
  return { argv, code: 2, err: `veritest: ${err}\n` };
}

const GENERAL: readonly ExitCase[] = [
  { argv: [], code: 2, err: /^Usage: veritest <command> \[options\]\n[\s\S]*$/ },
  {
    argv: ["--help"],
    code: 0,
    out: /^Usage: veritest <command> \[options\]\n[\s\S]*\nExit codes: 0 clean, 1 regressions or refused, 2 usage or infrastructure\.\n$/,
  },
  { argv: ["--version"], code: 0, out: /^\d+\.\d+\.\d+\S*\n$/ },
  { argv: ["lits"], code: 2, err: "veritest: unknown command 'lits' (Did you mean list?) See: veritest --help\n" },
  {
    argv: ["--vrsion"],
    code: 2,
    err: "veritest: unknown option '--vrsion' (Did you mean --version?) See: veritest --help\n",
  },
  { argv: ["\u001b[2J"], code: 2, err: "veritest: unknown command '\\u001b[2J'. See: veritest --help\n" },
];

/** Every command has help with an example, and suggests what a misspelt option may mean. */
const HELP: readonly ExitCase[] = COMMANDS.map(({ name }) => ({
  argv: [name, "--help"],
  code: 0,
  out: new RegExp(`^Usage: veritest ${name} [\\s\\S]*\\nExamples:\\n {2}[\\s\\S]*veritest ${name} [\\s\\S]*$`),
}));

const MISUSE: readonly ExitCase[] = [
  refused("init", ["--yess"], "unknown option '--yess' (Did you mean --yes?)"),
  refused(
    "init",
    ["--runner", "mocha"],
    "option '--runner <name>' argument 'mocha' is invalid. Allowed choices are vitest, jest.",
  ),
  refused("init", ["more"], "too many arguments for 'init'. Expected 0 arguments but got 1: more."),
  refused("capture", [], "No step was passed. Add --step <name>."),
  refused("import", [], "missing required argument 'source'."),
  refused("capture", ["--step"], "option '--step <name>' argument missing."),
  refused("capture", ["--step", "x"], "No input was passed. Add --input 'inputs/*.json'."),
  refused("test", ["--stp", "x"], "unknown option '--stp' (Did you mean --step?)"),
  refused(
    "test",
    ["--format", "xml"],
    `option '--format <format>' argument 'xml' is invalid. Allowed choices are ${FORMATS}.`,
  ),
  refused("diff", ["more"], "too many arguments for 'diff'. Expected 0 arguments but got 1: more."),
  refused("replay", ["--chek-files"], "unknown option '--chek-files' (Did you mean --check-files?)"),
  refused("replay", ["--live"], "unknown option '--live'."),
  refused("rebase", ["--harmles", "x"], "unknown option '--harmles' (Did you mean --harmless?)"),
  refused("rebase", ["--live"], "unknown option '--live'."),
  refused("list", ["--lable", "x"], "unknown option '--lable' (Did you mean --label?)"),
  refused("list", ["more"], "too many arguments for 'list'. Expected 0 arguments but got 1: more."),
  refused("list", ["--step"], "option '--step <name>' argument missing."),
  refused("show", [], "missing required argument 'name'."),
  refused("show", ["a", "b"], "too many arguments for 'show'. Expected 1 argument but got 2: a, b."),
  refused("show", ["a", "--jsn"], "unknown option '--jsn' (Did you mean --json?)"),
  refused("prune", ["--ye"], "unknown option '--ye' (Did you mean --yes?)"),
  refused("rename-step", ["extract"], "missing required argument 'new'."),
  refused("check", ["--with-stat"], "unknown option '--with-stat' (Did you mean --with-state?)"),
  refused("merge", [], "missing required argument 'paths'."),
  refused(
    "merge",
    ["a", "--format", "xml"],
    `option '--format <format>' argument 'xml' is invalid. Allowed choices are ${FORMATS}.`,
  ),
  refused("merge-driver", ["instal"], "unknown command 'instal' (Did you mean install?)"),
  refused("report", [], "missing required argument 'run'."),
  refused("report", ["a", "--output"], "option '--output <path>' argument missing."),
  refused("report", ["a", "--frmat", "html"], "unknown option '--frmat' (Did you mean --format?)"),
  refused("review", ["--frm", "x"], "unknown option '--frm' (Did you mean --from?)"),
  refused("pending", ["more"], "too many arguments for 'pending'. Expected 0 arguments but got 1: more."),
  refused("accept", ["--al"], "unknown option '--al' (Did you mean --all?)"),
  refused("reject", ["--from", "x"], "unknown option '--from'."),
  refused("doctor", ["more"], "too many arguments for 'doctor'. Expected 0 arguments but got 1: more."),
  refused("doctor", ["--force-unlok"], "unknown option '--force-unlok' (Did you mean --force-unlock?)"),
  refused("repair", ["--restor"], "unknown option '--restor' (Did you mean --restore?)"),
  refused("log", ["--limt"], "unknown option '--limt' (Did you mean --limit?)"),
  refused("log verify", ["more"], "too many arguments for 'verify'. Expected 0 arguments but got 1: more."),
  refused("notes", ["--limi"], "unknown option '--limi' (Did you mean --limit?)"),
  refused("notes add", ["status"], "missing required argument 'body'."),
  refused("notes add", ["status", " "], "A note needs a body."),
  refused("notes add", ["hypothesis", "x"], 'The hypothesis is incomplete: "test" is missing; "budget" is missing.'),
  refused("run", [], "A run needs a command, after --."),
  refused("run", ["--", "true"], 'A run needs a work item. Pass its name: --work-item "<task>".'),
  refused("store", ["drop"], "unknown command 'drop'."),
  refused("runs show", [], "missing required argument 'run'."),
  refused("runs list", ["--statu", "x"], "unknown option '--statu' (Did you mean --status?)"),
  refused("ground", ["ingst"], "unknown command 'ingst' (Did you mean ingest?)"),
  refused("completion", ["powershell"], "unknown command 'powershell'."),
];

const BAD_VALUES: readonly ExitCase[] = [
  fails(["list", "--meta", "x"], '--meta must be key=value, got "x".'),
  fails(
    ["show", "zz"],
    'There is no baseline or receipt "zz". To list them, run: npx veritest list, or npx veritest log',
  ),
  fails(["show", ""], 'There is no baseline or receipt "". To list them, run: npx veritest list, or npx veritest log'),
  fails(["check", "nowhere"], 'There is no file or directory "nowhere".'),
  fails(["merge", "nowhere"], 'There is no file or directory "nowhere".'),
  fails(["merge", "."], 'There is no run.json below ".". To write it, run your tests with VERITEST_REPORT=json.'),
  fails(
    ["merge", "package.json"],
    'Cannot read "package.json": it isn\'t a report of veritest. Pass a run.json that VERITEST_REPORT=json wrote.',
  ),
  fails(
    ["merge", "a", "--format", "json", "--format", "html"],
    "2 formats can't be printed together. Pass --output <directory>.",
  ),
  fails(
    ["report", "nowhere.json"],
    'There is no file "nowhere.json". To write it, run your tests with VERITEST_REPORT=json.',
  ),
  fails(["report", "."], '"." is a directory. Pass the run.json in it.'),
  {
    argv: ["report", "run.json", "--format", "html", "--output", "a.test.ts/x.html"],
    code: 2,
    err: /^veritest: "ROOT\/a\.test\.ts\/x\.html" can't be written: E[A-Z]+: .*\.\n$/,
    files: { ...SOUND, "run.json": runOf("clean") },
  },
  refused("merge-driver", ["run"], "unknown command 'run'."),
  fails(["review", "zz"], 'No change matches "zz", because no change is pending.'),
  fails(["pending", "--from", "nowhere"], "Cannot read ROOT/nowhere: it doesn't exist."),
  fails(
    ["accept"],
    "No change was passed. Pass keys, files or --group to accept, or --all. To list them, run: npx veritest pending",
  ),
  fails(["accept", "zz", "--all"], "Pass only one of: keys, --group, --all."),
  fails(["reject", "zz"], 'No change matches "zz", because no change is pending.'),
  fails(
    ["repair", "nothing"],
    `"nothing" isn't a damaged baseline in ROOT. To list damaged baselines, run: npx veritest repair`,
  ),
  fails(["log", "--limit", "0"], '--limit must be an integer of at least 1, got "0".'),
  fails(
    ["notes", "--since", "x"],
    '"x" is neither a date nor a time span. Use a value such as 2026-05-01, 30m, 6h or 2d.',
  ),
  fails(["run", "--work-item", "w", "--budget", "x", "--", "true"], "--budget must be a time such as 90s, 30m or 2h."),
  fails(["run", "--work-item", "w", "--max-files", "x", "--", "true"], "--max-files must be an integer."),
  fails(["properties", "--minutes", "0"], "--minutes must be a number above 0, up to 1440."),
  fails(["properties", "--runs", "many"], "--runs must be an integer from 1 to 9999999."),
  fails(["properties", "--runner", "vitest"], "No test file below ROOT calls toSatisfyProperties."),
  fails(["properties", "--runner", "vitest", "b.test.ts"], "There is no file b.test.ts."),
  fails(["test", "--concurrency", "0"], '--concurrency must be an integer from 1 to 1000, got "0".'),
];

/** A configuration that cannot be read decides nothing, for each command that needs it. */
const NO_CONFIG: readonly ExitCase[] = [
  ...[["test"], ["diff"], ["replay"], ["capture", "--step", "x", "--input", "*.json"]].map(
    (argv): ExitCase => ({ argv, code: 2, err: NO_STEPS }),
  ),
  ...[["check"], ["prune"], ["accept", "--all"], ["test"]].map(
    (argv): ExitCase => ({
      argv,
      code: 2,
      err: 'veritest: ROOT/veritest.config.mjs: the default export: Unrecognized key: "polcy" (did you mean "policy"?).\n',
      files: { "veritest.config.mjs": "export default { polcy: {} };\n" },
    }),
  ),
  {
    argv: ["init"],
    code: 2,
    err: /^veritest: Cannot read ROOT\/package\.json: .*\n$/,
    files: { "package.json": "{" },
  },
];

const NOTHING: readonly ExitCase[] = [
  says(["list"], "No baselines.\n"),
  says(["list", "--json"], "[]\n"),
  says(["prune"], "No baselines are obsolete. A complete run can find more, and -u removes them.\n"),
  {
    argv: ["rename-step", "extract", "plan"],
    code: 2,
    err: 'veritest: No baseline of "extract". To list the names, run: npx veritest list\n',
  },
  says(["check"], "0 baselines checked, no problems.\n"),
  says(["check", "--json"], '{\n  "baselines": 0,\n  "otherFiles": 0,\n  "findings": []\n}\n'),
  says(["review"], "No change is pending.\n"),
  says(["pending", "--json"], "[]\n"),
  says(["accept", "--all"], "No change is pending.\n"),
  says(["reject", "--all"], "No change is pending.\n"),
  says(["doctor"], "The lock is free, and no interrupted work is left.\n"),
  says(["doctor", "--json"], '{\n  "lock": null,\n  "done": [],\n  "problems": []\n}\n'),
  says(["repair", "--json"], '{\n  "baselines": 0,\n  "damaged": []\n}\n'),
  says(["prune", "--json"], '{\n  "obsolete": [],\n  "pending": 0\n}\n'),
  says(["reject", "--all", "--json"], '{\n  "rejected": [],\n  "receipt": null,\n  "problems": []\n}\n'),
  says(["repair"], "0 baselines, none damaged.\n"),
  says(["log"], "No receipts yet. veritest writes a receipt when you accept or reject a change.\n"),
  says(["log", "--json"], "[]\n"),
  says(["log", "verify"], "0 receipts and 0 notes intact.\n"),
  says(["notes"], "No notes.\n"),
  says(["notes", "--json"], "[]\n"),
];

const FOUND: readonly ExitCase[] = [
  {
    ...says(
      ["list"],
      `a.test.ts  __baselines__/a.test.ts\n  one-61ef934e                            207 B  value  name one\n\n1 baseline. To show one, run: npx veritest show <name>\n`,
    ),
    files: SOUND,
  },
  { ...says(["check"], "1 baseline checked, no problems.\n"), files: SOUND },
  {
    argv: ["check"],
    code: 1,
    out:
      `obsolete    __baselines__/a.test.ts  the test file a.test.ts doesn't exist (1 baseline). To remove obsolete ` +
      `baselines, run: npx veritest prune --yes.\n1 baseline checked, 1 finding: 1 obsolete.\n`,
    files: { [BASELINE]: baseline(1) },
  },
  {
    argv: ["check"],
    code: 2,
    out:
      `damaged     ${BASELINE}  it is empty. Restore the file with npx veritest repair --restore, or delete ` +
      `it and capture the case again.\n1 baseline checked, 1 finding: 1 damaged.\n`,
    files: { ...SOUND, [BASELINE]: "" },
  },
  {
    argv: ["show", "one"],
    code: 2,
    err:
      `veritest: Cannot read ${BASELINE}: it is empty. Restore the file with npx veritest repair --restore, ` +
      `or delete it and capture the case again. See: veritest repair\n`,
    files: { ...SOUND, [BASELINE]: "" },
  },
  {
    argv: ["repair"],
    code: 1,
    out:
      `Cannot read ${BASELINE}: it is empty. Restore the file with npx veritest repair --restore, or delete ` +
      `it and capture the case again.\n1 of 1 damaged. Restore git's versions: npx veritest repair --restore\n`,
    files: { ...SOUND, [BASELINE]: "" },
  },
  {
    argv: ["prune"],
    code: 0,
    out:
      `a.test.ts: the test file a.test.ts doesn't exist\n  ${BASELINE}\n1 baseline. To remove obsolete ` +
      `baselines and outdated changes, run: npx veritest prune --yes\n`,
    files: { [BASELINE]: baseline(1) },
  },
  {
    argv: ["rename-step", "a.test.ts", "b.test.ts"],
    code: 1,
    err: "veritest: CI never writes baselines (VERITEST_ACTOR).\n",
    files: { [BASELINE]: baseline(1) },
    environment: { VERITEST_ACTOR: "ci" },
  },
  {
    argv: ["prune", "--yes"],
    code: 1,
    out: /^a\.test\.ts: .*\n {2}.*\n$/,
    err: /^veritest: CI never writes baselines \(VERITEST_ACTOR\)\.\nveritest: No file was written\. .*\n$/,
    files: { [BASELINE]: baseline(1) },
    environment: { VERITEST_ACTOR: "ci" },
  },
  ...(
    [
      ["clean", 0],
      ["value_changed", 1],
      ["broken", 2],
    ] as const
  ).map(
    ([kind, code]): ExitCase => ({
      argv: ["merge", "run.json", "--output", "out.txt"],
      code,
      out: /^written {2}out\.txt\n1 baseline, 1 [a-z]+\n$/,
      files: { "run.json": runOf(kind) },
    }),
  ),
  {
    argv: ["report", "run.json", "--format", "json"],
    code: 0,
    out: /^\{\s*"version": ?2[\s\S]*\}\n$/,
    files: { "run.json": runOf("broken") },
  },
  {
    argv: ["report", "run.json", "--format", "junit", "--output", "a/b.xml"],
    code: 0,
    out: "written  a/b.xml\n",
    files: { "run.json": runOf("value_changed") },
  },
  {
    argv: ["init"],
    code: 2,
    out: /^Vitest, JavaScript, npm\n[\s\S]*$/,
    err: "veritest: Not interactive, so no file was changed. Run: npx veritest init --yes\n",
  },
];

/**
 * What the command line promises, case by case: run in this process by the unit tests, and against the built program.
 */
export const EXIT_CASES: readonly ExitCase[] = [
  ...GENERAL,
  ...HELP,
  ...MISUSE,
  ...BAD_VALUES,
  ...NO_CONFIG,
  ...NOTHING,
  ...FOUND,
];
