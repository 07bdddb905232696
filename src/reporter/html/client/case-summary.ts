import { el } from "./element.ts";
import { cutAt, untrustedText } from "./show-text.ts";
import { writtenCall, inlineValue } from "./call-text.ts";
import { looksEqual, visible } from "./visible.ts";
import { type Run, diffTexts } from "./word-diff.ts";
import { type GridOutcome, notableOutcomes } from "../../../explain/outcome-grid.ts";
import { counted, formatCount, unrecordedRequestText } from "../../../explain/wording.ts";
import type { ReportCase, ReportChange, ReportFindings, ReportValue } from "../../../explain/report-case.ts";
import type { ReportGroup } from "../../../explain/run-model.ts";
import { leadingLine } from "./class-badge.ts";

/** Characters of a value in a line, of what leads to a change in a text, and of a text around its first change. */
const SHORT = 40;
const LEAD = 24;
const NEAR = 400;

/** Most important finding of a case, in a line: of its changes the one that its group is named after. */
export function caseSummaryLine({ kind, findings }: Pick<ReportCase, "kind" | "findings">, group: ReportGroup | null) {
  if (findings === null) return null;
  const { problem, error, unrecorded, trials } = findings;
  if (problem !== null) return untrustedText(problem, { limit: 160 });
  if (error !== null)
    return [untrustedText(error.code, { style: "path", limit: 60 }), " ", untrustedText(error.message, { limit: 160 })];
  if (unrecorded !== null)
    return [untrustedText(unrecorded.adapter, { style: "path", limit: 60 }), ` ${unrecordedRequestText(unrecorded)}`];
  return [
    differences(findings, leadingLine(kind, group)),
    trials === null
      ? null
      : el("span", { class: "dim" }, ` ${formatCount(trials.clean)} of ${counted(trials.run, "trial")} clean`),
  ];
}

function differences(
  { changes, more, violations, tolerated, unused, grid }: ReportFindings,
  line: ReportGroup["lines"][number] | undefined,
) {
  const [violation] = violations;
  const change = changes.find((known) => isOfLine(known, line)) ?? changes[0];
  if (violation !== undefined)
    return [
      untrustedText(violation.path, { style: "path", limit: 60 }),
      " ",
      untrustedText(violation.message, { limit: 120 }),
    ];
  const [outcome, ...outcomes] = grid === null ? [] : notableOutcomes(grid);
  if (outcome !== undefined) return outcomeInShort(outcome, outcomes.length);
  if (change !== undefined) {
    const rest = changes.length + more - 1;
    return [changeInShort(change), rest > 0 ? el("span", { class: "dim" }, ` + ${formatCount(rest)} more`) : null];
  }
  if (tolerated.length > 0) return el("span", { class: "dim" }, `${counted(tolerated.length, "difference")} tolerated`);
  return unused.length > 0 ? el("span", { class: "dim" }, `${counted(unused.length, "recorded call")} not made`) : null;
}

function outcomeInShort({ row, column, text, wrong }: GridOutcome, rest: number) {
  return [
    untrustedText(`${row} × ${column}`, { style: "path", limit: 80 }),
    wrong ? " wrong: " : " ",
    untrustedText(text, { limit: 80 }),
    rest > 0 ? el("span", { class: "dim" }, ` + ${formatCount(rest)} more`) : null,
  ];
}

function isOfLine({ part, path, general, call }: ReportChange, line: ReportGroup["lines"][number] | undefined) {
  const shape = `${general ?? path.replaceAll(/\[\d+\]/g, "[*]")}${call?.kind === "moved" ? " (moved)" : ""}`;
  return line?.part === part && line.path === shape;
}

/** A change in a few words: `+ tools.mail({ order: 1005 })`, `total 9 → 10`. */
function changeInShort(change: ReportChange) {
  const { before, after, call } = change;
  const [removed, added] = [writtenCall(change, before), writtenCall(change, after)];
  const times = call !== undefined && call.times > 1 ? ` × ${formatCount(call.times)}` : "";
  if (before === undefined && added !== undefined) return oneSide("ins", `+ ${added}${times}`);
  if (after === undefined && removed !== undefined) return oneSide("del", `− ${removed}${times}`);
  const mark = before === undefined ? "+ " : "− ";
  return [
    (before === undefined) === (after === undefined) ? null : mark,
    el("bdi", { class: "t path" }, visible(change.path === "" ? change.part : change.path).slice(0, 80)),
    " ",
    call?.kind === "moved" && call.movedTo !== null
      ? ["moved ", untrustedText(call.movedTo, { style: "path", limit: 80 })]
      : swapInShort(change),
  ];
}

function oneSide(tag: "del" | "ins", text: string) {
  return el("span", { class: "gist-swap" }, el(tag, { class: "code" }, untrustedText(text, { limit: 2 * SHORT })));
}

/** A change in a few words: of two long texts those that changed, not those that both begin with. */
function swapInShort({ before, after }: ReportChange) {
  if (typeof before === "string" && typeof after === "string" && before.length + after.length > 2 * SHORT)
    return changedWords(before, after);
  if (before === undefined && after === undefined) return "differs from its stored hash";
  const arrow = before === undefined || after === undefined ? "" : " → ";
  const manner = looksEqual(sideText(before), sideText(after)) ? "strict" : "line";
  const side = (tag: "del" | "ins", value: ReportValue | undefined) =>
    value === undefined
      ? null
      : el(
          tag,
          {},
          untrustedText(sideText(value), { limit: SHORT, manner, style: typeof value === "string" ? "q" : "" }),
        );
  return el("span", { class: "gist-swap" }, side("del", before), arrow, side("ins", after));
}

function sideText(value: ReportValue | undefined) {
  if (value === undefined) return "";
  return typeof value === "string" ? value : inlineValue(value);
}

/** The first words that changed, and the number of further ones. */
function changedWords(before: string, after: string) {
  const { start, runs, isCut } = nearChange(before, after);
  const at = runs.findIndex(({ kind }) => kind !== "same");
  const lead = lastOf(runs[at - 1]?.text ?? "");
  const rest = runs.slice(at, at + 2);
  const [gone = "", fresh = ""] = (["gone", "new"] as const).map(
    (wanted) => rest.find(({ kind }) => kind === wanted)?.text ?? "",
  );
  const manner = looksEqual(gone, fresh) ? "strict" : "line";
  const words = (tag: "del" | "ins", text: string) =>
    text === "" ? null : el(tag, {}, untrustedText(text, { limit: SHORT, manner }));
  const cut = start > 0 || (runs[at - 1]?.text ?? "").length > LEAD;
  const spans = runs.filter(
    ({ kind }, index) => kind !== "same" && (runs[index - 1]?.kind ?? "same") === "same",
  ).length;
  const more = spans > 1 ? ` + ${counted(spans - 1, "more change")}` : " + more";
  return el(
    "span",
    { class: "gist-swap" },
    el("span", { class: "dim" }, cut ? "… " : null, untrustedText(lead, { limit: LEAD })),
    words("del", gone),
    gone === "" || fresh === "" ? null : " → ",
    words("ins", fresh),
    spans > 1 || isCut ? el("span", { class: "dim" }, more) : null,
  );
}

/** Differences of two texts near their first change. `isCut`: further text was not compared, and differs. */
function nearChange(before: string, after: string) {
  const start = cutAt(before, Math.max(0, commonStart(before, after) - NEAR / 2)).length;
  const [was, is] = [before.slice(start), after.slice(start)];
  const end = Math.min(was.length, is.length) > NEAR ? commonEnd(was.slice(NEAR), is.slice(NEAR)) : 0;
  const [near, now] = [was.slice(0, was.length - end), is.slice(0, is.length - end)];
  const isCut = near.length > 2 * NEAR || now.length > 2 * NEAR;
  const runs: readonly Run[] = diffTexts(near.slice(0, 2 * NEAR), now.slice(0, 2 * NEAR));
  return { start, runs, isCut };
}

/** Text of all that changed in a case: two cases with the same one need to be read once. */
export function changedParts({ findings }: Pick<ReportCase, "findings">): string {
  if (findings === null) return "";
  const { changes, ...others } = findings;
  const parts = changes.map(({ before, after, ...change }) =>
    typeof before === "string" && typeof after === "string"
      ? [change, nearChange(before, after).runs.filter(({ kind }) => kind !== "same")]
      : [change, before, after],
  );
  return JSON.stringify([parts, others.violations, others.error, others.problem, others.unrecorded, others.more]);
}

/** The end of a text, from a word boundary or at least a complete sign. */
function lastOf(text: string) {
  const end = Array.from(text).slice(-LEAD).join("");
  if (end.length === text.length) return text;
  const words = end.replace(/^\S*\s+/u, "");
  return words === "" ? end.replace(/^(?:\u200d|\p{Emoji_Modifier}|\p{M})+/u, "") : words;
}

function commonStart(before: string, after: string) {
  let length = 0;
  while (length < before.length && before[length] === after[length]) length += 1;
  return cutAt(before, length).length;
}

function commonEnd(before: string, after: string) {
  let length = 0;
  while (length < Math.min(before.length, after.length) && before.at(-1 - length) === after.at(-1 - length))
    length += 1;
  return length;
}
