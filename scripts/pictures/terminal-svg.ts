/** Appearance of a piece of text. */
interface Style {
  readonly color: string;
  readonly isBold: boolean;
}

interface Span extends Style {
  readonly text: string;
}

const TEXT = "#d4d8e0";
const DIM = "#8b93a3";
const PLAIN: Style = { color: TEXT, isBold: false };
/** Colours of the SGR codes that runners and veritest use. A background only shows as the colour of its text. */
const COLORS: ReadonlyMap<number, string> = new Map([
  [2, DIM],
  [31, "#ff7b85"],
  [32, "#7fd88f"],
  [33, "#e5c07b"],
  [34, "#79b8ff"],
  [35, "#d2a8ff"],
  [36, "#76d9e6"],
  [41, "#ff7b85"],
  [90, DIM],
]);

const FONT_SIZE = 14;
const CHARACTER = FONT_SIZE * 0.6;
const LINE = 20;
const PADDING = 18;
const SGR = new RegExp(`${String.fromCodePoint(27)}\\[([\\d;]*)m`, "g");

/** Draws lines of a terminal, with their ANSI colours, as an SVG of their size. */
export function terminalSvg(title: string, lines: readonly string[]): string {
  const rows = spansOf(lines);
  const widths = rows.map((spans) => spans.reduce((sum, { text }) => sum + text.length, 0));
  const width = Math.ceil(Math.max(...widths, 0) * CHARACTER + 2 * PADDING);
  const height = rows.length * LINE + 2 * PADDING;
  const texts = rows.map((spans, index) => rowSvg(spans, PADDING + index * LINE + FONT_SIZE));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img"`,
    `  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${FONT_SIZE}">`,
    `  <title>${escapeXml(title)}</title>`,
    `  <rect width="${width}" height="${height}" rx="8" fill="#1b1f27"/>`,
    ...texts.filter((text) => text !== ""),
    "</svg>",
    "",
  ].join("\n");
}

/** Splits lines at their ANSI codes. A style continues on the next line. */
function spansOf(lines: readonly string[]): readonly (readonly Span[])[] {
  let style = PLAIN;
  return lines.map((line) => {
    const spans: Span[] = [];
    let from = 0;
    for (const { 0: code, 1: numbers = "", index } of line.matchAll(SGR)) {
      spans.push({ ...style, text: line.slice(from, index) });
      style = numbers.split(";").map(Number).reduce(styled, style);
      from = index + code.length;
    }
    spans.push({ ...style, text: line.slice(from) });
    return spans.filter(({ text }) => text !== "");
  });
}

function styled(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, isBold: true };
  if (code === 22) return { color: style.color === DIM ? TEXT : style.color, isBold: false };
  if (code === 39 || code === 49) return { ...style, color: TEXT };
  return { ...style, color: COLORS.get(code) ?? style.color };
}

function rowSvg(spans: readonly Span[], y: number): string {
  if (spans.length === 0) return "";
  const inner = spans.map(({ text, color, isBold }) => {
    const weight = isBold ? ` font-weight="bold"` : "";
    return `<tspan fill="${color}"${weight}>${escapeXml(text)}</tspan>`;
  });
  return `  <text x="${PADDING}" y="${y}" xml:space="preserve">${inner.join("")}</text>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
