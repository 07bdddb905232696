import type { ReportFormat } from "../../explain/format-names.ts";
import type { RunModel } from "../../explain/run-model.ts";

/** Options of a format besides the model. Each format uses those that concern it. */
export interface FormatOptions {
  /** Width of the terminal, in columns. */
  readonly columns: number;
  /** True if the terminal shows colours. */
  readonly colors: boolean;
  /** True if a terminal shows each case, not an example of each group. */
  readonly all: boolean;
  /** Absolute root of the project, for annotations: GitHub reads relative paths from the root of the repository. */
  readonly root: string | undefined;
  /** True if the runner annotates failed tests itself. */
  readonly isAnnotated: boolean;
}

/** A format of a run's report: its row in the table. */
interface Format {
  /** Name of the report's file. */
  readonly file: string;
  /** True if a run prints the report unless a file is requested. */
  readonly isPrinted?: boolean;
  /** Renders the report. Only a requested format is loaded. */
  readonly render: (model: RunModel, options: FormatOptions) => Promise<string>;
}

/** The table of report formats, a row for each name: the options of commands and the files follow from it. */
const FORMATS = {
  text: {
    file: "report.txt",
    isPrinted: true,
    render: async (model: RunModel, options: FormatOptions): Promise<string> =>
      (await import("./render-text.ts")).renderText(model, options).join("\n"),
  },
  json: {
    file: "run.json",
    render: async (model: RunModel): Promise<string> => (await import("./render-json.ts")).renderJson(model),
  },
  junit: {
    file: "junit.xml",
    render: async (model: RunModel): Promise<string> => (await import("./render-junit.ts")).renderJunit(model),
  },
  markdown: {
    file: "report.md",
    render: async (model: RunModel): Promise<string> => (await import("./render-markdown.ts")).renderMarkdown(model),
  },
  github: {
    file: "annotations.txt",
    isPrinted: true,
    render: async (model: RunModel, options: FormatOptions): Promise<string> =>
      (await import("./render-github.ts")).renderGithub(model, options),
  },
  html: {
    file: "report.html",
    render: async (model: RunModel): Promise<string> => (await import("../html/render-html.ts")).renderHtml(model),
  },
} satisfies Readonly<Record<ReportFormat, Format>>;

/** Returns the row of a format. */
export function formatOf(name: ReportFormat): Format {
  return FORMATS[name];
}
