import { el } from "./element.ts";
import { sayText } from "./show-text.ts";
import { CAUSES } from "./words.ts";
import { grouped } from "../../../explain/wording.ts";
import type { ReportGroup } from "../../run-model.ts";

/** Places that a kind of change is told by. */
const MAX_LINES = 2;

/** What kind of change a group is: its class, what changed from what to what, and why. */
export function groupHead({ kind, lines, cause, others }: Omit<ReportGroup, "cases">) {
  const rest = lines.length - MAX_LINES;
  const why = Object.entries(CAUSES).find(([name]) => name === cause)?.[1];
  return [
    el("span", { class: "group-kind" }, kind),
    lines.slice(0, MAX_LINES).map((line) => [" ", shapeOf(line)]),
    rest > 0 ? el("span", { class: "dim" }, ` + ${grouped(rest)} more`) : null,
    why === undefined ? null : [" ", el("span", { class: "chip" }, why.word)],
    others.length === 0 ? null : el("span", { class: "dim" }, ` each alone: ${others.join(", ")}`),
  ];
}

function shapeOf({ part, path, before, after }: ReportGroup["lines"][number]) {
  const side = (tag: "del" | "ins", { kind, value }: typeof before) =>
    kind === "absent"
      ? el("span", { class: "dim" }, "nothing")
      : el(tag, {}, sayText(value ?? kind, { limit: 40, style: value === undefined ? "kind-of" : "" }));
  const place = sayText(path === "" ? part : path, { style: "path", limit: 80 });
  if (before.kind === "absent" && after.kind === "absent") return place;
  return el("span", { class: "gist-swap" }, place, " ", side("del", before), " → ", side("ins", after));
}
