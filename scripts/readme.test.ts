// @module-tag deep
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { CHAT_SERVICE, MESSAGES_SERVICE, RESPONSES_SERVICE } from "../test-support/model-services.ts";
import { applyChange } from "./readme/apply-change.ts";
import { readBlocks } from "./readme/read-blocks.ts";
import { README, readmeFiles, shownChange, shownOutput } from "./readme/readme.ts";
import { createTrial, writeInto } from "./trial/create-trial.ts";
import { ensureBuilt } from "./trial/ensure-built.ts";
import { TRANSFORM } from "./trial/jest-transform.ts";
import { REPOSITORY } from "./trial/repository.ts";
import { type NodeRun, runNode } from "./trial/run-node.ts";

type Files = [path: string, text: string][];

const VITEST = ["node_modules/vitest/vitest.mjs", "run"];
const JEST = ["node_modules/jest/bin/jest.js"];
const TSC = ["node_modules/typescript/bin/tsc", "-p", "."];
const MODULE: Files = [["package.json", `{ "private": true, "type": "module" }`]];
const trials: string[] = [];

beforeAll(() => ensureBuilt("index.d.ts", "build"), 180_000);
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

/** What Jest gets of README: no configuration of Vitest, no import of it. */
function jestFiles(wanted: (path: string) => boolean): Files {
  const files = [...readmeFiles("jest")].filter(([path]) => wanted(path));
  return files.map(([path, text]) => [path, text.replace(/^import .* from "vitest";.*\n/m, "")]);
}

function tsconfig(types: readonly string[]): Files {
  const options = { target: "ES2023", module: "preserve", strict: true, noEmit: true, skipLibCheck: true };
  return [["tsconfig.json", JSON.stringify({ compilerOptions: { ...options, types } })]];
}

/** Makes the change that README makes. */
function change(trial: string): void {
  const { file, change: lines } = shownChange();
  writeInto(trial, file, applyChange(readFileSync(join(trial, file), "utf8"), lines));
}

/** Expects the lines README shows in a run's output, together and in order. Runners indent them in their own way. */
function expectShown({ output }: NodeRun, run: string): void {
  const flat = (text: string): string =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .join("\n");
  expect(flat(output)).toContain(flat(shownOutput(run)));
}

/** Follows README from the first run to the accepted change. */
async function follow(trial: string, command: readonly string[]): Promise<void> {
  const captured = await runIn(trial, command);
  expectShown(captured, "capture");
  expect(captured.code).toBe(0);
  change(trial);
  const changed = await runIn(trial, command);
  expectShown(changed, "change");
  expect(changed.code).toBe(1);
  const accepted = await runIn(trial, [...command, "-u"]);
  expectShown(accepted, "accept");
  expect(accepted.code).toBe(0);
  const again = await runIn(trial, command);
  expect(again.code, again.output).toBe(0);
}

test("README gives whoever works on the project exactly two commands", () => {
  const section = README.slice(README.indexOf("## Working on veritest"), README.indexOf("## Licence"));
  expect(readBlocks(section).map(({ text }) => text)).toEqual(["npm ci && npm run demo\nnpm test\n"]);
});

test("README compiles with the types it names for Vitest", async () => {
  const files: Files = [...readmeFiles("vitest"), ...tsconfig(["node", "veritest/vitest"]), ...MODULE];
  const { output } = await runIn(trialOf(["vitest", "zod", "typescript", "@types/node"], files), TSC);
  expect(output).toBe("");
});

test("README compiles with the types it names for Jest", async () => {
  const files = [...jestFiles((path) => path.startsWith("steps/")), ...tsconfig(["jest", "veritest/jest"])];
  const { output } = await runIn(trialOf(["zod", "typescript", "@types/jest"], files), TSC);
  expect(output).toBe("");
});

test("README's steps and output are true on Vitest", async () => {
  await follow(trialOf(["vitest", "zod"], [...readmeFiles("vitest"), ...MODULE]), VITEST);
});

test("README's steps and output are true on Jest", async () => {
  const files = jestFiles((path) => path.startsWith("steps/") || path === "jest.config.cjs");
  const trial = trialOf(["jest", "zod", "typescript"], [...files, ["transform.cjs", TRANSFORM]]);
  await follow(trial, [...JEST, `--transform=${JSON.stringify({ "\\.ts$": "./transform.cjs" })}`]);
});

test("the plain JavaScript of docs/projects.md needs nothing but Jest and zod", async () => {
  const trial = trialOf(
    ["jest", "zod"],
    jestFiles((path) => path === "count-words.test.js" || path === "jest.config.cjs"),
  );
  const { output } = await runIn(trial, JEST);
  expect(output).toContain("Baselines  1 captured");
});

test("the example of docs/kernel.md runs", async () => {
  // Node itself wants the extensions that bundlers add.
  const files = [...readmeFiles("vitest")].map(([path, text]): Files[number] => [
    path,
    text.replaceAll(/(from "\.[^"]*)"/g, '$1.ts"'),
  ]);
  const { output } = await runIn(trialOf(["zod"], [...files, ...MODULE]), ["kernel.ts"]);
  expect(output).toBe("8\nidentical\nclean (no changes)\n");
});

test("the service of docs/service.md runs, and prints what the page shows", async () => {
  const page = readFileSync(join(REPOSITORY, "docs/service.md"), "utf8");
  const blocks = [...page.matchAll(/```(?:ts|txt) (\S+)\n(.*?)```/gs)];
  const files = blocks.map(([, name = "", text = ""]): Files[number] => [name, text]);
  const shown = files.find(([name]) => name === "output")?.[1];
  const trial = trialOf(["zod"], [...files.filter(([name]) => name !== "output"), ...MODULE]);
  const { output } = await runIn(trial, ["--disable-warning=ExperimentalWarning", "main.ts"]);
  expect(output).toBe(shown);
});

test("README counts right how many lines a snapshot shows for the same change", async () => {
  const snapshotTest = `import { run, unwrap } from "veritest/kernel";
import { expect, test } from "vitest";
import { extractTasks } from "./extract-tasks";
import { llm } from "./llm";

test("snapshot", async () => {
  expect(unwrap(await run(extractTasks, { notes: "" }, { adapters: { llm } })).output).toMatchSnapshot();
});
`;
  const trial = trialOf(
    ["vitest", "zod"],
    [...readmeFiles("vitest"), ["steps/extract-tasks.test.ts", snapshotTest], ...MODULE],
  );
  await runIn(trial, VITEST);
  change(trial);
  const { output } = await runIn(trial, VITEST);
  const lines = output.split("\n").filter((line) => /^\s*[-+] +"/.test(line));
  expect(README).toContain(`\`toMatchSnapshot()\` shows the same change as ${lines.length} changed lines`);
});

/** The files that docs/existing-sdk.md shows, and what it shows of a run. */
function existingSdk(): { readonly files: ReadonlyMap<string, string>; readonly changed: string } {
  const page = readFileSync(join(REPOSITORY, "docs/existing-sdk.md"), "utf8");
  const blocks = [...page.matchAll(/```(?:ts|txt) (\S+)\n(.*?)```/gs)].map(([, name = "", text = ""]) => [name, text]);
  const { changed = "", ...files } = Object.fromEntries(blocks);
  return { files: new Map(Object.entries(files)), changed };
}

const CLIENTS = ["openai", "@anthropic-ai/sdk", "ai", "@ai-sdk/openai"];

test("code that asks by SDKs and fetch is recorded as it is, served in CI, and says that its prompt changed", async () => {
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
  for (const nobodyAsked of [{ CI: "1" }, { VERITEST_MODE: "replay" }])
    expect((await runIn(trial, VITEST, { ...env, ...nobodyAsked })).output).toContain("Baselines  4 clean");
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
  expect(output).toContain('"Summarize in three words: The third lamp');
  expect(asked).toBe(8);
});

test("code that asks by SDKs and fetch compiles with the steps made of it", async () => {
  const types = tsconfig(["node", "veritest/vitest"]).map(([name, text]): Files[number] => [
    name,
    text.replace('"module":"preserve"', '"module":"preserve","allowImportingTsExtensions":true'),
  ]);
  const packages = ["vitest", "zod", "typescript", "@types/node", ...CLIENTS];
  const { output } = await runIn(trialOf(packages, [...existingSdk().files, ...types, ...MODULE]), TSC);
  expect(output).toBe("");
});
