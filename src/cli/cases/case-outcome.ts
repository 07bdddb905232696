import { relative, sep } from "node:path";
import type { CheckedCase } from "../../check-all/check-stored.ts";
import type { SourceCase } from "../../check-all/stored-cases.ts";
import type { Check } from "../../check/check.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { type OtherAddress, otherAddress } from "../../explain/other-address.ts";
import { runRemarks } from "../../explain/run-remarks.ts";
import { reportText } from "../../explain/report-value.ts";
import { reportCase } from "../../reporter/build-run-model.ts";
import { reportUsage } from "../../explain/tally.ts";

/** Outcome of one case, without the objects of its check: many may queue behind a slow case. */
export interface CaseOutcome extends Pick<CheckedCase, "kept" | "refused" | "isRunning"> {
  /** Absolute path of the baseline. */
  readonly path: string;
  /** Case in the report. It says "review" if `kept` is to be pending. */
  readonly one: ReportCase;
  /** Remarks that the case in the report doesn't have, one line each. */
  readonly remarks: readonly string[];
  /** True if the case wasn't checked live because only placeholders of its input's secrets are stored. */
  readonly notLive: boolean;
}

/** Says how to record the changed requests of a live run. */
const RECORD = "run your tests with -u, or capture --update";

/** Commands don't read the configuration of a runner. */
function addressRemark({ part, variable }: OtherAddress): string {
  const example = variable === undefined ? "" : `, such as ${variable},`;
  return (
    `only the ${part} of a request differs. Variables of your runner's configuration (test.env)${example} ` +
    "aren't set here. Set them in your shell"
  );
}

/** Converts a checked case to its form in the report. */
export function caseOutcome(
  { check, refused, ...rest }: CheckedCase,
  { target, stored, redirectUpdate }: SourceCase,
  { root, durationMs }: { readonly root: string; readonly durationMs: number },
): CaseOutcome {
  const { path } = check;
  const { costs } = check.findings;
  const address = otherAddress(check);
  const location = {
    step: target.configured.step.name,
    root,
    labels: stored.baseline.ok ? stored.baseline.value.labels.map(reportText) : [],
    test: null,
    updateState: check.update?.state === "pending" ? ("review" as const) : ("none" as const),
    durationMs,
    usage: costs === undefined ? null : reportUsage(costs),
  };
  return {
    ...rest,
    ...(refused !== undefined && { refused: `${check.file} is not pending. ${refused}` }),
    path,
    one: isQuiet(check) ? quietCase(check, location) : reportCase(check, location),
    notLive: check.findings.notLive === true,
    // CI doesn't replay a stored run.
    remarks: [
      ...runRemarks(check, redirectUpdate === undefined ? RECORD : undefined),
      ...(address === undefined ? [] : [addressRemark(address)]),
    ],
  };
}

/** Returns true if the check is clean and has no further report, as most checks do. */
function isQuiet({ verdict, findings: { uncalled = [], trials } }: Check): boolean {
  return (
    verdict.kind === "clean" &&
    (verdict.tolerated ?? []).length === 0 &&
    verdict.cause === undefined &&
    uncalled.length === 0 &&
    trials === undefined
  );
}

/** Builds the same case as `reportCase` for a quiet check, ten times as fast. */
function quietCase(
  { path, findings: { source } }: Check,
  { root, ...location }: Parameters<typeof reportCase>[1],
): ReportCase {
  const inside = path.startsWith(root + sep) ? path.slice(root.length + 1) : relative(root, path);
  return {
    ...location,
    baseline: sep === "/" ? inside : inside.split(sep).join("/"),
    kind: "clean",
    source: source ?? null,
    findings: null,
  };
}
