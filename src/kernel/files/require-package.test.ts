import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requirePackage, requireZod } from "./require-package.ts";

function projectWith(name: string, manifest: string): string {
  const root = mkdtempSync(join(tmpdir(), "veritest-peer-"));
  mkdirSync(join(root, "node_modules", name), { recursive: true });
  writeFileSync(join(root, "node_modules", name, "package.json"), manifest);
  return root;
}

test.each([
  ["3.1.4", "veritest needs vitest 3.2 or newer; this is 3.1.4. Update it: npm install --save-dev vitest@latest"],
  ["2.9.0", "veritest needs vitest 3.2 or newer; this is 2.9.0. Update it: npm install --save-dev vitest@latest"],
])("refuses version %s of a package as too old", (version, message) => {
  const root = projectWith("vitest", JSON.stringify({ version }));
  expect(() => requirePackage("vitest", "3.2", { root })).toThrow(new Error(message));
});

test.each(["3.2.0", "3.10.1-beta.2", "12.0.0"])("accepts version %s", (version) => {
  const root = projectWith("vitest", JSON.stringify({ version }));
  expect(() => requirePackage("vitest", "3.2", { root })).not.toThrow();
});

test("the error ends with the fix", () => {
  const root = projectWith("ai", '{ "version": "6.0.1" }');
  expect(() => requirePackage("ai", "7", { root, fix: "Use fetch: true." })).toThrow(
    new Error("veritest needs ai 7 or newer; this is 6.0.1. Use fetch: true."),
  );
});

test.each(["{}", "[]", "not JSON"])("accepts a package with an unknown version (%s)", (manifest) => {
  expect(() => requirePackage("ai", "7", { root: projectWith("ai", manifest) })).not.toThrow();
});

test.each(["2.9.99", "3.24.4", "3.25.75", "3.25.75-beta.1"])("refuses zod %s and names the fix", (version) => {
  expect(() => {
    requireZod(projectWith("zod", JSON.stringify({ version })));
  }).toThrow(new Error(`veritest needs zod 3.25.76 or newer; this is ${version}. Update it: npm install zod@latest`));
});

test.each(["3.25.76", "3.26.0", "4.0.0", "4.1.0-canary.2"])("accepts zod %s", (version) => {
  expect(() => {
    requireZod(projectWith("zod", JSON.stringify({ version })));
  }).not.toThrow();
});

test("the oldest zod is that of the peer in package.json", () => {
  const manifest = readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8");
  expect(manifest).toContain('"zod": "^3.25.76 || ^4"');
});

test("accepts a package that isn't installed", () => {
  expect(() => requirePackage("no-such-package", "7", { root: tmpdir() })).not.toThrow();
});
