import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../trial/repository.ts";

/** Path of the step in the repository, and in the demo's project. */
const STEP_PARTS: readonly string[] = ["extract-readme.ts", "readme", "text"];

const TEST = `
const files = readdirSync("documents", { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const paths = files.map((file) => join(file.parentPath, file.name).replaceAll("\\\\", "/"));
const readmes = paths.toSorted().map((path) => ({ path, name: path.split("/").slice(1, -1).join("/") }));

test.each(readmes)("$name", async ({ path }) => {
  const markdown = readFileSync(path, "utf8");
  await expect(extractReadme).toMatchBaseline({ input: { path, markdown } });
});

test("no regressions", async () => {
  await expect(extractReadme).toRecomputeClean();
});
`;

/** The one test file of the demo's project; `imports` are the runner's other imports. */
export function testFile(imports: readonly string[]): string {
  const lines = [
    `import { readFileSync, readdirSync } from "node:fs";`,
    `import { join } from "node:path";`,
    ...imports,
  ];
  return [...lines, `import { extractReadme } from "./steps/extract-readme.ts";`, TEST].join("\n");
}

/** A copy of the README extractor, as a user would have it. */
export function stepFiles(): ReadonlyMap<string, string> {
  const steps = join(REPOSITORY, "fixtures/steps");
  const names = readdirSync(steps, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  const wanted = names.filter((name) => STEP_PARTS.some((part) => name === part || name.startsWith(`${part}/`)));
  const sources = wanted.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  return new Map(
    sources.map((name) => [
      `steps/${name}`,
      readFileSync(join(steps, name), "utf8")
        .replace("../../src/index.ts", "veritest")
        .replace("../../src/commands.ts", "veritest/commands"),
    ]),
  );
}
