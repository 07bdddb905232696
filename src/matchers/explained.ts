import { checkCase } from "../check/check-case.ts";
import type { Case, Check, World } from "../check/check.ts";
import { loadFailurePath } from "../late/load-failure-path.ts";

/** Checks a case. One that is clean with nothing to accept loads nothing more. */
export async function explained(asked: Case, world: World): Promise<Check> {
  return checkCase(asked, world, async (check) => (await loadFailurePath()).explainCheck(check));
}
