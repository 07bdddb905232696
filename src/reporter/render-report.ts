import type { ReportFormat } from "../config/report-formats.ts";
import type { RunHistoryEntry, RunModel } from "../explain/run-model.ts";

/** Options of a format besides the model. Each format uses those that concern it. */
export interface RenderOptions {
  /** Cells of a line of the terminal; default 80. */
  readonly columns?: number | undefined;
  /** True if the terminal shows colours. Default: false. */
  readonly colors?: boolean | undefined;
  /** Earlier runs, the oldest first, for the page. */
  readonly history?: readonly RunHistoryEntry[] | undefined;
  /** True if a terminal shows each case, not an example of each kind of change. Default: false. */
  readonly all?: boolean | undefined;
  /** Maximum number of characters of markdown. Default: the format's own limit. */
  readonly limit?: number | undefined;
}

/** A run in one format, as one text with a newline at its end. Only that format is loaded. */
export async function renderReport(
  format: ReportFormat,
  model: RunModel,
  options: RenderOptions = {},
): Promise<string> {
  return endLine(await render(format, model, options));
}

async function render(
  format: ReportFormat,
  model: RunModel,
  { columns = 80, colors = false, history = [], all = false, limit }: RenderOptions,
): Promise<string> {
  switch (format) {
    case "text":
      return (await import("./formats/render-text.ts")).renderText(model, { columns, colors, all }).join("\n");
    case "json":
      return (await import("./formats/render-json.ts")).renderJson(model);
    case "junit":
      return (await import("./formats/render-junit.ts")).renderJunit(model);
    case "markdown":
      return (await import("./formats/render-markdown.ts")).renderMarkdown(model, limit === undefined ? {} : { limit });
    case "github":
      return (await import("./formats/render-github.ts")).renderGithub(model);
    case "html":
      return (await import("./html/render-html.ts")).renderHtml(model, { history });
  }
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
