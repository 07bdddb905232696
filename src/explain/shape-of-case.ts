import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { formatPath } from "../kernel/text.ts";
import { type ChangeShape, RISKS, type Risk, type ShapeLine, type ShapeSide } from "../check/update/change-shape.ts";
import { formatValue } from "../kernel/diff/format-value.ts";
import { type RulePath, elementsOn } from "../kernel/diff/rule-path.ts";
import { type GridOutcome, notableOutcomes } from "./outcome-grid.ts";
import { isCommandPath, withoutIndexes } from "./wording.ts";
import type { ReportCase, ReportChange, ReportFindings, ReportPart, ReportViolation } from "./report-case.ts";

/** Characters of a value that a group keeps: for a longer one the example shows it. */
const MAX_KEPT = 40;
/** Pattern of keys of elements, which aren't field names: a number, a date, a UUID, a hash. */
const KEY = /^(?:\d[\d_:.T-]*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*\d)[0-9a-f]{8,})$/i;
/** Pattern of names without quotes in a path: a name that needs them is from data. */
const BARE = /^[\p{L}\p{N}_$-]+$/u;
/** Further entries of a label in a list without order. */
const NUMBERED = / #\d+$/;
/** A text that is one of a few, as far as one can see: one word. */
const LABEL = /^(?:\p{L}[\p{L}\p{N}_.:/-]{0,39})?$/u;
/** A text that is a number: an amount, a date, a time. */
const NUMERIC = /^(?:[^\p{L}]*\d[^\p{L}]*|\d{4}-[\dT:.Z+-]+)$/u;

/** Input of a shape: a case of a report, or a check in memory. */
export interface ShapedCase extends Pick<ReportCase, "kind"> {
  readonly findings: ReportFindings<unknown> | null;
}

/** Returns the group of a case's change. Its lines have a fixed order, each once. */
export function shapeOf({ kind, findings }: ShapedCase): ChangeShape {
  if (findings === null) return { kind, cause: null, lines: [] };
  const { cause, changes, violations, error, unrecorded, grid } = findings;
  const nowhere = { before: ABSENT, after: ABSENT };
  const lines: ShapeLine[] = [
    ...changes.map(changeLine),
    ...violations.map(
      (violation): ShapeLine => ({ part: "schema", path: violationPath(violation), ...nowhere, risk: "schema" }),
    ),
    ...(error === null ? [] : [{ part: "error", path: error.code, ...nowhere, risk: "failed" } as const]),
    ...(unrecorded === null
      ? []
      : [
          {
            part: "request",
            path: `${unrecorded.adapter} (${unrecorded.reason})`,
            ...nowhere,
            risk: "request",
          } as const,
        ]),
    ...(unrecorded?.changes ?? []).map((change) => ({ ...changeLine(change), risk: "request" as const })),
  ];
  const outcomes = grid === null ? [] : notableOutcomes(grid).filter(({ before }) => before !== undefined);
  return { kind, cause: cause?.kind ?? null, lines: mergeLines([...lines, ...outcomes.map(outcomeLine)]) };
}

/** Returns the key of a line, which identifies it in its shape without its values. */
export function lineKey({ part, path, before, after }: ShapeLine): string {
  return JSON.stringify([part, path, before.kind, after.kind]);
}

/** Merges lines with the same key into one, which keeps a value only if all have it; ordered by key. */
function mergeLines(lines: readonly ShapeLine[]): ShapeLine[] {
  const merged = new Map<string, ShapeLine>();
  for (const line of lines) {
    const key = lineKey(line);
    const known = merged.get(key);
    merged.set(key, known === undefined ? line : mergedLine(known, line));
  }
  return [...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

/** Merges two lines that have the same key. */
export function mergedLine(a: ShapeLine, b: ShapeLine): ShapeLine {
  return {
    ...a,
    before: mergedSide(a.before, b.before),
    after: mergedSide(a.after, b.after),
    risk: higherRisk(a.risk, b.risk),
  };
}

/** The one of two risks that is looked at first. */
export function higherRisk(a: Risk, b: Risk): Risk {
  return RISKS.indexOf(a) <= RISKS.indexOf(b) ? a : b;
}

/**
 * Returns a path for people with `*` for each key of an element: indexes, the keys of lists that are compared by key
 * (`keyed` are their paths), and names that only data can have: `lines[*].quantity`, `tasks.*.due`. A path of a command
 * keeps its name, which says what is done: `["invoke pay"].input.amount`.
 */
export function generalPath(
  path: readonly (string | number)[],
  {
    keyed = [],
    part,
  }: { readonly keyed?: readonly RulePath[] | undefined; readonly part?: ReportPart | undefined } = {},
): string {
  const elements = keyed.length === 0 ? [] : elementsOn(path, keyed);
  let text = "";
  for (const [depth, segment] of path.entries()) {
    const isCommand = depth === 0 && part === "commands";
    if (typeof segment === "number") text += "[*]";
    else {
      const name = isCommand ? generalCommand(segment) : generalName(segment, elements[depth] === true);
      text += text === "" ? name : `.${name}`;
    }
  }
  return text;
}

/**
 * Tree of paths that differ only by their indexes: if no list is keyed, these have one general path. It is looked up
 * name by name, because writing each path took a tenth of a failing check of 1 MB in another order.
 */
export class PathPrefixTree {
  /** Kind of all paths that end here. */
  kind: number | undefined;
  #next: Map<string | number, PathPrefixTree> | undefined;

  /** Returns the node of a path from here. */
  along(path: readonly (string | number)[]): PathPrefixTree {
    return path.reduce<PathPrefixTree>((node, segment) => node.#after(typeof segment === "number" ? 0 : segment), this);
  }

  #after(segment: string | 0): PathPrefixTree {
    this.#next ??= new Map();
    const known = this.#next.get(segment);
    if (known !== undefined) return known;
    const node = new PathPrefixTree();
    this.#next.set(segment, node);
    return node;
  }
}

function unnumbered(segment: string): string {
  return segment.replace(NUMBERED, "");
}

/**
 * Returns the name of a command. Topics of events may contain data, such as an ID or an address:
 * `["emit order.*.paid"]`. Names of steps are code.
 */
function generalCommand(segment: string): string {
  const name = unnumbered(segment);
  if (!name.startsWith("emit ")) return formatPath([name]);
  const words = name.split(/([\s./:]+)/);
  return formatPath([words.map((word) => (isData(word) ? "*" : word)).join("")]);
}

/** Returns true for a part of a topic that is data. A number of up to three digits can be a plan or a status. */
function isData(word: string): boolean {
  return word.includes("@") || (KEY.test(word) && !/^\d{1,3}$/.test(word));
}

function generalName(segment: string, isKey: boolean): string {
  const name = unnumbered(segment);
  return isKey || KEY.test(name) || !BARE.test(name) ? "*" : formatPath([name]);
}

/**
 * Returns the kind of risk of a change: commands and calls before output, values outside of a set before numbers before
 * prose.
 */
export function riskOf({ part, before, after, call }: ReportChange<unknown>): Risk {
  switch (part) {
    case "commands":
    case "events":
      return part;
    case "calls":
      return call?.role === "write" ? "writes" : "calls";
    case "request":
    case "response":
      return "request";
    case "input":
    case "output":
      return valueRisk(before, after);
  }
}

function valueRisk(before: unknown, after: unknown): Risk {
  if (typeof before === "number" && typeof after === "number") return "number";
  if (typeof before !== "string" || typeof after !== "string") return "label";
  if (before === "" || after === "") return "label";
  if (NUMERIC.test(before) && NUMERIC.test(after)) return "number";
  return LABEL.test(before) && LABEL.test(after) ? "label" : "prose";
}

/** End of the path of a moved call. Its sides are the call and its new position. */
export const MOVED = " (moved)";

function changeLine(change: ReportChange<unknown>): ShapeLine {
  const { part, path, before, after, call, count, general = withoutIndexes(path) } = change;
  const risk = riskOf(change);
  // Which call moved, and where to: calls of one adapter differ by their requests.
  if (call?.kind === "moved") {
    const words = (value: string): ShapeSide => ({ kind: "string", value });
    return { part, path: `${general}${MOVED}`, before: words(path), after: words(call.movedTo ?? ""), risk };
  }
  const hashed = before === undefined && after === undefined;
  // The numbers of a list differ from each other.
  const side = count === undefined ? sideWriter(change) : (value: unknown): ShapeSide => ({ kind: kindOf(value) });
  const sides = hashed ? { before: HASH, after: HASH } : { before: side(before), after: side(after) };
  return { part, path: general, ...sides, risk };
}

/**
 * Returns the line of an outcome. Each cell of a table is a separate line, because each fault is reviewed separately.
 */
function outcomeLine({ row, column, before, text }: GridOutcome): ShapeLine {
  return { part: "outcome", path: `${row} × ${column}`, before: sideOf(before), after: sideOf(text), risk: "label" };
}

function violationPath({ path, kind }: ReportViolation): string {
  return `${withoutIndexes(path)} (${kind})`;
}

const ABSENT: ShapeSide = { kind: "absent" };
const HASH: ShapeSide = { kind: "hash" };

function sideOf(value: unknown): ShapeSide {
  const kind = kindOf(value);
  switch (kind) {
    case "absent":
    case "hash":
    case "null":
      return { kind };
    case "list":
    case "object":
    case "boolean":
    case "number":
    case "string": {
      // A long text is never kept: writing it out would take longer than the rest.
      if (typeof value === "string" && value.length > MAX_KEPT) return { kind };
      if (typeof value === "object" && value !== null && Object.keys(value).length > 0) return { kind };
      const text = formatValue(value);
      return text.length > MAX_KEPT ? { kind } : { kind, value: text };
    }
  }
}

/** Returns how a side of a change is written: only of a complete call or command its form is kept. */
function sideWriter({ part, path, call }: ReportChange<unknown>): (value: unknown) => ShapeSide {
  if (call?.kind === "added" || call?.kind === "removed") return callSide;
  return part === "commands" && isCommandPath(path) ? commandSide : sideOf;
}

/** A command with its name: `emit("order.closed")`. */
function commandSide(command: unknown): ShapeSide {
  const side = sideOf(command);
  if (!isPlainObject(command) || typeof command["type"] !== "string") return side;
  const name = ["topic", "step", "reason"].map((field) => command[field]).find((value) => typeof value === "string");
  const text = `${command["type"]}(${name === undefined ? "" : formatValue(name)})`;
  return text.length > MAX_KEPT ? side : { ...side, value: text };
}

/** The arguments of a call with the names of its fields: `{ order }`. */
function callSide(request: unknown): ShapeSide {
  const side = sideOf(request);
  if (side.value !== undefined || !isPlainObject(request)) return side;
  const names = `{ ${Object.keys(request)
    .map((name) => formatPath([name]))
    .join(", ")} }`;
  return names.length > MAX_KEPT ? side : { ...side, value: names };
}

function kindOf(value: unknown): ShapeSide["kind"] {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return "number";
  if (typeof value === "string") return "string";
  return isArray(value) ? "list" : "object";
}

function mergedSide(a: ShapeSide, b: ShapeSide): ShapeSide {
  return a.value === b.value ? a : { kind: a.kind };
}
