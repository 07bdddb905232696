import { stableStringify } from "../base/canonical-json.ts";
import { outputContent } from "../record/read-snapshot.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import type { SchemaViolation } from "./schema-violation.ts";

/** The violations at values that are as they were when they were accepted: there the schema changed, not the value. */
export function unchangedViolations(
  snapshot: Snapshot,
  { violations, output }: { readonly violations: readonly SchemaViolation[]; readonly output?: unknown },
): readonly SchemaViolation[] {
  const before = outputContent(snapshot)?.output;
  // Paths, and what is stored, are without secrets.
  const now = currentRedactor().redact(output, ["output"]).value;
  return violations.filter(({ path }) => {
    // An input is stored as it was given, so whatever is refused of it was accepted once.
    if (path[0] === "input") return true;
    return sameAt(path, before, now);
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
