import { caseList, PAGE } from "./case-list.ts";
import { caseView } from "./case-view.ts";
import { announce, button, byId, el } from "./element.ts";
import { filterBar, markFilters } from "./filter-bar.ts";
import { type State, readState, selectCases, shownCount, writeState } from "./filters.ts";
import { runHeadline } from "../../../explain/run-headline.ts";
import { counted, formatCount } from "../../../explain/wording.ts";
import { helpDialog, listenToKeys, openHelp } from "./keyboard.ts";
import { overview, rail, showViewedCount } from "./overview.ts";
import { runHead, outdatedNotice } from "./run-head.ts";
import type { Server } from "./served.ts";
import { undoToast } from "./undo.ts";
import { visible } from "./visible.ts";
import type { PageData, ServedPage } from "../page-data.ts";

/** Page of a run. `server` is null for a page that is a file. */
type RunPage = { data: PageData; indexOfId: ReadonlyMap<string, number>; server: Server | null };

/** The filters the list was made for, how many rows it may have, and which case was open last. */
const shown = { filters: "", limit: PAGE, last: "" };

/** Builds the page. `serverOf` connects a served page to its server. A page that is a file has none. */
export async function startPage(serverOf: ((served: ServedPage) => Server) | null) {
  const data = await readData();
  const server = serverOf === null || data.served === null ? null : serverOf(data.served);
  const page = { data, indexOfId: new Map(data.ids.map((id, index) => [id, index])), server };
  build(data);
  listenToKeys();
  addEventListener("hashchange", () => show(page));
  show(page);
}

async function readData() {
  const element = byId("veritest-data");
  const text = element.textContent ?? "";
  const data: unknown = JSON.parse(element.getAttribute("type") === "application/gzip" ? await unzip(text) : text);
  if (!isPageData(data)) throw new Error("The page doesn't contain a run.");
  return data;
}

/** Decompresses the data of a large run. */
async function unzip(base64: string) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** The data is of the same build as this script. */
function isPageData(value: unknown): value is PageData {
  return (
    typeof value === "object" && value !== null && Object.hasOwn(value, "model") && Object.hasOwn(value, "statuses")
  );
}

function build(data: PageData) {
  const bar = el(
    "header",
    { class: "top" },
    el("span", { class: "brand" }, "veritest"),
    el("span", { class: "spread" }),
    button("Keys", openHelp, { title: "Keyboard shortcuts (?)" }),
  );
  const list = el(
    "section",
    { class: "cases", "aria-labelledby": "cases-title" },
    el("h2", { id: "cases-title", class: "sr" }, "Baselines"),
    filterBar(data.model.cases),
    el("div", { id: "list" }),
  );
  list.hidden = data.model.cases.length === 0;
  const home = el("div", { id: "home", tabindex: -1 }, runHead(data), list, overview(data));
  const side = rail(data);
  side.hidden = data.model.cases.length === 0;
  const view = el("article", { id: "case", hidden: true, "aria-labelledby": "case-title" });
  bar.prepend(skipLink());
  document.body.append(
    bar,
    outdatedNotice(data) ?? "",
    el("div", { class: "layout" }, el("main", { id: "main" }, home, view), side),
    el("p", { id: "said", class: "sr", role: "status" }),
    undoToast(),
    helpDialog(),
  );
}

/** Skips the counts and filters, to the cases to review. Keeps the address, which is the page's state. */
function skipLink() {
  const link = el("a", { class: "skip", href: "#main" }, "Skip to the list");
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const to = byId("home").hidden ? byId("case-title") : (document.querySelector("a.row") ?? byId("home"));
    if (to instanceof HTMLElement) to.focus();
  });
  return link;
}

/** Renders the state in the address. */
function show(page: RunPage) {
  const { data, indexOfId } = page;
  const state = readState(location.hash);
  const index = indexOfId.get(state.case);
  byId("home").hidden = index !== undefined;
  byId("case").hidden = index === undefined;
  document.body.classList.toggle("at-case", index !== undefined);
  if (index === undefined) showList({ ...state, case: "" }, page);
  else showCase(state, index, page);
  markFilters(state, shownCount(data, state));
  showViewedCount(data);
}

function showList(state: State, page: RunPage) {
  const { data, indexOfId } = page;
  const filters = writeState(state);
  const selected = selectCases(data, state);
  if (filters !== shown.filters) shown.limit = PAGE;
  const last = indexOfId.get(shown.last);
  shown.limit = Math.max(shown.limit, last === undefined ? 0 : selected.indexOf(last) + 1);
  document.title = `veritest: ${runHeadline(data.model)}`;
  drawList(state, selected, page);
  if (filters !== shown.filters) announce(`${counted(selected.length, "baseline")} shown.`);
  shown.filters = filters;
  const row = last === undefined ? null : document.querySelector(`a.row[data-id="${shown.last}"]`);
  if (row instanceof HTMLElement) row.focus();
  shown.last = "";
}

function drawList(state: State, selected: readonly number[], page: RunPage) {
  const { data, server } = page;
  const more = () => {
    shown.limit += PAGE;
    const rows = document.querySelectorAll("a.row").length;
    drawList(state, selected, page);
    const next = document.querySelectorAll("a.row")[rows];
    if (next instanceof HTMLElement) next.focus();
  };
  const isQuiet =
    writeState({ ...state, view: "" }) === writeState(readState("")) && shownCount(data, state) === "total";
  document.body.classList.toggle("quiet", isQuiet);
  if (isQuiet) {
    const all = el("a", { href: "#count=total" }, `Show all ${counted(selected.length, "baseline")}`);
    byId("list").replaceChildren(el("p", { class: "all-passed" }, all));
    return;
  }
  const parts = caseList({ data, selected, limit: shown.limit, state, more, server });
  byId("list").replaceChildren(...parts.filter((part) => part !== null));
  byId("found").textContent = `${formatCount(selected.length)} of ${formatCount(data.model.cases.length)}`;
}

function showCase(state: State, index: number, { data, server }: RunPage) {
  const view = byId("case");
  const same = shown.last === state.case;
  view.replaceChildren();
  const parts = caseView({ data, server, index, state, selected: selectCases(data, state) });
  for (const part of parts.flat(2)) if (part !== null) view.append(part);
  document.title = `veritest: ${visible(data.model.cases[index]?.baseline ?? "").slice(0, 200)}`;
  shown.last = state.case;
  if (same) return;
  byId("case-title").focus({ preventScroll: true });
  scrollTo(0, 0);
}
