import { importSequentially } from "../../kernel/import-sequentially.ts";
import type * as failurePath from "./failure-entry.ts";

/**
 * Loads what only checks need that are not clean: most checks of most runs are, and it is a large part of what there
 * is to load.
 */
export async function loadFailureEntry(): Promise<typeof failurePath> {
  return importSequentially(async () => import("./failure-entry.ts"));
}
