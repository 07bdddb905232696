// Pages and sidebar come from `npm run docs:build`, which writes them from docs/ and the types.
import { readFileSync } from "node:fs";
import { slugOf } from "../../scripts/site/heading-slugs.ts";

export default {
  title: "veritest",
  description: "Record, replay and compare the model calls of AI steps in Vitest and Jest tests.",
  lang: "en",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: "cache",
  base: process.env.SITE_BASE ?? "/",
  lastUpdated: false,
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: slugOf },
    // Text such as <file> is text: no page has HTML.
    config: (markdown) => void markdown.set({ html: false }),
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Getting started", link: "/getting-started" },
      { text: "API", link: "/api/" },
    ],
    sidebar: JSON.parse(readFileSync(new URL("../pages/sidebar.json", import.meta.url), "utf8")),
  },
};
