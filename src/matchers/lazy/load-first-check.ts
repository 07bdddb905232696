import { importInTurn } from "../../kernel/import-in-turn.ts";
import type * as firstCheck from "./first-check.ts";

/**
 * Loads what reads and writes baselines, with the first matcher that does: most set-up files run for tests that have
 * none.
 */
export async function loadFirstCheck(): Promise<typeof firstCheck> {
  return importInTurn(async () => import("./first-check.ts"));
}
