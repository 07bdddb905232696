import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { isObject } from "../../../kernel/json/plain-data.ts";
import { userPackage } from "./user-package.ts";

let root = "";

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-user-")));
});

function write(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function isMark(value: unknown): value is { readonly mark: string } {
  return isObject(value) && "mark" in value;
}

const MANIFEST = JSON.stringify({
  name: "some-sdk",
  exports: {
    ".": { require: "./index.cjs", default: "./index.mjs" },
    "./error": { import: "./error.mjs", require: "./error.cjs" },
  },
});

/** A project as pnpm makes it: a link in its own folder to a package that nobody else sees. */
function pnpmProject(): string {
  const store = "node_modules/.pnpm/some-sdk@1.0.0/node_modules/some-sdk";
  write(`${store}/package.json`, MANIFEST);
  for (const name of ["index", "error"]) {
    write(`${store}/${name}.mjs`, `export const mark = "${name} imported";`);
    write(`${store}/${name}.cjs`, `exports.mark = "${name} required";`);
  }
  mkdirSync(join(root, "packages/app/node_modules"), { recursive: true });
  symlinkSync(join(root, store), join(root, "packages/app/node_modules/some-sdk"));
  return join(root, "packages/app/tests/__baselines__");
}

test("finds a package that only the project has, and loads the same module as its code", { tags: "deep" }, async () => {
  const from = pnpmProject();
  const step = write("packages/app/step.mjs", 'export * from "some-sdk"; export * as error from "some-sdk/error";');
  const ofStep: unknown = await import(pathToFileURL(step).href);
  const found = await userPackage("some-sdk", from, isMark);
  expect(found?.mark).toBe("index imported");
  expect(ofStep).toMatchObject({ mark: "index imported", error: { mark: "error imported" } });
  expect(await userPackage("some-sdk/error", from, isMark)).toBe(isObject(ofStep) && Reflect.get(ofStep, "error"));
});

test("returns undefined for a missing package or one that doesn't match", { tags: "deep" }, async () => {
  const from = pnpmProject();
  expect(await userPackage("no-sdk", from, isMark)).toBeUndefined();
  expect(await userPackage("some-sdk", root, isMark)).toBeUndefined();
  expect(await userPackage("some-sdk", from, (value): value is Date => value instanceof Date)).toBeUndefined();
});
