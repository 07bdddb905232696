import { processEnvironment, readVariable } from "../../kernel/environment.ts";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { splitCommand } from "../../kernel/files/command-line.ts";

/** A test runner whose own results can be read. */
type RunnerName = "vitest" | "jest" | "node";

/** A check that runs tests by a runner that is known. */
export interface TestCommand {
  readonly runner: RunnerName;
  readonly command: readonly string[];
  /** True if arguments must be added after `--`: npm keeps those before it. */
  readonly needsDashes: boolean;
}

/** One test, as its runner reported it. */
export interface TestResult {
  /** Path of the test file from the folder in which the tests ran, with forward slashes. */
  readonly file: string;
  /** Names of the test's groups, and its own name. */
  readonly name: string;
  readonly end: "passed" | "failed" | "not-run";
  /** Number of assertions that passed; undefined if the runner doesn't count. */
  readonly assertions: number | undefined;
  /** Error of the test. Untrusted text. */
  readonly problem: string;
}

/** Command line that stores its results so that they can be read afterwards. */
export interface MeasuredCommand {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The results, relative to a folder; undefined if the runner wrote none. */
  readonly read: (folder: string) => readonly TestResult[] | undefined;
}

/** Programs that run another one, and the number of words before that. */
const PREFIXES: readonly (readonly [words: RegExp, count: number])[] = [
  [/^npx (?!-)/, 1],
  [/^npm exec -- /, 3],
  [/^(?:pnpm|yarn|bun) exec /, 2],
  [/^(?:bunx|yarn|pnpm) (?=(?:vitest|jest) )/, 1],
  [/^(?:cross-env|env) (?=\w+=)/, 1],
  [/^\w+=\S* /, 1],
];
const SCRIPT = /^(npm|pnpm|yarn|bun) (?:(?:run|run-script) (\S+)|(test|t|tst)) *$/;

/**
 * Returns the runner by which a command runs its tests: the program itself, or the script of package.json that it names
 * if that is one command. Undefined for all others.
 */
export function testRunOf(command: readonly string[], folder: string): TestCommand | undefined {
  const [program, name] = scriptOf(command);
  if (program === undefined || name === undefined) {
    const runner = runnerOf(command);
    return runner === undefined ? undefined : { runner, command, needsDashes: false };
  }
  const words = splitCommand(scriptsIn(folder)[name] ?? "");
  const runner = words.ok ? runnerOf(words.value) : undefined;
  return runner === undefined ? undefined : { runner, command, needsDashes: program === "npm" };
}

/** The command with options to write the runner's results into a file, and with more arguments. */
export function measured(test: TestCommand, file: string, more: readonly string[] = []): MeasuredCommand {
  const { runner, command, needsDashes } = test;
  const reporting: Readonly<Record<RunnerName, readonly string[]>> = {
    vitest: ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`],
    jest: ["--json", `--outputFile=${file}`],
    node: [],
  };
  const added = [...reporting[runner], ...more];
  return {
    command: [...command, ...(needsDashes && added.length > 0 ? ["--"] : []), ...added],
    environment: runner === "node" ? nodeReporter(file) : {},
    read: (folder) => (existsSync(file) ? parsed(readFileSync(file, "utf8"), runner, folder) : undefined),
  };
}

/** Makes Vitest, which does not count assertions, fail a test that executed none. */
export const REQUIRE_ASSERTIONS = "--expect.requireAssertions";

/** Returns true for a result of a test that ran. */
export function isRun({ end, name }: TestResult): boolean {
  return end !== "not-run" && name !== "";
}

/** Returns true if a test failed. Altered code that can't be loaded fails without a test, which shows nothing. */
export function hasFailed(results: readonly TestResult[] | undefined): boolean {
  return results?.some(({ end, name }) => end === "failed" && name !== "") === true;
}

/** Returns true if tests ran, and all that ran passed. Files that can't be loaded show nothing. */
export function isUnnoticed(results: readonly TestResult[] | undefined): boolean {
  return results?.some(isRun) === true && results.every(({ end }) => end !== "failed");
}

/**
 * Returns true if a test executed no assertion, as far as its runner reports it: Jest if the test passes, because it
 * counts only assertions that pass, and Vitest if configured to.
 */
export function isSilent({ assertions, end, problem }: TestResult): boolean {
  return (assertions === 0 && end !== "failed") || /expected any number of assertion, but got none/.test(problem);
}

/** Returns a text that identifies a test within its check. */
export function testKey({ file, name }: TestResult): string {
  return `${file}\0${name}`;
}

/** Name of the script of package.json that a command runs, or undefined. */
export function scriptNamed(command: readonly string[]): string | undefined {
  return scriptOf(command)[1];
}

function scriptOf(command: readonly string[]): readonly [string | undefined, string | undefined] {
  const [, program, script, test] = SCRIPT.exec(command.join(" ")) ?? [];
  return [program, script ?? (test === undefined ? undefined : "test")];
}

function scriptsIn(folder: string): Readonly<Record<string, string>> {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const scripts = isPlainObject(manifest) && isPlainObject(manifest["scripts"]) ? manifest["scripts"] : {};
    return Object.fromEntries(Object.entries(scripts).map(([name, line]) => [name, String(line)]));
  } catch {
    // No package.json that can be read: then the command names no script.
    return {};
  }
}

function runnerOf(command: readonly string[]): RunnerName | undefined {
  const line = `${command.join(" ")} `;
  for (const [words, count] of PREFIXES) if (words.test(line)) return runnerOf(command.slice(count));
  const [program = "", ...args] = command;
  const name = basename(program).replace(/\.(?:m?js|cmd|exe)$/, "");
  if (name === "vitest")
    return args.includes("watch") || args.includes("bench") || args.includes("list") ? undefined : "vitest";
  if (name === "jest") return args.some((arg) => arg.startsWith("--watch")) ? undefined : "jest";
  if (name !== "node" && name !== "tsx") return undefined;
  if (args.includes("--test")) return "node";
  const script = args.find((arg) => !arg.startsWith("-"));
  return script !== undefined && /(?:^|\/)(?:vitest|jest)(?:\.m?js)?$/.test(script)
    ? runnerOf(args.slice(args.indexOf(script)))
    : undefined;
}

/** Node reports by modules; this one writes what its JSON reporter would, had it one. */
function nodeReporter(file: string): Readonly<Record<string, string>> {
  const reporter = `${file}.mjs`;
  writeFileSync(
    reporter,
    `const problemOf = (data) => String(data.details?.error?.message ?? "");
export default async function* (events) {
  for await (const { type, data } of events) {
    if (!/^test:(?:start|pass|fail)$/.test(type)) continue;
    const idle = data.skip !== undefined || data.todo !== undefined;
    const { name, nesting, file = "", details } = data;
    const suite = details?.type === "suite";
    yield JSON.stringify({ type, name, nesting, file, idle, suite, problem: problemOf(data) }) + "\\n";
  }
}
`,
  );
  const own = ["spec", "stdout", reporter, file];
  const flags = own.map(
    (word, index) => `${index % 2 === 0 ? "--test-reporter" : "--test-reporter-destination"}=${JSON.stringify(word)}`,
  );
  return { NODE_OPTIONS: [readVariable(processEnvironment(), "NODE_OPTIONS") ?? "", ...flags].join(" ").trim() };
}

function parsed(text: string, runner: RunnerName, folder: string): readonly TestResult[] | undefined {
  try {
    return runner === "node" ? nodeResults(text, folder) : jestResults(JSON.parse(text), folder);
  } catch {
    // A runner that was killed leaves half a file, which can't be read.
    return undefined;
  }
}

/** The form of Jest's `--json`, which Vitest's `json` reporter has too. */
function jestResults(report: unknown, folder: string): readonly TestResult[] | undefined {
  if (!isPlainObject(report)) return undefined;
  return listOf(report["testResults"]).flatMap((suite): readonly TestResult[] => {
    const file = relative(folder, String(suite["name"])).replaceAll("\\", "/");
    const tests = listOf(suite["assertionResults"]);
    // A file that could not be loaded: its tests are unknown.
    if (tests.length === 0 && suite["status"] === "failed")
      return [{ file, name: "", end: "failed", assertions: undefined, problem: textsOf([suite["message"]]).join("") }];
    return tests.map((test) => ({
      file,
      name: [...textsOf(test["ancestorTitles"]), String(test["title"])].join(" > "),
      end: endOf(test["status"]),
      assertions: typeof test["numPassingAsserts"] === "number" ? test["numPassingAsserts"] : undefined,
      problem: textsOf(test["failureMessages"]).join("\n"),
    }));
  });
}

function endOf(status: unknown): TestResult["end"] {
  return status === "passed" || status === "failed" ? status : "not-run";
}

function nodeResults(text: string, folder: string): readonly TestResult[] {
  const names: string[] = [];
  const results: TestResult[] = [];
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const event: unknown = JSON.parse(line);
    if (!isPlainObject(event)) continue;
    const depth = Number(event["nesting"]);
    names.length = depth;
    names[depth] = String(event["name"]);
    if (event["type"] === "test:start" || event["suite"] === true) continue;
    const file = relative(folder, String(event["file"])).replaceAll("\\", "/");
    const isFile = depth === 0 && /\.[cm]?[jt]sx?$/.test(names[0] ?? "");
    const end = event["type"] === "test:pass" ? "passed" : "failed";
    results.push({
      file,
      name: isFile ? "" : names.join(" > "),
      end: event["idle"] === true ? "not-run" : end,
      assertions: undefined,
      problem: String(event["problem"]),
    });
  }
  return results;
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
