import { textDiff } from "./change-view.ts";
import { type Child, announce, button, el, section } from "./element.ts";
import type { Server, Settled, WholeTexts } from "./served.ts";
import { block, sayText } from "./show-text.ts";
import type { WaitingChange } from "../page-data.ts";
import { counted } from "../../../explain/wording.ts";

const DONE = { accepted: "Accepted", rejected: "Rejected" };

/**
 * Accept and reject: a click settles exactly the text that the page shows. `ready` ends once that stands on the page:
 * before, nothing can be clicked.
 */
export function settlePart({
  server,
  change,
  ready,
}: {
  server: Server;
  change: WaitingChange;
  ready: Promise<boolean>;
}) {
  const known = server.settledAs(change);
  const said = el("span", { class: "settled-said", role: "status" });
  if (known !== undefined) {
    said.textContent = known === "accepted" ? DONE.accepted : DONE.rejected;
    return el("div", { class: "accept" }, said);
  }
  const reason = el("input", { class: "reason", "aria-label": "Reason", placeholder: "Why (for the receipt)" });
  const settle = async (act: "accept" | "reject") => {
    for (const one of buttons) one.disabled = true;
    const answer = await server.settle(act, [change], reason.value);
    said.replaceChildren(...wordsOf(answer).filter((part) => part !== null));
    announce(said.textContent ?? "");
    const done = answer.outcome === "accepted" || answer.outcome === "rejected";
    for (const one of buttons) one.disabled = done || answer.outcome === "stale";
  };
  const buttons = [
    button("Accept", () => void settle("accept"), { id: "accept-now", class: "yes", disabled: true }),
    button("Reject", () => void settle("reject"), { id: "reject-now", disabled: true }),
  ];
  void allowOnce(ready, buttons);
  return el("div", { class: "accept" }, buttons, server.asksReason ? reason : null, said);
}

async function allowOnce(ready: Promise<boolean>, buttons: readonly HTMLButtonElement[]) {
  const shown = await ready;
  for (const one of buttons) one.disabled = !shown;
}

function wordsOf({ outcome, problems, receipt }: Settled): Node[] {
  const done = Object.entries(DONE).find(([name]) => name === outcome)?.[1];
  const told = problems.map((problem) => el("span", { class: "problem" }, sayText(problem, { limit: 1000 }), " "));
  if (done === undefined) return told;
  return [document.createTextNode(receipt === null ? `${done}. ` : `${done}, receipt ${receipt}. `), ...told];
}

/** The file as accepting writes it, beside what it is now. `ready` says whether it stands there. */
export function wholeChange({ server, change, view }: { server: Server; change: WaitingChange; view: string }) {
  const body = el("div", {}, el("p", { class: "dim" }, "Loading …"));
  const ready = server.show(change).then((answer) => {
    const isShown = "after" in answer;
    body.replaceChildren(isShown ? wholeTexts(answer, view) : el("p", { class: "problem" }, wordsOf(answer)));
    return isShown;
  });
  const title: Child = change.kind === "remove" ? "The file that accepting removes" : "The file as accepting writes it";
  return { ready, part: section({ title, id: "whole-title" }, body) };
}

function wholeTexts({ before, after }: WholeTexts, view: string) {
  if (before === null || after === null)
    return el(
      before === null ? "ins" : "del",
      { class: "alone" },
      el("p", {}, counted((before ?? after ?? "").length, "character")),
      block(before ?? after ?? "", { style: "code" }),
    );
  return el("div", { class: "change" }, textDiff([before, after], { view, manner: "prose", code: true }));
}
