import { formatPath, truncate } from "../kernel/text.ts";
import type { Check } from "../check/check.ts";
import { NETWORK_REFUSED, reachedWords } from "../check/reached.ts";
import { detailLines } from "./detail-lines.ts";
import { type Detail, type Limits, acceptedWrongs, detailsOf, remarksOf } from "./details-of.ts";
import { type FindingsAsked, toldFindings } from "./case-of-check.ts";
import { type TerminalLine, drawLine } from "./terminal-line.ts";

/** What a failing test tells of one check: the cause's line says what speaks for it. */
const FAILING: Limits = { changes: 10, evidence: 0, missed: 10, lines: Infinity };
/** What a review tells of one change that waits: somebody will accept it by these lines. */
const REVIEWED: Limits = { ...FAILING, changes: 200, missed: 200 };
/** Characters of a sentence: a path or a message may be as long as a value. */
const MAX_SENTENCE = 496;
/** Lines are not broken: a test's message is searched and copied. */
const SCREEN = { columns: 600, colors: false };
/** Prose is read with the eye: as wide as a narrow terminal. */
const ROOM = { columns: SCREEN.columns, prose: 78, value: 160, indent: 4 };
/** Characters of a tolerated value: it is told of what passed. */
const REMARK_ROOM = { ...ROOM, value: 60 };

/** The lines of one check as a failing test shows them: its cause and its first changes, safe to print. */
export function checkLines(check: FindingsAsked & Pick<Check, "reached">): string[] {
  return drawn([...details(check, FAILING), ...reachedDetails(check)]);
}

/**
 * The lines of one check as a review shows them: more changes than a failing test prints, and all else that accepting
 * it writes. Safe to print.
 */
export function shownCheck(check: FindingsAsked & Pick<Check, "beside">): string[] {
  return drawn([...details(check, REVIEWED), ...besideDetails(check)]);
}

/**
 * What a check has to say though it passed, a line each: what is wrong and was accepted, what was tolerated, and
 * recorded calls that were not made.
 */
export function passedLines(check: FindingsAsked): string[] {
  const found = toldFindings(check);
  return found === null ? [] : drawn([...acceptedWrongs(found), ...remarksOf(found)]).map((line) => line.trim());
}

/** The lines of a text below a case, safe to print. */
export function textLines(text: string): string[] {
  return drawn(text.split("\n").map((line) => ({ kind: "sentence", text: line })));
}

function details(check: FindingsAsked, limits: Limits): Detail[] {
  return detailsOf({ kind: check.verdict.kind, settled: "none", findings: toldFindings(check, process.cwd()) }, limits);
}

/** Why a change has no cause, or where a failure may come from: what answered its run elsewhere is in no recording. */
function reachedDetails(check: Pick<Check, "verdict" | "reached">): Detail[] {
  const { verdict } = check;
  // A refused reach is told by its error.
  const isTold = "changes" in verdict || (verdict.kind === "failed" && verdict.error.code !== NETWORK_REFUSED);
  const words = isTold ? reachedWords(check) : undefined;
  if (words === undefined) return [];
  const text = `it reached ${words} outside of adapters and tapes: whether that answers as it did cannot be told`;
  return [{ kind: "remark", text }];
}

/** What accepting a check writes beside what its verdict tells, place by place. */
function besideDetails({ beside = [] }: Pick<Check, "beside">): Detail[] {
  const shown = beside.slice(0, REVIEWED.changes).map(
    ({ path, before, after }): Detail => ({
      kind: "change",
      lead: "also written: ",
      change: { part: "output", path: formatPath(path), before, after, cut: false },
      role: "changed",
    }),
  );
  return shown.length === beside.length
    ? shown
    : [...shown, { kind: "remark", text: `… and ${beside.length - shown.length} more that are written` }];
}

function drawn(found: readonly Detail[]): string[] {
  return found
    .map((detail) => (detail.kind === "change" ? detail : { ...detail, text: truncate(detail.text, MAX_SENTENCE) }))
    .flatMap((detail): TerminalLine[] =>
      detailLines(detail, detail.kind === "change" && detail.role === "tolerated" ? REMARK_ROOM : ROOM),
    )
    .flatMap((line) => drawLine(line, SCREEN));
}
