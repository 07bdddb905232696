import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const SOURCES = fileURLToPath(new URL("../", import.meta.url));
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-docs-")));

afterAll(() => rmSync(directory, { recursive: true }));

/** What a user imports from "veritest", from the sources. */
const VERITEST = `export * from "${SOURCES}index.ts";\nexport * from "${SOURCES}diff/tolerances.ts";\nexport * from "${SOURCES}diff/similar.ts";\n`;

const CONFIG = `export default {
  resolve: { alias: { veritest: "${directory}/veritest.ts" } },
  test: { include: ["*.test.ts"], setupFiles: ["${SOURCES}vitest.ts"] },
};
`;

/** The first block of a page that is a whole test file. */
function testFileOf(page: string): string {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const block = /```ts\n(.*?)```/s.exec(text)?.[1];
  if (block === undefined) throw new Error(`docs/${page} shows no test file`);
  return block;
}

function runVitest(): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", NO_COLOR: "1", VERITEST_STATE_DIR: join(directory, "state") };
  const child = spawn(process.execPath, [join(MODULES, "vitest/vitest.mjs"), "run"], { cwd: directory, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, output }));
  });
}

test("the test files that the pages on causes and tolerances show pass, twice", { timeout: 60_000 }, async () => {
  symlinkSync(MODULES, join(directory, "node_modules"), "junction");
  writeFileSync(join(directory, "veritest.ts"), VERITEST);
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(directory, "vitest.config.ts"), CONFIG);
  for (const page of ["causes", "tolerances"]) writeFileSync(join(directory, `${page}.test.ts`), testFileOf(`${page}.md`));
  for (const time of ["captures", "compares"]) {
    const { code, output } = await runVitest();
    expect(code, `${time}: ${output}`).toBe(0);
    expect(output).toContain("Tests  4 passed (4)");
  }
});
