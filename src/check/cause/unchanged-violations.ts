import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { outputContent } from "../../record/read-snapshot.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import type { SchemaViolation } from "../run/run-case.ts";
import type { ExplainableVerdict } from "../verdict.ts";

/**
 * Returns the violations at values that are unchanged since they were accepted: there the schema changed, not the
 * value.
 */
export function unchangedViolations(
  snapshot: Snapshot,
  verdict: ExplainableVerdict,
  output: unknown,
): readonly SchemaViolation[] {
  if (verdict.kind !== "schema_violation") return [];
  const before = outputContent(snapshot)?.output;
  // Paths and stored values contain no secrets.
  const now = currentRedactor().redact(output, ["output"]).value;
  return verdict.violations.filter(({ path, isInput }) => {
    // The baseline stores an input unparsed, so a violation in it is new: an earlier schema accepted the value.
    if (isInput === true) return true;
    // A Date is stored as the text that it was before.
    const value = valueAt(output, path);
    const isConverted = typeof value === "object" && value !== null && "toJSON" in value;
    return !isConverted && sameAt(path, before, now);
  });
}

function sameAt(path: SchemaViolation["path"], before: unknown, after: unknown): boolean {
  const [old, current] = [valueAt(before, path), valueAt(after, path)];
  return (old === undefined) === (current === undefined) && stableStringify(old) === stableStringify(current);
}

function valueAt(root: unknown, path: SchemaViolation["path"]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    root,
  );
}
