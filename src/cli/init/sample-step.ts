import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import type { DetectedProject } from "./detect-project.ts";
import { testFilesOf } from "./test-files.ts";

/** A file to be written, relative to the project's root, with forward slashes. */
export interface SampleFile {
  readonly path: string;
  readonly text: string;
}

const NAME = "read-order";

/**
 * A step that needs no key, a test at `testPath` with two inputs, and the configuration by which the command line finds
 * it.
 */
export function sampleFiles(project: DetectedProject, testPath: string): SampleFile[] {
  const step = stepPath(project);
  const commonJs = usesCommonJs(project);
  return [
    { path: step, text: stepText(commonJs) },
    { path: testPath, text: testText(project, { commonJs, step, testPath }) },
    configFile(project, `./${step}`),
  ];
}

/** Path of the sample step. */
function stepPath(project: DetectedProject): string {
  const directory = existsSync(join(project.root, "src")) ? "src/steps" : "steps";
  return `${directory}/${NAME}.${extensionOf(project, usesCommonJs(project))}`;
}

/**
 * Returns a path for the sample's test that the runner's configuration includes, next to the step if possible;
 * undefined if there is none, or the configuration's test files are unknown.
 */
export function sampleTestPath(project: DetectedProject): string | undefined {
  const files = testFilesOf(project);
  const step = stepPath(project);
  const extension = extensionOf(project, usesCommonJs(project));
  if (files === undefined || files.includes(step)) return undefined;
  const own = posix.dirname(step);
  const directories = [own, ...files.directories.filter((each) => each !== ""), "test", "tests", "src", ""];
  const paths = directories.flatMap((directory) => [
    ...["test", "spec"].map((word) => posix.join(directory, `${NAME}.${word}.${extension}`)),
    posix.join(directory, "__tests__", `${NAME}.${extension}`),
  ]);
  return paths.find((path) => files.includes(path));
}

/** Jest loads CommonJS, unless the project says otherwise; Vitest loads ES modules. */
function usesCommonJs({ runner, esm, typescript }: DetectedProject): boolean {
  return runner === "jest" && !esm && !typescript;
}

function extensionOf({ typescript, esm }: DetectedProject, commonJs: boolean): string {
  if (typescript) return "ts";
  return esm || commonJs ? "js" : "mjs";
}

function stepText(commonJs: boolean): string {
  const imports = commonJs
    ? `const { defineStep } = require("veritest");\nconst { z } = require("zod");\n`
    : `import { defineStep } from "veritest";\nimport { z } from "zod";\n`;
  return `${imports}
// Reads the order in a message. A step that calls a model gets its client from ctx.adapters. Its test looks the same.
${commonJs ? "" : "export "}const readOrder = defineStep({
  name: "${NAME}",
  input: z.object({ message: z.string() }),
  output: z.object({
    lines: z.array(z.object({ article: z.string(), quantity: z.number() })),
    urgent: z.boolean(),
  }),
  keyBy: { lines: "article" },
  run: ({ message }) => {
    const matches = (message.match(/\\d+ x \\w+/g) ?? []).map((text) => text.split(" x "));
    const lines = matches.map(([quantity = "", article = ""]) => ({ article, quantity: Number(quantity) }));
    return { output: { lines, urgent: /\\btoday\\b/i.test(message) } };
  },
});
${commonJs ? "\nmodule.exports = { readOrder };\n" : ""}`;
}

/** Returns the import path of the step's file, as TypeScript or the runner resolves it. */
function importOf(
  { runner, typescript, tsconfig, esm }: DetectedProject,
  { commonJs, step, testPath }: TestFile,
): string {
  const path = posix.relative(posix.dirname(testPath), posix.dirname(step));
  const file = `${path.startsWith("..") ? path : `./${path}`}/${NAME}`.replace(".//", "./");
  if (!typescript) return `${file}.${esm || commonJs ? "js" : "mjs"}`;
  return runner === "vitest" && /"module"\s*:\s*"node(?:\d+|next)"/i.test(tsconfig) ? `${file}.js` : file;
}

interface TestFile {
  readonly commonJs: boolean;
  /** Path of the step, and of its test. */
  readonly step: string;
  readonly testPath: string;
}

function testText(project: DetectedProject, testFile: TestFile): string {
  const { commonJs } = testFile;
  const { runner, typescript, tsconfig } = project;
  const file = importOf(project, testFile);
  const head = [
    // With a tsconfig.json, a file adds them to all tests.
    ...(typescript && tsconfig === "" ? typeReferences(project) : []),
    ...(runner === "vitest" ? [`import { expect, test } from "vitest";`] : []),
    commonJs ? `const { readOrder } = require("${file}");` : `import { readOrder } from "${file}";`,
  ];
  return `${head.join("\n")}

test("two articles", async () => {
  const input = { message: "Good morning, 2 x lamp and 1 x shelf, please." };
  await expect(readOrder).toMatchBaseline({ input });
});

test("in a hurry", async () => {
  const input = { message: "12 x candle, and we need them today!" };
  await expect(readOrder).toMatchBaseline({ input });
});
`;
}

/** Returns the lines that add the types of the matchers, and those of Jest if they aren't named. */
export function typeReferences({ runner, tsconfig, manifest }: DetectedProject): string[] {
  // TypeScript 6 and newer take the types of no package that is not named.
  const unnamed = JSON.stringify(manifest).includes('"@types/jest"') && !tsconfig.includes('"jest"');
  return [
    ...(runner === "jest" && unnamed ? ['/// <reference types="jest" />'] : []),
    `/// <reference types="veritest/${runner}" />`,
  ];
}

function configFile(project: DetectedProject, step: string): SampleFile {
  const { typescript, tsconfig, esm } = project;
  // TypeScript accepts the extension in an import only with an option.
  const isTyped =
    typescript && /"(?:allowImportingTsExtensions|rewriteRelativeImportExtensions)"\s*:\s*true/.test(tsconfig);
  const text = `// The steps that the command line runs: npx veritest test
import { defineConfig } from "veritest";

export default defineConfig({ steps: () => import("${step}") });
`;
  if (isTyped) return { path: "veritest.config.ts", text };
  return { path: esm ? "veritest.config.js" : "veritest.config.mjs", text };
}
