import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
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
  const other = spawn("sh", ["-c", 'while :; do rmdir "$0"; mkdir -p "$0"; rmdir "$0"; done 2>/dev/null', cache]);
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
