import { processEnvironment } from "../kernel/environment.ts";
import { importSequentially } from "../kernel/import-sequentially.ts";
import { parseBaseline } from "../baseline/parse-baseline.ts";
import { checkWithoutCause } from "../check/check-case.ts";
import { type Case, type Check, type CheckContext, withFindings } from "../check/check.ts";
import { reviewCommandOf } from "./pending-commands.ts";
import type { TestSession } from "./test-session.ts";

/**
 * Notes in a check with an unrecorded request that a pending change makes it clean: an earlier run of the test made the
 * change, and the step sends exactly the requests of its recording.
 */
export async function withPendingResult(
  check: Check,
  {
    session,
    request,
    context,
  }: { readonly session: TestSession; readonly request: Case; readonly context: CheckContext },
): Promise<Check> {
  const { verdict, update, findings } = check;
  const isReplay = findings.source === "recorded" && findings.scripted === undefined;
  if (verdict.kind !== "request_changed" || update !== undefined || !isReplay || session.mode === "none") return check;
  try {
    const { pendingOfTest } = await importSequentially(async () => import("../updates/stage-attempt.ts"));
    const { file, path } = check;
    const text = pendingOfTest(path, session, processEnvironment());
    if (text === undefined) return check;
    const stored = { file, path, text, baseline: parseBaseline(text, file) };
    const responses = { kind: "recorded", hasAdapters: false } as const;
    const replayed = await checkWithoutCause({ ...request, stored }, { ...context, responses });
    const isSame = replayed.verdict.kind === "clean" && replayed.findings.uncalled === undefined;
    return isSame ? withFindings(check, { hasPendingResult: true }) : check;
  } catch {
    // The check has failed already, and this is only a hint.
    return check;
  }
}

/** Returns the line of a run's summary on a check whose result is pending. */
export function pendingRemark({ findings }: Check): string[] {
  return findings.hasPendingResult === true ? [`its new responses are pending: ${reviewCommandOf("new")}`] : [];
}
