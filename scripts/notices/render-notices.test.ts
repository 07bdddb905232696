import { expect, test } from "vitest";
import { renderNotices } from "./render-notices.ts";

test("lists each bundled package with its version, its licence and the licence's text", () => {
  const packages = [
    { name: "acorn", version: "8.1.0", licence: "MIT", text: "MIT License\n\nCopyright (C) the authors" },
    { name: "stemmer", version: "2.0.1", licence: "MIT", text: "(The MIT License)" },
  ];
  expect(renderNotices(packages)).toMatchInlineSnapshot(`
    "dist/ holds code of the packages below. Each keeps its own licence.

    --------------------------------------------------------------------------------
    acorn 8.1.0 (MIT)

    MIT License

    Copyright (C) the authors

    --------------------------------------------------------------------------------
    stemmer 2.0.1 (MIT)

    (The MIT License)
    "
  `);
});

test("reports a dist without bundled packages", () => {
  expect(renderNotices([])).toBe("dist/ holds no code of other packages.\n");
});
