import { formatPath, truncate } from "../kernel/text.ts";
import { formatEntry } from "../kernel/diff/format-diff.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import { GEN_AI, GEN_AI_EVENT, VERITEST } from "../kernel/telemetry/attributes.ts";
import { capturesContent } from "../kernel/telemetry/content.ts";
import { isMeasuring, tally } from "../kernel/telemetry/metrics.ts";
import { type Facts, type LiveSpan, inSpan, isTracing } from "../kernel/telemetry/spans.ts";
import type { Check } from "./check.ts";
import { type Change, entriesIn } from "./compare.ts";
import type { Verdict } from "./verdict.ts";

/** What the evaluation is called: a step is run again, or a value made again, and compared. */
const EVALUATION = "veritest.recompute";

/**
 * Checks something in a span of its own, `veritest.check <name>`, whose children are the runs it takes. Its event
 * `gen_ai.evaluation.result` says the class of the verdict and the line of the change, and never a number.
 */
export function inCheckSpan(name: string, work: () => Promise<Check>): Promise<Check>;
export function inCheckSpan(name: string, work: () => Check | Promise<Check>): Check | Promise<Check>;
export function inCheckSpan(name: string, work: () => Check | Promise<Check>): Check | Promise<Check> {
  if (!isTracing() && !isMeasuring()) return work();
  return inSpan({ name: `veritest.check ${name}`, facts: { [VERITEST.stepName]: name } }, async (span) => {
    const check = await work();
    if (span !== undefined) tellVerdict(span, check);
    tally("checks", 1, { [VERITEST.checkClass]: check.verdict.kind, [VERITEST.stepName]: name });
    return check;
  });
}

function tellVerdict(span: LiveSpan, { verdict, file }: Check): void {
  const { kind } = verdict;
  span.set({ [VERITEST.checkClass]: kind, [VERITEST.checkFile]: fileOf(file) });
  const line = changeLine(verdict);
  const facts: Facts = {
    [GEN_AI.evaluationName]: EVALUATION,
    [GEN_AI.evaluationLabel]: kind,
    [GEN_AI.evaluationExplanation]: line === undefined ? undefined : shown(line),
  };
  span.event(GEN_AI_EVENT.evaluationResult, facts);
  // A check that found a change did its work; one that could not be made did not.
  if (verdict.kind === "failed") span.fail(verdict.error.code);
  if (verdict.kind === "broken") span.fail("broken");
}

/** The file within the folder of the baselines: where that lies is a matter of the machine. */
function fileOf(file: string): string {
  return file.split(/[\\/]/).slice(-2).join("/");
}

const LONGEST = 300;

function shown(line: string): string {
  return truncate(currentRedactor().redactText(line), LONGEST);
}

/** The change in one line: where, and what only where content is captured. */
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
      return placesOf(verdict.changes);
    case "schema_violation": {
      const [first] = verdict.violations;
      return first === undefined ? undefined : `${formatPath(first.path)}: ${first.kind}`;
    }
    case "request_changed":
      return `adapter ${verdict.miss.adapter} is asked for something else than was recorded`;
    case "failed":
      return capturesContent() ? `${verdict.error.code}: ${verdict.error.message}` : verdict.error.code;
    case "broken":
      return capturesContent() ? verdict.problem : "the baseline cannot be used";
  }
}

/** Places named before the rest is only counted. */
const MOST_PLACES = 3;

function placesOf(changes: readonly Change[]): string {
  const entries = entriesIn(changes);
  // Of a part that is kept as a hash no place is known.
  if (entries.length === 0) return `${changes.map(({ part }) => part).join(", ")} changed`;
  const named = entries.slice(0, MOST_PLACES).map((entry) => {
    return capturesContent() ? formatEntry(entry, LONGEST / MOST_PLACES).trim() : formatPath(entry.path);
  });
  const rest = entries.length - named.length;
  return `${named.join(", ")}${rest === 0 ? "" : ` and ${String(rest)} more`}${capturesContent() ? "" : " changed"}`;
}
