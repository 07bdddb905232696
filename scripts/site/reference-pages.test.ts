import { expect, test } from "vitest";
import { headingSlugs } from "./heading-slugs.ts";
import { referencePages } from "./reference-pages.ts";

test("a reference page has its import path as title, and its links lead to existing headings", () => {
  const raw = new Map([
    ["src/index.ts", "# index\n\n## Types\n\n### Kind\n\n[`Kind`](#kind-1) [`Other`](store-sqlite.md#other-2)\n"],
    [
      "src/store-sqlite.ts",
      "# store-sqlite\n\n### Other\n\n### Other\n\n[`Other`](#other-1) [`Kind`](index.md#kind)\n",
    ],
  ]);
  const entries = [
    { name: "veritest", source: "src/index.ts" },
    { name: "veritest/store/sqlite", source: "src/store-sqlite.ts" },
  ];
  expect(referencePages(entries, ({ source }) => raw.get(source) ?? "")).toEqual([
    {
      path: "api/index.md",
      text: "# veritest\n\n## Types\n\n### Kind\n\n[`Kind`](#kind) [`Other`](./store-sqlite.md#other)\n",
    },
    {
      path: "api/store-sqlite.md",
      text: "# veritest/store/sqlite\n\n### Other\n\n### Other\n\n[`Other`](#other-1) [`Kind`](./index.md#kind)\n",
    },
  ]);
});

test("headings have GitHub's anchors, but not those in code", () => {
  const text = "# Values that can't be stored\n\n```sh\n# no heading\n```\n\n## `a` [b](c.md)\n\n## Keys\n\n## Keys\n";
  expect([...headingSlugs(text)]).toEqual(["values-that-cant-be-stored", "a-b", "keys", "keys-1"]);
});
