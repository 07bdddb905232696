// @module-tag deep
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { listNames } from "../../kernel/files/read.ts";
import { main } from "../../command-line.ts";
import {
  type PendingProject,
  commitAll,
  keepPendingChange,
  inGit,
  makeProject,
  veritest,
} from "../../../test-support/pending-project.ts";

/** Texts that only the configuration knows to be secrets, each with the kind it is hidden as. */
const SECRETS = { "tulip-4711": "field", "MEMBER-000815": "custom", "ada@home.invalid": "path" };

/** A reason, or a note, that holds all of them. */
const SAID = '{"memberWord":"tulip-4711","on":"MEMBER-000815","user":{"email":"ada@home.invalid"}}';

function configured(): PendingProject {
  const project = makeProject({ git: true });
  const redact = { fields: ["memberWord"], patterns: [String.raw`MEMBER-\d{6}`], paths: ["user.email"] };
  writeFileSync(join(project.root, "veritest.config.mjs"), `export default { redact: ${JSON.stringify(redact)} };\n`);
  commitAll(project.root);
  for (const [key, value] of [
    ["name", "t"],
    ["email", "t@example.com"],
  ] as const)
    inGit(project.root, ["config", `user.${key}`, value]);
  return project;
}

/** What notes and receipts of a project hold of the secrets, and the kinds of what was hidden. */
function written({ paths }: PendingProject): { readonly left: readonly string[]; readonly hidden: readonly string[] } {
  const texts = listNames(paths.notes).map((name) => readFileSync(join(paths.notes, name), "utf8"));
  const text = texts.join("");
  return {
    left: Object.keys(SECRETS).filter((secret) => text.includes(secret)),
    hidden: Object.values(SECRETS).filter((kind) => text.includes(`«redacted:${kind}#`)),
  };
}

const HIDDEN = { left: [], hidden: Object.values(SECRETS) };

/** Runs a command line in a process of its own, which `script` may prepare. */
function inChild({ root, environment }: PendingProject, argv: readonly string[], script = ""): NodeJS.Signals | null {
  const source = `
    ${script}
    const { main } = await import(${JSON.stringify(join(import.meta.dirname, "..", "..", "command-line.ts"))});
    const { stdout, stderr, stdin, env } = process;
    await main(process.argv.slice(1), { stdout, stderr, stdin, environment: env, cwd: process.cwd() });
  `;
  const options = { cwd: root, env: environment };
  return spawnSync(process.execPath, ["--input-type=module", "-e", source, "--", ...argv], options).signal;
}

describe("redacts by the configuration in notes and receipts of", () => {
  test.each(["accept", "reject"])("%s", async (command) => {
    const project = configured();
    keepPendingChange(project, "one", { to: 1, verdict: "missing" });
    expect(await veritest(project, [command, "--all", "--reason", SAID])).toMatchObject({ code: 0, err: "" });
    expect(written(project)).toStrictEqual(HIDDEN);
  });

  test("review", async () => {
    const project = configured();
    keepPendingChange(project, "one", { to: 1, verdict: "missing" });
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const stdout = { isTTY: true, columns: 80, rows: 24, write: () => undefined };
    const io = {
      stdin,
      stdout,
      stderr: { write: () => undefined },
      environment: project.environment,
      cwd: project.root,
    };
    const ended = main(["review", "--reason", SAID], io);
    stdin.write("aq");
    expect(await ended).toBe(0);
    expect(written(project)).toStrictEqual(HIDDEN);
  });

  test("note", async () => {
    const project = configured();
    expect(await veritest(project, ["notes", "add", "observation", SAID])).toMatchObject({ code: 0, err: "" });
    expect(written(project)).toStrictEqual(HIDDEN);
  });

  test("run", async () => {
    const project = configured();
    const argv = ["run", "--work-item", SAID, "--verify", "true", "--", process.execPath, "-e", "process.exit(3)"];
    expect(await veritest(project, argv)).toMatchObject({ code: 1, out: "" });
    expect(written(project)).toStrictEqual(HIDDEN);
  });

  test("recover after a killed accept", async () => {
    const project = configured();
    keepPendingChange(project, "one", { to: 1, verdict: "missing" });
    const script = `
      import fs from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      const { renameSync } = fs;
      fs.renameSync = (from, to) => { renameSync(from, to); if (to.endsWith("COMMIT")) process.kill(process.pid, "SIGKILL"); };
      syncBuiltinESMExports();`;
    expect(inChild(project, ["accept", "--all", "--reason", SAID], script)).toBe("SIGKILL");
    expect(await veritest(project, ["doctor"])).toMatchObject({ code: 0, err: "" });
    expect(written(project)).toStrictEqual(HIDDEN);
  });

  test("recover after a killed verified commit", async () => {
    const project = configured();
    // The command can't see the process that started it.
    const script = `process.stderr.write = (text) => text === "die\\n" && process.kill(process.pid, "SIGKILL");`;
    const command = [process.execPath, "-e", 'console.log("die")'];
    expect(inChild(project, ["run", "--work-item", SAID, "--verify", "true", "--", ...command], script)).toBe(
      "SIGKILL",
    );
    expect(await veritest(project, ["doctor"])).toMatchObject({ code: 0, err: "" });
    expect(written(project)).toStrictEqual(HIDDEN);
  });
});

test("refuses a note if the configuration can't be read", async () => {
  const project = configured();
  writeFileSync(join(project.root, "veritest.config.mjs"), 'export default { redact: { patterns: ["("] } };\n');
  const { code, out, err } = await veritest(project, ["notes", "add", "observation", "seen"]);
  expect({ code, out, err: err.replace(project.root, "") }).toStrictEqual({
    code: 2,
    out: "",
    err: "veritest: /veritest.config.mjs: redact.patterns[0]: expected a regular expression.\n",
  });
});
