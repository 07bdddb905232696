import { isArray } from "../base/plain-data.ts";
import type { Cause, Evidence, RequestChange, ResponseChange } from "../check/cause/cause.ts";
import type { Check, Trials } from "../check/check.ts";
import type { Change } from "../check/compare.ts";
import type { SchemaViolation } from "../check/observe-output.ts";
import type { Verdict } from "../check/verdict.ts";
import { diff } from "../diff/diff.ts";
import { formatPath } from "../diff/format-path.ts";
import type { Tolerated } from "../diff/tolerate.ts";
import type { DiffEntry } from "../diff/types.ts";
import { targetName } from "../files/places.ts";
import { causeLine } from "../matchers/cause-line.ts";
import type { RecordingMiss } from "../record/recording-miss.ts";
import { reportText, reportValue } from "./report-value.ts";
import type {
  ReportCall,
  ReportCase,
  ReportCause,
  ReportChange,
  ReportEvidence,
  ReportFindings,
  ReportMiss,
  ReportPart,
  ReportTolerated,
  ReportTrials,
  ReportViolation,
} from "./run-model.ts";

/** Differences of one case a report holds: more are only counted. */
const MAX_CHANGES = 200;

/** What a check does not know of itself. */
export interface CheckPlace extends Pick<ReportCase, "step" | "labels" | "test" | "settled" | "durationMs" | "usage"> {
  /** The project's root: baselines are named relative to it. */
  readonly root: string;
}

/** The part of a check that a report tells. */
export type ReportedCheck = Pick<Check, "path" | "verdict" | "source" | "unused" | "trials">;

/** A check as a report holds it: bounded, secrets hidden, plain JSON. */
export function reportCase(check: ReportedCheck, { root, ...place }: CheckPlace): ReportCase {
  const { path, verdict, source = null } = check;
  return { ...place, baseline: targetName(root, path), kind: verdict.kind, source, findings: reportFindings(check) };
}

/** What is to be told of a check; null where it is clean and has nothing to tell. */
export function reportFindings({
  verdict,
  unused = [],
  trials,
}: Pick<Check, "verdict" | "unused" | "trials">): ReportFindings | null {
  const changes = changesOf(verdict);
  const found: ReportFindings = {
    cause: "cause" in verdict && verdict.cause !== undefined ? causeOf(verdict.cause) : null,
    changes: changes.slice(0, MAX_CHANGES).map(({ part, entry }) => changeOf(part, entry)),
    more: Math.max(0, changes.length - MAX_CHANGES),
    violations: verdict.kind === "schema_violation" ? verdict.violations.map(violationOf) : [],
    tolerated: "tolerated" in verdict ? (verdict.tolerated ?? []).slice(0, MAX_CHANGES).map(toleratedOf) : [],
    error:
      verdict.kind === "failed"
        ? { code: reportText(verdict.error.code), message: reportText(verdict.error.message) }
        : null,
    problem: verdict.kind === "broken" ? reportText(verdict.problem) : null,
    miss: verdict.kind === "request_changed" ? missOf(verdict.miss) : null,
    unused: unused.slice(0, MAX_CHANGES).map(reportText),
    trials: trials === undefined ? null : trialsOf(trials),
  };
  const silent = Object.values(found).every(
    (value) => value === null || value === 0 || (isArray(value) && value.length === 0),
  );
  return silent ? null : found;
}

interface PlacedEntry {
  readonly part: ReportPart;
  readonly entry: DiffEntry;
}

function changesOf(verdict: Verdict): PlacedEntry[] {
  return "changes" in verdict ? verdict.changes.flatMap(placedEntries) : [];
}

/** A part of which only the hash is stored differs as a whole. */
function placedEntries({ part, diff: { entries } }: Change): PlacedEntry[] {
  return entries.length === 0
    ? [{ part, entry: { path: [], before: undefined, after: undefined } }]
    : entries.map((entry) => ({ part, entry }));
}

function changeOf(part: ReportPart, { path, before, after }: DiffEntry): ReportChange {
  const was = before === undefined ? undefined : reportValue(before);
  const is = after === undefined ? undefined : reportValue(after);
  return {
    part,
    path: path.length === 0 ? "" : reportText(formatPath(path)),
    ...(was === undefined ? {} : { before: was.value }),
    ...(is === undefined ? {} : { after: is.value }),
    cut: was?.cut === true || is?.cut === true,
  };
}

function changesIn(part: ReportPart, entries: readonly DiffEntry[]): ReportChange[] {
  return entries.slice(0, MAX_CHANGES).map((entry) => changeOf(part, entry));
}

function toleratedOf({ entry, rule, label }: Tolerated): ReportTolerated {
  return { ...changeOf("output", entry), rule: reportText(rule), label: reportText(label) };
}

function violationOf({ path, kind, message }: SchemaViolation): ReportViolation {
  return { path: reportText(formatPath(path)), kind, message: reportText(message) };
}

function causeOf(cause: Cause): ReportCause {
  return { kind: cause.kind, line: reportText(causeLine(cause)), evidence: cause.evidence.map(evidenceOf) };
}

function evidenceOf(evidence: Evidence): ReportEvidence {
  const { kind } = evidence;
  switch (kind) {
    case "code":
      return { kind, calls: [], changes: changesIn("output", evidence.entries), violations: [] };
    case "prompt":
      return { kind, calls: evidence.requests.map(requestCall), changes: [], violations: [] };
    case "model":
      return {
        kind,
        calls: [...evidence.requests.map(requestCall), ...evidence.responses.map(answeredCall)],
        changes: [],
        violations: [],
      };
    case "schema":
      return {
        kind,
        calls: [],
        changes: changesIn("input", evidence.entries),
        violations: evidence.violations.map(violationOf),
      };
  }
}

function requestCall({ kind, adapter, entries }: RequestChange): ReportCall {
  return { adapter: reportText(adapter), kind, changes: changesIn("request", entries.map(belowPart)) };
}

function answeredCall({ adapter, entries }: ResponseChange): ReportCall {
  return { adapter: reportText(adapter), kind: "answered", changes: changesIn("response", entries.map(belowPart)) };
}

/** Evidence names the part first; a report names it apart. */
function belowPart({ path, ...sides }: DiffEntry): DiffEntry {
  return { path: path[0] === "request" || path[0] === "response" ? path.slice(1) : path, ...sides };
}

function missOf({ adapter, reason, recorded, nearest, request }: RecordingMiss): ReportMiss {
  const entries = nearest === undefined ? [] : diff(nearest.request, request).entries;
  return { adapter: reportText(adapter), reason, recorded, changes: changesIn("request", entries) };
}

function trialsOf({ planned, min, run, clean, interval, classes, unstable }: Trials): ReportTrials {
  const paths = unstable
    .slice(0, MAX_CHANGES)
    .map(({ path, equal, of }) => ({ path: reportText(formatPath(path)), equal, of }));
  return { planned, min, run, clean, interval, classes, unstable: paths };
}
