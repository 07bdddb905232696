import type { Check } from "../check/check.ts";
import type { Verdict } from "../check/verdict.ts";
import { messageOf } from "../step/step-error.ts";
import type { UpdateMode } from "./context.ts";
import type { Outcome, TestSession } from "./session.ts";

/** A check after the run's mode was applied: whether it lets the test pass. */
export interface SettledCheck {
  readonly check: Check;
  readonly pass: boolean;
}

/** Stages what a check proposes where the mode allows it, and notes the outcome. */
export function settleCheck(check: Check, session: TestSession): SettledCheck {
  if (check.propose === undefined || !mayWrite(check.verdict, session.mode)) return plain(check, session);
  const staged = stage(check, session);
  if (staged !== undefined) return plain({ ...check, verdict: staged, propose: undefined }, session);
  return noted(check, session, { pass: true, outcome: check.verdict.kind === "missing" ? "captured" : "updated" });
}

function mayWrite(verdict: Verdict, mode: UpdateMode): boolean {
  switch (mode) {
    case "none":
      return false;
    case "new":
      return verdict.kind === "missing";
    case "all":
      return true;
  }
}

/** Stages the proposal; a verdict instead where that is impossible. */
function stage(check: Check, session: TestSession): Verdict | undefined {
  try {
    const proposal = check.propose?.();
    // One run must not accept two answers for one case: the second is compared with the first, even under -u.
    const earlier = session.staged.get(check.path);
    if (earlier !== undefined && earlier.after !== proposal?.after && check.verdict.kind !== "clean") return check.verdict;
    if (proposal !== undefined) session.stage(earlier === undefined ? proposal : { ...proposal, kind: earlier.kind, before: earlier.before });
    return undefined;
  } catch (thrown) {
    const message = `The result cannot be stored: ${messageOf(thrown)}`;
    return { kind: "failed", error: { code: "not_storable", message, retryable: false, cause: thrown } };
  }
}

function plain(check: Check, session: TestSession): SettledCheck {
  return noted(check, session, { pass: check.verdict.kind === "clean", outcome: check.verdict.kind });
}

function noted(check: Check, session: TestSession, { pass, outcome }: { readonly pass: boolean; readonly outcome: Outcome }): SettledCheck {
  session.note(check, outcome);
  return { check, pass };
}
