import caseList from "./client/case-list.js?raw";
import caseView from "./client/case-view.js?raw";
import changeView from "./client/change-view.js?raw";
import charts from "./client/charts.js?raw";
import diffRows from "./client/diff-rows.js?raw";
import element from "./client/element.js?raw";
import evidence from "./client/evidence.js?raw";
import filters from "./client/filters.js?raw";
import formats from "./client/formats.js?raw";
import keyboard from "./client/keyboard.js?raw";
import main from "./client/main.js?raw";
import myers from "./client/myers.js?raw";
import overview from "./client/overview.js?raw";
import shellQuote from "./client/shell-quote.js?raw";
import showText from "./client/show-text.js?raw";
import theme from "./client/theme.js?raw";
import visible from "./client/visible.js?raw";
import wordDiff from "./client/word-diff.js?raw";
import words from "./client/words.js?raw";

/** The modules of the page, each after those it imports. */
const MODULES: readonly string[] = [
  words,
  formats,
  element,
  visible,
  showText,
  myers,
  wordDiff,
  diffRows,
  shellQuote,
  filters,
  changeView,
  charts,
  evidence,
  overview,
  caseList,
  caseView,
  theme,
  keyboard,
  main,
];

/**
 * The page's one script. Its modules are written to be joined as they are: named imports of each other and named
 * exports at line starts, no name twice, no text over several lines; so taking the words `import` and `export` away
 * is all there is to bundling.
 */
export const pageScript: string = `(() => {\n"use strict";\n${MODULES.map(plain).join("")}})();\n`;

function plain(module: string): string {
  return module
    .replaceAll("\r\n", "\n")
    .replaceAll(/^import [^;]*;\n/gm, "")
    .replaceAll(/^export (?=const |function )/gm, "")
    .replaceAll(/^ *\/\*\*.*?\*\/\n/gms, "")
    .replaceAll(/^\s+/gm, "");
}
