import type { CallRow } from "../record/calls/align-calls.ts";
import { type CallChange, callEntries } from "../record/calls/diff-calls.ts";
import { isArray, typeName } from "../kernel/json/plain-data.ts";
import type { ChangeShape } from "../check/change-shape.ts";
import type { Check, GridCell, OutcomeGrid, Trials } from "../check/check.ts";
import type { Change } from "../check/compare.ts";
import type { Verdict } from "../check/verdict.ts";
import { diff } from "../kernel/diff/diff.ts";
import { formatPath, truncate } from "../kernel/text.ts";
import { formatValue } from "../kernel/diff/format-value.ts";
import { type RulePath, rulePath } from "../kernel/diff/rule-path.ts";
import type { Tolerated } from "../kernel/diff/tolerate.ts";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import type { UnrecordedRequest } from "../record/replay/unrecorded-request.ts";
import type { Cause, Evidence, RequestChange, ResponseChange } from "../check/cause/cause.ts";
import type { SchemaViolation } from "../check/run-case.ts";
import { causeLine } from "./cause-line.ts";
import { PathPrefixTree, generalPath, shapeOf, withoutIndexes } from "./change-shape.ts";
import { firstOfEach } from "./first-of-each.ts";
import { firstRows } from "./outcome-grid.ts";
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
import { reportText, reportValue } from "./report-value.ts";

/** Differences of one case that are kept: more are only counted. */
const MAX_CHANGES = 200;

/** Characters of a call in a trajectory: what it does, not all that it carries. */
const MAX_CALL = 200;

/** Characters of a text in a grid, and rows: a table is for the eye. */
const MAX_CELL = 200;
const MAX_ROWS = 60;
/** Characters for how much of a text is left out. */
const CUT_NOTE = 30;

/** Characters of an input: it stands beside what is told of a case. */
const MAX_INPUT = 2000;

/** The part of a check that is told. Its file stands beside it: where that is given, no text names it again. */
export type FindingsSource = Pick<Check, "verdict" | "uncalled" | "trials" | "grid" | "keyed"> &
  Partial<Pick<Check, "file">>;

/**
 * What is to be told of a check, for a report: bounded, secrets hidden, plain JSON; null where there is nothing. `root`
 * is the project's, absolute: without it nothing is said of where a step threw.
 */
export function reportFindings(check: FindingsSource & Pick<Check, "input">, root?: string): ReportFindings | null {
  const found = boundedFindings(check);
  if (found === null) return null;
  const { input } = check;
  return {
    ...withLocation(found, check, root),
    ...(input === undefined ? {} : { input: reportValue(input, MAX_INPUT).value }),
  };
}

function withLocation<Value>(
  found: ReportFindings<Value>,
  { verdict }: FindingsSource,
  root: string | undefined,
): ReportFindings<Value> {
  const error = verdict.kind === "failed" ? verdict.error : undefined;
  // Of other errors the stack is veritest's, which a test called.
  const threw = error?.code === "execution_failed" && root !== undefined;
  const at = threw ? projectLocation(error.cause, root) : undefined;
  return found.error === null || at === undefined ? found : { ...found, error: { ...found.error, at: reportText(at) } };
}

function boundedFindings(check: FindingsSource): ReportFindings | null {
  return new Findings((value) => reportValue(value), reportText).of(check);
}

/**
 * What is to be told of a check at hand, its values and texts as they are, and where below `root` its step threw; null
 * where there is nothing.
 */
export function terminalFindings(check: FindingsSource, root?: string): ReportFindings<unknown> | null {
  const whole = new Findings<unknown>(
    (value) => ({ value, cut: false }),
    (text) => text,
  );
  const found = whole.of(check);
  if (found === null) return null;
  if (found.miss === null || check.verdict.kind !== "request_changed") return withLocation(found, check, root);
  const { unrecorded, recorded } = check.verdict;
  return { ...found, miss: { ...found.miss, chunks: unrecorded.limit, bare: recorded === 0 } };
}

/** What kind of change a check found, as a report of its run groups it. */
export function shapeOfCheck(check: FindingsSource): ChangeShape {
  const known = shapes.get(check.verdict);
  const shape = known ?? shapeOf({ kind: check.verdict.kind, findings: boundedFindings(check) });
  // Asked when it is kept, and again for the message of its test.
  if (check.grid === undefined) shapes.set(check.verdict, shape);
  return shape;
}

const shapes = new WeakMap<Verdict, ChangeShape>();

interface LocatedEntry {
  readonly part: ReportPart;
  readonly entry: DiffEntry;
  readonly call?: ReportCallChange;
}

type ChangedVerdict = Extract<Verdict, { readonly changes: readonly Change[] }>;

/** The changes that are kept, and how many are not. */
interface FirstChanges {
  readonly changes: readonly LocatedEntry[];
  readonly more: number;
}

/** Asked for the message of a test, for its report, and for what is held for review. */
const firsts = new WeakMap<Verdict, FirstChanges>();

/** Puts what a check found into the form of a report; what becomes of values and texts is for others to say. */
class Findings<Value> {
  readonly #value: (value: unknown) => { readonly value: Value; readonly cut: boolean };
  readonly #text: (text: string) => string;
  #keyed: readonly RulePath[] = [];

  constructor(
    value: (value: unknown) => { readonly value: Value; readonly cut: boolean },
    text: (text: string) => string,
  ) {
    this.#value = value;
    this.#text = text;
  }

  of({ verdict, uncalled = [], trials, grid, keyed = [], file = "" }: FindingsSource): ReportFindings<Value> | null {
    const itself = (text: string): string => this.#text(file === "" ? text : text.replace(` ${file}: `, " it: "));
    this.#keyed = keyed.map(rulePath);
    const { changes, more } = "changes" in verdict ? this.#firstChanges(verdict) : { changes: [], more: 0 };
    const tolerated = "tolerated" in verdict ? (verdict.tolerated ?? []) : [];
    const found: ReportFindings<Value> = {
      cause: "cause" in verdict && verdict.cause !== undefined ? this.#cause(verdict.cause, verdict) : null,
      changes: changes.map((change) => this.#placed(change)),
      trajectory: "changes" in verdict ? verdict.changes.flatMap((change) => this.#rows(change)) : [],
      more,
      violations: verdict.kind === "schema_violation" ? verdict.violations.map((one) => this.#violation(one)) : [],
      tolerated: tolerated.slice(0, MAX_CHANGES).map((one) => this.#tolerated(one)),
      error:
        verdict.kind === "failed"
          ? { code: this.#text(verdict.error.code), message: itself(verdict.error.message) }
          : null,
      problem: verdict.kind === "broken" ? itself(verdict.problem) : null,
      miss: verdict.kind === "request_changed" ? this.#miss(verdict.unrecorded) : null,
      unused: uncalled.slice(0, MAX_CHANGES).map(this.#text),
      trials: trials === undefined ? null : this.#trials(trials),
      grid: grid === undefined || (verdict.kind === "clean" && !hasWrong(grid)) ? null : this.#grid(grid),
    };
    const silent = Object.values(found).every(
      (value) => value === null || value === 0 || (isArray(value) && value.length === 0),
    );
    return silent ? null : found;
  }

  /** At least one of each kind, so that what a case is of does not depend on how many changes are kept. */
  #firstChanges(verdict: ChangedVerdict): FirstChanges {
    const known = firsts.get(verdict);
    if (known !== undefined) return known;
    const changes = verdict.changes.flatMap(locatedEntries);
    const kinds = new Map<string, number>();
    const start = new PathPrefixTree();
    const kindOf = ({ part, entry, call }: LocatedEntry): number => {
      const { path, before, after } = entry;
      const sides = [typeName(before), typeName(after), call?.kind ?? ""];
      const place = start.along(path).along([part, ...sides]);
      if (place.kind !== undefined && this.#keyed.length === 0) return place.kind;
      const key = JSON.stringify([part, generalPath(path, this.#keyed), ...sides]);
      const kind = kinds.get(key) ?? kinds.size;
      kinds.set(key, kind);
      place.kind = kind;
      return kind;
    };
    const chosen = firstOfEach(changes, MAX_CHANGES, kindOf);
    const first = { changes: chosen, more: Math.max(0, changes.length - MAX_CHANGES) };
    firsts.set(verdict, first);
    return first;
  }

  #placed({ part, entry, call }: LocatedEntry): ReportChange<Value> {
    if (call === undefined) return this.#change(part, entry);
    const [adapter, ...rest] = entry.path;
    const named = (path: string): string =>
      this.#text(rest.length === 0 ? String(adapter) : `${String(adapter)}: ${path}`);
    const [path, general] = [named(formatPath(rest)), named(generalPath(rest))];
    const place = call.place === null ? null : this.#text(call.place);
    const { general: _general, ...change } = this.#change(part, entry);
    return { ...change, path, ...(general === withoutIndexes(path) ? {} : { general }), call: { ...call, place } };
  }

  #change(part: ReportPart, { path, before, after }: DiffEntry): ReportChange<Value> {
    const was = before === undefined ? undefined : this.#value(before);
    const is = after === undefined ? undefined : this.#value(after);
    const place = path.length === 0 ? "" : this.#path(path);
    const general = this.#text(generalPath(path, part === "output" ? this.#keyed : undefined));
    return {
      part,
      path: place,
      ...(general === withoutIndexes(place) ? {} : { general }),
      ...(was === undefined ? {} : { before: was.value }),
      ...(is === undefined ? {} : { after: is.value }),
      cut: was?.cut === true || is?.cut === true,
    };
  }

  #rows(change: Change): readonly ReportRow[] {
    if (change.part !== "calls") return [];
    const { rows } = change.diff;
    const near = rows.length > MAX_CHANGES ? rows.filter((_, at) => isNearChange(rows, at)) : rows;
    return near.slice(0, MAX_CHANGES).map(({ kind, role, adapter, before, after }) => {
      const side = (one: typeof before): string | null =>
        one && this.#text(`${adapter}(${one.request === undefined ? "" : formatValue(one.request, MAX_CALL)})`);
      return { kind, role, baseline: side(before), now: side(after) };
    });
  }

  #changes(part: ReportPart, entries: readonly DiffEntry[]): ReportChange<Value>[] {
    return entries.slice(0, MAX_CHANGES).map((entry) => this.#change(part, entry));
  }

  #tolerated({ entry, rule, label }: Tolerated): ReportTolerated<Value> {
    return { ...this.#change("output", entry), rule: this.#text(rule), label: this.#text(label) };
  }

  #violation({ path, kind, message }: SchemaViolation): ReportViolation {
    return { path: this.#path(path), kind, message: this.#text(message) };
  }

  #cause(cause: Cause, verdict: Verdict): ReportCause<Value> {
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
          calls: (evidence.calls ?? []).map((one) => this.#requestCall(one)),
          changes: this.#changes("output", evidence.entries),
        };
      case "prompt":
        return { ...nothing, calls: evidence.requests.map((one) => this.#requestCall(one)) };
      case "model": {
        const requests = evidence.requests.map((one) => this.#requestCall(one));
        return { ...nothing, calls: [...requests, ...evidence.responses.map((one) => this.#answeredCall(one))] };
      }
      case "schema":
        return {
          ...nothing,
          changes: this.#changes("input", evidence.entries),
          violations: evidence.violations.map((one) => this.#violation(one)),
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

  #miss({ adapter, reason, recorded, nearest, request }: UnrecordedRequest): ReportUnrecordedRequest<Value> {
    const entries = nearest === undefined ? [] : diff(nearest.request, request).entries;
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

  /** Secrets are hidden in the whole text: the half of one that is left by a cut would not be known as one. */
  #short(text: string): string {
    const safe = this.#text(text);
    return safe.length <= MAX_CELL ? safe : truncate(safe, MAX_CELL - CUT_NOTE);
  }

  #path(path: DiffEntry["path"]): string {
    return this.#text(formatPath(path));
  }
}

function hasWrong({ rows }: OutcomeGrid): boolean {
  return rows.some(({ cells }) => cells.some((cell) => cell?.wrong === true));
}

/** Of many calls the like ones around a change are enough to find one's way. */
function isNearChange(rows: readonly CallRow[], at: number): boolean {
  return rows.slice(Math.max(0, at - 3), at + 4).some(({ kind }) => kind !== "same");
}

/** A part of which only the hash is stored differs as a whole. */
function locatedEntries(change: Change): LocatedEntry[] {
  if (change.part === "calls") return change.diff.changes.flatMap(locatedCalls);
  const {
    part,
    diff: { entries },
  } = change;
  return entries.length === 0
    ? [{ part, entry: { path: [], before: undefined, after: undefined } }]
    : entries.map((entry) => ({ part, entry }));
}

/** The path of a call is its adapter, then the way into its arguments. */
function locatedCalls(change: CallChange): LocatedEntry[] {
  const { kind, role } = change;
  const times = kind === "added" || kind === "removed" ? change.times : 1;
  const place = kind === "moved" ? `${change.movedTo.side} ${change.movedTo.adapter}` : null;
  return callEntries(change).map((entry) => ({ part: "calls", entry, call: { kind, role, times, place } }));
}

/** Evidence names the part first; a report names it apart. */
function belowPart({ path, ...sides }: DiffEntry): DiffEntry {
  return { path: path[0] === "request" || path[0] === "response" ? path.slice(1) : path, ...sides };
}
