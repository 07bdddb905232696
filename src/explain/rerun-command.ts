import { commandPath } from "../kernel/text.ts";
import { processEnvironment, readVariable } from "../kernel/environment.ts";
import { displayPath } from "../baseline/baseline-library.ts";
import { projectBelow } from "../baseline/project-below.ts";

/**
 * Maximum number of characters of the names in a command. A single longer name is matched by its beginning and end. A
 * limit that titles reach would match tests that differ only in between.
 */
const MAX_NAMES = 1000;

/** Test that called a matcher, as far as its runner describes it. */
interface CallingTest {
  readonly testPath?: string;
  /** Its titles: Vitest joins them by ` > `. */
  readonly currentTestName?: string;
  readonly currentConcurrentTestName?: () => string | undefined;
}

/** Test in its file, and the variable that its command needs. */
interface RerunTest {
  readonly testFile: string;
  readonly testName: string;
  /** True if only `VERITEST_MODE` makes the test call live adapters. */
  readonly needsLiveMode: boolean;
}

/** Returns the command that records the unrecorded requests of one test, for the runner that calls. */
export function rerunCommand(context: CallingTest, { testFile, testName, needsLiveMode }: RerunTest): string {
  const file = context.testPath === undefined ? testFile : displayPath(context.testPath);
  const mode = needsLiveMode ? "VERITEST_MODE=live " : "";
  const name = namePattern(testName, context.currentTestName);
  return `${mode}${runnerCommand(isJest(context), [commandPath(file)])} -t "${name}" -u`;
}

/**
 * Test of a check. `rerun` is its name as its runner joins the titles, if `-u` records its unrecorded request, and
 * `origin` the host of that request, if it's known.
 */
interface CheckingTest {
  readonly testPath: string;
  readonly test: string;
  readonly rerun?: string;
  readonly origin?: string | undefined;
}

type RecordableTest = Required<Omit<CheckingTest, "origin">>;

/**
 * Returns a sentence and the commands that record the unrecorded requests of several tests. It's one command if all
 * files have tests of the same titles. Otherwise each file has its own, because `-u` would also accept changes of a
 * test with a title of another file. The sentence says so if the commands accept other changes. Empty for a single
 * test whose command doesn't: its message has the command.
 */
export function rerunAllLines(checks: readonly CheckingTest[], runner: string): readonly string[] {
  const tests = checks.flatMap(({ testPath, test, rerun }) => (rerun === undefined ? [] : [{ testPath, test, rerun }]));
  const recordable = new Set(tests.map(({ testPath, test }) => `${testPath}\n${test}`)).size;
  // Another check may be of a test with the same titles, as in `test.each`.
  const rest = checks.filter(({ rerun }) => rerun === undefined);
  const forJest = runner === "jest";
  const isOne = recordable < 2;
  const have = isOne ? "1 test has" : `${recordable} tests have`;
  const count = `${have} unrecorded requests${toHosts(checks.filter(({ rerun }) => rerun !== undefined))}.`;
  const all = isOne ? "its" : "all their";
  const commandOf = (files: readonly string[], names?: string): string =>
    `${runnerCommand(forJest, files.map(commandPath))}${names === undefined ? "" : ` -t "${names}"`} -u`;
  const parts = partsOf(tests);
  const files = parts.flatMap((part) => part.files);
  const length = files.join(" ").length;
  if (!isOne && parts.reduce((sum, { names }) => sum + names.length, length) > MAX_NAMES) {
    const isListed = length <= MAX_NAMES;
    return [
      `${count} To record all new responses, and accept all other changes${isListed ? " in these files" : ""}:`,
      commandOf(isListed ? files : []),
    ];
  }
  const isExact = parts.every((part) => !rest.some((check) => runs(part, check, forJest)));
  if (isExact && isOne) return [];
  return [
    isExact
      ? `${count} Record all their responses:`
      : `${count} To record ${all} responses, and accept changes of other checks that also match:`,
    ...parts.map((part) => commandOf(part.files, part.names)),
  ];
}

/** Returns the hosts of the requests, and how many tests they're of if others call adapters. */
function toHosts(checks: readonly CheckingTest[]): string {
  const sending = checks.filter(({ origin }) => origin !== undefined);
  const hosts = hostsText(sending.flatMap(({ origin }) => origin ?? []));
  if (hosts === "") return "";
  return sending.length === checks.length ? ` to ${hosts}` : `, ${sending.length} of them to ${hosts}`;
}

/** Returns the hosts as words: up to two by name, more as a count. Empty for none. */
export function hostsText(origins: readonly string[]): string {
  const hosts = [...new Set(origins)];
  return hosts.length > 2 ? `${hosts.length} hosts` : hosts.join(" and ");
}

/** Files, and the pattern of the tests that a command runs in each of them. */
interface CommandPart {
  readonly files: readonly string[];
  readonly names: string;
}

function partsOf(tests: readonly RecordableTest[]): readonly CommandPart[] {
  const byFile = Map.groupBy(tests, ({ testPath }) => displayPath(testPath));
  const parts = [...byFile].map(([file, of]) => ({ files: [file], names: namesOf(of) }));
  const names = new Set(parts.map((part) => part.names));
  return names.size > 1 ? parts : [...names].map((all) => ({ files: [...byFile.keys()], names: all }));
}

/** True if a command also runs a test. Jest ignores the case of a name, and Vitest takes a part of a path. */
function runs({ files, names }: CommandPart, { testPath, test }: CheckingTest, forJest: boolean): boolean {
  const path = displayPath(testPath);
  const isSelected = forJest
    ? files.includes(path)
    : files.some((file) => isPartOfPath(file.toLowerCase(), path.toLowerCase()));
  return isSelected && new RegExp(names, forJest ? "i" : "").test(test);
}

/** Returns true if a file's path is a part of another path, relative to a directory of both: a project's root. */
function isPartOfPath(file: string, path: string): boolean {
  const [own, other] = [file.split("/"), path.split("/")];
  return own.some((_name, depth) => {
    const isBelow = own.slice(0, depth).every((name, index) => name === other[index]);
    return isBelow && other.slice(depth).join("/").includes(own.slice(depth).join("/"));
  });
}

function namesOf(tests: readonly RecordableTest[]): string {
  const names = new Set(tests.map(({ test, rerun }) => namePattern(test, rerun)));
  return [...names].join("|");
}

/**
 * Returns the runner's command for files, with the run's own choice of a configuration or project, and with the flag
 * that lets Jest load ES modules if this process has it. Without `--runTestsByPath`, Jest would read a path as a
 * pattern, which `app/[id]/a.test.js` doesn't match. Vitest takes a part of a path only.
 */
function runnerCommand(forJest: boolean, files: readonly string[]): string {
  const options = readVariable(processEnvironment(), "VERITEST_RUNNER_OPTIONS") ?? "";
  const paths = files.map((file) => ` ${file}`).join("");
  if (!forJest) return `npx vitest run${options}${paths}`;
  const flag = "--experimental-vm-modules";
  const flags = `${readVariable(processEnvironment(), "NODE_OPTIONS")} ${process.execArgv.join(" ")}`;
  const byPath = paths === "" ? "" : " --runTestsByPath";
  return `${flags.includes(flag) ? `NODE_OPTIONS=${flag} ` : ""}npx jest${options}${byPath}${paths}`;
}

/**
 * Returns a command of veritest for a run's project, to be pasted where the run was started. Started above the project,
 * as with `--root` or `--config`, the command alone would find another project.
 */
export function projectCommand(command: string, root: string | undefined): string {
  const directory = root === undefined ? undefined : projectBelow(root);
  return directory === undefined ? command : `(cd ${commandPath(directory)} && ${command})`;
}

/** Options of runners without which a command may find another configuration or project, or not the test. */
const CHOOSING: ReadonlySet<string> = new Set(["-c", "--config", "-r", "--root", "--rootDir", "-p", "--project"]);
/** Those of Jest that take all words before the next option. */
const CHOOSING_ALL = /^--(?:(?:select|ignore)-?)?projects$/i;
const REPLACING = "--projects";

/** Returns true if a command line of Jest selects some projects of its configuration. */
export function selectsProjects(argv: readonly string[]): boolean {
  return optionsIn(argv).some((name) => CHOOSING_ALL.test(name) && name !== REPLACING);
}

/** Returns true if a command line of Jest replaces the projects of its configuration. */
export function replacesProjects(argv: readonly string[]): boolean {
  return optionsIn(argv).includes(REPLACING);
}

function optionsIn(argv: readonly string[]): readonly string[] {
  return argv.map((word) => word.replace(/=.*$/s, ""));
}

/**
 * Returns the options of a runner's command line that choose its configuration and projects, each after a space; empty
 * without any. The main process announces them to its workers, whose own command line doesn't have them.
 */
export function choosingOptions(argv: readonly string[]): string {
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  return words
    .flatMap((word, index) => {
      const [name = "", own] = /^(-[^=]+)=(.*)$/s.exec(word)?.slice(1) ?? [word];
      const after = words.slice(index + 1);
      const end = after.findIndex((each) => each.startsWith("-"));
      const takesAll = CHOOSING_ALL.test(name);
      const following = takesAll
        ? after.slice(0, end < 0 ? undefined : end)
        : after.slice(0, own === undefined ? 1 : 0);
      const values = [own ?? "", ...following].filter((value) => value !== "");
      const isChoice = CHOOSING.has(name) || takesAll;
      return isChoice && values.length > 0 ? [` ${[name, ...values.map(commandPath)].join(" ")}`] : [];
    })
    .join("");
}

/**
 * Returns true for a context with fields that only Jest gives to matchers. Jest 29 gives the concurrent test's name in
 * concurrent tests alone.
 */
function isJest(context: CallingTest): boolean {
  return context.currentConcurrentTestName !== undefined || "dontThrow" in context;
}

const OTHER_CHARACTER = /[^\p{L}\p{N} _,:;=@/<>'#%&-]/u;
const SEPARATOR = " (> )?";

/**
 * Returns the pattern of a test's complete name, so that no other test is updated. `joined` has its titles joined by
 * ` > `, in which Vitest 5 searches. Others search in `name`, which has them joined by spaces. In Jest, both are equal.
 */
function namePattern(name: string, joined: string = name): string {
  if (joined === name) return pattern([name]);
  const titles = joined.split(" > ");
  if (titles.length <= 2 && titles.join(" ") === name) return pattern(titles);
  // In a concurrent test of Jest, it can be another test's name.
  if (withoutSeparators(joined) !== withoutSeparators(name)) return pattern([name]);
  // A title that contains the separator itself reads like two titles, and an optional separator between each of three
  // titles also matches other tests.
  return `${pattern([name])}|${pattern([joined])}`;
}

function withoutSeparators(name: string): string {
  return name.replaceAll(/[ >]+/g, " ");
}

function pattern(titles: readonly string[]): string {
  const pieces = titles.flatMap((title, index) => [
    ...(index === 0 ? [] : [SEPARATOR]),
    ...Array.from(title, patternOfCharacter),
  ]);
  const name = pieces.join("");
  if (name.length <= MAX_NAMES) return `^${name}$`;
  // The end of a title tells more cases apart than its middle.
  const end = firstPieces(pieces.toReversed(), MAX_NAMES / 2).toReversed();
  return `^${firstPieces(pieces, MAX_NAMES / 2).join("")}[^]*${end.join("")}$`;
}

/**
 * Returns a pattern for a character. One with a meaning in a shell or a regular expression becomes a `\W` for each of
 * its UTF-16 units, because runners search without the flag `u`: that matches it, but no letter or digit.
 */
function patternOfCharacter(character: string): string {
  return OTHER_CHARACTER.test(character) ? String.raw`\W`.repeat(character.length) : character;
}

/** Returns as many pieces from the start as have this length. */
function firstPieces(pieces: readonly string[], length: number): string[] {
  const first: string[] = [];
  let rest = length;
  for (const piece of pieces) {
    rest -= piece.length;
    if (rest < 0) break;
    first.push(piece);
  }
  return first;
}
