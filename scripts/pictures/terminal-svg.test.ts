import { expect, test } from "vitest";
import { terminalSvg } from "./terminal-svg.ts";

const ESC = String.fromCodePoint(27);

test("converts a terminal's lines to coloured texts, and escapes markup", () => {
  const lines = [`${ESC}[1m${ESC}[31mFAIL${ESC}[39m${ESC}[22m a <b> & "c"`, "", `${ESC}[2mdim`, `on${ESC}[22m plain`];
  expect(
    terminalSvg("A <run>", lines),
  ).toBe(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 171 116" width="171" role="img"
  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
  <title>A &lt;run&gt;</title>
  <rect width="171" height="116" rx="8" fill="#1b1f27"/>
  <text x="18" y="32" xml:space="preserve"><tspan fill="#ff7b85" font-weight="bold">FAIL</tspan><tspan fill="#d4d8e0"> a &lt;b&gt; &amp; &quot;c&quot;</tspan></text>
  <text x="18" y="72" xml:space="preserve"><tspan fill="#8b93a3">dim</tspan></text>
  <text x="18" y="92" xml:space="preserve"><tspan fill="#8b93a3">on</tspan><tspan fill="#d4d8e0"> plain</tspan></text>
</svg>
`);
});
