import { processEnvironment, readVariable } from "../kernel/environment.ts";
import { displayPath } from "../baseline/baseline-library.ts";

/** Maximum number of characters of a test's name in a command. The beginning of a longer name is enough. */
const MAX_NAME = 200;

/** Maximum number of characters of a pattern of several tests. */
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
  const name = pattern(titlesOf(context, testName));
  return `${mode}${runnerCommand(isJest(context))} ${commandPath(file)} -t "${name}" -u`;
}

/** Test whose unrecorded request `-u` records. `rerun` is its name as its runner joins the titles. */
interface RecordableTest {
  readonly testPath: string;
  readonly test: string;
  readonly rerun: string;
}

/** Returns a sentence and the command that records the unrecorded requests of several tests. */
export function rerunAllLines(tests: readonly RecordableTest[], runner: string): readonly string[] {
  const names = new Set(tests.map(({ test, rerun }) => pattern(titlesOf({ currentTestName: rerun }, test))));
  const files = [...new Set(tests.map(({ testPath }) => commandPath(displayPath(testPath))))].join(" ");
  const { size } = new Set(tests.map(({ testPath, test }) => `${testPath}\n${test}`));
  const count = `${size} tests have unrecorded requests.`;
  const all = [...names].join("|");
  const command = runnerCommand(runner === "jest");
  if (all.length + files.length <= MAX_NAMES)
    return [`${count} Record all their responses:`, `${command} ${files} -t "${all}" -u`];
  const location = files.length <= MAX_NAMES ? ` ${files}` : "";
  return [
    `${count} To record all their responses, and accept all other changes${location === "" ? "" : " in their files"}:`,
    `${command}${location} -u`,
  ];
}

/**
 * Returns the runner's command, with the run's own choice of a configuration or project, and with the flag that lets
 * Jest load ES modules if this process has it.
 */
function runnerCommand(forJest: boolean): string {
  const options = readVariable(processEnvironment(), "VERITEST_RUNNER_OPTIONS") ?? "";
  if (!forJest) return `npx vitest run${options}`;
  const flag = "--experimental-vm-modules";
  const flags = `${readVariable(processEnvironment(), "NODE_OPTIONS")} ${process.execArgv.join(" ")}`;
  return `${flags.includes(flag) ? `NODE_OPTIONS=${flag} ` : ""}npx jest${options}`;
}

/** Options of runners with one value, without which a command may find another configuration, or not the test. */
const CHOOSING = new Set(["-c", "--config", "-r", "--root", "--rootDir", "--project"]);

/**
 * Returns the options of a runner's command line that choose its configuration and projects, each after a space; empty
 * without any. The main process announces them to its workers, whose own command line doesn't have them.
 */
export function choosingOptions(argv: readonly string[]): string {
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  return words
    .flatMap((word, index) => {
      const [name = "", value = words[index + 1] ?? ""] = /^(-[^=]+)=(.*)$/s.exec(word)?.slice(1) ?? [word];
      return CHOOSING.has(name) && value !== "" ? [` ${name} ${commandPath(value)}`] : [];
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

/** Titles of a test, outermost first. They're one title if the runner doesn't separate them. */
function titlesOf({ currentTestName = "" }: CallingTest, testName: string): readonly string[] {
  const titles = currentTestName.split(" > ");
  return titles.join(" ") === testName ? titles : [testName];
}

const OTHER_CHARACTERS = /[^\p{L}\p{N} _,:;=@/<>'#%&-]/gu;

function anyCharacters(character: string): string {
  return ".".repeat(character.length);
}

/**
 * Pattern of the test's complete name, so that no other test is updated: Vitest 5 searches in titles joined by ` > `,
 * others in titles joined by spaces. Characters with a meaning in a shell or a regular expression match any character:
 * one dot for each UTF-16 unit, because runners search without the flag `u`.
 */
function pattern(titles: readonly string[]): string {
  const name = titles.map((title) => title.replaceAll(OTHER_CHARACTERS, anyCharacters)).join(" (> )?");
  if (name.length <= MAX_NAME) return `^${name}$`;
  // A group that was cut isn't a pattern.
  return `^${name.slice(0, MAX_NAME).replace(/ \([^?]*$/, "")}`;
}

/** Quotes a path for a shell if it contains characters other than letters, digits and `_./-`. */
export function commandPath(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `"${path.replaceAll(/["$`\\]/g, "\\$&")}"`;
}
