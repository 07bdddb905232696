import type { UpdateMode } from "../../kernel/write-policy.ts";
import type { BaselineUpdate } from "../../baseline/baseline.ts";
import type { StagedFiles } from "../../baseline/staged-updates.ts";
import type { ChangeShape } from "./change-shape.ts";
import { caseRulesText } from "../compare/case-rules.ts";
import { type Check, type Findings, withFindings } from "../check.ts";
import type * as verifyModule from "./verify-update.ts";
import { type VerdictClass, needsKey } from "../verdict.ts";
import type * as otherChangesModule from "./other-changes.ts";

/** Handling of a run's updates. */
export interface UpdateRules {
  /** Updates to write at the run's end: all, new cases only, or none. */
  readonly writes: UpdateMode;
  /** True if a change that isn't written stays pending for review. */
  readonly keepsPending: boolean;
}

/** An update that is staged until the run ends, with its rendered changes. */
export interface StagedUpdate {
  readonly update: BaselineUpdate;
  /** `write`: the run's mode requests the write. `review`: the check fails, and the update is pending. */
  readonly intent: "write" | "review";
  /** Class of the check's verdict. */
  readonly verdict: VerdictClass;
  /** Lines of the changes, as in the failure message, safe to print. */
  readonly shown: readonly string[];
  /** Group of the change in the run's report. */
  readonly shape?: ChangeShape;
  /** Source of the responses that led to the change: live or recorded. */
  readonly source?: Findings["source"];
  /** Rules of the check of a new case, as JSON. Absent if there are none. */
  readonly rules?: string;
}

/** Receiver of staged updates. */
export interface UpdateStage {
  /** Takes an update that the run's end writes or keeps for review. */
  readonly stage: (staged: StagedUpdate) => void;
  /** Updates that the run already writes, by path; absent if cases are checked once. */
  readonly staged?: Pick<StagedFiles, "get">;
  /** Loads the code that verifies and renders an update: most checks of most runs have none. */
  readonly load: () => Promise<
    Pick<typeof verifyModule, "verifyUpdate"> &
      Pick<typeof otherChangesModule, "otherChanges"> & {
        readonly reviewLines: (check: Check) => readonly string[];
        readonly shapeOfCheck: (check: Check) => ChangeShape;
      }
  >;
}

/**
 * Returns the intent for a check's update by the rules alone. `stageUpdate` may still refuse it: if it doesn't replay,
 * or if the run has already staged another result of the case.
 */
function intentOf({ update, verdict }: Check, { writes, keepsPending }: UpdateRules): "write" | "review" | "nothing" {
  if (update === undefined || needsKey(verdict)) return "nothing";
  if (writes === "all" || (writes === "new" && verdict.kind === "missing")) return "write";
  return keepsPending && verdict.kind !== "clean" ? "review" : "nothing";
}

/** Returns true if a check passes its test: it's clean, or its update is staged to be written when the run ends. */
export function isPassing({ verdict, update }: Check): boolean {
  return verdict.kind === "clean" || update?.state === "toWrite";
}

/**
 * Stages or ignores a check's update and adds the result to the check. If an update to write can't be stored, the check
 * fails. If one for review can't be stored, the check only reports it (`refused`).
 */
export async function stageUpdate(check: Check, rules: UpdateRules, receiver: UpdateStage): Promise<Check> {
  const intent = intentOf(check, rules);
  const { update } = check;
  if (intent === "nothing" || update === undefined) return check;
  const earlier = receiver.staged?.get(check.path);
  // If a test checks a case twice, its first update isn't a file yet, so the second can't be accepted separately.
  if (intent === "review" && earlier !== undefined) return withFindings(check, { isSecondResult: true });
  const { verifyUpdate, reviewLines, shapeOfCheck, otherChanges } = await receiver.load();
  const verified = await verifyUpdate(update);
  if (!verified.ok) {
    const refused = verified.error;
    return intent === "review"
      ? { ...check, update: { ...update, state: { refused } } }
      : { ...check, verdict: { kind: "failed", error: refused }, update: undefined };
  }
  const { value } = verified;
  const { kind } = check.verdict;
  if (kind === "clean" && value.after === value.before) return { ...check, update: undefined };
  // One run must not accept two results for one case: the second gets no update, even under -u.
  if (earlier !== undefined && earlier.after !== value.after && kind !== "clean")
    return withFindings({ ...check, update: undefined }, { isSecondResult: true });
  // The file still has the content from before the first update of this run.
  const staged = earlier === undefined ? value : { ...value, kind: earlier.kind, before: earlier.before };
  const rest = otherChanges({ ...update, verdict: check.verdict, before: staged.before, after: staged.after });
  const completed = { ...update, ...(rest.length > 0 && { otherChanges: rest }) };
  const { source } = check.findings;
  const lines = reviewLines({ ...check, update: completed });
  const shape = shapeOfCheck(check);
  const caseRules = update.rules && caseRulesText(update.rules);
  receiver.stage({
    update: staged,
    intent,
    verdict: kind,
    shown: lines,
    shape,
    source,
    ...(caseRules !== undefined && { rules: caseRules }),
  });
  return { ...check, update: { ...completed, state: intent === "write" ? "toWrite" : "pending" } };
}
