import { button, byId, el } from "./element.ts";
import { readState, writeState } from "./filters.ts";

/** Entries of the help: keys and their actions. */
const KEYS = [
  ["j", "next baseline (or ↓ in the list)"],
  ["k", "previous baseline (or ↑ in the list)"],
  ["n", "the next group of changes"],
  ["Enter", "open the baseline"],
  ["Esc", "return to the list, or leave the search"],
  ["/", "search"],
  ["v", "side by side or inline"],
  ["a", "accept (only with --serve); without it, copy the command (also c)"],
  ["r", "reject (only with --serve)"],
  ["x", "mark the open baseline as viewed, or remove the mark"],
  ["s", "mark as viewed, and go to the next"],
  ["?", "this help"],
];

const ACTIONS: Readonly<Record<string, () => void>> = {
  j: () => step(1),
  k: () => step(-1),
  n: () => press("next-kind"),
  "/": () => search(),
  v: () => switchView(),
  a: () => press(document.getElementById("accept-now") === null ? "copy-accept" : "accept-now"),
  r: () => press("reject-now"),
  c: () => press("copy-accept"),
  x: () => press("viewed"),
  s: () => leaveViewed(),
  "?": () => openHelp(),
};

/** Makes the page's keys work. */
export function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
    const action = actionFor(event);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

function actionFor({ key, target }: KeyboardEvent) {
  const typing = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  if (key === "Escape") return () => leave(target);
  if (typing) return undefined;
  const onRow = target instanceof Element && target.classList.contains("row");
  if (onRow && key === "ArrowDown") return () => step(1);
  if (onRow && key === "ArrowUp") return () => step(-1);
  return Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined;
}

/** Moves to the next or previous case: to its page if a case is open, else to its row. */
function step(by: 1 | -1) {
  if (readState(location.hash).case !== "") {
    press(by === 1 ? "next" : "previous");
    return;
  }
  const rows = [...document.querySelectorAll("a.row")];
  const now = rows.findIndex((row) => row === document.activeElement);
  if (now === rows.length - 1 && by === 1) press("more");
  const next = [...document.querySelectorAll("a.row")][Math.max(0, now + by)];
  if (next instanceof HTMLElement) next.focus();
}

function search() {
  const state = readState(location.hash);
  const focus = () => byId("search").focus();
  if (state.case === "") {
    focus();
    return;
  }
  // The page's own listener runs first, so the list exists when this one runs.
  addEventListener("hashchange", focus, { once: true });
  location.assign(writeState({ ...state, case: "" }));
}

function switchView() {
  const state = readState(location.hash);
  location.replace(writeState({ ...state, view: state.view === "inline" ? "" : "inline" }));
}

function leave(from: EventTarget | null) {
  const state = readState(location.hash);
  if (state.case !== "") location.assign(writeState({ ...state, case: "" }));
  else if (from instanceof HTMLElement) from.blur();
}

function leaveViewed() {
  const toggle = document.getElementById("viewed");
  if (toggle?.getAttribute("aria-pressed") === "false") toggle.click();
  if (toggle !== null) press("next");
}

function press(id: string) {
  const element = document.getElementById(id);
  if (element instanceof HTMLElement) element.click();
}

/** The dialog that lists the keys. */
export function helpDialog() {
  const rows = KEYS.map(([key, does]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, does)]);
  const dialog = el(
    "dialog",
    { id: "help", "aria-labelledby": "help-title" },
    el("h2", { id: "help-title" }, "Keys"),
    el("dl", { class: "keys" }, rows),
  );
  dialog.append(button("Close", () => dialog.close()));
  return dialog;
}

/** Opens the help. */
export function openHelp() {
  const dialog = byId("help");
  if (dialog instanceof HTMLDialogElement) dialog.showModal();
}
