import type { ReportCase } from "../../explain/report-case.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { isPending } from "../../explain/tally.ts";
import { buildRunModel } from "../build-run-model.ts";
import script from "./client/served-main.ts?page";
import type { ServedPage } from "./page-data.ts";
import { pageHtml } from "./render-html.ts";

/** Creates a page of a run that may only send requests to its own server. */
export function renderServed(model: RunModel, served: ServedPage): string {
  return pageHtml({ model: withPending(model, served), served, script });
}

/** The run with the changes that are still pending: others were accepted or rejected since. An older run stays. */
function withPending(model: RunModel, { pending, newerRun }: ServedPage): RunModel {
  if (newerRun !== null) return model;
  const targets = new Set(pending.map(({ target }) => target));
  const isDecided = (reported: ReportCase): boolean => isPending(reported) && !targets.has(reported.baseline);
  const cases = model.cases.map((reported) =>
    isDecided(reported) ? { ...reported, updateState: "none" as const } : reported,
  );
  return buildRunModel({ ...model, cases });
}
