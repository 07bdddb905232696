import { counted } from "../../../explain/wording.ts";
import type { ReportChange, ReportRow } from "../../../explain/report-case.ts";
import { inlineValue, parsedCall } from "./call-text.ts";
import { type Child, button, el, section, sign } from "./element.ts";
import { block, cutAt, markedText, untrustedText } from "./show-text.ts";
import { type Run, diffTexts } from "./word-diff.ts";

/** Number of equal calls in a row from which they are folded. */
const FOLDED = 3;

/** Characters of a call in one line: more than a report keeps of it. */
const MAX_LINE = 400;

/** Result of a call, as a sign and a word. */
const ROWS: Readonly<Record<ReportRow["kind"], { readonly sign: string; readonly word: string }>> = {
  same: { sign: "", word: "" },
  changed: { sign: "~", word: "changed" },
  added: { sign: "+", word: "new" },
  removed: { sign: "−", word: "gone" },
  moved: { sign: "↕", word: "moved" },
};

/**
 * The calls of the baseline and of today, each next to its counterpart. Stretches of equal ones are folded, and a click
 * on a call lays its arguments out. `changes` are those of the calls.
 */
export function trajectoryPart(rows: readonly ReportRow[], changes: readonly ReportChange[]) {
  const stretches: ReportRow[][] = [];
  for (const row of rows) {
    const last = stretches.at(-1);
    if (last?.[0]?.kind === "same" && row.kind === "same") last.push(row);
    else stretches.push([row]);
  }
  const head = ["", "Baseline", "Now"].map((name) =>
    name === "" ? el("td") : el("th", { scope: "col", class: "trajectory-head" }, name),
  );
  return section(
    { title: "Calls", id: "trajectory-title" },
    el(
      "table",
      { class: "trajectory" },
      el("thead", {}, el("tr", {}, head)),
      stretches.flatMap((stretch) => (stretch.length < FOLDED ? [rowsOf(stretch, changes)] : folded(stretch, changes))),
    ),
  );
}

/** The changes of calls that the table doesn't show in full, because a row is cut or absent. */
export function changesBesides(rows: readonly ReportRow[], changes: readonly ReportChange[]) {
  return changes.filter(({ part, path, call }) => {
    if (part !== "calls" || call === undefined) return true;
    const own = rows.filter(
      ({ kind, baseline, now }) => kind === call.kind && path.split(": ")[0] === nameIn(now ?? baseline),
    );
    const texts = own.flatMap(({ baseline, now }) => [baseline, now]);
    return own.length === 0 || !texts.every((text) => text === null || isComplete(text));
  });
}

function nameIn(text: string | null) {
  return text?.slice(0, Math.max(0, text.indexOf("("))) ?? "";
}

function isComplete(text: string) {
  return text.length <= MAX_LINE && (text.endsWith("()") || parsedCall(text) !== null);
}

function rowsOf(rows: readonly ReportRow[], changes: readonly ReportChange[]) {
  return el(
    "tbody",
    {},
    rows.map((row) => rowOf(row, changes)),
  );
}

/** A stretch that opens and closes. */
function folded(rows: readonly ReportRow[], changes: readonly ReportChange[]) {
  const body = rowsOf(rows, changes);
  body.hidden = true;
  const open = button(
    counted(rows.length, "equal call"),
    () => {
      body.hidden = !body.hidden;
      open.setAttribute("aria-expanded", String(!body.hidden));
    },
    { class: "fold", "aria-expanded": "false" },
  );
  return [el("tbody", {}, el("tr", {}, el("td"), el("td", { colspan: 2 }, open))), body];
}

function rowOf({ kind, role, baseline, now }: ReportRow, changes: readonly ReportChange[]) {
  const { sign: mark, word } = ROWS[kind];
  const write = () => (role === "write" ? el("span", { class: "tag tag-write" }, "write") : null);
  const movedTo =
    changes.find(({ call, path }) => call?.kind === "moved" && path === nameIn(now))?.call?.movedTo ?? null;
  const tag =
    word === ""
      ? null
      : el(
          "span",
          { class: `tag tag-${kind}` },
          word,
          kind === "moved" && movedTo !== null ? [" ", untrustedText(movedTo, { style: "path", limit: 80 })] : null,
        );
  const runs =
    kind === "changed" && baseline !== null && now !== null ? diffTexts(oneLine(baseline), oneLine(now)) : null;
  const text = (value: string, side: "gone" | "new") =>
    runs === null
      ? untrustedText(oneLine(value), { style: "code" })
      : el(
          "bdi",
          { class: "t code" },
          runs.flatMap((run) => sideOf(run, side)),
        );
  const cell = (value: string | null, side: "gone" | "new") =>
    el(
      "td",
      { class: `trajectory-${side === "gone" ? "before" : "after"}` },
      value === null ? null : [callOf(value, text(value, side)), write(), side === "new" || now === null ? tag : null],
    );
  return el("tr", { "data-row": kind }, el("td", {}, sign(mark)), cell(baseline, "gone"), cell(now, "new"));
}

/** The part of a run that one side of a changed call has, marked if the other lacks it. */
function sideOf({ kind, text }: Run, side: "gone" | "new") {
  if (kind === "same") return markedText(text, "line");
  return kind === side ? [el(side === "gone" ? "del" : "ins", {}, markedText(text, "line"))] : [];
}

/** A call in one line. If its arguments take more than one when they are laid out, it opens to them. */
function callOf(text: string, line: Child) {
  const call = parsedCall(text);
  if (call === null) return line;
  return el(
    "details",
    { class: "call-args" },
    el("summary", {}, line),
    block(JSON.stringify(call.value, null, 2), { style: "code" }),
  );
}

function oneLine(text: string) {
  const call = parsedCall(text);
  return cutAt(call === null ? text : `${call.name}(${inlineValue(call.value)})`, MAX_LINE);
}
