import { expect, test } from "vitest";
import { renderLlms, renderLlmsFull } from "./render-llms.ts";
import { entryPage, listEntries } from "./list-entries.ts";

const PAGES = [
  { path: "ci.md", text: "# CI\n\nCheck baselines\nin [CI](./a.md).\n\nMore.\n" },
  { path: "a/index.md", text: "# A\n\nDo a.\n" },
];

test("llms.txt has a line for each page, and llms-full.txt has all of them", () => {
  expect(renderLlms("Tests.", PAGES)).toBe(
    "# veritest\n\n> Tests.\n\n## Pages\n\n- [CI](/ci.md): Check baselines in CI.\n- [A](/a/index.md): Do a.\n",
  );
  expect(renderLlmsFull(PAGES)).toBe(
    "<!-- /ci.md -->\n\n# CI\n\nCheck baselines\nin [CI](./a.md).\n\nMore.\n\n<!-- /a/index.md -->\n\n# A\n\nDo a.\n",
  );
});

test("entries that export names have a page each, but not setup files and presets", () => {
  const entries = listEntries({
    name: "veritest",
    exports: {
      ".": { import: { types: "./dist/index.d.ts" }, require: { types: "./dist/index.d.cts" } },
      "./grounding/vitest": { types: "./dist/grounding-vitest.d.ts" },
      "./fetch-setup": { types: "./dist/fetch-setup.d.ts" },
      "./jest/jest-preset": { types: "./dist/jest-preset.d.cts" },
      "./package.json": "./package.json",
    },
  });
  expect(entries).toEqual([
    { name: "veritest", source: "src/index.ts" },
    { name: "veritest/grounding/vitest", source: "src/grounding-vitest.ts" },
  ]);
  expect(entries.map(entryPage)).toEqual(["index.md", "grounding-vitest.md"]);
});
