import { caseList, PAGE } from "./case-list.ts";
import { caseView } from "./case-view.ts";
import { announce, button, byId, el } from "./element.ts";
import { type State, addressable, causesOf, readState, selectCases, writeState } from "./filters.ts";
import { counted, grouped } from "../../../explain/wording.ts";
import { helpDialog, listenToKeys, openHelp } from "./keyboard.ts";
import { headline, overview } from "./overview.ts";
import { restoreTheme, toggleTheme } from "./theme.ts";
import { visible } from "./visible.ts";
import { CAUSES, KINDS } from "./words.ts";
import type { PageData } from "../page-data.ts";

const data = readData();
/** The filters the list was made for, how many rows it may have, and which case was open last. */
const shown = { filters: "", limit: PAGE, last: "" };

restoreTheme();
build();
listenToKeys();
addEventListener("hashchange", () => show());
show();

function readData() {
  const found: unknown = JSON.parse(byId("veritest-data").textContent ?? "");
  if (!isPageData(found)) throw new Error("The page holds no run.");
  return found;
}

/** The data is of the same build as this script. */
function isPageData(value: unknown): value is PageData {
  return (
    typeof value === "object" && value !== null && Object.hasOwn(value, "model") && Object.hasOwn(value, "standings")
  );
}

function build() {
  const buttons = [
    button("Theme", toggleTheme, { title: "Light or dark (t)" }),
    button("Keys", openHelp, { title: "What the keys do (?)" }),
  ];
  const bar = el(
    "header",
    { class: "top" },
    el("span", { class: "brand" }, "veritest"),
    el("span", { class: "spread" }),
    buttons,
  );
  const list = el(
    "section",
    { class: "cases", "aria-labelledby": "cases-title" },
    el("h2", { id: "cases-title" }, "Baselines"),
    filterBar(),
    el("div", { id: "list" }),
  );
  list.hidden = data.model.cases.length === 0;
  const home = el("div", { id: "home" }, overview(data), list);
  const view = el("article", { id: "case", hidden: true, "aria-labelledby": "case-title" });
  document.body.append(
    bar,
    el("main", {}, home, view),
    el("p", { id: "said", class: "sr", role: "status" }),
    helpDialog(),
  );
}

function filterBar() {
  const { cases } = data.model;
  const search = el("input", {
    id: "search",
    type: "search",
    placeholder: "Search",
    "aria-label": "Search in baselines",
    autocomplete: "off",
    spellcheck: "false",
  });
  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = Number(setTimeout(() => change({ q: search.value }), 120));
  });
  const wordOf = (words: Record<string, { word: string }>) => (value: string) => words[value]?.word ?? value;
  return el(
    "div",
    { class: "filters", role: "search" },
    search,
    choice({ name: "class", label: "Class", values: cases.map(({ kind }) => kind), word: wordOf(KINDS) }),
    choice({ name: "cause", label: "Cause", values: cases.flatMap(causesOf), word: wordOf(CAUSES) }),
    choice({ name: "step", label: "Step", values: cases.map(({ step }) => addressable(step)), word: visible }),
    choice({
      name: "label",
      label: "Label",
      values: cases.flatMap(({ labels }) => [...new Set(labels.map(addressable))]),
      word: visible,
    }),
    el("span", { id: "found", class: "dim" }),
    el("a", { id: "clear", href: "#" }, "Clear filters"),
  );
}

function choice({
  name,
  label,
  values,
  word,
}: {
  name: "class" | "cause" | "step" | "label";
  label: string;
  values: readonly string[];
  word: (value: string) => string;
}) {
  const groups = Map.groupBy(values, (value) => value);
  if (groups.size === 0) return null;
  const options = [...groups].map(([value, of]) =>
    el("option", { value }, `${word(value).slice(0, 80)} (${grouped(of.length)})`),
  );
  const select = el(
    "select",
    { id: `filter-${name}`, "aria-label": label },
    el("option", { value: "" }, `${label}: all`),
    options,
  );
  select.addEventListener("change", () => change({ [name]: select.value }));
  return select;
}

function change(to: Partial<State>) {
  location.replace(writeState({ ...readState(location.hash), ...to }));
}

/** Shows what the address says. */
function show() {
  const state = readState(location.hash);
  const one = /^\d{1,9}$/.test(state.case) ? data.model.cases[Number(state.case)] : undefined;
  byId("home").hidden = one !== undefined;
  byId("case").hidden = one === undefined;
  if (one === undefined) showList(state);
  else showCase(state);
}

function showList(state: State) {
  const filters = writeState({ ...state, case: "" });
  const selected = selectCases(data, state);
  if (filters !== shown.filters) shown.limit = PAGE;
  shown.limit = Math.max(shown.limit, shown.last === "" ? 0 : selected.indexOf(Number(shown.last)) + 1);
  document.title = `veritest: ${headline(data.model)}`;
  drawList(state, selected);
  markFilters(state);
  if (filters !== shown.filters) announce(`${counted(selected.length, "baseline")} shown.`);
  shown.filters = filters;
  const row = shown.last === "" ? null : document.querySelector(`a.row[data-index="${shown.last}"]`);
  if (row instanceof HTMLElement) row.focus();
  shown.last = "";
}

function drawList(state: State, selected: readonly number[]) {
  const more = () => {
    shown.limit += PAGE;
    const rows = document.querySelectorAll("a.row").length;
    drawList(state, selected);
    const next = document.querySelectorAll("a.row")[rows];
    if (next instanceof HTMLElement) next.focus();
  };
  const parts = caseList({ data, selected, limit: shown.limit, state, more });
  byId("list").replaceChildren(...parts.filter((part) => part !== null));
  byId("found").textContent = `${grouped(selected.length)} of ${grouped(data.model.cases.length)}`;
}

/** Shows in the bar and on the counts which filters are on, and lets each link turn its own on or off. */
function markFilters(state: State) {
  const values = new Map(Object.entries(state));
  for (const link of document.querySelectorAll("a[data-key]")) {
    const key = link.getAttribute("data-key") ?? "";
    const value = link.getAttribute("data-value") ?? "";
    const on = values.get(key) === value || (key === "count" && value === "total" && state.count === "");
    if (on) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    link.setAttribute("href", writeState({ ...state, case: "", [key]: on || value === "total" ? "" : value }));
  }
  for (const field of document.querySelectorAll(".filters select"))
    if (field instanceof HTMLSelectElement) field.value = values.get(field.id.slice("filter-".length)) ?? "";
  const search = byId("search");
  if (search instanceof HTMLInputElement && search !== document.activeElement) search.value = state.q;
  const clear = byId("clear");
  clear.hidden = [state.q, state.count, state.class, state.cause, state.step, state.label].every(
    (value) => value === "",
  );
  clear.setAttribute("href", writeState({ ...readState(""), view: state.view }));
}

function showCase(state: State) {
  const one = data.model.cases[Number(state.case)];
  if (one === undefined) return;
  const selected = selectCases(data, state);
  const position = selected.indexOf(Number(state.case));
  const parts = caseView({ one, state, selected, position, place: data.model.environment.ci ? "upload" : "project" });
  const view = byId("case");
  const same = shown.last === state.case;
  view.replaceChildren();
  for (const part of parts.flat(2)) if (part !== null) view.append(part);
  document.title = `veritest: ${visible(one.baseline).slice(0, 200)}`;
  shown.last = state.case;
  if (same) return;
  byId("case-title").focus({ preventScroll: true });
  scrollTo(0, 0);
}
