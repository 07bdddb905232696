/**
 * Every project of `examples/`, as a stranger gets it: a copy outside this repository, the packed tarball in the place
 * of the published package, and the two commands of its page.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, inject, onTestFinished, test } from "vitest";
import { startPostgres } from "../fixtures/postgres.ts";
import { childEnv } from "./harness/child-env.ts";
import { REPOSITORY, must } from "./harness/install.ts";
import { type ChildResult, runChild } from "./harness/run-child.ts";
import { readTree } from "./harness/tree.ts";

/** An installed copy of an example. */
interface Example {
  readonly directory: string;
  /** Replaces a text that occurs once in one of its files. */
  edit(file: string, before: string, after: string): void;
  npm(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<ChildResult>;
  /** Its baseline files with hashes of their bytes. */
  baselines(): Record<string, string>;
}

async function install(name: string): Promise<Example> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), `veritest-example-${name}-`)));
  onTestFinished(({ task }) => {
    if (task.result?.state === "pass") rmSync(directory, { recursive: true, force: true });
  });
  cpSync(join(REPOSITORY, "examples", name), directory, { recursive: true });
  const edit: Example["edit"] = (file, before, after) => {
    const parts = readFileSync(join(directory, file), "utf8").split(before);
    if (parts.length !== 2) throw new Error(`${name}/${file} has ${parts.length - 1} times: ${before}`);
    writeFileSync(join(directory, file), parts.join(after));
  };
  edit("package.json", '"veritest": "^0.1.0"', `"veritest": ${JSON.stringify(`file:${inject("tarball")}`)}`);
  await must("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--silent"], directory);
  return {
    directory,
    edit,
    npm: async (args, env) => {
      const state = { VERITEST_ACTOR: "human", XDG_STATE_HOME: join(directory, ".veritest") };
      return runChild("npm", args, { cwd: directory, env: { ...state, ...env } });
    },
    baselines: () =>
      Object.fromEntries(Object.entries(readTree(directory)).filter(([path]) => path.startsWith("src/__baselines__/"))),
  };
}

/** Starts an example's model on this machine; returns the environment that leads a client to it. */
async function startModel({ directory }: Example): Promise<Record<string, string>> {
  const child = spawn(process.execPath, ["fake-model.js"], { cwd: directory, env: childEnv({ PORT: "0" }) });
  onTestFinished(() => void child.kill());
  const [line]: readonly unknown[] = await once(createInterface(child.stdout), "line");
  const [variable = "", url = ""] = String(line).split("=");
  return { [variable]: url, [variable.replace("BASE_URL", "API_KEY")]: "test" };
}

/** Everything that a run printed, with one space for each break of a line. */
function printed({ stdout, stderr }: ChildResult): string {
  return `${stdout}\n${stderr}`.replaceAll(/\s+/g, " ");
}

/** A change of a prompt, and the lines by which the tests report it. */
interface PromptChange {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly says: readonly string[];
}

/** Replays the committed baselines without a key, changes the prompt, and records the baselines again. */
async function walk(example: Example, { file, before, after, says }: PromptChange): Promise<void> {
  const committed = example.baselines();
  const first = await example.npm(["test"]);
  expect(first.exitCode, printed(first)).toBe(0);
  expect(printed(first)).toContain(`Baselines ${Object.keys(committed).length} clean`);

  const command = await example.npm(["exec", "--", "veritest", "test"]);
  expect(command.exitCode, printed(command)).toBe(0);

  example.edit(file, before, after);
  const changed = await example.npm(["test"]);
  expect(changed.exitCode).toBe(1);
  for (const text of ["request_changed", "cause: prompt", ...says]) expect(printed(changed)).toContain(text);
  example.edit(file, after, before);

  rmSync(join(example.directory, "src/__baselines__"), { recursive: true });
  const model = await startModel(example);
  const again = await example.npm(["test"], model);
  expect(again.exitCode, printed(again)).toBe(0);
  expect(example.baselines()).toEqual(committed);
  const live = await example.npm(["exec", "--", "veritest", "test", "--live"], model);
  expect(live.exitCode, printed(live)).toBe(0);
}

test("LangChain: replays without a key, reports a changed prompt, records the same again", async () => {
  await walk(await install("langchain"), {
    file: "src/triage.js",
    before: "Be brief.",
    after: "Be formal.",
    says: ["- You sort letters of customers. Be brief. + You sort letters of customers. Be formal."],
  });
});

test("Anthropic with tools: the same", async () => {
  await walk(await install("anthropic-tools"), {
    file: "src/support.ts",
    before: "Never refund more than was paid.",
    after: "Be generous.",
    says: ["[-Never refund more than was paid.-] {+Be generous.+}"],
  });
});

test("OpenAI with Jest: the same, and distinguishes prompt, model and code", async () => {
  const example = await install("openai-singleton");
  const prompt = {
    file: "src/read-order.js",
    before: "Read the order.",
    after: "Read the order, items in the singular.",
  };
  await walk(example, { ...prompt, says: ["Read the [-order.-]{+order, items in the singular.+} Answer in"] });

  const live = { ...(await startModel(example)), VERITEST_MODE: "live" };
  const model = await example.npm(["test"], { ...live, MODEL: "gpt-4.1-nano" });
  expect(printed(model)).toContain(
    'cause: model (fetch POST /v1/chat/completions request[0].body.model: "gpt-4.1-mini" → "gpt-4.1-nano"',
  );

  example.edit(prompt.file, prompt.before, prompt.after);
  const asked = await example.npm(["test"], live);
  expect(printed(asked)).toContain(
    "cause: prompt (fetch POST /v1/chat/completions request[0].body.messages[0].content changed)",
  );
  example.edit(prompt.file, prompt.after, prompt.before);

  example.edit(prompt.file, "sum + quantity", "sum + Math.min(quantity, 10)");
  const code = await example.npm(["test"]);
  expect(code.exitCode).toBe(1);
  expect(printed(code)).toContain("cause: code (same requests, same responses, new output)");
});

test.each([
  "safe-recompute",
  "upgrade-a-model",
  "extraction-service",
  "trace-inbox",
])("%s ends as its page says", async (name) => {
  const example = await install(name);
  const run = await example.npm(["start"]);
  expect(run.exitCode, printed(run)).toBe(0);
});

test("document-review ends as its page says, with a file and with a database", async () => {
  const example = await install("document-review");
  const server = await startPostgres();
  onTestFinished(async () => server.stop());
  const run = await example.npm(["start"], { DATABASE_URL: server.url });
  expect(run.exitCode, printed(run)).toBe(0);
  expect(printed(run).split("completed: {")).toHaveLength(3);
});

test("grounding replays, and reports a model that drifts", async () => {
  const example = await install("grounding");
  const first = await example.npm(["test"]);
  expect(first.exitCode, printed(first)).toBe(0);
  example.edit("model.ts", "1874", "1884");
  const drifted = await example.npm(["test"], { VERITEST_MODE: "live" });
  expect(drifted.exitCode).toBe(1);
  expect(printed(drifted)).toContain("cause: model (same requests, different responses: llm.complete)");
});
