import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findConfinement } from "./confinement.ts";

test.runIf(process.platform === "linux")("a program starts while another run removes a cache it copies", () => {
  const directory = mkdtempSync(join(tmpdir(), "confinement-"));
  const [checkout, cache] = [join(directory, "checkout"), join(directory, "node_modules/.vite")];
  mkdirSync(checkout);
  mkdirSync(cache, { recursive: true });
  const { wrap } = findConfinement({ readOnly: [checkout], writable: [], caches: [cache] }, process.env);
  const other = spawn("sh", [
    "-c",
    'while :; do rmdir "$0"; mkdir -p "$0"; rmdir "$0"; sleep 0.02; done 2>/dev/null',
    cache,
  ]);
  try {
    const [program = "", ...args] = wrap(["true"]);
    const failures = Array.from({ length: 30 }, () => spawnSync(program, args, { encoding: "utf8" }))
      .filter(({ status }) => status !== 0)
      .map(({ stderr }) => stderr);
    expect(failures).toStrictEqual([]);
  } finally {
    other.kill("SIGKILL");
  }
});

test.runIf(process.platform === "linux")("a program's cache that Vitest would remove is empty", () => {
  const directory = mkdtempSync(join(tmpdir(), "confinement-"));
  const checkout = join(directory, "checkout");
  const caches = [".vite", ".vitest-cache"].map((name) => join(directory, "node_modules", name));
  for (const path of [checkout, ...caches]) mkdirSync(path, { recursive: true });
  for (const path of caches) writeFileSync(join(path, "a"), "");
  const { wrap } = findConfinement({ readOnly: [checkout], writable: [], caches }, process.env);
  const [program = "", ...args] = wrap(["sh", "-c", 'ls "$@"; touch "$2/b"', "sh", ...caches]);
  const { stdout } = spawnSync(program, args, { encoding: "utf8" });
  expect(stdout.replaceAll(directory, "")).toBe("/node_modules/.vite:\na\n\n/node_modules/.vitest-cache:\n");
  expect(caches.map((path) => readdirSync(path))).toStrictEqual([["a"], ["a"]]);
});
