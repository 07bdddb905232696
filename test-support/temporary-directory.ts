/** One temporary directory for all that the tests of a run leave behind, removed at its end. */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const VARIABLES = ["TMPDIR", "TEMP", "TMP"];

let directory = "";

/** Before the first worker starts: workers and what they start see the directory as the system's. */
export function setup(): void {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-")));
  // As /tmp is: tests of permissions work in it as a user who is not root.
  chmodSync(directory, 0o755);
  for (const name of VARIABLES) process.env[name] = directory;
  // Child processes load the same sources: the first one compiles them, which takes more time than most commands.
  process.env["NODE_COMPILE_CACHE"] = join(directory, "compile-cache");
}

/** After the last test. */
export function teardown(): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
