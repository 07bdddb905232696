import { createTrial } from "../../scripts/trial/create-trial.ts";

/** A test runner as these rows drive it. */
export interface FaultRunner {
  readonly name: "vitest" | "jest";
  readonly packages: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** What Node runs, relative to the project. */
  readonly command: readonly string[];
  readonly head: string;
}

/** How a project's baselines are spread. */
export interface Layout {
  readonly name: string;
  readonly files: number;
  readonly perFile: number;
  /** Characters each baseline has at least. */
  readonly size: number;
}

/** The layouts of issue and fault table: one big file, many small ones, and few of nearly as much as is let (2 MB). */
export const LAYOUTS: readonly Layout[] = [
  { name: "1 file × 200", files: 1, perFile: 200, size: 10 },
  { name: "40 files × 5", files: 40, perFile: 5, size: 10 },
  { name: "4 × 1.9 MB", files: 4, perFile: 1, size: 1_900_000 },
];

/** The same, smaller: what a run takes is mostly its start. */
export const SMALL_LAYOUTS: readonly Layout[] = [
  { name: "1 file × 40", files: 1, perFile: 40, size: 10 },
  { name: "8 files × 5", files: 8, perFile: 5, size: 10 },
  { name: "2 × 1.9 MB", files: 2, perFile: 1, size: 1_900_000 },
];

/** Vitest, with the plugin. */
export const VITEST: FaultRunner = {
  name: "vitest",
  packages: ["vitest", "zod"],
  files: {
    "package.json": `{ "private": true, "type": "module" }\n`,
    "vitest.config.js": `import { veritest } from "veritest/plugin";\n\nexport default { plugins: [veritest()], test: { isolate: false } };\n`,
  },
  command: ["node_modules/vitest/vitest.mjs", "run"],
  head: `import { expect, test } from "vitest";\n`,
};

/** Jest, with the preset. */
export const JEST: FaultRunner = {
  name: "jest",
  packages: ["jest", "zod"],
  files: { "package.json": `{ "private": true }\n`, "jest.config.json": `{ "preset": "veritest/jest" }\n` },
  command: ["node_modules/jest/bin/jest.js"],
  head: "",
};

/**
 * Makes a project whose tests keep `FAULT_VALUE` in their baselines. `FAULT_DEATH` names a test file whose worker dies.
 */
export function makeRunnerProject(runner: FaultRunner, layout: Layout): string {
  const tests = Array.from(
    { length: layout.files },
    (_, index) => [`test-${index}.test.js`, testFile(runner, layout, index)] as const,
  );
  return createTrial(runner.packages, new Map([...Object.entries(runner.files), ...tests]));
}

function testFile({ head }: FaultRunner, { perFile, size }: Layout, index: number): string {
  return `${head}
for (let i = 0; i < ${perFile}; i += 1) {
  test("case " + i, async () => {
    await expect({ value: process.env.FAULT_VALUE, i, pad: "x".repeat(${size}) }).toMatchBaseline({ name: "case ${index} " + i });
  });
}
test("ends", async () => {
  if (process.env.FAULT_DEATH === "${index}") process.kill(process.pid, "SIGKILL");
  if (process.env.FAULT_DEATH === "${index} fails") throw new Error("fails");
  await new Promise((resolve) => setTimeout(resolve, Number(process.env.FAULT_PAUSE ?? "0")));
});
`;
}
