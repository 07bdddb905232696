import { el } from "./element.ts";
import { cutAt, untrustedText } from "./show-text.ts";
import { writtenCall, inlineValue } from "./call-text.ts";
import { visible } from "./visible.ts";
import { diffTexts } from "./word-diff.ts";
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
  return el("span", { class: "gist-swap" }, side("del", before), arrow, side("ins", after));
}

function side(tag: "del" | "ins", value: ReportValue | undefined) {
  if (value === undefined) return null;
  const text = typeof value === "string" ? value : inlineValue(value);
  return el(tag, {}, untrustedText(text, { limit: SHORT, style: typeof value === "string" ? "q" : "" }));
}

function changedWords(before: string, after: string) {
  const same = cutAt(before, Math.max(0, commonStart(before, after) - NEAR / 2)).length;
  const runs = diffTexts(before.slice(same, same + NEAR), after.slice(same, same + NEAR));
  const at = runs.findIndex(({ kind }) => kind !== "same");
  const lead = lastOf(runs[at - 1]?.text ?? "");
  const rest = runs.slice(at, at + 2);
  const [gone = "", fresh = ""] = (["gone", "new"] as const).map(
    (wanted) => rest.find(({ kind }) => kind === wanted)?.text ?? "",
  );
  const words = (tag: "del" | "ins", text: string) =>
    text === "" ? null : el(tag, {}, untrustedText(text, { limit: SHORT }));
  const cut = same > 0 || (runs[at - 1]?.text ?? "").length > LEAD;
  return el(
    "span",
    { class: "gist-swap" },
    el("span", { class: "dim" }, cut ? "… " : null, untrustedText(lead, { limit: LEAD })),
    words("del", gone),
    gone === "" || fresh === "" ? null : " → ",
    words("ins", fresh),
  );
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
