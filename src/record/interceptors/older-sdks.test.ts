import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { useFetchInOlderSdks } from "./older-sdks.ts";

const LOADED = Symbol.for("veritest.test.shims");

afterEach(() => Reflect.deleteProperty(globalThis, LOADED));

/** A project with an SDK whose files note that they are loaded. */
function projectWith(sdk: string, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "veritest-shims-"));
  const directory = join(root, "node_modules", sdk);
  mkdirSync(join(directory, "shims"), { recursive: true });
  const exported = { "./*.mjs": "./*.mjs", "./*.js": "./*.js", "./*": { import: "./*.mjs", require: "./*.js" } };
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name: sdk, exports: exported }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return root;
}

function noting(name: string): string {
  return `(globalThis[Symbol.for("veritest.test.shims")] ??= []).push(${JSON.stringify(name)});\n`;
}

function loaded(): unknown {
  return Reflect.get(globalThis, LOADED);
}

test.each([
  "openai",
  "@anthropic-ai/sdk",
])("loads the global fetch module of an older %s, for both module systems", (sdk) => {
  useFetchInOlderSdks(projectWith(sdk, { "shims/web.js": noting("cjs"), "shims/web.mjs": noting("esm") }));
  expect(loaded()).toStrictEqual(["esm", "cjs"]);
});

test("a failing module doesn't fail the setup, and the other one is loaded", () => {
  const files = { "shims/web.mjs": 'throw new Error("too late");', "shims/web.js": noting("cjs") };
  expect(() => useFetchInOlderSdks(projectWith("openai", files))).not.toThrow();
  expect(loaded()).toStrictEqual(["cjs"]);
});

test("ignores an SDK without the module, and a project without an SDK", () => {
  useFetchInOlderSdks(projectWith("openai", { "index.js": noting("index") }));
  useFetchInOlderSdks(mkdtempSync(join(tmpdir(), "veritest-shims-")));
  expect(loaded()).toBeUndefined();
});
