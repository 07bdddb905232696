/**
 * What a failing test says when the prompt, the model or the code changed: `node examples/prompt-change/run.ts`.
 * Without a key it uses two "models" on this machine, and fails where a cause is not the one it should be; with
 * OPENAI_API_KEY it uses OpenAI's, and only shows what comes. `--keep` leaves the project for a look.
 */
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTrial, writeInto } from "../../scripts/trial/create-trial.ts";
import { ensureBuilt } from "../../scripts/trial/ensure-built.ts";
import { serveModels } from "./model-server.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const KEY = process.env["OPENAI_API_KEY"];
const [MODEL, OTHER_MODEL] = KEY === undefined ? ["small-1", "small-2"] : ["gpt-4o-mini", "gpt-4.1-nano"];

/** A change somebody makes to a file of the project. */
interface Edit {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

const NEW_PROMPT: Edit = {
  file: "steps/prompt.ts",
  before: "Write each item as the letter does.",
  after: "Write each item in the singular, as a dictionary does.",
};
const NEW_CODE: Edit = {
  file: "steps/extract-order.ts",
  before: "sum + line.quantity",
  after: "sum + Math.min(line.quantity, 100)",
};

interface Run {
  readonly code: number;
  readonly output: string;
}

/** One scene: a line about it, what is different, and what the run must say. */
interface Scene {
  readonly title: string;
  readonly edit?: Edit;
  readonly environment?: Readonly<Record<string, string>>;
  readonly code: number;
  readonly says: string;
  /** True where the model must not be asked at all. */
  readonly offline?: boolean;
}

const SCENES: readonly Scene[] = [
  { title: "First run: each letter gets a baseline, with the model's answer in it.", code: 0, says: "2 captured" },
  { title: "Again: all clean, and no model is called.", code: 0, says: "2 clean", offline: true },
  {
    title: "The prompt changes: no model is called, and the new words are shown.",
    edit: NEW_PROMPT,
    code: 1,
    says: "[-as the letter-]{+in the singular, as a dictionary+}",
    offline: true,
  },
  {
    title: "The same with live calls: what the new prompt does is shown.",
    edit: NEW_PROMPT,
    environment: { VERITEST_MODE: "live" },
    code: 1,
    says: "cause: prompt (",
  },
  {
    title: "The model changes, with live calls.",
    environment: { MODEL: OTHER_MODEL ?? "", VERITEST_MODE: "live" },
    code: 1,
    says: "cause: model (",
  },
  {
    title: "The code changes: recorded responses are enough to report it.",
    edit: NEW_CODE,
    code: 1,
    says: "cause: code (",
    offline: true,
  },
];

function files(): ReadonlyMap<string, string> {
  const read = (from: string, to: string): [string, string][] => {
    const names = readdirSync(join(HERE, from), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const paths = names.map((entry) => join(entry.parentPath, entry.name));
    return paths.map((path) => [join(to, path.slice(join(HERE, from).length + 1)), readFileSync(path, "utf8")]);
  };
  return new Map([
    ["package.json", `{ "private": true, "type": "module" }\n`],
    ...read("project", "."),
    ...read("fixtures", "fixtures"),
  ]);
}

/** Runs Vitest as on a developer's machine: what else is in the environment (CI's, this runner's) stays outside. */
async function runVitest(project: string, environment: Readonly<Record<string, string>>): Promise<Run> {
  const kept = Object.fromEntries(
    ["PATH", "HOME", "TMPDIR", "TEMP", "SYSTEMROOT"].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
  const env = { ...kept, NO_COLOR: "1", ...(KEY === undefined ? {} : { OPENAI_API_KEY: KEY }), ...environment };
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run"], {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      chunks.push(chunk);
      process.stdout.write(chunk);
    });
  }
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? -1));
  });
  return { code, output: chunks.join("") };
}

function apply(project: string, { file, before, after }: Edit): void {
  const text = readFileSync(join(project, file), "utf8");
  if (!text.includes(before)) throw new Error(`${file} no longer holds: ${before}`);
  process.stdout.write(`  ${file}\n  - ${before}\n  + ${after}\n`);
  writeInto(project, file, text.replace(before, after));
}

async function main(options: readonly string[]): Promise<void> {
  ensureBuilt("llm.js", "build:js");
  const server = await serveModels();
  const project = createTrial(["vitest", "zod", "openai"], files());
  try {
    for (const [index, scene] of SCENES.entries()) await play(scene, { project, number: index + 1, server });
    process.stdout.write("\nDone: three changes, three causes.\n");
  } finally {
    server.close();
    if (options.includes("--keep")) process.stdout.write(`The project is kept in ${project}\n`);
    else rmSync(project, { recursive: true, force: true });
  }
}

async function play(
  { title, edit, environment = {}, code, says, offline = false }: Scene,
  {
    project,
    number,
    server,
  }: { readonly project: string; readonly number: number; readonly server: Awaited<ReturnType<typeof serveModels>> },
): Promise<void> {
  process.stdout.write(`\n── ${number}/${SCENES.length}  ${title}\n`);
  const before = edit === undefined ? undefined : readFileSync(join(project, edit.file), "utf8");
  if (edit !== undefined) apply(project, edit);
  const asked = server.answered();
  const ran = await runVitest(project, {
    ...(KEY === undefined && { MODEL_URL: server.url }),
    MODEL: MODEL ?? "",
    ...environment,
  });
  if (edit !== undefined && before !== undefined) writeInto(project, edit.file, before);
  if (KEY !== undefined) return;
  if (ran.code !== code) throw new Error(`The run ended with exit code ${ran.code}, expected ${code}.`);
  // Long lines of a message are broken.
  if (!ran.output.replaceAll(/\s+/g, " ").includes(says)) throw new Error(`The run does not say: ${says}`);
  if (offline && server.answered() !== asked) throw new Error("A run that needs no model asked one.");
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`\nThe example failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
