import type { RunHistoryEntry, RunModel } from "../../explain/run-model.ts";
import script from "./client/served-main.ts?page";
import type { ServedPage } from "./page-data.ts";
import { pageHtml } from "./render-html.ts";

/** Data of a served page. */
export interface ServedOptions {
  /** Earlier runs, the oldest first. */
  readonly history: readonly RunHistoryEntry[];
  readonly served: ServedPage;
}

/** Makes a page of a run that may only send requests to its own server. */
export function renderServed(model: RunModel, { history, served }: ServedOptions): string {
  return pageHtml({ model, history, served, script });
}
