import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { storedForm } from "../../record/encode/encode.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import type { UnrecordedRequest } from "../../record/replay/unrecorded-request.ts";
import { type ComparisonRules, diffOutcomes, storedOutcome } from "../compare/compare.ts";
import { isReturnedAsCaptured } from "../compare/returned-output.ts";
import { droppedField } from "../compare/unnamed-fields.ts";
import type { Evidence } from "./cause.ts";
import type { OfflineRun } from "./replay-with-stubs.ts";
import { type RequestChanges, expectsOtherForm, schemaProperties } from "./request-changes.ts";
import { type CallRoles, toolRequestEvidence } from "./undeclared-model.ts";

const FAILS = "it fails with the recorded responses";

/** Returns evidence of code that waits for a part that the recorded run left; undefined for other requests. */
function missingPartEvidence({ reason }: UnrecordedRequest): Evidence[] | undefined {
  if (reason !== "stream_exhausted" && reason !== "no_response") return undefined;
  const part = reason === "no_response" ? "waits for a response that the recorded run didn't wait for" : PAST_END;
  return [{ kind: "code", entries: [], ended: `it ${part}` }];
}

const PAST_END = "reads past the end of the recorded stream";

/**
 * Returns the evidence of code: another request to a tool, another result on the recorded responses, or a result that
 * varies. A difference that only the output's schema makes is evidence of the schema.
 */
export function codeEvidence(
  run: OfflineRun | undefined,
  {
    snapshot,
    rules,
    unstable,
    sent,
    recounted,
    failure,
    isUndeclared,
  }: {
    readonly snapshot: Snapshot;
    readonly rules: ComparisonRules;
    readonly unstable: readonly DiffEntry[];
    readonly sent: RequestChanges;
    readonly recounted: Evidence[];
    readonly failure: string | undefined;
    readonly isUndeclared: CallRoles["isUndeclared"];
  },
): Evidence[] {
  if (sent.code.length > 0) return [toolRequestEvidence(sent.code, isUndeclared)];
  if (recounted.length > 0) return recounted;
  const varyingCode =
    unstable.length === 0 ? [] : [{ kind: "code", entries: unstable, unstable: true, uses: run?.uses } as const];
  const isOtherForm = run !== undefined && expectsOtherForm(run);
  switch (run?.kind) {
    case undefined:
      return varyingCode;
    case "network_reached":
      return [];
    case "unrecorded":
      return missingPartEvidence(run.unrecorded) ?? varyingCode;
    case "failed":
      if (isOtherForm) return varyingCode;
      // A schema that refuses a recorded response changed.
      if (run.violations.length > 0) return varyingCode;
      // If the case failed in the same way, its verdict has the error.
      return [{ kind: "code", entries: [], ended: `${FAILS}${run.message === failure ? "" : `: ${run.message}`}` }];
    case "ran": {
      // Without a response that was there before, a changed request leads to another result.
      if (isOtherForm || run.changes.some(({ kind }) => kind === "dropped")) return varyingCode;
      const stored = storedOutcome(snapshot);
      const unstablePaths = new Set(unstable.map(({ path }) => JSON.stringify(path)));
      const properties = schemaProperties(sent.schema);
      const entries = diffOutcomes(stored, run.outcome, rules).filter(
        ({ path }) => !unstablePaths.has(JSON.stringify(path)) && !path.some((key) => properties.has(key)),
      );
      const { unnamed = {} } = run.outcome;
      // If the step returned what it did at capture, only the schema can have changed its output.
      const isSame = isReturnedAsCaptured(run.returned, snapshot, unnamed);
      const ofSchema = parseDifferences(isSame ? stored.output : run.returned, run, rules);
      // The baseline numbers the secrets of a dropped field differently, so its name counts.
      const isOfSchema = (entry: DiffEntry): boolean =>
        ofSchema.has(differenceKey(entry)) || droppedField(entry, unnamed) !== undefined;
      const outputs = entries.filter(isOfSchema);
      const own = entries.filter((entry) => !isOfSchema(entry));
      return [
        ...(own.length === 0 ? varyingCode : [{ kind: "code", entries: own } as const]),
        ...(outputs.length === 0 ? [] : [{ kind: "schema", entries: [], violations: [], outputs } as const]),
      ];
    }
  }
}

/** Returns texts of the differences between an output and the one that the schema makes today. */
function parseDifferences(
  output: unknown,
  { outcome }: Extract<OfflineRun, { readonly kind: "ran" }>,
  rules: ComparisonRules,
): ReadonlySet<string> {
  return new Set(diffOutcomes({ output }, { output: outcome.output }, rules).map(differenceKey));
}

/** Returns a text that is equal for equal differences. */
export function differenceKey(entry: DiffEntry): string {
  return stableStringify(storedForm(entry));
}
