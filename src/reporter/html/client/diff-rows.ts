import { button, el } from "./element.ts";
import { counted } from "../../../explain/wording.ts";
import { cutAt, markedText } from "./show-text.ts";
import type { Manner } from "./visible.ts";
import type { Run } from "./word-diff.ts";

export type Row = { left: Run[]; right: Run[] };
export type Look = { manner: Manner; code: boolean };

/** Maximum amount of common text around a change. More of it is folded. */
const NEAR = { lines: 3, characters: 240 };
const LONG_RUN = 6000;

/** One text with what is gone struck through and what is new underlined. */
export function inlineDiff(runs: readonly Run[], look: Look) {
  return el(
    "div",
    { class: style("diff-inline", look), dir: "auto" },
    runs.flatMap((run) => runNodes(run, { look, openers: [] })),
  );
}

/** Both texts, what belongs together in one row. */
export function sideDiff(runs: readonly Run[], look: Look) {
  const grid = el(
    "div",
    { class: "sides" },
    el("div", { class: "side-head" }, "Baseline"),
    el("div", { class: "side-head" }, "Now"),
  );
  for (const { left, right } of rowsOf(runs)) {
    const openers: (() => void)[] = [];
    grid.append(cell(left, { look, openers, side: "before" }), cell(right, { look, openers, side: "after" }));
  }
  return grid;
}

/** Parts runs at the line ends that both texts have, so that each row begins and ends a line on both sides. */
function rowsOf(runs: readonly Run[]): Row[] {
  const rows: Row[] = [{ left: [], right: [] }];
  for (const run of runs) {
    for (const part of run.kind === "same" ? linesOf(run) : [run]) {
      const row = rows.at(-1);
      if (part.kind !== "new") row?.left.push(part);
      if (part.kind !== "gone") row?.right.push(part);
      if (part.kind === "same" && part.text.endsWith("\n")) rows.push({ left: [], right: [] });
    }
  }
  return rows.filter(({ left, right }) => left.length + right.length > 0);
}

/** The rest of the current line, the complete lines, and the begin of the next one. */
function linesOf({ kind, text }: Run): Run[] {
  const first = text.indexOf("\n") + 1;
  const last = text.lastIndexOf("\n") + 1;
  return [text.slice(0, first), text.slice(first, last), text.slice(last)]
    .filter((part) => part !== "")
    .map((part) => ({ kind, text: part }));
}

function cell(
  runs: readonly Run[],
  { look, openers, side }: { look: Look; openers: (() => void)[]; side: "before" | "after" },
) {
  const changed = runs.some(({ kind }) => kind !== "same");
  return el(
    "div",
    { class: style(`side side-${side}${changed ? " touched" : ""}`, look), dir: "auto" },
    runs.flatMap((run) => runNodes(run, { look, openers })),
  );
}

function style(name: string, { code }: Look) {
  return `t block ${code ? "code" : "prose"} ${name}`;
}

function runNodes({ kind, text }: Run, { look, openers }: { look: Look; openers: (() => void)[] }): Node[] {
  if (kind === "same") return sameNodes(text, { look, openers });
  const marked = el(
    kind === "gone" ? "del" : "ins",
    {},
    markedText(text.length > LONG_RUN ? cutAt(text, LONG_RUN) : text, look.manner),
  );
  if (text.length <= LONG_RUN) return [marked];
  const all = button(
    `Show all ${counted(text.length, "character")}`,
    () => {
      marked.replaceChildren(...markedText(text, look.manner));
      all.remove();
    },
    { class: "fold" },
  );
  return [marked, all];
}

function sameNodes(text: string, { look, openers }: { look: Look; openers: (() => void)[] }): Node[] {
  const fold = folding(text);
  if (fold === null) return markedText(text, look.manner);
  const more = button(fold.label, () => openers.forEach((open) => open()), {
    class: fold.lines ? "fold lines" : "fold",
  });
  openers.push(() => more.replaceWith(...markedText(fold.hidden, look.manner)));
  return [...markedText(fold.head, look.manner), more, ...markedText(fold.tail, look.manner)];
}

function folding(text: string) {
  const lines = text.match(/[^\n]*\n|[^\n]+/g) ?? [];
  if (lines.length > 2 * NEAR.lines + 2) {
    const hidden = lines.slice(NEAR.lines, -NEAR.lines);
    return parts(text, {
      head: lines.slice(0, NEAR.lines).join("").length,
      tail: lines.slice(-NEAR.lines).join("").length,
      label: counted(hidden.length, "unchanged line"),
      lines: true,
    });
  }
  if (text.length <= 4 * NEAR.characters) return null;
  const head = cutAt(text, NEAR.characters).length;
  const tail = text.length - cutAt(text, text.length - NEAR.characters).length;
  return parts(text, { head, tail, label: counted(text.length - head - tail, "unchanged character"), lines: false });
}

function parts(
  text: string,
  { head, tail, label, lines }: { head: number; tail: number; label: string; lines: boolean },
) {
  return {
    head: text.slice(0, head),
    hidden: text.slice(head, text.length - tail),
    tail: text.slice(text.length - tail),
    label: `⋯ ${label}`,
    lines,
  };
}
