import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const SOURCES = fileURLToPath(new URL("../", import.meta.url));
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-docs-")));

let server: Server;
let url = "";
let asked = 0;

beforeAll(async () => {
  server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(201).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});

afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

/** What a user imports from "veritest", from the sources. */
const VERITEST = `export * from "${SOURCES}index.ts";\nexport * from "${SOURCES}diff/tolerances.ts";\n`;

const CONFIG = `export default {
  resolve: { alias: { veritest: "${directory}/veritest.ts" } },
  test: { include: ["*.test.ts"], setupFiles: ["${SOURCES}fetch-setup.ts", "${SOURCES}vitest.ts"] },
};
`;

/** The blocks of a page, which together are a whole test file: all of them, or those that say that they are. */
function testFileOf(page: string, block: RegExp = /```ts\n(.*?)```/gs): string {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(block)].map(([, code = ""]) => code);
  if (blocks.length === 0) throw new Error(`docs/${page} shows no test file`);
  return blocks.join("\n");
}

function runVitest(): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    NO_COLOR: "1",
    VERITEST_STATE_DIR: join(directory, "state"),
    SERVER_URL: url,
  };
  const child = spawn(process.execPath, [join(MODULES, "vitest/vitest.mjs"), "run"], { cwd: directory, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, output }));
  });
}

test("the test files that the pages on causes, tolerances and recording show pass, twice", {
  timeout: 60_000,
}, async () => {
  symlinkSync(MODULES, join(directory, "node_modules"), "junction");
  writeFileSync(join(directory, "veritest.ts"), VERITEST);
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(directory, "vitest.config.ts"), CONFIG);
  for (const page of ["causes", "tolerances"])
    writeFileSync(join(directory, `${page}.test.ts`), testFileOf(`${page}.md`));
  writeFileSync(join(directory, "recording.test.ts"), testFileOf("recording.md", /```ts test\n(.*?)```/gs));
  for (const time of ["captures", "compares"]) {
    const { code, output } = await runVitest();
    expect(code, `${time}: ${output}`).toBe(0);
    expect(output).toContain("Tests  7 passed (7)");
  }
  // Each run asked once, live; the replay beside it was served.
  expect(asked).toBe(2);
});
