// @module-tag deep
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startPostgres } from "../fixtures/postgres.ts";
import { CHAT_SERVICE, MESSAGES_SERVICE, RESPONSES_SERVICE } from "../test-support/model-services.ts";
import { applyChange } from "./readme/apply-change.ts";
import { readBlocks } from "./readme/read-blocks.ts";
import { type Walk, readWalk } from "./readme/walk.ts";
import { createTrial, writeInto } from "./trial/create-trial.ts";
import { ensureBuilt } from "./trial/ensure-built.ts";
import { TRANSFORM } from "./trial/jest-transform.ts";
import { REPOSITORY } from "./trial/repository.ts";
import { type NodeRun, runNode } from "./trial/run-node.ts";

type Files = [path: string, text: string][];

const VITEST = ["node_modules/vitest/vitest.mjs", "run"];
const JEST = ["node_modules/jest/bin/jest.js"];
const TSC = ["node_modules/typescript/bin/tsc", "-p", "."];
/** The pages that follow an example from its capture to an accepted change. */
const WALKS = ["README.md", "docs/getting-started.md"];
const MODULE: Files = [["package.json", `{ "private": true, "type": "module" }`]];
const trials: string[] = [];

beforeAll(() => ensureBuilt("index.d.ts", "build"));
afterAll(() => trials.forEach((trial) => rmSync(trial, { recursive: true, force: true })));

function trialOf(packages: readonly string[], files: Files): string {
  const trial = createTrial(packages, new Map(files));
  trials.push(trial);
  return trial;
}

const runIn = async (
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<NodeRun> => runNode({ directory, args, show: false, env });

function tsconfig(types: readonly string[]): Files {
  const options = { target: "ES2023", module: "preserve", strict: true, noEmit: true, skipLibCheck: true };
  const compilerOptions = { ...options, allowImportingTsExtensions: true, types };
  return [["tsconfig.json", JSON.stringify({ compilerOptions })]];
}

/** Makes the change that the page makes. */
function makeChange(trial: string, { change: { file, lines } }: Walk): void {
  writeInto(trial, file, applyChange(readFileSync(join(trial, file), "utf8"), lines));
}

/** Expects the lines that a page shows in a run's output, together and in order. Runners indent them in their own way. */
function expectShown({ output }: NodeRun, shown: string): void {
  const flat = (text: string): string =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .join("\n");
  expect(flat(output)).toContain(flat(shown));
}

/** Follows a page from the first run to the accepted change. A changed prompt shows its effect in a live run. */
async function follow(trial: string, command: readonly string[], walk: Walk): Promise<void> {
  const captured = await runIn(trial, command);
  expect(captured.output).toContain("Baselines  1 captured");
  expect(captured.code).toBe(0);
  if (command === VITEST && walk.shows("capture")) expectShown(captured, walk.outputOf("capture"));
  makeChange(trial, walk);
  const shown = walk.outputOf("change");
  const isPrompt = shown.includes("cause: prompt");
  if (isPrompt) expect((await runIn(trial, command)).output).toContain("request_changed");
  const changed = await runIn(trial, command, isPrompt ? { VERITEST_MODE: "live" } : {});
  expectShown(changed, shown);
  expect(changed.code).toBe(1);
  const accepted = await runIn(trial, [...command, "-u"]);
  expect(accepted.output).toContain("Baselines  1 updated");
  expect(accepted.code).toBe(0);
  if (command === VITEST && walk.shows("accept")) expectShown(accepted, walk.outputOf("accept"));
  const again = await runIn(trial, command);
  expect(again.code, again.output).toBe(0);
}

test("README lists exactly two commands for contributors", () => {
  const { text } = readWalk("README.md", "vitest");
  const section = text.slice(text.indexOf("## Working on veritest"));
  expect(readBlocks(section).map((block) => block.text)).toEqual(["npm ci && npm run demo\nnpm test\n"]);
});

/** Files in a folder: one compiler checks those of several pages. */
const inFolder = (folder: string, files: Files): Files => files.map(([path, text]) => [join(folder, path), text]);

test("the pages compile with their types for Vitest", async () => {
  const pages = WALKS.flatMap((page, at) => inFolder(`page-${at}`, [...readWalk(page, "vitest").files]));
  const files = [...pages, ...inFolder("sdk", [...existingSdk().files]), ...tsconfig(["node", "veritest/vitest"])];
  const packages = ["vitest", "zod", "typescript", "@types/node", ...CLIENTS];
  const { output } = await runIn(trialOf(packages, [...files, ...MODULE]), TSC);
  expect(output).toBe("");
});

test("the pages compile with their types for Jest", async () => {
  const steps = WALKS.flatMap((page, at) =>
    inFolder(
      `page-${at}`,
      [...readWalk(page, "jest").files].filter(([path]) => path.startsWith("steps/")),
    ),
  );
  const trial = trialOf(["zod", "typescript", "@types/jest"], [...steps, ...tsconfig(["jest", "veritest/jest"])]);
  expect((await runIn(trial, TSC)).output).toBe("");
});

test.each(WALKS)("%s: its steps have the shown output on Vitest", async (page) => {
  const walk = readWalk(page, "vitest");
  await follow(trialOf(["vitest", "zod"], [...walk.files, ...MODULE]), VITEST, walk);
});

test.each(WALKS)("%s: its steps have the shown output on Jest", async (page) => {
  const walk = readWalk(page, "jest");
  const files = [...walk.files].filter(([path]) => path.startsWith("steps/") || path === "jest.config.cjs");
  const trial = trialOf(["jest", "zod", "typescript"], [...files, ["transform.cjs", TRANSFORM]]);
  await follow(trial, [...JEST, `--transform=${JSON.stringify({ "\\.ts$": "./transform.cjs" })}`], walk);
});

test("a run costs what README says", async () => {
  const walk = readWalk("README.md", "vitest");
  expect(walk.text.replaceAll(/\s+/g, " ")).toContain(
    "A test calls your model until its baseline is written, then replays its responses. The model is called again in " +
      "live mode, and on your machine for a new input or, with `-u`, a changed request.",
  );
  const trial = trialOf(["vitest", "zod"], [...walk.files, ...MODULE]);
  const edit = (path: string, before: string, after: string): void => {
    const text = readFileSync(join(trial, path), "utf8");
    expect(text).toContain(before);
    writeInto(trial, path, text.replace(before, after));
  };
  writeInto(trial, "calls", "");
  edit(
    "steps/llm.ts",
    "complete: async (prompt) => (",
    '// @ts-expect-error: Without types of Node.\n  complete: async (prompt) => (process.getBuiltinModule("fs").appendFileSync("calls", "x"), ',
  );
  /** Runs the tests, and returns the number of calls so far. */
  const callsAfter = async (
    code: number,
    env: Readonly<Record<string, string>> = {},
    args: string[] = [],
  ): Promise<number> => {
    const run = await runIn(trial, [...VITEST, ...args], env);
    expect(run.code, run.output).toBe(code);
    return readFileSync(join(trial, "calls"), "utf8").length;
  };
  expect(await callsAfter(0)).toBe(1);
  expect(await callsAfter(0, { CI: "1" })).toBe(1);
  makeChange(trial, walk);
  expect(await callsAfter(1)).toBe(1);
  expect(await callsAfter(1, { CI: "1" }, ["-u"])).toBe(1);
  expect(await callsAfter(1, { VERITEST_MODE: "live" })).toBe(2);
  expect(await callsAfter(0, {}, ["-u"])).toBe(3);
  edit("steps/route-ticket.test.ts", "My lamp arrived broken.", "My parcel is lost.");
  expect(await callsAfter(1, { CI: "1" })).toBe(3);
  expect(await callsAfter(0)).toBe(4);
  expect(await callsAfter(0)).toBe(4);
});

test("the plain JavaScript of getting started needs only Jest and zod", async () => {
  const files = [...readWalk("docs/getting-started.md", "jest").files];
  const trial = trialOf(
    ["jest", "zod"],
    files.filter(([path]) => path === "count-words.test.js" || path === "jest.config.cjs"),
  );
  const { output } = await runIn(trial, JEST);
  expect(output).toContain("Baselines  1 captured");
});

test("the example of docs/concepts.md runs", async () => {
  const shown = [
    ...readWalk("docs/getting-started.md", "vitest").files,
    ...readWalk("docs/concepts.md", "vitest").files,
  ];
  // Node itself wants the extensions that bundlers add.
  const files = shown.map(([path, text]): Files[number] => [path, text.replaceAll(/(from "\.[^"]*)"/g, '$1.ts"')]);
  const { output } = await runIn(trialOf(["zod"], [...files, ...MODULE]), ["kernel.ts"]);
  expect(output).toBe("8\nidentical\nclean (no changes)\n");
});

/** The files of docs/stored-runs/README.md by name, and the output of its program. */
function readService(): { readonly files: ReadonlyMap<string, string>; readonly output: string } {
  const page = readFileSync(join(REPOSITORY, "docs/stored-runs/README.md"), "utf8");
  const blocks = [...page.matchAll(/```(?:ts|txt) ([^\n]+)\n(.*?)```/gs)];
  const files = new Map(blocks.map(([, name = "", text = ""]) => [name, text]));
  const output = files.get("output") ?? "";
  files.delete("output");
  return { files, output };
}

const SERVICE = ["--disable-warning=ExperimentalWarning", "main.ts"];

test("the service of docs/stored-runs/README.md prints the shown output, and its test replays", async () => {
  const { files, output } = readService();
  const trial = trialOf(["vitest", "zod"], [...files, ...MODULE]);
  expect((await runIn(trial, SERVICE)).output).toBe(output);
  expect((await runIn(trial, VITEST)).output).toContain("Baselines  1 captured");
  expect((await runIn(trial, VITEST, { CI: "1" })).output).toContain("Baselines  1 clean");
});

test("the service of docs/stored-runs/README.md prints the same with PostgreSQL and pg-boss", async () => {
  const { files, output } = readService();
  const service = files.get("service.ts (PostgreSQL)") ?? "";
  const trial = trialOf(["zod", "commander", "pg", "pg-boss"], [...files, ["service.ts", service], ...MODULE]);
  const server = await startPostgres();
  onTestFinished(async () => server.stop());
  const init = ["node_modules/veritest/dist/cli.js", "store", "init", "--store", server.url];
  expect((await runIn(trial, init)).output).toBe("The store is ready, schema version 3.\n");
  expect((await runIn(trial, SERVICE, { DATABASE_URL: server.url })).output).toBe(output);
});

test("getting started has the right number of lines that a snapshot shows for the same change", async () => {
  const snapshotTest = `import { run, unwrap } from "veritest/kernel";
import { expect, test } from "vitest";
import { extractTasks } from "./extract-tasks";
import { llm } from "./llm";

test("snapshot", async () => {
  expect(unwrap(await run(extractTasks, { notes: "" }, { adapters: { llm } })).output).toMatchSnapshot();
});
`;
  const walk = readWalk("docs/getting-started.md", "vitest");
  const trial = trialOf(["vitest", "zod"], [...walk.files, ["steps/extract-tasks.test.ts", snapshotTest], ...MODULE]);
  await runIn(trial, VITEST);
  makeChange(trial, walk);
  const { output } = await runIn(trial, VITEST);
  const lines = output.split("\n").filter((line) => /^\s*[-+] +"/.test(line));
  expect(walk.text).toContain(`\`toMatchSnapshot()\` shows the same change as ${lines.length} changed lines`);
});

/** The files that docs/integrations/README.md shows, and what it shows of a run. */
function existingSdk(): { readonly files: ReadonlyMap<string, string>; readonly changed: string } {
  const page = readFileSync(join(REPOSITORY, "docs/integrations/README.md"), "utf8");
  const blocks = [...page.matchAll(/```(?:ts|txt) (\S+)\n(.*?)```/gs)].map(([, name = "", text = ""]) => [name, text]);
  const { changed = "", ...files } = Object.fromEntries(blocks);
  return { files: new Map(Object.entries(files)), changed };
}

const CLIENTS = ["openai", "@anthropic-ai/sdk", "ai", "@ai-sdk/openai"];

test("code with SDKs and fetch is recorded unchanged, replayed in CI, and reports a changed prompt", async () => {
  const answers: Readonly<Record<string, object>> = {
    "/v1/chat/completions": CHAT_SERVICE.body("A lamp is broken for the third time."),
    "/v1/responses": RESPONSES_SERVICE.body("Angry"),
    "/v1/messages": MESSAGES_SERVICE.body("Complaint"),
    "/v1/today?city=Oslo": { degrees: 4 },
  };
  let asked = 0;
  const server = createServer(({ url: path = "" }, response) => {
    asked += 1;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers[path]));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const clients = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${url}/v1`, WEATHER_URL: url };
  const env = { ...clients, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: url };

  const { files, changed } = existingSdk();
  const trial = trialOf(["vitest", "zod", ...CLIENTS], [...files, ...MODULE]);
  expect((await runIn(trial, VITEST, env)).output).toContain("Baselines  4 captured");
  const steps = readdirSync(join(trial, "src/__baselines__"));
  expect(steps.toSorted()).toStrictEqual(["degrees", "sorted", "summary", "tone"]);
  expect(asked).toBe(4);
  expect((await runIn(trial, VITEST, { ...env, CI: "1" })).output).toContain("Baselines  4 clean");
  expect(asked).toBe(4);
  expect((await runIn(trial, VITEST, env)).output).toContain("Baselines  4 clean");
  expect(asked).toBe(4);
  expect((await runIn(trial, VITEST, { ...env, VERITEST_MODE: "live" })).output).toContain("Baselines  4 clean");
  expect(asked).toBe(8);

  const summarize = files.get("src/summarize.ts") ?? "";
  writeInto(trial, "src/summarize.ts", summarize.replace("in one sentence", "in three words"));
  const { output } = await runIn(trial, VITEST, { ...env, CI: "1" });
  const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  expect(flat(output)).toContain(flat(changed));
  expect(output).toContain("Summarize in [-one sentence:-]{+three words:+} The third lamp");
  expect(asked).toBe(8);
});
