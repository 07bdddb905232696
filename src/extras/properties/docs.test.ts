// @module-tag deep
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const SOURCES = fileURLToPath(new URL("../../", import.meta.url));
const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-laws-docs-")));

afterAll(() => rmSync(directory, { recursive: true }));

const page = readFileSync(new URL("../../../docs/properties.md", import.meta.url), "utf8");
const blocks: ReadonlyMap<string, string> = new Map(
  [...page.matchAll(/```(?:ts|txt) (\S+)\n(.*?)```/gs)].map(([, name = "", code = ""]) => [name, code]),
);

/** Runs the page's test file, of a step as it is at that place of the page. */
function runBill(mends: readonly (readonly [bug: string, mended: string])[]): string {
  const bill = mends.reduce((code, [bug, mended]) => {
    expect(code).toContain(bug);
    return code.replace(bug, mended);
  }, blocks.get("bill.ts") ?? "");
  writeFileSync(join(directory, "bill.ts"), bill);
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const run = spawnSync(process.execPath, [join(MODULES, "vitest/vitest.mjs"), "run"], {
    cwd: directory,
    encoding: "utf8",
    env: { PATH, NODE_COMPILE_CACHE, HOME: directory, NO_COLOR: "1", VERITEST_SEED: "1" },
  });
  return run.stdout + run.stderr;
}

/** The laws that a run's output says are broken, and what was found against each. */
function foundIn(output: string): readonly string[] {
  return [...output.matchAll(/^ {2}(\S+) {2}.*\n {4}found {4}(.*)$/gm)].map(([, law, found]) => `${law}: ${found}`);
}

const EMPTY = ["cents.reduce((max, value) => Math.max(max, value))", "Math.max(0, ...cents)"] as const;
const BUSY = [
  'adapters.rates.get("EUR");',
  'adapters.rates.get("EUR");\n    if (body === null) return fail("rate_limit", "Too many requests.");',
] as const;
const IMPORT = ["defineStep }", "defineStep, fail }"] as const;
const KEYS = ["lines.map(({ sku }) => sku)", "[...new Set(lines.map(({ sku }) => sku))]"] as const;
const SHIPPING = ["(cents[0] ?? 0)", "dearest"] as const;

test("finds the four bugs of the step on the documentation page, one after another", () => {
  symlinkSync(MODULES, join(directory, "node_modules"), "junction");
  writeFileSync(join(directory, "veritest.ts"), `export * from "${SOURCES}index.ts";\n`);
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }\n');
  writeFileSync(
    join(directory, "vitest.config.ts"),
    `export default {
      resolve: { alias: { veritest: "${directory}/veritest.ts" } },
      // For tests that hang: a busy machine takes a minute to transform the sources.
      test: { setupFiles: ["${SOURCES}vitest.ts"], testTimeout: 600_000, hookTimeout: 600_000 },
    };`,
  );
  writeFileSync(join(directory, "bill.test.ts"), blocks.get("bill.test.ts") ?? "");
  const first = runBill([]);
  const shown = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  expect(shown(first)).toContain(shown(blocks.get("output") ?? "nothing"));
  expect(foundIn(runBill([EMPTY]))[0]).toBe("answers: it threw: Cannot read properties of null (reading 'rate')");
  const laws = (output: string): readonly string[] => foundIn(output).map((found) => found.replace(/:.*/, ""));
  expect(laws(runBill([EMPTY, BUSY, IMPORT]))).toStrictEqual(["order-free", "keyed"]);
  expect(laws(runBill([EMPTY, BUSY, IMPORT, KEYS]))).toStrictEqual(["order-free"]);
  expect(runBill([EMPTY, BUSY, IMPORT, KEYS, SHIPPING])).toContain("Tests  1 passed (1)");
});
