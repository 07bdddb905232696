// @module-tag deep
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { ENVIRONMENT } from "../../../../test-support/trial-project.ts";
import { runCommandLine } from "../../../cli/main.ts";
import { runCommand } from "./run.ts";

/** A project in a language of which veritest can't read the results of tests, with changes of it. */
interface Language {
  readonly name: string;
  /** Prints the version of the tool if it's installed. */
  readonly tool: readonly [program: string, ...args: string[]];
  readonly check: string;
  readonly files: Readonly<Record<string, string>>;
  /** New code with a new test. */
  readonly honest: Readonly<Record<string, string>>;
  readonly broken: Readonly<Record<string, string>>;
  /** Changes that lose a test, with what veritest reports. */
  readonly losses: Readonly<
    Record<string, { readonly files: Readonly<Record<string, string | undefined>>; readonly finding: string }>
  >;
}

const PY_CODE = "def add(a, b):\n    return a + b\n";
const PY_TEST = `from calc import add


def test_add():
    assert add(1, 2) == 3


def test_zero():
    assert add(0, 0) == 0
`;
const PY_MORE = "\n\ndef test_sub():\n    assert sub(3, 2) == 1\n";

const GO_CODE = "package calc\n\nfunc Add(a, b int) int { return a + b }\n";
const GO_TEST = `package calc

import "testing"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal("sum")
	}
}

func TestZero(t *testing.T) {
	if Add(0, 0) != 0 {
		t.Fatal("zero")
	}
}
`;
const GO_MORE = `\nfunc TestSub(t *testing.T) {\n\tif Sub(3, 2) != 1 {\n\t\tt.Fatal(fmt.Sprint("difference"))\n\t}\n}\n`;

const RUST_CODE = `pub fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[cfg(test)]
mod tests {
    use super::add;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
`;
const RUST_MORE = "\n    #[test]\n    fn subtracts() {\n        assert_eq!(sub(3, 2), 1);\n    }\n}\n";
const RUST_TEST = "use calc::add;\n\n#[test]\nfn zero() {\n    assert_eq!(add(0, 0), 0);\n}\n";

const LANGUAGES: readonly Language[] = [
  {
    name: "pytest",
    tool: ["python3", "-m", "pytest", "--version"],
    check: "python3 -m pytest -q",
    files: { "calc.py": PY_CODE, "test_calc.py": PY_TEST, ".gitignore": "__pycache__/\n.pytest_cache/\n" },
    honest: {
      "calc.py": `${PY_CODE}\n\ndef sub(a, b):\n    return a - b\n`,
      "test_calc.py": `${PY_TEST.replace("import add", "import add, sub")}${PY_MORE}`,
    },
    broken: { "calc.py": PY_CODE.replace("+", "-") },
    losses: {
      "a test": {
        files: { "test_calc.py": PY_TEST.slice(0, PY_TEST.indexOf("\n\ndef test_zero")) },
        finding: "test_calc.py:8: test_zero lost: def test_zero():",
      },
      "a test file": {
        files: { "test_calc.py": undefined, "test_one.py": "def test_one():\n    assert True\n" },
        finding: "test_calc.py:4: test_add lost: def test_add():",
      },
    },
  },
  {
    name: "go test",
    tool: ["go", "version"],
    check: "go test ./...",
    files: { "go.mod": "module example.com/calc\n\ngo 1.19\n", "calc.go": GO_CODE, "calc_test.go": GO_TEST },
    honest: {
      "calc.go": `${GO_CODE}\nfunc Sub(a, b int) int { return a - b }\n`,
      "calc_test.go": `${GO_TEST.replace('import "testing"', 'import (\n\t"fmt"\n\t"testing"\n)')}${GO_MORE}`,
    },
    broken: { "calc.go": GO_CODE.replace("+", "-") },
    losses: {
      "a test": {
        files: { "calc_test.go": GO_TEST.slice(0, GO_TEST.indexOf("\nfunc TestZero")) },
        finding: "calc_test.go:11: TestZero lost: func TestZero(t *testing.T) {",
      },
      "a test file": {
        files: { "calc_test.go": undefined },
        finding: "calc_test.go:5: TestAdd lost: func TestAdd(t *testing.T) {",
      },
    },
  },
  {
    name: "cargo test",
    tool: ["cargo", "--version"],
    check: "cargo test --offline --quiet",
    files: {
      "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
      ".gitignore": "target/\nCargo.lock\n",
      "src/lib.rs": RUST_CODE,
      "tests/zero.rs": RUST_TEST,
    },
    honest: {
      "src/lib.rs": `${RUST_CODE.replace("super::add", "super::{add, sub}").replace(/\}\n$/, "")}${RUST_MORE}`.replace(
        "\n#[cfg",
        "\npub fn sub(a: i64, b: i64) -> i64 {\n    a - b\n}\n\n#[cfg",
      ),
    },
    broken: { "src/lib.rs": RUST_CODE.replace("+", "-") },
    losses: {
      "a test": {
        files: { "src/lib.rs": RUST_CODE.replace(/\n {4}#\[test\][^]*?\n {4}\}\n/, "") },
        finding: "src/lib.rs:9: a test lost: #[test]",
      },
      "its test module": {
        files: { "src/lib.rs": RUST_CODE.slice(0, RUST_CODE.indexOf("\n#[cfg")) },
        finding: "src/lib.rs:10: adds lost: fn adds() {",
      },
      "a test file": { files: { "tests/zero.rs": undefined }, finding: "tests/zero.rs:4: zero lost: fn zero() {" },
    },
  },
];

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Creates a repository of the language's files. Returns a function that runs a command which changes them. */
function repositoryOf({ check, files }: Language): {
  readonly change: (files: Readonly<Record<string, string | undefined>>, options?: readonly string[]) => Promise<Run>;
} {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "veritest-language-")));
  roots.push(home);
  const [root, temporary] = [join(home, "project"), join(home, "tmp")];
  mkdirSync(temporary);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  // Go and cargo keep their caches in the home directory.
  const environment = {
    ...ENVIRONMENT,
    HOME: process.env["HOME"],
    TMPDIR: temporary,
    XDG_STATE_HOME: join(home, "state"),
  };
  for (const args of [
    ["init", "-qb", "main"],
    ["add", "--all"],
    ["commit", "-qm", "base"],
  ])
    spawnSync("git", args, { cwd: root, env: environment });
  const change = async (
    changed: Readonly<Record<string, string | undefined>>,
    options: readonly string[] = ["--allow-unmeasured"],
  ): Promise<Run> => {
    const script = Object.entries(changed).map(([path, text]) =>
      text === undefined
        ? `fs.rmSync(${JSON.stringify(path)});`
        : `fs.writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(text)});`,
    );
    const [out, err]: [string[], string[]] = [[], []];
    const io = {
      stdout: { write: (text: string) => out.push(text) },
      stderr: { write: (text: string) => err.push(text) },
      stdin: new PassThrough(),
      environment,
      cwd: root,
    };
    const argv = ["run", "--work-item", "w", "--verify", check, ...options, "--", "node", "-e", script.join("")];
    const code = await runCommandLine(argv, io, [
      { name: "run", group: "Advanced", summary: "run a command", load: async () => runCommand },
    ]);
    return { code, out: out.join(""), err: err.join("") };
  };
  return { change };
}

describe.each(LANGUAGES)("the real $name", (language) => {
  const { tool, check, honest, broken, losses } = language;
  const [program, ...args] = tool;
  const isInstalled = spawnSync(program, args).status === 0;
  const missing = `${tool.join(" ")} doesn't work here`;

  test("tests that can't be counted discard a run, unless a person allows it", async ({ skip }) => {
    skip(!isInstalled, missing);
    const { change } = repositoryOf(language);
    expect(await change(honest, [])).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        `  ${check}: veritest couldn't count the tests: it only reads the results of Vitest, Jest and node --test (tests-not-measured)\n`,
      ),
    });
    expect(await change(honest)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^committed [0-9a-f]{12} on main: \d files?, tests weren't measured, receipt /),
    });
  });

  test("code that breaks a test is discarded with the output of the tests", async ({ skip }) => {
    skip(!isInstalled, missing);
    expect(await repositoryOf(language).change(broken)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Your branch and files are unchanged\. check .* exited with \d+\.\n/),
    });
  });

  test.for(Object.entries(losses))("a change that removes %s is discarded", async ([, { files, finding }], {
    skip,
  }) => {
    skip(!isInstalled, missing);
    expect(await repositoryOf(language).change(files)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`  ${finding} (test-changed)\n`),
    });
  });
});
