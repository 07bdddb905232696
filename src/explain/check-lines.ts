import { formatPath, truncate } from "../kernel/text.ts";
import type { Check } from "../check/check.ts";
import { NETWORK_REFUSED, networkAccessText } from "../check/network-access.ts";
import { detailLines } from "./detail-lines.ts";
import { type Detail, type Limits, acceptedWrongOutcomes, detailsOf, warningsOf } from "./case-details.ts";
import { type FindingsSource, terminalFindings } from "./check-findings.ts";
import { type TerminalLine, drawLine } from "./terminal-line.ts";

/** What a failing test tells of one check: the cause's line says what speaks for it. */
const FAILING: Limits = { changes: 10, evidence: 0, unrecorded: 10, lines: Infinity };
/** What a review tells of one change that waits: somebody will accept it by these lines. */
const REVIEWED: Limits = { ...FAILING, changes: 200, unrecorded: 200 };
/** Characters of a sentence: a path or a message may be as long as a value. */
const MAX_SENTENCE = 496;
/** Lines are not broken: a test's message is searched and copied. */
const SCREEN = { columns: 600, colors: false };
/** Prose is read with the eye: as wide as a narrow terminal. */
const LINE_WIDTH = { columns: SCREEN.columns, prose: 78, value: 160, indent: 4 };
/** Characters of a tolerated value: it is told of what passed. */
const WARNING_WIDTH = { ...LINE_WIDTH, value: 60 };

/** The lines of one check as a failing test shows them: its cause and its first changes, safe to print. */
export function checkLines(check: FindingsSource & Pick<Check, "networkAccess">): string[] {
  return drawn([...details(check, FAILING), ...reachedDetails(check)]);
}

/**
 * The lines of one check as a review shows them: more changes than a failing test prints, and all else that accepting
 * it writes. Safe to print.
 */
export function reviewLines(check: FindingsSource & Pick<Check, "otherChanges">): string[] {
  return drawn([...details(check, REVIEWED), ...besideDetails(check)]);
}

/**
 * What a check has to say though it passed, a line each: what is wrong and was accepted, what was tolerated, and
 * recorded calls that were not made.
 */
export function warningLines(check: FindingsSource): string[] {
  const found = terminalFindings(check);
  return found === null
    ? []
    : drawn([...acceptedWrongOutcomes(found), ...warningsOf(found)]).map((line) => line.trim());
}

/** The lines of a text below a case, safe to print. */
export function textLines(text: string): string[] {
  return drawn(text.split("\n").map((line) => ({ kind: "sentence", text: line })));
}

function details(check: FindingsSource, limits: Limits): Detail[] {
  return detailsOf(
    { kind: check.verdict.kind, settled: "none", findings: terminalFindings(check, process.cwd()) },
    limits,
  );
}

/** Why a change has no cause, or where a failure may come from: what answered its run elsewhere is in no recording. */
function reachedDetails(check: Pick<Check, "verdict" | "networkAccess">): Detail[] {
  const { verdict } = check;
  // A refused reach is told by its error.
  const isTold = "changes" in verdict || (verdict.kind === "failed" && verdict.error.code !== NETWORK_REFUSED);
  const words = isTold ? networkAccessText(check) : undefined;
  if (words === undefined) return [];
  const text = `it reached ${words} outside of adapters and tapes: whether that answers as it did cannot be told`;
  return [{ kind: "remark", text }];
}

/** What accepting a check writes beside what its verdict tells, place by place. */
function besideDetails({ otherChanges = [] }: Pick<Check, "otherChanges">): Detail[] {
  const shown = otherChanges.slice(0, REVIEWED.changes).map(
    ({ path, before, after }): Detail => ({
      kind: "change",
      lead: "also written: ",
      change: { part: "output", path: formatPath(path), before, after, cut: false },
      role: "changed",
    }),
  );
  return shown.length === otherChanges.length
    ? shown
    : [...shown, { kind: "remark", text: `… and ${otherChanges.length - shown.length} more that are written` }];
}

function drawn(found: readonly Detail[]): string[] {
  return found
    .map((detail) => (detail.kind === "change" ? detail : { ...detail, text: truncate(detail.text, MAX_SENTENCE) }))
    .flatMap((detail): TerminalLine[] =>
      detailLines(detail, detail.kind === "change" && detail.role === "tolerated" ? WARNING_WIDTH : LINE_WIDTH),
    )
    .flatMap((line) => drawLine(line, SCREEN));
}
