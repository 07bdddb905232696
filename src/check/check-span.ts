import { formatPath, truncate } from "../kernel/text.ts";
import { formatEntry } from "../kernel/diff/format-diff.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import { GEN_AI, GEN_AI_EVENT, VERITEST } from "../kernel/telemetry/attributes.ts";
import { capturesContent } from "../kernel/telemetry/content.ts";
import { isMeasuring, addToCounter } from "../kernel/telemetry/metrics.ts";
import { type Facts, type LiveSpan, inSpan, isTracing } from "../kernel/telemetry/spans.ts";
import { pathInBaselines } from "../baseline/baseline-paths.ts";
import type { Check } from "./check.ts";
import { type PartDiff, entriesOfChanges } from "./compare/compare.ts";
import type { Verdict } from "./verdict.ts";

/** Documented name of the evaluation in the span of each check, not only of `recompute`. */
const EVALUATION = "veritest.recompute";

/**
 * Runs a check in its own span, `veritest.check <name>`, with its runs as children. The span's event
 * `gen_ai.evaluation.result` has the class of the verdict and the line of the change, never a number.
 */
export function inCheckSpan(name: string, work: () => Promise<Check>): Promise<Check>;
export function inCheckSpan(name: string, work: () => Check | Promise<Check>): Check | Promise<Check>;
export function inCheckSpan(name: string, work: () => Check | Promise<Check>): Check | Promise<Check> {
  if (!isTracing() && !isMeasuring()) return work();
  return inSpan({ name: `veritest.check ${name}`, facts: { [VERITEST.stepName]: name } }, async (span) => {
    const check = await work();
    if (span !== undefined) setVerdict(span, check);
    addToCounter("checks", 1, { [VERITEST.checkClass]: check.verdict.kind, [VERITEST.stepName]: name });
    return check;
  });
}

function setVerdict(span: LiveSpan, { verdict, file }: Check): void {
  const { kind } = verdict;
  span.set({ [VERITEST.checkClass]: kind, [VERITEST.checkFile]: pathInBaselines(file) });
  const line = changeLine(verdict);
  const facts: Facts = {
    [GEN_AI.evaluationName]: EVALUATION,
    [GEN_AI.evaluationLabel]: kind,
    [GEN_AI.evaluationExplanation]: line === undefined ? undefined : shown(line),
  };
  span.event(GEN_AI_EVENT.evaluationResult, facts);
  // A check that finds a change succeeded. One that couldn't run did not.
  if (verdict.kind === "failed") span.fail(verdict.error.code);
  if (verdict.kind === "broken") span.fail("broken");
}

const LONGEST = 300;

function shown(line: string): string {
  return truncate(currentRedactor().redactText(line), LONGEST);
}

/** Returns the change in one line: its path, and its values only if content is captured. */
function changeLine(verdict: Verdict): string | undefined {
  switch (verdict.kind) {
    case "clean":
    case "missing":
    case "obsolete":
      return undefined;
    case "value_changed":
    case "commands_changed":
    case "calls_changed":
    case "events_changed":
      return locationsOf(verdict.changes);
    case "schema_violation": {
      const [first] = verdict.violations;
      return first === undefined ? undefined : `${formatPath(first.path)}: ${first.kind}`;
    }
    case "request_changed":
      return `adapter ${verdict.unrecorded.adapter} was called with an unrecorded request`;
    case "failed":
      return capturesContent() ? `${verdict.error.code}: ${verdict.error.message}` : verdict.error.code;
    case "broken":
      return capturesContent() ? verdict.problem : "the baseline can't be read or compared";
  }
}

/** Number of paths that are listed before the rest is counted. */
const MAX_LOCATIONS = 3;

function locationsOf(changes: readonly PartDiff[]): string {
  const entries = entriesOfChanges(changes);
  // A part stored as a hash has no known paths.
  if (entries.length === 0) return `${changes.map(({ part }) => part).join(", ")} changed`;
  const named = entries.slice(0, MAX_LOCATIONS).map((entry) => {
    return capturesContent() ? formatEntry(entry, LONGEST / MAX_LOCATIONS).trim() : formatPath(entry.path);
  });
  const rest = entries.length - named.length;
  return `${named.join(", ")}${rest === 0 ? "" : ` and ${String(rest)} more`}${capturesContent() ? "" : " changed"}`;
}
