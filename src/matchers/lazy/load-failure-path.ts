import { importInTurn } from "../../kernel/import-in-turn.ts";
import type * as failurePath from "./failure-path.ts";

/**
 * Loads what only checks need that are not clean: most checks of most runs are, and it is a large part of what there
 * is to load.
 */
export async function loadFailurePath(): Promise<typeof failurePath> {
  return importInTurn(async () => import("./failure-path.ts"));
}
