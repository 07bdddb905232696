import type { RunHistoryEntry, RunModel } from "../../explain/run-model.ts";
import script from "./client/served-main.ts?page";
import type { ServedPage } from "./page-data.ts";
import { pageHtml } from "./render-html.ts";

/** What a page is served with. */
export interface ServedOptions {
  /** Earlier runs, the oldest first. */
  readonly history: readonly RunHistoryEntry[];
  readonly served: ServedPage;
}

/** Makes a page of a run that may ask the server it came from, and nobody else. */
export function renderServed(model: RunModel, { history, served }: ServedOptions): string {
  return pageHtml({ model, history, served, script });
}
