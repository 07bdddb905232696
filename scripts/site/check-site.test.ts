import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { brokenLinks, heavyPages } from "./check-site.ts";

const site = (files: Readonly<Record<string, string>>): Map<string, Buffer> =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));

test("reports links to missing pages and headings, and no others", () => {
  const links = ["ci", "/ci.html#shards", "grounding/", "#top", "https://a.test/x", "gone.html", "ci#gone", "#gone"];
  const index = `<h1 id="top">A</h1>${links.map((href) => `<a class="b" href="${href}">c</a>`).join("")}`;
  const files = site({ "index.html": index, "ci.html": '<h2 id="shards">S</h2>', "grounding/index.html": "" });
  expect(brokenLinks(files)).toEqual(["index.html: gone.html", "index.html: ci#gone", "index.html: #gone"]);
});

test("reports a page that loads too much, with its size", () => {
  const noise = "long ".repeat(200_000);
  const random = randomBytes(450_000);
  const files = new Map([
    ...site({ "light.html": '<script src="/small.js"></script>', "small.js": "1" }),
    ...site({ "long.html": noise, "heavy.html": '<script src="/large.js"></script>' }),
    ["large.js", random] as const,
  ]);
  expect(heavyPages(files)).toEqual([
    expect.stringMatching(/^long\.html: 1000000 bytes of HTML, \d+ gzipped with all that it loads$/),
    expect.stringMatching(/^heavy\.html: 33 bytes of HTML, \d{6} gzipped with all that it loads$/),
  ]);
});
