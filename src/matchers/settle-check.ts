import type { Result } from "../base/result.ts";
import type { Proposal } from "../baseline/proposal.ts";
import type { Check } from "../check/check.ts";
import type { Proposing } from "../check/proposal-to-keep.ts";
import type { Verdict } from "../check/verdict.ts";
import type { StepError } from "../step/fail.ts";
import type { UpdateMode } from "./context.ts";
import { idleRules } from "./idle-rules.ts";
import { loadFailurePath } from "./load-failure-path.ts";
import type { Outcome, TestSession } from "./session.ts";
import type { SettledCheck } from "./settled-check.ts";

/** Stages what the checks propose where the mode allows it, holds the rest for review, and notes each outcome. */
export async function settleChecks(checks: readonly Check[], session: TestSession): Promise<SettledCheck[]> {
  const settled: SettledCheck[] = [];
  // In order: of two checks of one case the first one's proposal is what the second is held against.
  const idle = idleRules(checks);
  for (const [index, check] of checks.entries())
    settled.push(await settleCheck(check, index === 0 ? withIdle(session, idle) : session));
  return settled;
}

async function settleCheck(check: Check, session: TestSession): Promise<SettledCheck> {
  const { propose, verdict } = check;
  if (propose === undefined) return plain(check, session);
  if (mayWrite(verdict, session.mode)) return write({ ...check, propose }, session);
  if (verdict.kind === "clean" || !session.holds) return plain(check, session);
  return { ...(await plain(check, session)), review: await hold({ ...check, propose }, session) };
}

/** Rules that let nothing pass are said once for all checks of a matcher, with the first. */
function withIdle(session: TestSession, idle: readonly string[]): TestSession {
  if (idle.length === 0) return session;
  return { ...session, note: (check, outcome, remarks) => session.note(check, outcome, [...remarks, ...idle]) };
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

/** Stages the proposal for the run's end; what cannot be kept fails the test instead. */
async function write(check: Proposing, session: TestSession): Promise<SettledCheck> {
  const kept = await proposed(check);
  if (!kept.ok) return plain({ ...check, verdict: { kind: "failed", error: kept.error }, propose: undefined }, session);
  const proposal = kept.value;
  // One run must not accept two answers for one case: the second is compared with the first, even under -u.
  const earlier = session.staged.get(check.path);
  if (earlier !== undefined && earlier.after !== proposal.after && check.verdict.kind !== "clean") {
    return plain({ ...check, propose: undefined }, session);
  }
  await stage(check, session, {
    intent: "write",
    proposal: earlier === undefined ? proposal : { ...proposal, kind: earlier.kind, before: earlier.before },
  });
  return noted(check, session, { pass: true, outcome: check.verdict.kind === "missing" ? "captured" : "updated" });
}

/** Keeps the change of a failing check, so that accepting it later is accepting what was shown and runs nothing. */
async function hold(check: Proposing, session: TestSession): Promise<SettledCheck["review"]> {
  // What a test wrote first is no file yet: a change of it cannot be accepted apart.
  if (session.staged.has(check.path)) return undefined;
  const kept = await proposed(check);
  if (!kept.ok) return { refused: kept.error.message };
  await stage(check, session, { intent: "review", proposal: kept.value });
  return "held";
}

/** The proposal, once it is known to be one that can be kept. */
async function proposed(check: Proposing): Promise<Result<Proposal, StepError>> {
  const { proposalToKeep } = await loadFailurePath();
  return proposalToKeep(check);
}

async function stage(
  check: Check,
  session: TestSession,
  { intent, proposal }: { readonly intent: "write" | "review"; readonly proposal: Proposal },
): Promise<void> {
  const { shownCheck } = await loadFailurePath();
  session.stage({ proposal, intent, verdict: check.verdict.kind, shown: shownCheck(check) });
}

async function plain(check: Check, session: TestSession): Promise<SettledCheck> {
  return noted(check, session, { pass: check.verdict.kind === "clean", outcome: check.verdict.kind });
}

async function noted(
  check: Check,
  session: TestSession,
  { pass, outcome }: { readonly pass: boolean; readonly outcome: Outcome },
): Promise<SettledCheck> {
  // A failing test prints its own.
  session.note(check, outcome, pass ? await remarksOf(check) : []);
  return { check, pass };
}

/** What a passing check has to say; most have nothing, and load nothing. */
async function remarksOf(check: Check): Promise<string[]> {
  const tolerated = "tolerated" in check.verdict ? (check.verdict.tolerated ?? []) : [];
  if (tolerated.length + (check.unused?.length ?? 0) === 0) return [];
  return (await loadFailurePath()).passedLines(check);
}
