import { COUNTS, KINDS } from "./words.js";

/** @import { PageData } from "../page-data.ts" */
/** @import { ReportCase } from "../../run-model.ts" */
/**
 * What the page shows, as the address has it.
 * @typedef {{ q: string, count: string, class: string, cause: string, step: string, label: string, case: string,
 * view: string }} State
 */

const FIELDS = /** @type {const} */ (["q", "count", "class", "cause", "step", "label", "case", "view"]);
const ORDER = Object.keys(KINDS);
/** @type {WeakMap<ReportCase, string>} */
const haystacks = new WeakMap();

/**
 * Reads what the page shows from its address.
 * @param {string} hash
 * @returns {State}
 */
export function readState(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const get = (/** @type {typeof FIELDS[number]} */ name) => given.get(name) ?? "";
  return {
    q: get("q"),
    count: get("count"),
    class: get("class"),
    cause: get("cause"),
    step: get("step"),
    label: get("label"),
    case: get("case"),
    view: get("view"),
  };
}

/**
 * Writes what the page shows as the end of an address.
 * @param {State} state
 */
export function writeState(state) {
  const made = new URLSearchParams();
  for (const name of FIELDS) if (state[name] !== "") made.set(name, state[name]);
  return `#${made}`;
}

/**
 * A text as it survives an address: without lone surrogates.
 * @param {string} text
 */
export function addressable(text) {
  return text.toWellFormed();
}

/**
 * The cases that pass all filters, what is to be looked at before what passed, the worst first.
 * @param {PageData} data
 * @param {State} state
 * @returns {number[]} indexes
 */
export function selectCases({ model, standings }, state) {
  const words = state.q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const rank = (/** @type {number} */ index) =>
    (standings[index] === "passed" ? 100 : 0) + ORDER.indexOf(model.cases[index]?.kind ?? "clean");
  return model.cases
    .flatMap((one, index) => (passes({ one, standing: standings[index] ?? "", state, words }) ? [index] : []))
    .sort((a, b) => rank(a) - rank(b) || a - b);
}

/**
 * @param {{ one: ReportCase, standing: string, state: State, words: readonly string[] }} given
 */
function passes({ one, standing, state, words }) {
  return (
    (state.class === "" || one.kind === state.class) &&
    (state.cause === "" || causesOf(one).includes(state.cause)) &&
    (state.step === "" || addressable(one.step) === state.step) &&
    (state.label === "" || one.labels.some((label) => addressable(label) === state.label)) &&
    isCounted({ one, standing, count: state.count }) &&
    words.every((word) => haystack(one).includes(word))
  );
}

/**
 * The cause, and where it is several, each of them.
 * @param {ReportCase} one
 * @returns {string[]}
 */
export function causesOf({ findings }) {
  const cause = findings?.cause ?? null;
  if (cause === null) return [];
  return cause.kind === "mixed" ? [...new Set(["mixed", ...cause.evidence.map(({ kind }) => kind)])] : [cause.kind];
}

/** @param {{ one: ReportCase, standing: string, count: string }} given */
function isCounted({ one, standing, count }) {
  if (!Object.hasOwn(COUNTS, count) || count === "total") return true;
  if (count === "waiting") return one.settled === "held" || one.settled === "review";
  return standing === count || ((count === "captured" || count === "updated") && one.settled === count);
}

/**
 * Everything a case says, for the search; made when a case is first searched.
 * @param {ReportCase} one
 */
function haystack(one) {
  const known = haystacks.get(one);
  if (known !== undefined) return known;
  /** @type {string[]} */
  const texts = [];
  gather([one.step, one.baseline, one.labels, one.test, one.kind, one.settled, one.findings], texts);
  const made = texts.join("\n").toLowerCase();
  haystacks.set(one, made);
  return made;
}

/**
 * @param {unknown} value
 * @param {string[]} texts
 */
function gather(value, texts) {
  if (typeof value === "string" || typeof value === "number") texts.push(String(value));
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) gather(inner, texts);
}
