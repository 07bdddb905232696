import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { checkedOutputSchema } from "../../kernel/step/define-step.ts";
import { issuePath, parseWith } from "../../kernel/step/schema.ts";
import { formatPath } from "../../kernel/text.ts";
import { outputContent } from "../../record/read-snapshot.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import type { RunToExplain } from "../check.ts";
import { type ComparisonRules, diffOutcomes } from "../compare/compare.ts";
import type { SchemaViolation } from "../run/run-case.ts";
import type { ExplainableVerdict } from "../verdict.ts";
import type { Evidence } from "./cause.ts";
import type { OfflineRuns } from "./offline-runs.ts";
import type { OfflineRun } from "./replay-with-stubs.ts";
import { type RequestChanges, expectsOtherForm } from "./request-changes.ts";

/** Returns the evidence of a schema: it parses the stored input otherwise, refuses a value, or changed in a request. */
export function schemaEvidence(
  refused: readonly SchemaViolation[],
  { runs, rules, sent }: { readonly runs: OfflineRuns; readonly rules: ComparisonRules; readonly sent: RequestChanges },
): Evidence[] {
  const parsed = runs.parse === "refused" || (runs.parse === "other" && parseMatters(runs, rules));
  // A response that the code got to another request may not fit the schema.
  const { onCapturedInput: run } = runs;
  const thrown = run?.kind === "failed" && sent.code.length === 0 && !expectsOtherForm(run) ? run.violations : [];
  const violations = [...refused, ...thrown];
  const requests = sent.schema;
  return parsed || violations.length + requests.length > 0
    ? [{ kind: "schema", entries: parsed ? runs.entries : [], violations, ...(requests.length > 0 && { requests }) }]
    : [];
}

/** Another parse causes only the changes it makes: a new default that the code doesn't read changes no result. */
function parseMatters({ onCapturedInput, current }: OfflineRuns, rules: ComparisonRules): boolean {
  if (onCapturedInput === undefined || current === undefined) return true;
  const { run } = current;
  if (stableStringify(onCapturedInput.changes) !== stableStringify(run.changes) || onCapturedInput.kind !== run.kind)
    return true;
  return (
    onCapturedInput.kind === "ran" &&
    run.kind === "ran" &&
    diffOutcomes(onCapturedInput.outcome, run.outcome, rules).length > 0
  );
}

/**
 * Returns the violations at values that are unchanged since they were accepted: there the schema changed, not the
 * value. A run that ends at an unrecorded request has no output, so the output on the recorded responses counts. A
 * value that is missing in both outputs counts only if the schema refuses the recorded one too: another field can
 * require it, such as the type of a union.
 */
export async function unchangedViolations(
  { step, snapshot, outcome }: RunToExplain,
  verdict: ExplainableVerdict,
  offline: OfflineRun | undefined,
): Promise<readonly SchemaViolation[]> {
  const ofOffline = verdict.kind === "request_changed" && offline?.kind === "ran" ? offline : undefined;
  const violations = verdict.kind === "schema_violation" ? verdict.violations : (ofOffline?.violations ?? []);
  const output = ofOffline === undefined ? outcome?.output : ofOffline.outcome.output;
  const before = outputContent(snapshot)?.output;
  // Paths and stored values contain no secrets.
  const after = currentRedactor().redact(output, ["output"]).value;
  const unchanged = violations.filter(({ path, isInput }) => {
    // The baseline stores an input unparsed, so a violation in it is new: an earlier schema accepted the value.
    if (isInput === true) return true;
    // A Date is stored as the text that it was before.
    const value = valueAt(output, path);
    const isConverted = typeof value === "object" && value !== null && "toJSON" in value;
    return !isConverted && sameAt(path, before, after);
  });
  const isMissing = ({ path, isInput }: SchemaViolation): boolean =>
    isInput !== true && valueAt(before, path) === undefined;
  if (!unchanged.some(isMissing)) return unchanged;
  const parsed = await parseWith(checkedOutputSchema(step), before);
  const refused = new Set(parsed.ok ? [] : parsed.error.issues.map((issue) => formatPath(issuePath(issue))));
  return unchanged.filter((violation) => !isMissing(violation) || refused.has(formatPath(violation.path)));
}

function sameAt(path: SchemaViolation["path"], before: unknown, after: unknown): boolean {
  const [valueBefore, valueAfter] = [valueAt(before, path), valueAt(after, path)];
  if ((valueBefore === undefined) !== (valueAfter === undefined)) return false;
  return stableStringify(valueBefore) === stableStringify(valueAfter);
}

function valueAt(root: unknown, path: SchemaViolation["path"]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    root,
  );
}
