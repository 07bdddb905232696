import { button } from "./element.ts";

const KEY = "veritest-viewed";
/** Maximum number of stored ticks. The oldest are dropped first. */
const MAX_TICKS = 20_000;

/** Marks of ticked cases, if the browser stores them. */
let ticks: Set<string> = restore();
// Another tab ticked: what this one stores next must contain it.
addEventListener("storage", ({ key }) => {
  if (key === KEY) ticks = restore();
});

/** True if a case was ticked in its current state. */
export function isViewed(mark: string) {
  return ticks.has(mark);
}

/** Ticks a case off, or takes the tick away. */
function tick(mark: string, viewed: boolean) {
  ticks.delete(mark);
  if (viewed) ticks.add(mark);
  try {
    localStorage.setItem(KEY, [...ticks].slice(-MAX_TICKS).join(" "));
  } catch {
    // Applies until the page is closed.
  }
}

function restore(): Set<string> {
  try {
    return new Set((localStorage.getItem(KEY) ?? "").split(" ").filter((mark) => /^[0-9a-f]{10}$/.test(mark)));
  } catch {
    // A page from disk may have no storage.
    return new Set();
  }
}

/** A switch that ticks a case off. `turned` is called after each change. */
export function viewedSwitch(mark: string, turned: () => void) {
  const toggle = button("Viewed", () => turn(!isViewed(mark)), { id: "viewed", class: "viewed-switch" });
  const turn = (viewed: boolean) => {
    tick(mark, viewed);
    toggle.setAttribute("aria-pressed", String(viewed));
    turned();
  };
  toggle.setAttribute("aria-pressed", String(isViewed(mark)));
  return toggle;
}
