import { COUNT_LABELS, CLASS_LABELS } from "./labels.ts";
import type { PageData } from "../page-data.ts";
import type { RunModel } from "../../../explain/run-model.ts";
import type { ReportCase } from "../../../explain/report-case.ts";

const FIELDS = ["q", "count", "class", "cause", "step", "label", "group", "case", "view"] as const;
/** State of the page, as in its address. */
export type State = Record<(typeof FIELDS)[number], string>;

const ORDER = Object.keys(CLASS_LABELS);
const groupIndexCache: WeakMap<Pick<RunModel, "groups">, ReadonlyMap<number, number>> = new WeakMap();
const haystacks: WeakMap<ReportCase, string> = new WeakMap();

/** Reads what the page shows from its address. */
export function readState(hash: string): State {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const get = (name: (typeof FIELDS)[number]) => parameters.get(name) ?? "";
  return {
    q: get("q"),
    count: get("count"),
    class: get("class"),
    cause: get("cause"),
    step: get("step"),
    label: get("label"),
    group: get("group"),
    case: get("case"),
    view: get("view"),
  };
}

/** Writes what the page shows as the end of an address. */
export function writeState(state: State) {
  const made = new URLSearchParams();
  for (const name of FIELDS) if (state[name] !== "") made.set(name, state[name]);
  return `#${made}`;
}

/** A text as it survives an address: without lone surrogates. */
export function addressable(text: string) {
  return text.toWellFormed();
}

/** The count that is shown: the address's, else the cases to review, else all. */
export function shownCount({ statuses }: Pick<PageData, "statuses">, { count }: Pick<State, "count">) {
  if (Object.hasOwn(COUNT_LABELS, count)) return count;
  return statuses.some((status) => status !== "passed") ? "look" : "total";
}

/**
 * The cases that match all filters, those to review before those that passed, by group, the riskiest first. Returns
 * indexes
 */
export function selectCases({ model, statuses }: Pick<PageData, "model" | "statuses">, requested: State): number[] {
  const state = { ...requested, count: shownCount({ statuses }, requested) };
  const words = state.q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const groups = groupIndexes(model);
  const only = model.groups.findIndex(({ id }) => id === state.group);
  const isInGroup = (index: number) => state.group === "" || groups.get(index) === only;
  const rank = (index: number) =>
    statuses[index] === "passed"
      ? model.groups.length + 100 + ORDER.indexOf(model.cases[index]?.kind ?? "clean")
      : (groups.get(index) ?? model.groups.length);
  return model.cases
    .flatMap((reported, index) =>
      isInGroup(index) && passes({ one: reported, status: statuses[index] ?? "", state, words }) ? [index] : [],
    )
    .sort((a, b) => rank(a) - rank(b) || a - b);
}

/** Rank of each case's group, if it has one: the first to review is first. */
export function groupIndexes(model: Pick<RunModel, "groups">): ReadonlyMap<number, number> {
  const known = groupIndexCache.get(model);
  if (known !== undefined) return known;
  const made = new Map(model.groups.flatMap(({ cases }, rank) => cases.map((index) => [index, rank] as const)));
  groupIndexCache.set(model, made);
  return made;
}

function passes({
  one,
  status,
  state,
  words,
}: {
  one: ReportCase;
  status: string;
  state: State;
  words: readonly string[];
}) {
  return (
    (state.class === "" || one.kind === state.class) &&
    (state.cause === "" || causesOf(one).includes(state.cause)) &&
    (state.step === "" || addressable(one.step) === state.step) &&
    (state.label === "" || one.labels.some((label) => addressable(label) === state.label)) &&
    isCounted({ one, status, count: state.count }) &&
    words.every((word) => haystack(one).includes(word))
  );
}

/** The cause, or each of several causes. */
export function causesOf({ findings }: ReportCase): string[] {
  const cause = findings?.cause ?? null;
  if (cause === null) return [];
  return cause.kind === "mixed" ? [...new Set(["mixed", ...cause.evidence.map(({ kind }) => kind)])] : [cause.kind];
}

function isCounted({ one, status, count }: { one: ReportCase; status: string; count: string }) {
  if (count === "total") return true;
  if (count === "look") return status !== "passed";
  if (count === "pending") return one.updateState === "pending" || one.updateState === "review";
  return status === count || ((count === "captured" || count === "updated") && one.updateState === count);
}

/** Text of a case for the search, built when a case is first searched. */
function haystack(reported: ReportCase) {
  const known = haystacks.get(reported);
  if (known !== undefined) return known;
  const texts: string[] = [];
  gather(
    [
      reported.step,
      reported.baseline,
      reported.labels,
      reported.test,
      reported.kind,
      reported.updateState,
      reported.findings,
    ],
    texts,
  );
  const made = texts.join("\n").toLowerCase();
  haystacks.set(reported, made);
  return made;
}

function gather(value: unknown, texts: string[]) {
  if (typeof value === "string" || typeof value === "number") texts.push(String(value));
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) gather(inner, texts);
}
