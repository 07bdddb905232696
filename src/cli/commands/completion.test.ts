import { spawnSync } from "node:child_process";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { main } from "../../command-line.ts";

async function scriptFor(shell: string): Promise<string> {
  const out: string[] = [];
  const io = {
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => out.push(text) },
    stdin: new PassThrough(),
    environment: {},
    cwd: process.cwd(),
  };
  expect(await main(["completion", shell], io)).toBe(0);
  return out.join("");
}

test.each([
  [["veritest", "te"], "test"],
  [["veritest", "test", "--trial"], "--trials"],
  [["veritest", "log", "ver"], "verify"],
  [["veritest", "log", "verify", "--js"], "--json"],
  [["veritest", "runs", "list", "--stat"], "--status"],
  [["veritest", "accept", "--gr"], "--group"],
])("Bash completes %j", { tags: "deep" }, async (words, completion) => {
  const list = words.map((word) => `'${word}'`).join(" ");
  const script = `${await scriptFor("bash")}\nCOMP_WORDS=(${list}) COMP_CWORD=${words.length - 1}\n_veritest\necho "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect({ stdout, stderr }).toStrictEqual({ stdout: `${completion}\n`, stderr: "" });
});

test("the Zsh script has the options of each command", async () => {
  const script = await scriptFor("zsh");
  expect(script).toMatch(/^#compdef veritest\n/);
  expect(script).toContain('"log verify") words="--json --help" ;;');
});

test("the Fish script describes commands and options", async () => {
  const script = await scriptFor("fish");
  expect(script).toContain(
    "complete -c veritest -n '__fish_use_subcommand' -a test -d 'recompute baselines and fail on differences'\n",
  );
  expect(script).toContain(
    "complete -c veritest -n '__fish_seen_subcommand_from log; and __fish_seen_subcommand_from verify' -l json -d 'print JSON (docs/json.md)'\n",
  );
});
