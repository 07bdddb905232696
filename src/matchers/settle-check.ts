import type { Check } from "../check/check.ts";
import { keep, passes } from "../check/keep.ts";
import { idleRules } from "./idle-rules.ts";
import { loadFailurePath } from "../late/load-failure-path.ts";
import type { TestSession } from "./session.ts";

/** Keeps what the checks of a matcher propose, as the run's mode has it, and notes each. */
export async function settleChecks(checks: readonly Check[], session: TestSession): Promise<Check[]> {
  const { mode, holds, staged } = session;
  const keeper = {
    staged,
    stage: (kept: Parameters<TestSession["stage"]>[0]) => session.stage(kept),
    load: loadFailurePath,
  };
  const settled: Check[] = [];
  // Rules that let nothing pass are said once for all checks of a matcher, with the first.
  let idle = idleRules(checks);
  // In order: of two checks of one case the first one's proposal is what the second is held against.
  for (const found of checks) {
    const check = await keep(found, { writes: mode, holds }, keeper);
    // A failing test prints its own.
    session.note(check, [...(passes(check) ? await remarksOf(check) : []), ...idle]);
    idle = [];
    settled.push(check);
  }
  return settled;
}

/** What a passing check has to say; most have nothing, and load nothing. */
async function remarksOf(check: Check): Promise<string[]> {
  const tolerated = "tolerated" in check.verdict ? (check.verdict.tolerated ?? []) : [];
  if (tolerated.length + (check.unused?.length ?? 0) === 0) return [];
  return (await loadFailurePath()).passedLines(check);
}
