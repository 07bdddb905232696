import { isDeepStrictEqual } from "node:util";
import type { CallRow } from "../record/calls/align-calls.ts";
import { type CallChange, callEntries } from "../record/calls/diff-calls.ts";
import { isArray, typeName } from "../kernel/json/plain-data.ts";
import type { ChangeShape } from "../check/update/change-shape.ts";
import type { Check, GridCell, OutcomeGrid, Trials } from "../check/check.ts";
import type { PartDiff } from "../check/compare/compare.ts";
import type { Verdict } from "../check/verdict.ts";
import { formatPath, truncate } from "../kernel/text.ts";
import { formatSides } from "../kernel/diff/format-diff.ts";
import { formatValue } from "../kernel/diff/format-value.ts";
import { type RulePath, rulePath } from "../kernel/diff/rule-path.ts";
import type { Tolerated } from "../kernel/diff/tolerate.ts";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import { argumentsOf } from "../record/adapter-call.ts";
import { requestDifference } from "../record/calls/request-difference.ts";
import { type UnrecordedRequest, isPartlyRecorded } from "../record/replay/unrecorded-request.ts";
import type { Cause, Evidence, RequestChange, ResponseChange } from "../check/cause/cause.ts";
import type { SchemaViolation } from "../check/run/run-case.ts";
import { causeLine } from "./cause-line.ts";
import { PathPrefixTree, generalPath, shapeOf } from "./shape-of-case.ts";
import { withoutIndexes } from "./wording.ts";
import { firstOfEach } from "./first-of-each.ts";
import { firstRows } from "./outcome-grid.ts";
import { type Counted, countNumbers } from "./unreadable-values.ts";
import type {
  ReportCall,
  ReportCause,
  ReportChange,
  ReportEvidence,
  ReportFindings,
  ReportGrid,
  ReportGridCell,
  ReportUnrecordedRequest,
  ReportCallChange,
  ReportPart,
  ReportRow,
  ReportTolerated,
  ReportTrials,
  ReportViolation,
} from "./report-case.ts";
import { projectLocation } from "../kernel/stack-locations.ts";
import { reportSides, reportText, reportValue } from "./report-value.ts";

/** Number of differences of one case that are kept; more are only counted. */
const MAX_CHANGES = 200;

/** Characters of a call in a trajectory: what it does, not all that it carries. */
const MAX_CALL = 200;

/** Characters of each request of two calls that changed places. */
const MAX_MOVED = 40;

/** Characters of a text in a grid, and rows: a table is for the eye. */
const [MAX_CELL, MAX_ROWS] = [200, 60];
/** Characters for how much of a text is left out. */
const CUT_NOTE = 30;

/** Characters of an input, which is shown next to the findings of a case. */
const MAX_INPUT = 2000;

/** Parts of a check that are shown. With the check's file, no text names it again. */
export type FindingsSource = Pick<Check, "verdict" | "findings"> & Partial<Pick<Check, "file">>;

/**
 * Returns the findings of a check for a report: bounded, redacted, plain JSON; null if there are none. `root` is the
 * project's, absolute: without it the location of a throw isn't included.
 */
export function reportFindings(check: FindingsSource & Pick<Check, "input">, root?: string): ReportFindings | null {
  const findings = boundedFindings(check);
  if (findings === null) return null;
  const { input } = check;
  return {
    ...withLocation(findings, check, root),
    ...(input === undefined ? {} : { input: reportValue(input, MAX_INPUT).value }),
  };
}

function withLocation<Value>(
  findings: ReportFindings<Value>,
  { verdict }: FindingsSource,
  root: string | undefined,
): ReportFindings<Value> {
  const error = verdict.kind === "failed" ? verdict.error : undefined;
  // The stack of other errors is veritest's, which a test called.
  const threw = error?.code === "execution_failed" && root !== undefined;
  const at = threw ? projectLocation(error.cause, root) : undefined;
  return findings.error === null || at === undefined
    ? findings
    : { ...findings, error: { ...findings.error, at: reportText(at) } };
}

function boundedFindings(check: FindingsSource, hasEvidence = true): ReportFindings | null {
  return new Findings(reportSides, reportText, hasEvidence).of(check);
}

/**
 * Returns the findings of a check in memory, with its values and texts as they are, and the location below `root` at
 * which its step threw; null if there are none.
 */
export function terminalFindings(check: FindingsSource, root?: string): ReportFindings<unknown> | null {
  const whole = new Findings<unknown>(
    (before, after) => [
      { value: before, cut: false },
      { value: after, cut: false },
    ],
    (text) => text,
  );
  const findings = whole.of(check);
  if (findings === null) return null;
  if (findings.unrecorded === null || check.verdict.kind !== "request_changed")
    return withLocation(findings, check, root);
  const { unrecorded, lacksCalls } = check.verdict;
  const { limit: chunks, reason } = unrecorded;
  const isCompared = findings.unrecorded.changes.length > 0 || lacksCalls === true || isPartlyRecorded(reason);
  const request = isCompared ? undefined : argumentsOf(unrecorded.request);
  return { ...findings, unrecorded: { ...findings.unrecorded, chunks, bare: lacksCalls, request } };
}

/** Returns the group of change of a check, as a report of its run groups it. */
export function shapeOfCheck(check: FindingsSource): ChangeShape {
  const known = shapes.get(check.verdict);
  const shape = known ?? shapeOf({ kind: check.verdict.kind, findings: boundedFindings(check, false) });
  // Computed when it is staged, and again for the message of its test.
  if (check.findings.grid === undefined) shapes.set(check.verdict, shape);
  return shape;
}

const shapes = new WeakMap<Verdict, ChangeShape>();

interface LocatedEntry {
  readonly part: ReportPart;
  readonly entry: Counted<DiffEntry>;
  readonly call?: ReportCallChange;
  /** The call with its request, if its path alone doesn't say which one it is. */
  readonly label?: string | undefined;
}

type ChangedVerdict = Extract<Verdict, { readonly changes: readonly PartDiff[] }>;

/** Changes that are kept, and the number of the others. */
interface FirstChanges {
  readonly changes: readonly LocatedEntry[];
  readonly more: number;
}

/** Used for the message of a test, for its report, and for pending updates. */
const firsts = new WeakMap<Verdict, FirstChanges>();

/** Returns both sides of a change as they are shown; a side that is undefined isn't used. */
type ShownSides<Value> = (before: unknown, after: unknown) => readonly [ShownSide<Value>, ShownSide<Value>];

interface ShownSide<Value> {
  readonly value: Value;
  readonly cut: boolean;
}

/** Converts a check to the form of a report. */
class Findings<Value> {
  readonly #sides: ShownSides<Value>;
  readonly #text: (text: string) => string;
  /** False if only the kind of the cause is needed: a group doesn't depend on the evidence, which may be long. */
  readonly #hasEvidence: boolean;
  #keyed: readonly RulePath[] = [];

  constructor(sides: ShownSides<Value>, text: (text: string) => string, hasEvidence = true) {
    this.#sides = sides;
    this.#text = text;
    this.#hasEvidence = hasEvidence;
  }

  of({ verdict, findings: noted, file = "" }: FindingsSource): ReportFindings<Value> | null {
    const { uncalled = [], trials, grid, keyed = [] } = noted;
    const itself = (text: string): string => this.#text(file === "" ? text : text.replace(` ${file}: `, " it: "));
    this.#keyed = keyed.map(rulePath);
    const { changes, more } = "changes" in verdict ? this.#firstChanges(verdict) : { changes: [], more: 0 };
    const tolerated = "tolerated" in verdict ? (verdict.tolerated ?? []) : [];
    const findings: ReportFindings<Value> = {
      cause: "cause" in verdict && verdict.cause !== undefined ? this.#cause(verdict.cause, verdict) : null,
      changes: changes.map((change) => this.#reportChange(change)),
      trajectory: "changes" in verdict ? verdict.changes.flatMap((change) => this.#rows(change)) : [],
      more,
      violations:
        verdict.kind === "schema_violation" ? verdict.violations.map((violation) => this.#violation(violation)) : [],
      tolerated: tolerated.slice(0, MAX_CHANGES).map((difference) => this.#tolerated(difference)),
      error:
        verdict.kind === "failed"
          ? { code: this.#text(verdict.error.code), message: itself(verdict.error.message) }
          : null,
      problem: verdict.kind === "broken" ? itself(verdict.problem) : null,
      unrecorded: verdict.kind === "request_changed" ? this.#unrecorded(verdict.unrecorded, verdict.cause) : null,
      unused: uncalled.slice(0, MAX_CHANGES).map(this.#text),
      trials: trials === undefined ? null : this.#trials(trials),
      grid: grid === undefined || (verdict.kind === "clean" && !hasWrong(grid)) ? null : this.#grid(grid),
    };
    const silent = Object.values(findings).every(
      (value) => value === null || value === 0 || (isArray(value) && value.length === 0),
    );
    return silent ? null : findings;
  }

  /**
   * Returns at least one change of each kind, so that the group of a case doesn't depend on how many changes are kept.
   */
  #firstChanges(verdict: ChangedVerdict): FirstChanges {
    const known = firsts.get(verdict);
    if (known !== undefined) return known;
    const changes = verdict.changes.flatMap(locatedEntries);
    const kinds = new Map<string, number>();
    const start = new PathPrefixTree();
    const kindOf = ({ part, entry, call }: LocatedEntry): number => {
      const { path, before, after } = entry;
      const sides = [typeName(before), typeName(after), call?.kind ?? ""];
      const node = start.along(path).along([part, ...sides]);
      if (node.kind !== undefined && this.#keyed.length === 0) return node.kind;
      const key = JSON.stringify([part, generalPath(path, { keyed: this.#keyed, part }), ...sides]);
      const kind = kinds.get(key) ?? kinds.size;
      kinds.set(key, kind);
      node.kind = kind;
      return kind;
    };
    const chosen = firstOfEach(changes, MAX_CHANGES, kindOf);
    const first = { changes: chosen, more: countOf(changes) - countOf(chosen) };
    firsts.set(verdict, first);
    return first;
  }

  #reportChange({ part, entry, call, label }: LocatedEntry): ReportChange<Value> {
    if (call === undefined) return this.#change(part, entry);
    const [adapter, ...rest] = entry.path;
    const named = (path: string): string =>
      this.#text(rest.length === 0 ? String(adapter) : `${String(adapter)}: ${path}`);
    const general = named(generalPath(rest));
    const path = label === undefined ? named(formatPath(rest)) : this.#text(label);
    const movedTo = call.movedTo === null ? null : this.#text(call.movedTo);
    const { general: _general, ...change } = this.#change(part, entry);
    return {
      ...change,
      path,
      ...(general === withoutIndexes(path) ? {} : { general }),
      call: { ...call, movedTo },
    };
  }

  #change(part: ReportPart, { path, before, after, count }: Counted<DiffEntry>): ReportChange<Value> {
    const [was, is] = this.#sides(before, after);
    const location = path.length === 0 ? "" : this.#path(path);
    const general = this.#text(generalPath(path, { keyed: part === "output" ? this.#keyed : [], part }));
    return {
      part,
      path: location,
      ...(general === withoutIndexes(location) ? {} : { general }),
      ...(before === undefined ? {} : { before: was.value }),
      ...(after === undefined ? {} : { after: is.value }),
      cut: (before !== undefined && was.cut) || (after !== undefined && is.cut),
      ...(count === undefined ? {} : { count }),
    };
  }

  #rows(change: PartDiff): readonly ReportRow[] {
    if (change.part !== "calls") return [];
    const { rows } = change.diff;
    const near = rows.length > MAX_CHANGES ? rows.filter((_, at) => isNearChange(rows, at)) : rows;
    return near.slice(0, MAX_CHANGES).map(({ kind, role, adapter, before, after }) => {
      const side = (call: typeof before): string | null =>
        call && this.#text(`${adapter}(${call.request === undefined ? "" : formatValue(call.request, MAX_CALL)})`);
      return { kind, role, baseline: side(before), now: side(after) };
    });
  }

  #changes(part: ReportPart, entries: readonly DiffEntry[]): ReportChange<Value>[] {
    return countNumbers(entries)
      .slice(0, MAX_CHANGES)
      .map((entry) => this.#change(part, entry));
  }

  #tolerated({ entry, rule, label }: Tolerated): ReportTolerated<Value> {
    return { ...this.#change("output", entry), rule: this.#text(rule), label: this.#text(label) };
  }

  #violation({ path, kind, message }: SchemaViolation): ReportViolation {
    return { path: this.#path(path), kind, message: this.#text(message) };
  }

  #cause(cause: Cause, verdict: Verdict): ReportCause<Value> {
    if (!this.#hasEvidence) return { kind: cause.kind, line: "", evidence: [] };
    return {
      kind: cause.kind,
      line: this.#text(causeLine(cause, verdict)),
      evidence: cause.evidence.map((evidence) => this.#evidence(evidence)),
    };
  }

  #evidence(evidence: Evidence): ReportEvidence<Value> {
    const { kind } = evidence;
    const nothing = { kind, calls: [], changes: [], violations: [] };
    switch (kind) {
      case "code":
        return {
          ...nothing,
          calls: (evidence.calls ?? []).map((call) => this.#requestCall(call)),
          changes: this.#changes("output", evidence.entries),
        };
      case "prompt":
      case "environment":
        return { ...nothing, calls: evidence.requests.map((request) => this.#requestCall(request)) };
      case "model":
      case "response": {
        const requests = evidence.requests.map((request) => this.#requestCall(request));
        return {
          ...nothing,
          calls: [...requests, ...evidence.responses.map((response) => this.#answeredCall(response))],
        };
      }
      case "schema":
        return {
          ...nothing,
          calls: (evidence.requests ?? []).map((request) => this.#requestCall(request)),
          changes: [...this.#changes("input", evidence.entries), ...this.#changes("output", evidence.outputs ?? [])],
          violations: evidence.violations.map((violation) => this.#violation(violation)),
        };
    }
  }

  #requestCall({ kind, adapter, entries }: RequestChange): ReportCall<Value> {
    return { adapter: this.#text(adapter), kind, changes: this.#changes("request", entries.map(belowPart)) };
  }

  #answeredCall({ adapter, entries }: ResponseChange): ReportCall<Value> {
    const changes = this.#changes("response", entries.map(belowPart));
    return { adapter: this.#text(adapter), kind: "answered", changes };
  }

  #unrecorded(unrecorded: UnrecordedRequest, cause: Cause | undefined): ReportUnrecordedRequest<Value> {
    const { adapter, reason, recorded, nearest, request } = unrecorded;
    const differences = nearest === undefined ? [] : requestDifference(nearest.request, request);
    // A request that is sent besides the recorded ones differs from none of them.
    const entries = isAdded(cause, { adapter, differences }) ? [] : differences;
    return { adapter: this.#text(adapter), reason, recorded, changes: this.#changes("request", entries) };
  }

  #trials({ planned, min, run, clean, interval, classes, unstable }: Trials): ReportTrials {
    const paths = unstable.slice(0, MAX_CHANGES).map(({ path, equal, of }) => ({ path: this.#path(path), equal, of }));
    return { planned, min, run, clean, interval, classes, unstable: paths };
  }

  #grid({ columns, rows }: OutcomeGrid): ReportGrid {
    const kept = firstRows(rows, MAX_ROWS);
    return {
      columns: columns.map((name) => this.#short(name)),
      rows: kept.map(({ name, cells }) => ({ name: this.#short(name), cells: cells.map((cell) => this.#cell(cell)) })),
      moreRows: rows.length - kept.length,
    };
  }

  #cell(cell: GridCell | null): ReportGridCell | null {
    if (cell === null) return null;
    const { text, before, wrong } = cell;
    return { text: this.#short(text), ...(before === undefined ? {} : { before: this.#short(before) }), wrong };
  }

  /** Redacts the complete text before it is cut: half of a secret isn't recognized. */
  #short(text: string): string {
    const safe = this.#text(text);
    return safe.length <= MAX_CELL ? safe : truncate(safe, MAX_CELL - CUT_NOTE);
  }

  #path(path: DiffEntry["path"]): string {
    return this.#text(formatPath(path));
  }
}

/** Returns true if a cause has one more call of an adapter, and no recorded request with one of these differences. */
function isAdded(
  cause: Cause | undefined,
  { adapter, differences }: { readonly adapter: string; readonly differences: readonly DiffEntry[] },
): boolean {
  const requests = (cause?.evidence ?? []).flatMap((evidence) => {
    if (evidence.kind === "prompt") return evidence.requests;
    return evidence.kind === "code" ? (evidence.calls ?? []) : [];
  });
  const own = requests.filter((request) => request.adapter === adapter);
  const isDifference = ({ before, after }: DiffEntry): boolean =>
    differences.some((other) => isDeepStrictEqual([other.before, other.after], [before, after]));
  return own.some(({ kind }) => kind === "added") && !own.some(({ entries }) => entries.some(isDifference));
}

function hasWrong({ rows }: OutcomeGrid): boolean {
  return rows.some(({ cells }) => cells.some((cell) => cell?.wrong === true));
}

/** Returns true for a call near a change: the equal ones around it are enough context. */
function isNearChange(rows: readonly CallRow[], at: number): boolean {
  return rows.slice(Math.max(0, at - 3), at + 4).some(({ kind }) => kind !== "same");
}

/** Returns the changes of a part; one of which only the hash is stored differs as one. */
function locatedEntries(change: PartDiff): LocatedEntry[] {
  if (change.part === "calls") return change.diff.changes.flatMap(locatedCalls);
  const {
    part,
    diff: { entries },
  } = change;
  return entries.length === 0
    ? [{ part, entry: { path: [], before: undefined, after: undefined } }]
    : countNumbers(entries).map((entry) => ({ part, entry }));
}

function countOf(changes: readonly LocatedEntry[]): number {
  return changes.reduce((sum, { entry: { count = 1 } }) => sum + count, 0);
}

/** The path of a call is its adapter, then the way into its arguments. */
function locatedCalls(change: CallChange): LocatedEntry[] {
  const { kind, role } = change;
  const times = kind === "added" || kind === "removed" ? change.times : 1;
  const call = { kind, role, times, movedTo: null };
  if (kind !== "moved") return countNumbers(callEntries(change)).map((entry) => ({ part: "calls", entry, call }));
  const { side, adapter, request } = change.movedTo;
  const [sent, other] = request === undefined ? [] : formatSides(change.request, request, MAX_MOVED);
  const movedTo = `${side} ${adapter}${other === undefined ? "" : `(${other})`}`;
  const label = sent && `${change.adapter}(${sent})`;
  return callEntries(change).map((entry) => ({ part: "calls", entry, call: { ...call, movedTo }, label }));
}

/** Evidence names the part first; a report names it apart. */
function belowPart({ path, ...sides }: DiffEntry): DiffEntry {
  return { path: path[0] === "request" || path[0] === "response" ? path.slice(1) : path, ...sides };
}
