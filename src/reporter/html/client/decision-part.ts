import { textDiff } from "./change-view.ts";
import { announce, button, el } from "./element.ts";
import type { Server, UpdateReply, ChangeTexts } from "./served.ts";
import { block, untrustedText } from "./show-text.ts";
import type { ServedChange } from "../page-data.ts";
import { counted } from "../../../explain/wording.ts";
import { showInToast } from "./undo.ts";

const DONE = { accepted: "Accepted", rejected: "Rejected" };
const STATES = { ...DONE, accepting: "Accepting …", rejecting: "Rejecting …" };

/**
 * Accept and reject buttons. A click applies exactly the text that the page shows. `ready` ends once that text is
 * shown; before, the buttons are disabled.
 */
export function decisionPart({
  server,
  change,
  ready,
}: {
  server: Server;
  change: ServedChange;
  ready: Promise<boolean>;
}) {
  const known = server.updateStateOf(change);
  if (known === undefined) return decisionButtons({ server, changes: [change], group: null, ready });
  const state = Object.entries(STATES).find(([name]) => name === known)?.[1] ?? known;
  return el("div", { class: "accept" }, el("span", { class: "settled-said", role: "status" }, state));
}

/**
 * Accept and reject buttons for all pending changes of one kind, folded. Opening it shows one of them in full, and only
 * then the buttons work, for all of them with one click. Null if none was pending.
 */
export function groupDecisionPart({ server, id, view }: { server: Server; id: string; view: string }) {
  const all = server.changesOf(id);
  const changes = all.filter((change) => server.updateStateOf(change) === undefined);
  const [example] = changes;
  if (all.length === 0) return null;
  if (example === undefined) return el("p", { class: "dim" }, "No change of this group is pending.");
  const amount = counted(changes.length, "change");
  const body = el("div", {});
  const open = () => {
    if (!folded.open || body.firstChild !== null) return;
    const { ready, body: whole } = wholeBody({ server, change: example, view });
    const what = el("p", {}, "One of them, as accepting writes it: ", untrustedText(example.target, { style: "path" }));
    body.append(what, whole, decisionButtons({ server, changes, group: id, ready }));
  };
  const folded = el(
    "details",
    { class: "settle-kind" },
    el("summary", {}, `Accept or reject ${amount} of this group`),
    body,
  );
  folded.addEventListener("toggle", open);
  return folded;
}

function decisionButtons({
  server,
  changes,
  group,
  ready,
}: {
  server: Server;
  changes: readonly ServedChange[];
  group: string | null;
  ready: Promise<boolean>;
}) {
  const status = el("span", { class: "settled-said", role: "status" });
  const [what, of] = group === null ? ["", ""] : [` ${counted(changes.length, "change")}`, `-${group}`];
  const reason = el("input", { class: "reason", "aria-label": "Reason", placeholder: "Why (for the receipt)" });
  const decide = async (act: "accept" | "reject") => {
    for (const control of buttons) control.disabled = true;
    status.replaceChildren(STATES[act === "accept" ? "accepting" : "rejecting"]);
    const reply = await server.applyDecision(act, changes, { reason: reason.value, group });
    status.replaceChildren(...wordsOf(reply).filter((part) => part !== null));
    announce(status.textContent ?? "");
    if (reply.problems.length > 0 && !status.isConnected) showInToast(reply.problems.join(" "));
    const done = reply.outcome === "accepted" || reply.outcome === "rejected";
    for (const control of buttons) control.disabled = done || reply.outcome === "outdated";
  };
  const buttons = [
    button(`Accept${what}`, () => void decide("accept"), { id: `accept-now${of}`, class: "yes", disabled: true }),
    button(`Reject${what}`, () => void decide("reject"), { id: `reject-now${of}`, disabled: true }),
  ];
  void allowOnce(ready, buttons);
  return el("div", { class: "accept" }, buttons, server.requiresReason ? reason : null, status);
}

async function allowOnce(ready: Promise<boolean>, buttons: readonly HTMLButtonElement[]) {
  const isReady = await ready;
  for (const control of buttons) control.disabled = !isReady;
}

function wordsOf({ outcome, problems, receipt }: UpdateReply): Node[] {
  const done = Object.entries(DONE).find(([name]) => name === outcome)?.[1];
  const problemParts = problems.map((problem) =>
    el("span", { class: "problem" }, untrustedText(problem, { limit: 1000 }), " "),
  );
  if (done === undefined) return problemParts;
  return [document.createTextNode(receipt === null ? `${done}. ` : `${done}, receipt ${receipt}. `), ...problemParts];
}

/** The complete file as accepting writes it, next to the current one, folded. `ready` is true once it's loaded. */
export function fileDiffPart({ server, change, view }: { server: Server; change: ServedChange; view: string }) {
  const { ready, body } = wholeBody({ server, change, view });
  const title = change.kind === "remove" ? "The file that accepting removes" : "The file as accepting writes it";
  return { ready, part: el("details", { id: "whole" }, el("summary", {}, title), body) };
}

function wholeBody({ server, change, view }: { server: Server; change: ServedChange; view: string }) {
  const body = el("div", {}, el("p", { class: "dim" }, "Loading …"));
  const ready = server.show(change).then((reply) => {
    const isShown = "after" in reply;
    body.replaceChildren(isShown ? wholeTexts(reply, view) : el("p", { class: "problem" }, wordsOf(reply)));
    return isShown;
  });
  return { ready, body };
}

function wholeTexts({ before, after }: ChangeTexts, view: string) {
  if (before === null || after === null)
    return el(
      before === null ? "ins" : "del",
      { class: "alone" },
      el("p", {}, counted((before ?? after ?? "").length, "character")),
      block(before ?? after ?? "", { style: "code" }),
    );
  return el("div", { class: "change" }, textDiff([before, after], { view, manner: "prose", code: true }));
}
