import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineStep } from "../../../kernel/step/define-step.ts";
import { run } from "../../../kernel/step/run.ts";
import "../../../grounding-vitest.ts";

const SOURCES = [
  {
    document: "harbour.pdf",
    page: 3,
    text: "The bridge was opened in 1932. It carries 160,000 cars a day. It was never sold.",
  },
  { document: "city.md", text: "Sydney has five million people." },
];
const SOUND = "The bridge was opened in 1932.";

const step = defineStep({
  name: "answer",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string(), chunks: z.array(z.object({ text: z.string() })) }),
  run: ({ text }) => ({ output: { text, chunks: SOURCES } }),
});

/** The message of an assertion that fails. */
async function messageOf(assertion: Promise<void>): Promise<string> {
  const thrown: unknown = await assertion.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Error)) throw new Error("the assertion passed");
  return thrown.message;
}

describe("in Vitest", () => {
  test("toBeGroundedIn passes and fails, and .not is the opposite", async () => {
    await expect(SOUND).toBeGroundedIn(SOURCES);
    await expect("It was sold to Globex.").not.toBeGroundedIn(SOURCES);
    expect(await messageOf(expect(SOUND).not.toBeGroundedIn(SOURCES))).toBe(
      "toBeGroundedIn: support 1.00 (grounded) and no contradiction. Expected a contradiction, or support below 0.60",
    );
  });

  test("a partial score that passes is reported in a warning", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
    await expect("The tall bridge was opened in 1932.").toBeGroundedIn(SOURCES, { threshold: 0.7 });
    expect(warned.mock.calls).toEqual([
      [
        'toBeGroundedIn: the answer is only partly grounded, support 0.71 (in the test "in Vitest > a partial score that passes is reported in a warning")',
        "GroundingWarning",
      ],
    ]);
    warned.mockRestore();
  });

  test("an answer without claims fails with and without .not", async () => {
    const message = await messageOf(expect("Hello!").toBeGroundedIn(SOURCES));
    expect(message).toMatch(/^toBeGroundedIn: the answer doesn't make a claim \(no_claims\)/);
    expect(await messageOf(expect("Hello!").not.toBeGroundedIn(SOURCES))).toBe(message);
  });

  test("all matchers read a step result by path", async () => {
    const result = await run(step, { text: `${SOUND.slice(0, -1)} [1].` });
    await expect(result).toBeGroundedIn(SOURCES, { path: "text" });
    await expect(result).toCite(SOURCES, { path: "text" });
    await expect(result).toCover("When was the bridge opened?", { path: "chunks" });
  });
});

describe("in Jest", () => {
  const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-grounding-jest-")));
  const files: Readonly<Record<string, string>> = {
    "package.json": '{ "type": "module" }',
    // Node's own stripping of types, so that Jest runs the sources as they are.
    "strip.cjs":
      'const { stripTypeScriptTypes } = require("node:module");\nmodule.exports = { process: (code) => ({ code: stripTypeScriptTypes(code) }) };\n',
    "jest.config.json": JSON.stringify({
      roots: [directory],
      transform: { "\\.ts$": "./strip.cjs" },
      extensionsToTreatAsEsm: [".ts"],
      setupFilesAfterEnv: [at("../../../grounding-jest.ts")],
      testMatch: ["**/*.spec.js"],
      haste: { enableSymlinks: false },
    }),
    "grounding.spec.js": `import { expect, test } from "@jest/globals";
const sources = ["The bridge was opened in 1932."];
test("passes", async () => {
  await expect("The bridge was opened in 1932.").toBeGroundedIn(sources);
  await expect("It was sold to Globex.").not.toBeGroundedIn(sources);
  await expect("The bridge was opened in 1932 [1].").toCite(sources);
  await expect(sources).toCover("When was the bridge opened?");
});
test("fails", async () => {
  await expect("The bridge was opened in 1931.").toBeGroundedIn(sources);
});
test("warns", async () => {
  await expect("The tall bridge was opened in 1932.").toBeGroundedIn(sources, { threshold: 0.7 });
});
`,
  };

  beforeAll(() => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    symlinkSync(at("../../../../node_modules"), join(directory, "node_modules"));
  });

  afterAll(() => rmSync(directory, { recursive: true }));

  test("the setup file adds the same matchers with the same messages", { tags: "deep" }, () => {
    const jest = at("../../../../node_modules/jest/bin/jest.js");
    const { stderr } = spawnSync(
      process.execPath,
      [
        "--experimental-vm-modules",
        "--disable-warning=ExperimentalWarning",
        jest,
        "--config",
        "jest.config.json",
        "--no-cache",
      ],
      { cwd: directory, encoding: "utf8", env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", NODE_OPTIONS: "" } },
    );
    expect(stderr).toContain("✓ passes");
    expect(stderr).toContain("✕ fails");
    expect(stderr).toContain('toBeGroundedIn: claim 1 contradicts source 1: "1931" / "1932" (number)');
    expect(stderr).toContain("not in any source: 1931");
    expect(stderr).toContain(
      'GroundingWarning: toBeGroundedIn: the answer is only partly grounded, support 0.71 (in the test "warns")',
    );
  });
});

describe("cost of a setup file", () => {
  /** Every module of src/ that an entry leads to, also by `import()`. Messages quote paths that don't exist. */
  function modulesOf(entry: string, lazy: boolean): Set<string> {
    const seen = new Set<string>();
    const open = [new URL(`../../../${entry}`, import.meta.url).href];
    for (let url = open.pop(); url !== undefined; url = open.pop()) {
      if (seen.has(url) || !existsSync(new URL(url))) continue;
      seen.add(url);
      const code = readFileSync(new URL(url), "utf8").replaceAll(/^(?:import|export) type [^;]*;/gm, "");
      for (const [, path = ""] of code.matchAll(
        lazy ? /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g : /(?:from|import)\s*"(\.[^"]+)"/g,
      ))
        open.push(new URL(path, url).href);
    }
    return seen;
  }

  const grounding = (modules: ReadonlySet<string>): string[] =>
    [...modules].filter((url) => url.includes("/src/extras/grounding/")).map((url) => url.slice(url.indexOf("/src/")));

  test("veritest/vitest and veritest/jest load no grounding code, not even lazily", () => {
    expect([...grounding(modulesOf("vitest.ts", true)), ...grounding(modulesOf("jest-setup.ts", true))]).toEqual([]);
  });

  test("grounding setup files load one module, and the checks with the first assertion", () => {
    expect(grounding(modulesOf("grounding-vitest.ts", false))).toEqual([
      "/src/extras/grounding/matchers/vitest-types.ts",
      "/src/extras/grounding/matchers/create-grounding-matchers.ts",
    ]);
    expect(grounding(modulesOf("grounding-jest.ts", false))).toEqual([
      "/src/extras/grounding/matchers/jest-types.ts",
      "/src/extras/grounding/matchers/create-grounding-matchers.ts",
    ]);
    expect(grounding(modulesOf("grounding-vitest.ts", true))).toContain(
      "/src/extras/grounding/checks/to-be-grounded-in.ts",
    );
  });
});
