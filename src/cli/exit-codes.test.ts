import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { EXIT_CASES, exitProject } from "../../test-support/exit-cases.ts";
import { main } from "../command-line.ts";
import { COMMANDS } from "../command-line.ts";

test.each(
  EXIT_CASES.map((exitCase) => ({ ...exitCase, line: exitCase.argv.join(" "), exitCase })),
)("veritest $line exits with $code", async ({ exitCase, argv, code, out = "", err = "" }) => {
  const { root, environment } = exitProject(exitCase);
  const [printed, warned]: [string[], string[]] = [[], []];
  const io = {
    stdout: { write: (text: string) => printed.push(text) },
    stderr: { write: (text: string) => warned.push(text) },
    stdin: new PassThrough(),
  };
  const ended = await main(argv, { ...io, environment, cwd: root });
  const told = (texts: readonly string[]): string => texts.join("").replaceAll(root, "ROOT");
  expect({ code: ended, out: told(printed), err: told(warned) }).toStrictEqual({
    code,
    out: asExpected(out),
    err: asExpected(err),
  });
});

function asExpected(text: string | RegExp): unknown {
  return typeof text === "string" ? text : expect.stringMatching(text);
}

test("the table has every command, with a success and a failure", () => {
  for (const { name } of COMMANDS) {
    const codes = EXIT_CASES.filter(({ argv }) => argv[0] === name).map(({ code }) => code);
    expect({ name, help: codes.includes(0), fails: codes.includes(2) }).toStrictEqual({
      name,
      help: true,
      fails: true,
    });
  }
});

test("the documentation's table of exit codes has every command", () => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/cli.md"), "utf8");
  const table = text.slice(text.indexOf("## Exit codes"), text.indexOf("## init"));
  const rows = [...table.matchAll(/^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|/gm)].flatMap(([, names = ""]) =>
    names.replaceAll("`", "").split(", "),
  );
  expect(rows).toStrictEqual(COMMANDS.map(({ name }) => name));
});

test("docs/json.md has the value of each command with --json", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/json.md"), "utf8");
  const table = page.slice(page.indexOf("| command |"), page.indexOf("## Fields"));
  const documented = [...table.matchAll(/^\| ((?:`[a-z -]+`(?:, )?)+) \|/gm)].flatMap(([, names = ""]) =>
    names.replaceAll("`", "").split(", "),
  );
  const withJson: string[] = [];
  for (const { name, load } of COMMANDS) {
    const command = await load();
    for (const { line, options = [] } of [
      { line: name, options: command.options },
      ...(command.commands ?? []).map((sub) => ({ line: `${name} ${sub.name}`, options: sub.options })),
    ])
      if (options.some(({ flags }) => flags.endsWith("--json"))) withJson.push(line);
  }
  expect(documented.toSorted()).toStrictEqual(withJson.toSorted());
});
