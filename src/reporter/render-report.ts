import type { ReportFormat } from "../config/report-formats.ts";
import type { RunHistoryEntry, RunModel } from "../explain/run-model.ts";

/** What a format takes beside the model. Each takes what concerns it. */
export interface RenderOptions {
  /** Cells of a line of the terminal; default 80. */
  readonly columns?: number | undefined;
  /** Whether the terminal shows colours; default false. */
  readonly colors?: boolean | undefined;
  /** Earlier runs, the oldest first, for the page. */
  readonly history?: readonly RunHistoryEntry[] | undefined;
  /** Whether a terminal shows each case, and not an example of each kind of change; default false. */
  readonly all?: boolean | undefined;
  /** The most characters of markdown; the format's own limit unless given. */
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
