import { formatPath, truncate } from "../kernel/text.ts";
import { type Check, isRebased } from "../check/check.ts";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import { NETWORK_REFUSED, networkAccessText } from "../check/run/network-access.ts";
import { waysToRecord } from "../record/interceptors/network-guard.ts";
import { detailLines } from "./detail-lines.ts";
import type { Detail } from "./detail.ts";
import { type Limits, acceptedWrongOutcomes, detailsOf, remark, warningsOf } from "./case-details.ts";
import { foldDetails } from "./fold-lines.ts";
import { jsonDetails } from "./json-changes.ts";
import { plainCount, withoutIndexes } from "./wording.ts";
import { type FindingsSource, terminalFindings } from "./check-findings.ts";
import { drawLine } from "./terminal-line.ts";

/** Limits of one check in a failing test: the cause's line has its evidence. */
const FAILING: Limits = { changes: 10, evidence: 0, unrecorded: 10, lines: Infinity };
/** Limits of one pending change in a review: a reviewer accepts it by these lines. */
const REVIEWED: Limits = { ...FAILING, changes: 200, unrecorded: 200 };
/** Characters of a sentence: a path or a message may be as long as a value. */
const MAX_SENTENCE = 496;
/** Sentences are not broken: a test's message is searched and copied. */
const SCREEN = { columns: 600, colors: false };
/** Changes are read with the eye, and prose is as wide as a narrow terminal. */
export const LINE_WIDTH = { columns: 120, prose: 78, value: 160, indent: 4 };
/** Width of a tolerated value, which is shown of a passing check. */
const WARNING_WIDTH = { ...LINE_WIDTH, value: 60 };

/** The lines of one check as a failing test shows them: its cause and its first changes, safe to print. */
export function checkLines(check: FindingsSource): string[] {
  return renderedLines([...details(check, FAILING), ...reachedDetails(check)]);
}

/**
 * The lines of one check as a review shows them: more changes than a failing test prints, and all else that accepting
 * it writes. Safe to print.
 */
export function reviewLines(check: FindingsSource & Pick<Check, "update">): string[] {
  const kept: Detail[] = isRebased(check) ? [{ kind: "remark", text: KEPT }] : [];
  return renderedLines([...details(check, REVIEWED), ...kept, ...otherChangeDetails(check.update?.otherChanges ?? [])]);
}

const KEPT = "only harmless parts of requests changed, so the recorded responses are kept";

/**
 * Returns the remarks of a passing check, one line each: outcomes that are wrong but accepted, tolerated differences,
 * and recorded calls that weren't made.
 */
export function warningLines(check: FindingsSource): string[] {
  const findings = terminalFindings(check);
  return findings === null
    ? []
    : renderedLines([...acceptedWrongOutcomes(findings), ...warningsOf(findings)]).map((line) => line.trim());
}

/** The lines of a text below a case, safe to print. */
export function textLines(text: string): string[] {
  return renderedLines(text.split("\n").map((line) => ({ kind: "sentence", text: line })));
}

function details(check: FindingsSource, limits: Limits): Detail[] {
  return detailsOf(
    { kind: check.verdict.kind, updateState: "none", findings: terminalFindings(check, process.cwd()) },
    limits,
  );
}

/**
 * Says why a change doesn't have a cause, or a failure may not be the step's: requests that a run sends to other
 * services aren't recorded.
 */
function reachedDetails({ verdict, findings }: FindingsSource): Detail[] {
  // A blocked request is reported by its error.
  const isReported = "changes" in verdict || (verdict.kind === "failed" && verdict.error.code !== NETWORK_REFUSED);
  const words = isReported ? networkAccessText(findings) : undefined;
  if (words === undefined) return [];
  const text =
    `the step called ${words} directly, so veritest didn't record the responses. ` +
    `To record them, ${waysToRecord()}`;
  return [{ kind: "remark", text }];
}

/** Describes the parts that accepting a check writes in addition to its verdict's changes. */
function otherChangeDetails(otherChanges: readonly DiffEntry[]): Detail[] {
  const facts = new Map<string, number>();
  const written = otherChanges.flatMap(({ path, before, after }): Detail | readonly Detail[] => {
    const [part, , field = ""] = path;
    if (part === "calls" && CALL_FACTS.has(field)) {
      facts.set(String(field), (facts.get(String(field)) ?? 0) + 1);
      return [];
    }
    const change = { part: "output", path: formatPath(path), before, after, cut: false } as const;
    return { kind: "change", lead: ALSO_WRITTEN, change, role: "changed" };
  });
  const details = firstOfKinds(foldDetails(written.flatMap(jsonDetails)));
  const rest = details.length - REVIEWED.changes;
  return [
    ...details.slice(0, REVIEWED.changes),
    ...(rest > 0 ? [remark(`… and ${rest} more that are written`)] : []),
    ...[...facts].map(([name, count]) => remark(`${ALSO_WRITTEN}\`${name}\` of ${plainCount(count, "call")}`)),
  ];
}

/** Returns the first change of each field of calls, and the number of the others. */
function firstOfKinds(details: readonly Detail[]): readonly Detail[] {
  const kindOf = (detail: Detail): string | undefined => {
    if (detail.kind !== "change" || !detail.change.path.startsWith("calls[")) return undefined;
    const { path, before, after } = detail.change;
    return `${before === undefined}${after === undefined}${withoutIndexes(path)}`;
  };
  const kinds = Map.groupBy(details, kindOf);
  return details.flatMap((detail): readonly Detail[] => {
    const kind = kindOf(detail);
    const all = kinds.get(kind) ?? [];
    if (kind === undefined || detail.kind !== "change" || all.length <= MAX_OF_KIND) return [detail];
    if (all[0] !== detail) return [];
    const rest = plainCount(all.length - 1, "more change");
    return [detail, remark(`${ALSO_WRITTEN}${withoutIndexes(detail.change.path)}, ${rest}`)];
  });
}

/** Changes of a field of calls that are listed one by one. */
const MAX_OF_KIND = 3;

const ALSO_WRITTEN = "also written: ";
/** Fields of a recorded call that follow from other changes. */
const CALL_FACTS: ReadonlySet<string | number> = new Set(["occurrence", "returns", "completed", "open", "aborted"]);

function renderedLines(details: readonly Detail[]): string[] {
  return details.flatMap((detail) => {
    if (detail.kind !== "change")
      return detailLines({ ...detail, text: truncate(detail.text, MAX_SENTENCE) }, LINE_WIDTH).flatMap((line) =>
        drawLine(line, SCREEN),
      );
    const widths = detail.role === "tolerated" ? WARNING_WIDTH : LINE_WIDTH;
    return detailLines(detail, widths).flatMap((line) => drawLine(line, { ...SCREEN, columns: widths.columns }));
  });
}
