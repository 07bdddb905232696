import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Result, err, ok } from "../../base/result.ts";
import { messageOf } from "../../base/thrown.ts";
import type { PlannedFile } from "./plan-init.ts";

/**
 * Writes what was planned. A new file is never written over another, and an edited one only where it is as it was read.
 * The error is one sentence on the first that could not be written; those before it are.
 */
export function writePlan(files: readonly PlannedFile[], root: string): Result<undefined, string> {
  for (const { path, before, after } of files) {
    const file = join(root, path);
    try {
      if (before !== undefined && readFileSync(file, "utf8") !== before)
        return err(`${path} changed meanwhile: run init again.`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, after, { flag: before === undefined ? "wx" : "w" });
    } catch (thrown) {
      return err(`${path} could not be written: ${messageOf(thrown)}.`);
    }
  }
  return ok(undefined);
}
