import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findBrowser } from "./find-browser.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "veritest-browser-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, "");
  chmodSync(path, mode);
  return path;
}

test("finds a browser on the PATH", () => {
  const path = program("google-chrome", 0o755);
  expect(findBrowser({ PATH: ["/nowhere", folder].join(delimiter) })).toBe(path);
});

test("uses the one in CHROMIUM_PATH, and no other", () => {
  program("chromium", 0o755);
  const path = program("mine", 0o755);
  expect(findBrowser({ PATH: folder, CHROMIUM_PATH: path })).toBe(path);
  expect(findBrowser({ PATH: folder, CHROMIUM_PATH: join(folder, "absent") })).toBeUndefined();
});

test("returns undefined if there is none", () => {
  expect(findBrowser({ PATH: folder })).toBeUndefined();
  expect(findBrowser({})).toBeUndefined();
});
