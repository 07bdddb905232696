import type { Cause } from "./cause/cause.ts";
import { findCause } from "./cause/find-cause.ts";
import type { Check } from "./check.ts";
import { CHECK_RUN_ID } from "./check-run-id.ts";
import { type ExplainableRun, type RecomputedCase, sameRequests } from "./recompute-once.ts";

/**
 * Adds the cause to a verdict that can have one: that takes some more runs, offline. A clean one has it where its
 * requests changed.
 */
export async function explainCheck({ check, run }: RecomputedCase): Promise<Check> {
  const { verdict } = check;
  switch (verdict.kind) {
    case "clean":
      return run === undefined || run.source.kind === "recorded" || sameRequests(run)
        ? check
        : withCause(check, verdict, run);
    case "value_changed":
    case "commands_changed":
    case "schema_violation":
    case "request_changed":
      return run === undefined ? check : withCause(check, verdict, run);
    case "failed":
    case "missing":
    case "obsolete":
    case "broken":
      return check;
  }
}

type Explainable = Extract<Check["verdict"], { readonly cause?: Cause | undefined }>;

async function withCause(check: Check, verdict: Explainable, run: ExplainableRun): Promise<Check> {
  const cause = await causeOf(verdict, run);
  return cause === undefined ? check : { ...check, verdict: { ...verdict, cause } };
}

async function causeOf(
  verdict: Explainable,
  { step, snapshot, source, question, result }: ExplainableRun,
): Promise<Cause | undefined> {
  const { validate, strictOutput, compare } = question;
  const now = result.ok ? result.value : undefined;
  const output = now?.parsedOutput ?? now?.rawOutput;
  const live =
    source.kind === "live" && now !== undefined
      ? { calls: source.calls(), outcome: { output, commands: now.commands ?? [] } }
      : undefined;
  const violations = verdict.kind === "schema_violation" ? verdict.violations : [];
  const changed = "changes" in verdict && verdict.changes.length > 0;
  return findCause(step, snapshot, {
    runId: CHECK_RUN_ID,
    validate,
    strictOutput,
    compare,
    live,
    violations,
    output,
    changed,
  });
}
