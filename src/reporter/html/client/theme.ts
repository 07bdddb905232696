import { announce } from "./element.ts";

const KEY = "veritest-theme";

/** Applies the theme that was chosen last, if the browser stored it, else the system's. */
export function restoreTheme() {
  try {
    const chosen = localStorage.getItem(KEY);
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset["theme"] = chosen;
  } catch {
    // A page from disk may have no storage: the system's theme will do.
  }
}

/** Turns light to dark and back. */
export function toggleTheme() {
  const { dataset } = document.documentElement;
  const dark =
    dataset["theme"] === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : dataset["theme"] === "dark";
  const chosen = dark ? "light" : "dark";
  dataset["theme"] = chosen;
  announce(`Theme: ${chosen}.`);
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // Applies until the page is closed.
  }
}
