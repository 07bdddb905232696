import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DetectedProject } from "./detect-project.ts";

/** A file to be written, relative to the project's root, with forward slashes. */
export interface SampleFile {
  readonly path: string;
  readonly text: string;
}

const NAME = "read-order";

/** A step that needs no key, with two inputs and a test, and the configuration by which the command line finds it. */
export function sampleFiles(project: DetectedProject): SampleFile[] {
  const directory = existsSync(join(project.root, "src")) ? "src/steps" : "steps";
  const commonJs = usesCommonJs(project);
  const extension = extensionOf(project, commonJs);
  return [
    { path: `${directory}/${NAME}.${extension}`, text: stepText(commonJs) },
    { path: `${directory}/${NAME}.test.${extension}`, text: testText(project, commonJs) },
    configFile(project, `./${directory}/${NAME}.${extension}`),
  ];
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
// Reads what a message orders. A step that asks a model gets its client from ctx.adapters, and is tested alike.
${commonJs ? "" : "export "}const readOrder = defineStep({
  name: "${NAME}",
  input: z.object({ message: z.string() }),
  output: z.object({
    lines: z.array(z.object({ article: z.string(), quantity: z.number() })),
    urgent: z.boolean(),
  }),
  keyBy: { lines: "article" },
  run: ({ message }) => {
    const found = (message.match(/\\d+ x \\w+/g) ?? []).map((text) => text.split(" x "));
    const lines = found.map(([quantity = "", article = ""]) => ({ article, quantity: Number(quantity) }));
    return { output: { lines, urgent: /\\btoday\\b/i.test(message) } };
  },
});
${commonJs ? "\nmodule.exports = { readOrder };\n" : ""}`;
}

/** Returns the import path of the step's file, as TypeScript or the runner resolves it. */
function importOf({ runner, typescript, tsconfig, esm }: DetectedProject, commonJs: boolean): string {
  if (!typescript) return `./${NAME}.${esm || commonJs ? "js" : "mjs"}`;
  return runner === "vitest" && /"module"\s*:\s*"node(?:\d+|next)"/i.test(tsconfig) ? `./${NAME}.js` : `./${NAME}`;
}

function testText(project: DetectedProject, commonJs: boolean): string {
  const { runner, typescript, tsconfig, manifest } = project;
  // TypeScript 6 and newer take the types of no package that is not named.
  const unnamed = JSON.stringify(manifest).includes('"@types/jest"') && !tsconfig.includes('"jest"');
  const file = importOf(project, commonJs);
  const head = [
    ...(typescript && runner === "jest" && unnamed ? ['/// <reference types="jest" />'] : []),
    ...(typescript ? [`/// <reference types="veritest/${runner}" />`] : []),
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

function configFile({ typescript, tsconfig, esm }: DetectedProject, step: string): SampleFile {
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
