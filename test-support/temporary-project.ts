import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A new folder that is a project of its own: the search for a project's root, which goes upwards, ends there, whatever
 * lies beside or above the system's temporary directory.
 */
export function temporaryProject(name: string): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `veritest-${name}-`)));
  writeFileSync(join(root, "package.json"), "{}\n");
  return root;
}
