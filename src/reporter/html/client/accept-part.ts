import { announce, button, el } from "./element.ts";
import { acceptGroupLine, acceptLine } from "./shell-quote.ts";
import { type WaitingPlace, reviewLine } from "../../../explain/wording.ts";
import type { ReportGroup } from "../../run-model.ts";
import type { ReportCase } from "../../../explain/report-case.ts";

/** The command that accepts a case's change; null where nothing waits, because there it would find nothing. */
export function acceptPart({ settled, baseline }: ReportCase, place: WaitingPlace) {
  if (settled !== "held" && settled !== "review") return null;
  return commandPart(acceptLine(baseline, place) ?? reviewLine(place), {
    id: "accept",
    label: "Copy accept command",
  });
}

/** The command that accepts all of a group; null where none of it waits. */
export function acceptGroupPart({ id, waiting }: Pick<ReportGroup, "id" | "waiting">, place: WaitingPlace) {
  if (waiting === 0) return null;
  return commandPart(acceptGroupLine(id, place), { id: `accept-${id}`, label: "Copy accept command" });
}

/** A command with a button that copies it. */
function commandPart(command: string, { id, label }: { id: string; label: string }) {
  const code = el("code", { id, tabindex: 0, dir: "ltr" }, command);
  const copier = button(label, () => void copy({ command, code, copier, label }), { id: `copy-${id}` });
  return el("p", { class: "accept" }, copier, code);
}

/** Copies a text; where the browser does not allow that, selects it for the reader to copy. */
async function copy({
  command,
  code,
  copier,
  label,
}: {
  command: string;
  code: Element;
  copier: Element;
  label: string;
}) {
  const said = (text: string) => {
    copier.textContent = text;
    setTimeout(() => (copier.textContent = label), 2000);
  };
  try {
    await navigator.clipboard.writeText(command);
    announce("Copied.");
    said("Copied");
  } catch {
    getSelection()?.selectAllChildren(code);
    announce("Selected: copy it with Ctrl+C.");
    said("Press Ctrl+C");
  }
}
