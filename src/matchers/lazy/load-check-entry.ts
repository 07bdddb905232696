import { importSequentially } from "../../kernel/import-sequentially.ts";
import type * as firstCheck from "./check-entry.ts";

/**
 * Loads what reads and writes baselines, with the first matcher that does: most set-up files run for tests that have
 * none.
 */
export async function loadCheckEntry(): Promise<typeof firstCheck> {
  return importSequentially(async () => import("./check-entry.ts"));
}
