import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./repository.ts";

/**
 * Builds `dist` when it lacks `witness` or when a source is newer: a stale build would show what the code no longer
 * does.
 */
export function ensureBuilt(witness: string, script: string): void {
  const built = join(REPOSITORY, "dist", witness);
  if (existsSync(built) && statSync(built).mtimeMs > newestSource()) return;
  const { status } = spawnSync("npm", ["run", "--silent", script], {
    cwd: REPOSITORY,
    // Its progress would bury what the caller shows; its errors would not.
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm run ${script} failed. Run it separately to see why.`);
}

function newestSource(): number {
  const sources = join(REPOSITORY, "src");
  const times = readdirSync(sources, { recursive: true, encoding: "utf8" }).map(
    (name) => statSync(join(sources, name)).mtimeMs,
  );
  return Math.max(...times);
}
