import { cloneData } from "../../kernel/json/plain-data.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { checkedOutputSchema } from "../../kernel/step/define-step.ts";
import { type Schema, parseWith } from "../../kernel/step/schema.ts";
import { decode } from "../../record/encode/decode.ts";
import { storedForm } from "../../record/encode/encode.ts";
import { outputContent } from "../../record/read-snapshot.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import type { RunToExplain } from "../check.ts";
import { type ComparisonRules, type Outcome, diffOutcomes } from "../compare/compare.ts";
import { isCapturedOutput } from "../compare/unparsed-output.ts";
import type { SchemaViolation } from "../run/run-case.ts";
import { watchUses } from "../run/watch-uses.ts";
import type { ExplainableVerdict } from "../verdict.ts";
import type { Evidence } from "./cause.ts";
import type { OfflineRun } from "./replay-with-stubs.ts";

/** A change to explain, and the run of the current code on the recorded responses. */
export interface OutputChange {
  readonly run: OfflineRun | undefined;
  readonly toExplain: RunToExplain;
  readonly verdict: ExplainableVerdict;
  readonly stored: Outcome;
  readonly rules: ComparisonRules;
}

/** An offline run with a result. */
type Ran = Extract<OfflineRun, { readonly kind: "ran" }>;

/** Changes that only the schema of the output makes. */
interface SchemaChanges {
  readonly entries: readonly DiffEntry[];
  readonly violations: readonly SchemaViolation[];
}

const NO_CHANGES: SchemaChanges = { entries: [], violations: [] };

/**
 * Turns evidence for code into evidence for the schema, for the differences that only the schema of the output makes.
 * These are all differences if the step returns the output that it returned at capture. A schema that reads the clock
 * counts as code.
 */
export async function withOutputSchema(
  evidence: readonly Evidence[],
  output: OutputChange,
): Promise<readonly Evidence[]> {
  const { run, toExplain } = output;
  if (run?.kind !== "ran" || toExplain.validate === false) return evidence;
  const bySchema = await changesBySchema(run, output);
  const paths = new Set(bySchema.entries.map(pathOf));
  const moved: DiffEntry[] = [];
  const remaining = evidence.flatMap((item): Evidence[] => {
    if (item.kind !== "code" || item.unstable === true || item.entries.length === 0) return [item];
    const { own = [], ofSchema = [] } = Object.groupBy(item.entries, (entry) =>
      paths.has(pathOf(entry)) ? "ofSchema" : "own",
    );
    moved.push(...ofSchema);
    return own.length === 0 ? [] : [{ ...item, entries: own }];
  });
  const known = remaining.find((item) => item.kind === "schema");
  const violations = bySchema.violations.filter((violation) => known?.violations.includes(violation) !== true);
  if (moved.length + violations.length === 0) return evidence;
  const whole = known ?? { kind: "schema", entries: [], violations: [] };
  return [
    ...remaining.filter((item) => item !== known),
    { ...whole, violations: [...whole.violations, ...violations], ...(moved.length > 0 && { output: moved }) },
  ];
}

async function changesBySchema(run: Ran, { toExplain, verdict, stored, rules }: OutputChange): Promise<SchemaChanges> {
  const { step, snapshot, strictOutput } = toExplain;
  const { raw, violations: refused } = run.checked;
  const schema = checkedOutputSchema(strictOutput === true ? { ...step, partial: false } : step);
  const { uses } = await watchUses(async () => parseWith(schema, cloneData(raw)));
  if (uses.length > 0) return NO_CHANGES;
  const entries = diffOutcomes(stored, run.outcome, { ...rules, parts: ["output"] });
  if (!isCapturedOutput(snapshot, raw))
    return { entries: await entriesOfStored(entries, raw, { schema, snapshot, rules }), violations: [] };
  const texts = new Set(refused.map((violation) => stableStringify(violation)));
  const violations = verdict.kind === "schema_violation" ? verdict.violations : [];
  return { entries, violations: violations.filter((violation) => texts.has(stableStringify(violation))) };
}

/**
 * Returns the differences that the schema makes in the stored output too, if the step returned that output at capture,
 * and still returns the same value there.
 */
async function entriesOfStored(
  entries: readonly DiffEntry[],
  raw: unknown,
  { schema, snapshot, rules }: Pick<OutputChange, "rules"> & { readonly schema: Schema; readonly snapshot: Snapshot },
): Promise<readonly DiffEntry[]> {
  try {
    const before = decode(outputContent(snapshot)?.output);
    if (!isCapturedOutput(snapshot, before)) return [];
    const parsed = await parseWith(schema, cloneData(before));
    if (!parsed.ok) return [];
    const changesTo = (after: unknown): readonly DiffEntry[] =>
      diffOutcomes({ output: storedForm(before) }, { output: storedForm(after) }, { ...rules, parts: ["output"] });
    const resultOf = ({ path, after }: DiffEntry): string => stableStringify([path, after ?? null]);
    const bySchema = new Set(changesTo(parsed.value).map(resultOf));
    const byCode = changesTo(raw);
    return entries.filter(
      (entry) => bySchema.has(resultOf(entry)) && !byCode.some(({ path }) => overlaps(path, entry.path)),
    );
  } catch {
    // A value has no stored form.
    return [];
  }
}

function overlaps(left: DiffEntry["path"], right: DiffEntry["path"]): boolean {
  const [shorter, longer] = left.length < right.length ? [left, right] : [right, left];
  return shorter.every((key, index) => key === longer[index]);
}

function pathOf({ path }: DiffEntry): string {
  return JSON.stringify(path);
}
