import { button, byId, el } from "./element.ts";
import { type State, addressable, causesOf, readState, writeState } from "./filters.ts";
import { visible } from "./visible.ts";
import { CAUSE_LABELS } from "./labels.ts";
import { formatCount } from "../../../explain/wording.ts";
import type { ReportCase } from "../../../explain/report-case.ts";

/** The search and the choices of class, cause, step and label; a narrow screen folds the choices away. */
export function filterBar(cases: readonly ReportCase[]) {
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
  const choices = el(
    "div",
    { class: "choices", id: "choices" },
    choice({ name: "class", label: "Class", values: cases.map(({ kind }) => kind), word: String }),
    choice({ name: "cause", label: "Cause", values: cases.flatMap(causesOf), word: causeWord }),
    choice({ name: "step", label: "Step", values: cases.map(({ step }) => addressable(step)), word: visible }),
    choice({
      name: "label",
      label: "Label",
      values: cases.flatMap(({ labels }) => [...new Set(labels.map(addressable))]),
      word: visible,
    }),
  );
  const opener = button(
    "Filters",
    () => opener.setAttribute("aria-expanded", String(choices.classList.toggle("open"))),
    { class: "opener", "aria-expanded": "false", "aria-controls": "choices" },
  );
  return el(
    "div",
    { class: "filters", role: "search" },
    search,
    opener,
    choices,
    el("span", { id: "found", class: "dim" }),
    el("a", { id: "clear", href: "#" }, "Clear filters"),
  );
}

function causeWord(cause: string) {
  return Object.entries(CAUSE_LABELS).find(([name]) => name === cause)?.[1].word ?? cause;
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
    el("option", { value }, `${word(value).slice(0, 80)} (${formatCount(of.length)})`),
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

/**
 * Marks the active filters in the bar and on the counts, and makes each link toggle its own. `count` is the one that is
 * shown, also if the address names none.
 */
export function markFilters(state: State, count: string) {
  const values = new Map(Object.entries({ ...state, count }));
  for (const link of document.querySelectorAll("a[data-key]")) {
    const key = link.getAttribute("data-key") ?? "";
    const value = link.getAttribute("data-value") ?? "";
    const on = values.get(key) === value;
    if (on) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    link.setAttribute("href", writeState({ ...state, case: "", [key]: on || value === "look" ? "" : value }));
  }
  for (const field of document.querySelectorAll(".filters select"))
    if (field instanceof HTMLSelectElement) field.value = values.get(field.id.slice("filter-".length)) ?? "";
  const search = byId("search");
  if (search instanceof HTMLInputElement && search !== document.activeElement) search.value = state.q;
  const clear = byId("clear");
  clear.hidden = [state.q, state.count, state.class, state.cause, state.step, state.label, state.group].every(
    (value) => value === "",
  );
  clear.setAttribute("href", writeState({ ...readState(""), view: state.view }));
}
