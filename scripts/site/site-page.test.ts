import { expect, test } from "vitest";
import { sidebarOf, sitePath, toSitePage } from "./site-page.ts";

const FILES = new Set(["ci.md", "grounding/README.md", "images/report.png"]);
const converted = (path: string, text: string): string => toSitePage({ path, text }, (file) => FILES.has(file)).text;

test("keeps links to pages of the site and directory indexes, and turns others into text", () => {
  expect(
    converted("review.md", "See [CI](ci.md#shards), [grounding](grounding/README.md), [web](https://a.test)."),
  ).toBe("See [CI](./ci.md#shards), [grounding](./grounding/index.md), [web](https://a.test).");
  expect(
    converted("grounding/answers.md", "[`verify`](README.md#in-code) and `b`, [up](../ci.md), [here](#limits)"),
  ).toBe("[`verify`](./index.md#in-code) and `b`, [up](../ci.md), [here](#limits)");
  expect(converted("review.md", "[`check`](../src/check.ts), [why](decisions), ![page](images/report.png)")).toBe(
    "`check`, why, ![page](./images/report.png)",
  );
});

test("keeps links in code, and removes comments", () => {
  const text = "<!-- From the types -->\n\nA `[a](b.md)` and\n\n```md\n[a](b.md)\n```\n";
  expect(converted("review.md", text)).toBe("A `[a](b.md)` and\n\n```md\n[a](b.md)\n```\n");
});

test("converts links after a block of code in a list, and keeps those in it", () => {
  const block = "2. Add:\n\n   ```md\n   `[a](ci.md)`\n   ```\n\n";
  expect(converted("review.md", `${block}3. Or \`x\`, [CI](ci.md) and \`y\`.\n`)).toBe(
    `${block}3. Or \`x\`, [CI](./ci.md) and \`y\`.\n`,
  );
});

test("a README is the index of its directory", () => {
  expect(["README.md", "grounding/README.md", "ci.md"].map(sitePath)).toEqual([
    "index.md",
    "grounding/index.md",
    "ci.md",
  ]);
});

test("the sidebar has a section for each heading of the index, with its pages", () => {
  const index =
    "# Docs\n\n[Intro](a.md)\n\n## Write tests\n\n| x | [CI](ci.md), [G](grounding/README.md) |\n\n## Other\n\n[D](decisions)\n";
  expect(sidebarOf(index)).toEqual([
    {
      text: "Write tests",
      items: [
        { text: "CI", link: "/ci" },
        { text: "G", link: "/grounding/" },
      ],
    },
    { text: "Other", items: [] },
  ]);
});
