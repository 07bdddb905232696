/**
 * What the pipelines of this directory do, on this machine: `node examples/ci/run.ts`. For Vitest and for Jest: a whole
 * run, then the same in three shards whose reports `veritest merge` puts together. Fails where the merged report is not
 * that of the whole run. For Vitest its own blob reports are merged too. `--keep` leaves the projects for a look.
 */
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { createTrial, writeInto } from "../../scripts/trial/create-trial.ts";
import { ensureBuilt } from "../../scripts/trial/ensure-built.ts";
import { TRANSFORM } from "../../scripts/trial/jest-transform.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const SHARDS = [1, 2, 3] as const;
const WHOLE = "whole/veritest-report/run.json";
/** The fields of a case that say what was found. */
const CHECKED = ["step", "baseline", "test", "kind", "findings"];
/** What the command line of veritest itself needs. */
const DEPENDENCIES = ["commander", "fflate"];
const CLI = "node_modules/veritest/dist/cli.js";

/** A runner, and how a pipeline starts it. */
interface Runner {
  readonly name: string;
  readonly packages: readonly string[];
  readonly files: ReadonlyMap<string, string>;
  readonly script: string;
  /** The whole run. */
  readonly whole: readonly string[];
  /** One shard of three. */
  readonly shard: (index: number) => readonly string[];
  /** Merges the runner's own reports of the shards, where it writes any. */
  readonly merge?: readonly string[];
}

const VITEST: Runner = {
  name: "Vitest",
  packages: ["vitest", "zod", ...DEPENDENCIES],
  files: projectFiles((text) => text),
  script: "node_modules/vitest/vitest.mjs",
  whole: ["run"],
  shard: (index) => [
    "run",
    `--shard=${index}/3`,
    "--reporter=default",
    "--reporter=blob",
    `--outputFile.blob=blobs/${index}.json`,
  ],
  merge: ["run", "--merge-reports=blobs", "--reporter=default"],
};

const JEST: Runner = {
  name: "Jest",
  packages: ["jest", "typescript", "zod", ...DEPENDENCIES],
  files: new Map([
    ...projectFiles((text) => text.replace(/^import .* from "vitest";\n/, "")),
    ["package.json", `{ "private": true }\n`],
    ["transform.cjs", TRANSFORM],
    [
      "jest.config.cjs",
      `module.exports = { preset: "veritest/jest", transform: { "\\\\.ts$": "./transform.cjs" } };\n`,
    ],
  ]),
  script: "node_modules/jest/bin/jest.js",
  whole: [],
  shard: (index) => ["--ci", `--shard=${index}/3`],
};

/** A change that somebody makes. It shows in baselines of two test files. */
const CHANGE = { file: "steps/read-order.ts", before: "Number(quantity)", after: "Number(quantity) + 1" };

function projectFiles(change: (text: string) => string): ReadonlyMap<string, string> {
  const root = join(HERE, "project");
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map([
    ["package.json", `{ "private": true, "type": "module" }\n`],
    ...paths.map((path) => [path.slice(root.length + 1), change(readFileSync(path, "utf8"))] as const),
  ]);
}

interface Run {
  readonly code: number;
  readonly output: string;
}

/**
 * Runs Node in a project as a pipeline would: what else is in the environment (of this run's own pipeline) stays
 * outside.
 */
async function runNode(
  project: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const kept = Object.fromEntries(
    ["PATH", "HOME", "TMPDIR", "TEMP", "SYSTEMROOT"].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
  const env = { ...kept, NO_COLOR: "1", XDG_STATE_HOME: join(project, ".state"), ...environment };
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? -1));
  });
  return { code, output: chunks.join("") };
}

function must(what: string, run: Run, code: number): void {
  if (run.code !== code) throw new Error(`${what} ended with exit code ${run.code}, expected ${code}:\n${run.output}`);
  process.stdout.write(`  ${what}: exit code ${run.code}\n`);
}

/** What must be the same, whoever ran it: status, counts, and of each case some fields. Times and places differ. */
function outcomeOf(path: string, fields: readonly string[]): object {
  const model: unknown = JSON.parse(readFileSync(path, "utf8"));
  const cases: unknown = field(model, "cases");
  const counts: unknown = field(model, "counts");
  if (!Array.isArray(cases) || typeof counts !== "object" || counts === null)
    throw new TypeError(`${path} is no report.`);
  const told = Object.entries(counts).filter(([name]) => name !== "pending" || fields.includes("updateState"));
  return {
    status: field(model, "status"),
    counts: Object.fromEntries(told),
    cases: cases.map((found) => fields.map((name) => field(found, name))),
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function mustAgree(project: string, merged: string, fields: readonly string[]): void {
  const [found, wanted] = [merged, WHOLE].map((path) => outcomeOf(join(project, path), fields));
  if (!isDeepStrictEqual(found, wanted))
    throw new Error(
      `${merged} is not ${WHOLE}:\n${JSON.stringify(found, undefined, 2)}\n${JSON.stringify(wanted, undefined, 2)}`,
    );
  process.stdout.write(`  ${merged} says what ${WHOLE} says: ${JSON.stringify(field(wanted, "counts"))}\n`);
}

async function play(
  { name, packages, files, script, whole, shard, merge }: Runner,
  options: readonly string[],
): Promise<void> {
  process.stdout.write(`\n── ${name}\n`);
  const project = createTrial(packages, files);
  const report = (directory: string): Record<string, string> => ({
    CI: "1",
    VERITEST_REPORT: "json",
    VERITEST_REPORT_DIR: directory,
    VERITEST_STATE_DIR: directory.replace(/report$/, "state"),
  });
  try {
    must("the first run captures", await runNode(project, [script, ...whole]), 0);
    const text = readFileSync(join(project, CHANGE.file), "utf8");
    if (!text.includes(CHANGE.before)) throw new Error(`${CHANGE.file} no longer holds: ${CHANGE.before}`);
    writeInto(project, CHANGE.file, text.replace(CHANGE.before, CHANGE.after));
    must(
      "the whole run finds the change",
      await runNode(project, [script, ...whole], report("whole/veritest-report")),
      1,
    );
    await playShards(project, (index, directory) => runNode(project, [script, ...shard(index)], report(directory)));
    const formats = ["json", "markdown", "junit", "html"].flatMap((format) => ["--format", format]);
    must("veritest merge", await runNode(project, [CLI, "merge", "shards", ...formats, "--output", "merged"]), 1);
    mustAgree(project, "merged/run.json", [...CHECKED, "updateState"]);
    must(
      "veritest merge without a shard",
      await runNode(project, [CLI, "merge", "shards/veritest-1", "shards/veritest-2"]),
      2,
    );
    if (merge !== undefined) {
      must(
        "the runner's own merge",
        await runNode(project, [script, ...merge], report("blobs-merged/veritest-report")),
        1,
      );
      // What waits is known to who ran the tests, not to who merges the runner's reports.
      mustAgree(project, "blobs-merged/veritest-report/run.json", CHECKED);
    }
    await comment(project);
  } finally {
    if (options.includes("--keep")) process.stdout.write(`The project is kept in ${project}\n`);
    else rmSync(project, { recursive: true, force: true });
  }
}

/** Runs each shard in turn; one of them finds the change. */
async function playShards(
  project: string,
  run: (index: number, report: string) => ReturnType<typeof runNode>,
): Promise<void> {
  const codes: number[] = [];
  for (const index of SHARDS) codes.push((await run(index, `shards/veritest-${index}/veritest-report`)).code);
  if (!codes.includes(1) || codes.some((code) => code > 1))
    throw new Error(`The shards of ${project} ended with exit codes ${codes.join(", ")}.`);
  process.stdout.write(`  the shards: exit codes ${codes.join(", ")}\n`);
}

/** GitLab's notes, as far as they are needed: the second report takes the place of the first. */
async function comment(project: string): Promise<void> {
  const notes: { id: number; body: string }[] = [{ id: 1, body: "Looks good." }];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = String(field(JSON.parse(Buffer.concat(chunks).toString() || "{}"), "body"));
      const [, id] = /\/notes\/(\d+)$/.exec(request.url ?? "") ?? [];
      const known = notes.find((note) => note.id === Number(id));
      if (request.method === "POST") notes.push({ id: notes.length + 1, body });
      if (request.method === "PUT" && known !== undefined) known.body = body;
      response.setHeader("content-type", "application/json").end(JSON.stringify(request.method === "GET" ? notes : {}));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const environment = {
      CI_API_V4_URL: `http://127.0.0.1:${port}`,
      CI_PROJECT_ID: "7",
      CI_MERGE_REQUEST_IID: "3",
      VERITEST_TOKEN: "any",
    };
    for (const turn of ["first", "second"])
      must(
        `the ${turn} note`,
        await runNode(project, [join(HERE, "gitlab-note.ts"), "merged/report.md"], environment),
        0,
      );
  } finally {
    server.close();
  }
  const [, note, ...others] = notes;
  const report = readFileSync(join(project, "merged/report.md"), "utf8");
  if (others.length > 0 || note?.body !== report || !report.startsWith("<!-- veritest -->\n"))
    throw new Error("The note of the merge request is not the report, once.");
}

try {
  ensureBuilt("cli.js", "build:js");
  for (const runner of [VITEST, JEST]) await play(runner, process.argv.slice(2));
  process.stdout.write("\nDone: three shards say what one run says.\n");
} catch (error) {
  process.stderr.write(`\nThe example failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
