import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parseCLI } from "vitest/node";
import { choosingOptions, rerunAllLines, rerunCommand } from "./rerun-command.ts";

const context = {};

test("names the runner, the file from here, the test, and the mode if it must be live", () => {
  const testPath = join(process.cwd(), "steps", "a.test.ts");
  expect(
    rerunCommand(
      { ...context, testPath },
      { testFile: "a.test.ts", testName: "reads a receipt", needsLiveMode: false },
    ),
  ).toBe('npx vitest run steps/a.test.ts -t "^reads a receipt$" -u');
  expect(
    rerunCommand(
      { ...context, testPath, currentConcurrentTestName: () => undefined },
      { testFile: "a.test.ts", testName: "a", needsLiveMode: true },
    ),
  ).toBe('VERITEST_MODE=live npx jest --runTestsByPath steps/a.test.ts -t "^a$" -u');
});

test("names the flag of Node that lets Jest load ES modules if the run has it", () => {
  vi.stubEnv("NODE_OPTIONS", "--no-warnings --experimental-vm-modules");
  const names = { testFile: "a.test.js", testName: "a", needsLiveMode: true };
  const jest = { currentConcurrentTestName: () => undefined };
  expect(rerunCommand(jest, names)).toBe(
    'VERITEST_MODE=live NODE_OPTIONS=--experimental-vm-modules npx jest --runTestsByPath a.test.js -t "^a$" -u',
  );
  expect(rerunCommand(context, names)).toBe('VERITEST_MODE=live npx vitest run a.test.js -t "^a$" -u');
  const tests = ["a", "b"].map((test) => ({ testPath: join(process.cwd(), "a.test.js"), test, rerun: test }));
  expect(rerunAllLines(tests, "jest")[1]).toBe(
    'NODE_OPTIONS=--experimental-vm-modules npx jest --runTestsByPath a.test.js -t "^a$|^b$" -u',
  );
  vi.unstubAllEnvs();
});

test("names the configuration and project that the run's command line chose", () => {
  vi.stubEnv("VERITEST_RUNNER_OPTIONS", " --config unit.config.ts --project api");
  const names = { testFile: "a.test.js", testName: "a", needsLiveMode: false };
  expect(rerunCommand(context, names)).toBe(
    'npx vitest run --config unit.config.ts --project api a.test.js -t "^a$" -u',
  );
  const tests = ["a", "b"].map((test) => ({ testPath: join(process.cwd(), "a.test.js"), test, rerun: test }));
  expect(rerunAllLines(tests, "jest")[1]).toBe(
    'npx jest --config unit.config.ts --project api --runTestsByPath a.test.js -t "^a$|^b$" -u',
  );
  vi.unstubAllEnvs();
});

test.each([
  [["node", "vitest.mjs", "run", "a.test.ts", "-u"], ""],
  [
    ["vitest", "-c", "unit.config.ts", "--project", "api", "--project=web 2"],
    ' -c unit.config.ts --project api --project "web 2"',
  ],
  [
    ["jest", "--config=jest.unit.cjs", "--rootDir", "packages/a", "--ci"],
    " --config jest.unit.cjs --rootDir packages/a",
  ],
  [["vitest", "run", "-p", "south"], " -p south"],
  [["jest", "--selectProjects", "north", "south 2", "-u"], ' --selectProjects north "south 2"'],
  [["jest", "-u", "--ignoreProjects", "north"], " --ignoreProjects north"],
  [["jest", "--projects=a.config.cjs", "b.config.cjs", "--ci"], " --projects a.config.cjs b.config.cjs"],
  [["vitest", "--config.x=1", "-t", "--configs", "--", "--config", "a"], ""],
  [["vitest", "--config"], ""],
])("reads the choice of a configuration from %j", (argv, options) => {
  expect(choosingOptions(argv)).toBe(options);
});

test("matches characters that a shell or a pattern would interpret by a class without letters and digits", () => {
  const testName = 'totals "9.00" (€) for $HOME `rm` | \\d+ \u202e[x]';
  expect(rerunCommand(context, { testFile: "a b.test.ts", testName, needsLiveMode: false })).toBe(
    String.raw`npx vitest run "a b.test.ts" -t "^totals \W9\W00\W \W\W\W for \WHOME \Wrm\W \W \Wd\W \W\Wx\W$" -u`,
  );
  const pattern =
    /-t "(.*)" -u$/.exec(rerunCommand(context, { testFile: "a", testName, needsLiveMode: false }))?.[1] ?? "";
  expect(new RegExp(pattern).test(testName)).toBe(true);
});

test("matches emoji and other characters of two UTF-16 units", () => {
  const testName = "🧾 refund 👩‍💻 𠮷";
  const command = rerunCommand(context, { testFile: "a", testName, needsLiveMode: false });
  expect(new RegExp(/-t "(.*)" -u$/.exec(command)?.[1] ?? "").test(testName)).toBe(true);
});

test("matches that one test only", () => {
  const command = rerunCommand(context, { testFile: "a", testName: "triage T1", needsLiveMode: false });
  const pattern = new RegExp(/-t "(.*)" -u$/.exec(command)?.[1] ?? "");
  expect(["triage T1", "triage T10", "all triage T1"].filter((name) => pattern.test(name))).toStrictEqual([
    "triage T1",
  ]);
});

test("matches titles joined in either way that runners search", () => {
  const command = rerunCommand(
    { currentTestName: "triage > T1" },
    { testFile: "a", testName: "triage T1", needsLiveMode: false },
  );
  expect(command).toContain('-t "^triage (> )?T1$" -u');
  const pattern = new RegExp(/-t "(.*)" -u$/.exec(command)?.[1] ?? "");
  expect(["triage T1", "triage > T1", "triage > T10"].filter((name) => pattern.test(name))).toStrictEqual([
    "triage T1",
    "triage > T1",
  ]);
});

test.each([994, 995, 996, 997, 998, 999, 1000])("cuts a name after %i characters to a valid pattern", (length) => {
  const titles = ["x".repeat(length), "y".repeat(100)];
  const names = { testFile: "a", testName: titles.join(" "), needsLiveMode: false };
  const command = rerunCommand({ currentTestName: titles.join(" > ") }, names);
  const pattern = new RegExp(/-t "(.*)" -u$/.exec(command)?.[1] ?? "");
  expect([" ", " > "].map((separator) => pattern.test(titles.join(separator)))).toStrictEqual([true, true]);
});

test("matches a very long name by its beginning and end, with any text in between", () => {
  const testName = `${"x".repeat(500)}\n${"x".repeat(1000)} price $5`;
  const command = rerunCommand(context, { testFile: "a", testName, needsLiveMode: false });
  expect(command).toContain(String.raw`-t "^${"x".repeat(500)}[^]*${"x".repeat(490)} price \W5$" -u`);
  expect(new RegExp(/-t "(.*)" -u$/.exec(command)?.[1] ?? "").test(testName)).toBe(true);
});

test("tells long names apart that differ in the middle", () => {
  const [testName = "", other = ""] = [1, 2].map((id) => `${"x".repeat(120)} ${id} ${"x".repeat(120)}`);
  const command = rerunCommand(context, { testFile: "a", testName, needsLiveMode: false });
  const pattern = new RegExp(/-t "(.*)" -u$/.exec(command)?.[1] ?? "");
  expect([testName, other].map((name) => pattern.test(name))).toStrictEqual([true, false]);
});

test("matches a title that contains the separator of Vitest 5, in both forms of the complete name", () => {
  const command = rerunCommand(
    { currentTestName: "suite > maps a > b" },
    { testFile: "a", testName: "suite maps a > b", needsLiveMode: false },
  );
  expect(command).toContain('-t "^suite maps a > b$|^suite > maps a > b$" -u');
  const pattern = new RegExp(/-t "(.*)" -u$/.exec(command)?.[1] ?? "");
  const names = ["suite > maps a > b", "suite maps a > b", "suite maps a b", "suite > maps a b"];
  expect(names.filter((name) => pattern.test(name))).toStrictEqual(["suite > maps a > b", "suite maps a > b"]);
});

test.each<readonly [string[], string[]]>([
  [
    ["cart", "> 100 items"],
    ["cart 100 items", "cart > 100 items more"],
  ],
  [["price >", "0"], ["price 0"]],
  [
    ["x >", "a > b"],
    ["x a b", "x > a b"],
  ],
  [
    ["cart", "empty", "total"],
    ["cart > empty total", "cart empty > total"],
  ],
  [["maps a > b"], ["maps a b"]],
  [["> all"], ["all"]],
])("matches the titles %j as each runner joins them, and none of %j", (titles, others) => {
  const [testName, joined] = [titles.join(" "), titles.join(" > ")];
  const names = { testFile: "a", testName, needsLiveMode: false };
  const patternIn = (command: string): RegExp => new RegExp(/-t "(.*)" -u$/.exec(command)?.[1] ?? "");
  const inVitest = patternIn(rerunCommand({ currentTestName: joined }, names));
  const inJest = patternIn(rerunCommand({ currentTestName: testName }, names));
  expect([testName, joined, ...others].filter((name) => inVitest.test(name))).toStrictEqual(
    joined === testName ? [testName, joined] : [...new Set([testName, joined])],
  );
  expect([testName, ...others].filter((name) => inJest.test(name))).toStrictEqual([testName]);
});

test("takes the matcher's test name if the context has the one of another, concurrent test", () => {
  const names = { testFile: "a", testName: "suite one", needsLiveMode: false };
  expect(rerunCommand({ currentTestName: "suite two" }, names)).toBe('npx vitest run a -t "^suite one$" -u');
});

test("matches a line break, and not a digit in the place of another character", () => {
  const commandOf = (testName: string): string =>
    rerunCommand(context, { testFile: "a", testName, needsLiveMode: false });
  const matches = (testName: string, other: string): boolean =>
    new RegExp(/-t "(.*)" -u$/.exec(commandOf(testName))?.[1] ?? "").test(other);
  expect([
    matches("a\nb", "a\nb"),
    matches("price $5", "price $5"),
    matches("price $5", "price 65"),
    matches("1.5", "145"),
  ]).toStrictEqual([true, true, false, false]);
});

describe("the command that records the requests of several tests", () => {
  const testOf = (file: string, rerun: string): Parameters<typeof rerunAllLines>[0][number] => ({
    testPath: join(process.cwd(), file),
    test: rerun.replaceAll(" > ", " "),
    rerun,
  });

  test("matches exactly these tests of a file", () => {
    const tests = [testOf("a.test.ts", "triage > T1"), testOf("a.test.ts", "T2 (late)"), testOf("a.test.ts", "T3")];
    const [head, command = ""] = rerunAllLines(tests, "vitest");
    expect(head).toBe("3 tests have unrecorded requests. Record all their responses:");
    expect(command).toBe(String.raw`npx vitest run a.test.ts -t "^triage (> )?T1$|^T2 \Wlate\W$|^T3$" -u`);
    const pattern = new RegExp(/-t "(.*)" -u$/.exec(command)?.[1] ?? "");
    const names = ["triage > T1", "triage T1", "triage T10", "T2 (late)", "T2", "T3", "T33", "a T3"];
    expect(names.filter((name) => pattern.test(name))).toStrictEqual(["triage > T1", "triage T1", "T2 (late)", "T3"]);
  });

  test("is below the hosts of the requests", () => {
    const tests = ["a", "b", "c"].map((title) => testOf("a.test.ts", title));
    const [openai, local] = ["https://api.openai.com", "http://localhost:1234"];
    const sentence = (...origins: readonly (string | undefined)[]): string | undefined =>
      rerunAllLines(
        tests.map((checking, index) => ({ ...checking, origin: origins[index] })),
        "jest",
      )[0];
    expect(sentence(openai, undefined, openai)).toBe(
      "3 tests have unrecorded requests, 2 of them to https://api.openai.com. Record all their responses:",
    );
    expect(sentence(openai, local, openai)).toBe(
      "3 tests have unrecorded requests to https://api.openai.com and http://localhost:1234. Record all their responses:",
    );
    expect(sentence(openai, local, "https://c.test")).toBe(
      "3 tests have unrecorded requests to 3 hosts. Record all their responses:",
    );
  });

  test("is one for all files with the same titles", () => {
    const tests = ["a.test.ts", "b c.test.ts"].map((file) => testOf(file, "T1"));
    expect(rerunAllLines(tests, "vitest")).toStrictEqual([
      "2 tests have unrecorded requests. Record all their responses:",
      'npx vitest run a.test.ts "b c.test.ts" -t "^T1$" -u',
    ]);
  });

  test("is left out for one test, whose message has it", () => {
    const tests = [testOf("a.test.ts", "T1"), testOf("a.test.ts", "T1")];
    const other = { testPath: join(process.cwd(), "b.test.ts"), test: "T2" };
    expect(rerunAllLines([...tests, other], "jest")).toStrictEqual([]);
  });

  test("says that it accepts another check of a test with the same titles, as rows of test.each have", () => {
    const changed = { testPath: join(process.cwd(), "a.test.ts"), test: "T1" };
    expect(rerunAllLines([testOf("a.test.ts", "T1"), changed], "jest")).toStrictEqual([
      "1 test has unrecorded requests. To record its responses, and accept changes of other checks that also match:",
      'npx jest --runTestsByPath a.test.ts -t "^T1$" -u',
    ]);
  });

  test("is one for each file if titles differ, because another file may have a test of such a title", () => {
    const tests = [testOf("a.test.ts", "orders > T1"), testOf("b.test.ts", "T2")];
    const others = ["b.test.ts", "c.test.ts"].map((file) => ({
      testPath: join(process.cwd(), file),
      test: "orders T1",
    }));
    for (const checks of [tests, [...tests, ...others]])
      expect(rerunAllLines(checks, "jest")).toStrictEqual([
        "2 tests have unrecorded requests. Record all their responses:",
        'npx jest --runTestsByPath a.test.ts -t "^orders (> )?T1$" -u',
        'npx jest --runTestsByPath b.test.ts -t "^T2$" -u',
      ]);
  });

  test.each([
    ["jest", "a.test.ts", "t1", true],
    ["vitest", "a.test.ts", "t1", false],
    ["vitest", "a.test.ts", "T1 > T2", false],
    ["vitest", "src/a.test.ts", "T1", true],
    ["vitest", "lib/b.test.ts", "T1", false],
    ["vitest", "src/Data.test.ts", "T1", true],
    ["jest", "src/a.test.ts", "T1", false],
    ["jest", "a.test.ts", "T1 > T2", false],
  ])("says for %s if it also runs the test of %s with the title %s", (runner, file, title, accepts) => {
    const tests = [testOf("a.test.ts", "T1"), testOf("a.test.ts", "T2")];
    const other = { testPath: join(process.cwd(), file), test: title };
    const [head, ...commands] = rerunAllLines([...tests, other], runner);
    expect(head).toBe(
      accepts
        ? "2 tests have unrecorded requests. To record all their responses, and accept changes of other checks that " +
            "also match:"
        : "2 tests have unrecorded requests. Record all their responses:",
    );
    expect(commands).toHaveLength(1);
  });

  test("warns for a project's root below the run's directory, and for one test too", () => {
    const tests = [testOf("packages/a/x.test.ts", "T1")];
    const other = { testPath: join(process.cwd(), "packages/a/lib/index.test.ts"), test: "T1" };
    expect(rerunAllLines([...tests, other], "vitest")).toStrictEqual([
      "1 test has unrecorded requests. To record its responses, and accept changes of other checks that also match:",
      'npx vitest run packages/a/x.test.ts -t "^T1$" -u',
    ]);
    expect(rerunAllLines([...tests, other], "jest")).toStrictEqual([]);
    const namesake = { testPath: join(process.cwd(), "packages/b/x.test.ts"), test: "T1" };
    expect(rerunAllLines([...tests, namesake], "vitest")).toStrictEqual([]);
    expect(rerunAllLines([other], "vitest")).toStrictEqual([]);
  });

  test("leaves names out if they are too long, and files, too", () => {
    const many = Array.from({ length: 40 }, (_, at) => testOf("a.test.ts", `reads the letter of customer ${at}`));
    expect(rerunAllLines(many, "jest")).toStrictEqual([
      "40 tests have unrecorded requests. To record all new responses, and accept all other changes in these files:",
      "npx jest --runTestsByPath a.test.ts -u",
    ]);
    const files = Array.from({ length: 200 }, (_, at) => testOf(`steps/letter-${at}.test.ts`, "reads it"));
    expect(rerunAllLines(files, "vitest")).toStrictEqual([
      "200 tests have unrecorded requests. To record all new responses, and accept all other changes:",
      "npx vitest run -u",
    ]);
  });
});

test.each([
  ["one test", 1, "a", "", ["src/a.test.ts"]],
  ["one test of a chosen project", 1, "a", " --config unit.config.ts --project api", ["src/a.test.ts"]],
  ["several tests", 2, "a", "", ["src/a.test.ts"]],
  ["a file whose names are too long", 2, "a".repeat(600), "", ["src/a.test.ts"]],
  ["files whose paths are too long, too", 200, "a", " --project api", []],
])("Vitest reads the files of the command for %s as files, and not as a value of -u", (_what, count, title, options, files) => {
  vi.stubEnv("VERITEST_RUNNER_OPTIONS", options);
  const tests = Array.from({ length: count }, (_, at) => {
    const test = `${title} ${at}`;
    const file = count > 10 ? `src/a-${at}.test.ts` : "src/a.test.ts";
    return { testPath: join(process.cwd(), file), test, rerun: test };
  });
  const [first] = tests;
  const testPath = first?.testPath ?? "";
  const command =
    count === 1
      ? rerunCommand({ testPath }, { testFile: "a.test.ts", testName: title, needsLiveMode: false })
      : rerunAllLines(tests, "vitest")[1];
  const { filter, options: parsed } = parseCLI(command?.replace("npx ", "") ?? "");
  expect([filter, parsed.update]).toStrictEqual([files, true]);
  vi.unstubAllEnvs();
});
