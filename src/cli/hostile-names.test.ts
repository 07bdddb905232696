import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { commitAll, inGit } from "../../test-support/pending-project.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import { createValueBaseline } from "../baseline/create-baseline.ts";
import { serializeBaseline } from "../baseline/serialize-baseline.ts";
import { COMMANDS as REGISTERED, main } from "../command-line.ts";
import { printed } from "../kernel/printed.ts";
import { type ProjectPaths, projectPaths } from "../kernel/files/project-paths.ts";
import { renderSummary } from "../reporter/runner-summary.ts";
import { pendingChange } from "../updates/pending/pending-change.ts";
import { withoutSecretNames } from "../updates/pending/hide-names.ts";
import { readUpload } from "../updates/upload/upload.ts";
import { pendingDirectory, writePending } from "../updates/pending/pending-store.ts";

/** A clipboard sequence, a command of a CI job on its own line, a turned order and a hidden character. */
const HOSTILE = "d\u001b]52;c;ZXZpbA==\u0007\n::error::forged\n##[error]x\r\u009b2J\u202e\u200bz";

/** The same as far as git allows it in the name of a branch. */
const BRANCH = "d\u202e\u200bz";

/** Returns the parts of a text that a terminal or a CI job would obey. */
function obeyed(text: string): readonly string[] {
  return [
    ...(text.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e\u2028\u2029]/g) ?? []),
    ...(text.match(/^\s*::\w/gm) ?? []),
    ...(text.match(/##\w*\[/g) ?? []),
    ...(text.match(/^\s*(?:forged|z)/gm) ?? []),
  ];
}

const SRC = JSON.stringify(join(import.meta.dirname, "..")).slice(1, -1);

/** A step whose name, adapter, input, output and events are hostile. Its responses differ from run to run. */
const CONFIG = `
import { z } from "zod";
import { defineStep } from "${SRC}/kernel/step/define-step.ts";
const hostile = ${JSON.stringify(HOSTILE)};
const data = z.object({ [hostile]: z.string() });
const step = defineStep({ name: hostile, input: data, output: data, run: async (input, ctx) => {
  const text = await ctx.adapters[hostile].call(input);
  return { output: { [hostile]: text }, events: [{ type: hostile }], commands: [{ type: "emit", topic: hostile, payload: {} }] };
} });
const adapters = () => ({ [hostile]: { call: async () => hostile + Math.random() } });
export default { steps: [{ step, adapters }] };
`;

/** Its copies are the repositories of all projects. */
const repository = temporaryProject("repository");

interface HostileProject {
  readonly root: string;
  readonly paths: ProjectPaths;
  readonly environment: NodeJS.ProcessEnv;
}

/** A project in which every name that comes from files is hostile: folders, files, tests, steps, keys, labels, users. */
function hostileProject(secret: string = ""): HostileProject {
  const root = temporaryProject("names");
  const environment = {
    XDG_STATE_HOME: join(root, ".state"),
    USER: HOSTILE,
    GIT_AUTHOR_NAME: HOSTILE,
    NO_COLOR: "1",
    [`VERITEST_${HOSTILE}`]: HOSTILE,
    VERITEST_STORE: HOSTILE,
  };
  if (!existsSync(join(repository, ".git"))) {
    inGit(repository, ["init", "-q", "-b", BRANCH]);
    commitAll(repository);
  }
  cpSync(join(repository, ".git"), join(root, ".git"), { recursive: true });
  const paths = projectPaths(root, environment);
  const baselines = join(root, "__baselines__");
  const group = HOSTILE.replaceAll("/", "");
  const path = join(baselines, group, `${group}.json`);
  const after = serializeBaseline(
    createValueBaseline({ [HOSTILE]: HOSTILE }, { test: HOSTILE, name: HOSTILE, labels: [HOSTILE + secret] }),
  );
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, after);
  writeFileSync(join(baselines, group, `${group}2.json`), "");
  symlinkSync(join(import.meta.dirname, "../../node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "veritest.config.mjs"), CONFIG);
  writeFileSync(join(root, "in.json"), JSON.stringify({ [HOSTILE]: HOSTILE }));
  const update = { kind: "update", root: baselines, path, group, before: after, after: `${after}\n` } as const;
  const origin = {
    projectRoot: root,
    testPath: join(root, `${group}${secret}.test.ts`),
    test: HOSTILE + secret,
    project: HOSTILE + secret,
    passed: false,
    run: "run",
    at: new Date().toISOString(),
  };
  const staged = { update, intent: "review", verdict: "value_changed", shown: [HOSTILE] } as const;
  writePending(paths, [withoutSecretNames(pendingChange(staged, origin))]);
  return { root, paths, environment };
}

async function run({ root, environment }: HostileProject, argv: readonly string[]): Promise<string> {
  const written: string[] = [];
  const output = { write: (text: string) => written.push(text) };
  await main(argv, { stdout: output, stderr: output, stdin: new PassThrough().end(), environment, cwd: root });
  return written.join("");
}

const COMMANDS: readonly (readonly string[])[] = [
  ["list"],
  ["list", "--json"],
  ["list", HOSTILE],
  ["pending"],
  ["pending", "--json"],
  ["review"],
  ["check"],
  ["test", HOSTILE],
  ["test", "--step", HOSTILE, "--live"],
  ["test", "--json", "--live"],
  ["diff", "--live"],
  ["capture", "--step", HOSTILE, "--input", "in.json", "--label", HOSTILE],
  ["show", `__baselines__/${HOSTILE}/${HOSTILE}.json`],
  ["show", HOSTILE],
  ["prune"],
  ["notes"],
  ["notes", "add", "observation", HOSTILE, "--item", HOSTILE, "--mood", HOSTILE],
  ["log"],
  ["log", "verify"],
  ["accept", HOSTILE],
  ["reject", "--all", "--reason", HOSTILE],
  ["doctor"],
  ["merge", HOSTILE],
  ["report", HOSTILE],
  ["init", "--yes"],
  ["import", "otlp", "in.json", "--step", HOSTILE],
  ["replay"],
  ["replay", "--step", HOSTILE],
  ["rebase", "--harmless", `${HOSTILE}[0]`],
  ["properties", HOSTILE],
  ["check", "--json"],
  ["accept", "--all", "--reason", HOSTILE],
  ["accept", "--group", HOSTILE],
  ["prune", "--json"],
  ["log", "--json"],
  ["notes", "--json"],
  ["doctor", "--json"],
  ["repair"],
  ["repair", HOSTILE],
  ["rename-step", HOSTILE, "next"],
  ["rename-step", "step", HOSTILE],
  ["merge-driver", HOSTILE],
  ["merge-driver", "install"],
  ["run", "--work-item", HOSTILE, "--verify", HOSTILE, "--", HOSTILE],
  ["run", "--work-item", HOSTILE, "--verify", "node --version", "--", "node", HOSTILE],
  ["run", "--resume", HOSTILE],
  ["runs", "list", "--workflow", HOSTILE, "--store", "sqlite:runs.sqlite"],
  ["runs", "show", HOSTILE, "--store", "sqlite:runs.sqlite"],
  ["runs", "retry", HOSTILE, "--store", "sqlite:runs.sqlite"],
  ["runs", "cancel", HOSTILE, "--store", "sqlite:runs.sqlite"],
  ["store", "init", "--store", `sqlite:${HOSTILE.replaceAll("/", "")}`],
  ["ground", "remove", HOSTILE],
  ["ground", "ingest", HOSTILE],
  ["completion", HOSTILE],
  ["list", `--${HOSTILE}`],
  [HOSTILE],
];

test("every command has a line in the table", () => {
  expect(
    REGISTERED.map(({ name }) => name).filter((name) => !COMMANDS.some(([first]) => first === name)),
  ).toStrictEqual([]);
});

/** Commands that give others something to print, by the first word of those. */
const CAPTURE = ["capture", "--step", HOSTILE, "--input", "in.json", "--label", HOSTILE];
const BEFORE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  log: [["reject", "--all", "--reason", HOSTILE]],
  notes: [["notes", "add", "observation", HOSTILE, "--item", HOSTILE, "--mood", HOSTILE]],
  runs: [["store", "init", "--store", "sqlite:runs.sqlite"]],
  test: [CAPTURE],
  diff: [CAPTURE],
  replay: [CAPTURE],
  rebase: [CAPTURE],
};

test.each(
  COMMANDS.map((argv) => ({ argv, line: JSON.stringify(argv.join(" ")).slice(0, 40) })),
)("veritest $line escapes hostile names", async ({ argv }) => {
  const project = hostileProject();
  const [first = ""] = argv;
  let text = "";
  for (const each of [...(BEFORE[first] ?? []), argv]) text += await run(project, each);
  expect(text).not.toBe("");
  expect(obeyed(text)).toStrictEqual([]);
});

test("prints the names escaped", async () => {
  const project = hostileProject();
  const text = await run(project, ["list"]);
  expect(text).toContain("d\\u001b]52;c;ZXZpbA==\\u0007\\n:\\u003aerror::forged\\n#\\u0023[error]x");
  await run(project, CAPTURE);
  expect(await run(project, ["test", "--json"])).toContain(String.raw`"branch":"d\u202e\u200bz"`);
});

describe("the summary of a run", () => {
  const outcomes = ["clean", "captured", "updated", "held", "not written", "incomplete", HOSTILE];
  test("escapes hostile paths, remarks, reasons and problems in its lines", () => {
    const path = `/p/${HOSTILE}.json`;
    const lines = renderSummary({
      outcomes: outcomes.map((outcome) => ({ path, outcome })),
      obsolete: [path],
      removed: false,
      updateResult: undefined,
      dropped: [],
      remarks: [{ path, text: HOSTILE.split("\n").join(" ") }],
      problems: ["The check failed.\nRun: npx veritest check"],
    });
    const text = printed(lines);
    expect(obeyed(text)).toStrictEqual([]);
    expect(text).toContain("\\u001b]52;c;");
    expect(text).toContain("             The check failed.\n             Run: npx veritest check\n");
  });

  test("doesn't change a rendered document", () => {
    expect(printed(["a\tb\nc", { rendered: "::error file=a.ts::x\n\u001b[31mred\u001b[0m" }])).toBe(
      "a\\tb\\nc\n::error file=a.ts::x\n\u001b[31mred\u001b[0m\n",
    );
  });
});

test("a secret in a title, label or project isn't in its pending change, an upload or review, but paths stay", async () => {
  const secret = ["ghp_", "a1B2c3D4e5F6g7H8i9", "J0k1L2m3N4o5P6q7R8"].join("");
  const project = hostileProject(` ${secret}`);
  const { state } = project.paths;
  const withoutPath = (text: string): string => text.replaceAll(`${secret}.test.ts`, "");
  const upload = JSON.stringify(readUpload(state, project.paths));
  expect(withoutPath(upload)).not.toBe(upload);
  expect(upload.match(/«redacted:github-token#1»/g)).toHaveLength(3);
  const [name = ""] = readdirSync(pendingDirectory(state));
  const stored = readFileSync(join(pendingDirectory(state), name), "utf8");
  const commands = [["pending"], ["review"], ["pending", "--json"]].flatMap((argv) => [
    argv,
    [...argv, "--from", state],
  ]);
  const outputs = await Promise.all(commands.map((argv) => run(project, argv)));
  for (const text of [upload, stored, ...outputs]) expect(withoutPath(text)).not.toContain(secret);
});
