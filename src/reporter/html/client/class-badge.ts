import type { ReportGroup } from "../../../explain/run-model.ts";
import { isCommandPath } from "../../../explain/wording.ts";
import type { ReportCase } from "../../../explain/report-case.ts";
import { el, sign } from "./element.ts";
import { CLASS_LABELS } from "./labels.ts";

type Line = ReportGroup["lines"][number];

/** Words for a group of changes: `New write`, `Text changed`. */
type ClassWords = { word: string; tone: string; icon: string };

/** The class of a case in words, with its name in a tooltip. A change of writes or commands is marked as dangerous. */
export function classBadge({ kind }: Pick<ReportCase, "kind">, group: ReportGroup | null) {
  const { word, tone, icon } = classWords(kind, group);
  return el("span", { class: `kind ${tone}`, title: kind }, sign(icon), word);
}

/** True for a change of writes or commands. */
export function isDangerous(kind: ReportCase["kind"], group: ReportGroup | null) {
  return classWords(kind, group).tone === "danger";
}

/** Words for the leading line of a group, or for the class of a case without a group. */
export function classWords(kind: ReportCase["kind"], group: Pick<ReportGroup, "lines"> | null): ClassWords {
  const label: ClassWords = CLASS_LABELS[kind];
  const line = leadingLine(kind, group);
  if (line === undefined) return label;
  if (kind === "calls_changed" || kind === "commands_changed") return actionWords(line, label);
  return kind === "value_changed" ? { ...label, word: valueWord(line) } : label;
}

/** The line that a case of a group is shown by: a write, else of its class, else the riskiest; new ones are first. */
export function leadingLine(kind: ReportCase["kind"], group: Pick<ReportGroup, "lines"> | null): Line | undefined {
  const lines = group?.lines ?? [];
  return (
    lines.find(({ risk }) => risk === "writes") ?? lines.find(({ part }) => kind === `${part}_changed`) ?? lines[0]
  );
}

function actionWords({ part, path, risk, before, after }: Line, label: ClassWords): ClassWords {
  const [noun, tone] = nounOf({ part, risk, tone: label.tone });
  // Below a command only a part of it was added or removed.
  const complete = part !== "commands" || isCommandPath(path);
  if (path.endsWith(" (moved)")) return { word: firstUpper(`${noun} moved`), tone, icon: "↕" };
  if (complete && before.kind === "absent")
    return { word: noun === "tool call" ? "Tool call added" : `New ${noun}`, tone, icon: "+" };
  if (complete && after.kind === "absent") return { word: firstUpper(`${noun} gone`), tone, icon: "−" };
  return { word: firstUpper(`${noun} changed`), tone, icon: label.icon };
}

function nounOf({ part, risk, tone }: Pick<Line, "part" | "risk"> & { tone: string }) {
  if (risk === "writes") return ["write", "danger"] as const;
  return part === "commands" ? (["command", "danger"] as const) : (["tool call", tone] as const);
}

function valueWord({ part, risk, before, after }: Line) {
  if (part === "outcome") return "Outcome changed";
  if (before.kind === "absent") return "Value added";
  if (after.kind === "absent") return "Value gone";
  if (risk === "prose") return "Text changed";
  return risk === "number" ? "Number changed" : "Value changed";
}

function firstUpper(text: string) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
