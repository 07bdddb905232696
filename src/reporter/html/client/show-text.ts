import { button, el } from "./element.ts";
import { formatCount } from "../../../explain/wording.ts";
import { pieces, type Manner } from "./visible.ts";

/** A text longer than the first, in characters or in lines, is folded to the second. */
const FOLD = { longest: 2400, most: 60, shown: 1600, lines: 24 };
/** More escapes than this are not marked one by one: a page of a million elements does not open. */
const MAX_MARKS = 2000;

/**
 * Renders untrusted text in its own element: it can't change the direction of the text around it, and invisible
 * characters are written out. Ends in an ellipsis if it's longer than `limit`.
 */
export function untrustedText(
  text: string,
  { manner = "line", limit = 400, style = "" }: { manner?: Manner; limit?: number; style?: string } = {},
) {
  const visible = text.length > limit ? cutAt(text, limit) : text;
  return el(
    "bdi",
    { class: `t ${style}` },
    markedText(visible, manner),
    visible.length < text.length ? el("span", { class: "more" }, "…") : null,
  );
}

/** A block of untrusted text; a long one is folded, with a button that shows all of it. */
export function block(text: string, { manner = "prose", style = "" }: { manner?: Manner; style?: string } = {}) {
  const body = el("div", { class: `t block ${style}`, dir: "auto" });
  const short = folded(text);
  body.append(...markedText(short, manner));
  if (short === text) return body;
  const all = button(
    `Show all ${formatCount(text.length)} characters`,
    () => {
      body.replaceChildren(...markedText(text, manner));
      all.remove();
    },
    { class: "fold" },
  );
  return el("div", { class: "folded" }, body, all);
}

/** Untrusted text as nodes, each escape marked as one. */
export function markedText(text: string, manner: Manner): Node[] {
  const all = pieces(text, manner);
  const marked = all
    .slice(0, MAX_MARKS)
    .map((piece) => (piece.escaped ? el("span", { class: "esc" }, piece.text) : document.createTextNode(piece.text)));
  if (all.length <= MAX_MARKS) return marked;
  const rest = all.slice(MAX_MARKS).map((piece) => piece.text);
  return [...marked, document.createTextNode(rest.join(""))];
}

/** Cuts a text without splitting a pair of surrogates. */
export function cutAt(text: string, length: number) {
  const split =
    /[\ud800-\udbff]$/.test(text.slice(0, length)) && /^[\udc00-\udfff]/.test(text.slice(length, length + 1));
  return text.slice(0, split ? length - 1 : length);
}

function folded(text: string) {
  const lines = text.length > FOLD.longest ? [] : text.split("\n");
  if (text.length <= FOLD.longest && lines.length <= FOLD.most) return text;
  return cutAt(text, FOLD.shown).split("\n").slice(0, FOLD.lines).join("\n");
}
