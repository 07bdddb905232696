import type { SitePage } from "./site-page.ts";

/** Renders llms.txt: the title and first paragraph of each page, with the address of its Markdown. */
export function renderLlms(summary: string, pages: readonly SitePage[]): string {
  const lines = pages.map(({ path, text }) => `- [${titleOf(text)}](/${path}): ${firstParagraph(text)}`);
  return `# veritest\n\n> ${summary}\n\n## Pages\n\n${lines.join("\n")}\n`;
}

/** Renders llms-full.txt: all pages, one after the other. */
export function renderLlmsFull(pages: readonly SitePage[]): string {
  return pages.map(({ path, text }) => `<!-- /${path} -->\n\n${text.trim()}\n`).join("\n");
}

function titleOf(text: string): string {
  return /^# (.*)$/m.exec(text)?.[1] ?? "";
}

function firstParagraph(text: string): string {
  const paragraph = text.split("\n\n")[1] ?? "";
  return paragraph
    .trim()
    .replaceAll("\n", " ")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}
