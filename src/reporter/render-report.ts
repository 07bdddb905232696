import type { RunModel } from "../explain/run-model.ts";
import type { ReportFormat } from "../explain/format-names.ts";
import { type FormatOptions, formatOf } from "./formats/report-formats.ts";

/** Options that a caller doesn't give: 80 columns without colours, an example of each group. */
const DEFAULTS: FormatOptions = {
  columns: 80,
  colors: false,
  all: false,
  root: undefined,
  isAnnotated: false,
};

/** Options for `renderReport`; each has a default. */
interface RenderOptions extends Partial<Omit<FormatOptions, "columns">> {
  /** Undefined if the output isn't a terminal. */
  readonly columns?: number | undefined;
}

/** A run in one format, as one text with a newline at its end. Only that format is loaded. */
export async function renderReport(
  format: ReportFormat,
  model: RunModel,
  { columns = DEFAULTS.columns, ...options }: RenderOptions = {},
): Promise<string> {
  const text = await formatOf(format).render(model, { ...DEFAULTS, ...options, columns });
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
