import { type Result, err } from "../../base/result.ts";
import { loadConfig } from "../../config/load-config.ts";
import { type Records, type Settler, openSettler } from "../../settle/settler.ts";
import { cliPlaces } from "../cli-places.ts";
import type { CliIo } from "../io.ts";
import { say, warn } from "../say.ts";
import { finishOthers } from "./finish-others.ts";

/**
 * Gets ready to settle something from the command line: loads the policy, tells who acts, and finishes what dead
 * processes left. One sentence where that fails: with a policy that cannot be read nothing may be settled.
 */
export async function openSettlerHere(io: CliIo, reason: string | undefined): Promise<Result<Settler, string>> {
  const places = cliPlaces(io);
  const config = await loadConfig(places.root);
  if (!config.ok) return config;
  const settler = openSettler(places, config.value.policy, { ...processOf(io), reason, attended: true });
  if (!settler.ok) return settler;
  const { done, stuck } = finishOthers(places);
  say(io, done);
  return stuck.length > 0 ? err(stuck.join(" ")) : settler;
}

/** Closes notes and receipts, and says what was lost of them. */
export function closeRecords(records: Records, io: CliIo): void {
  const warning = records.close();
  if (warning !== undefined) warn(io, warning);
}

/** What tells who acts. */
export function processOf({ environment, stdout }: CliIo): { environment: NodeJS.ProcessEnv; isTTY: boolean } {
  return { environment, isTTY: stdout.isTTY === true };
}
