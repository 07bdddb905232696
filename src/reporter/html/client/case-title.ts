import type { ReportCase } from "../../../explain/report-case.ts";
import type { RunModel } from "../../../explain/run-model.ts";
import { el } from "./element.ts";
import { untrustedText } from "./show-text.ts";

const namesakes: WeakMap<Pick<RunModel, "cases">, ReadonlyMap<string, number>> = new WeakMap();

/** Name of a case after its step: its test's. Several cases with one test begin with their files' names. */
export function caseTitle(
  model: Pick<RunModel, "cases">,
  { step, test, baseline }: ReportCase,
  { withStep }: { withStep: boolean },
) {
  const file = shortName(baseline);
  const name = test === null ? file : withoutStep(test.name, step);
  const isShared = test !== null && (sharedNames(model).get(test.name) ?? 0) > 1;
  const testName = untrustedText(name, { style: isShared ? "dim" : "test-name", limit: 400 });
  return [
    withStep ? [el("span", { class: "row-step" }, untrustedText(step, { limit: 120 })), " "] : null,
    isShared ? [untrustedText(file, { style: "test-name", limit: 160 }), " "] : null,
    testName,
  ];
}

function withoutStep(name: string, step: string) {
  const lead = [`${step} > `, `${step} `].find((text) => name.startsWith(text) && name.length > text.length) ?? "";
  return name.slice(lead.length);
}

/** Number of cases of each test. */
function sharedNames(model: Pick<RunModel, "cases">) {
  const known = namesakes.get(model);
  if (known !== undefined) return known;
  const counts: Map<string, number> = new Map();
  for (const { test } of model.cases) if (test !== null) counts.set(test.name, (counts.get(test.name) ?? 0) + 1);
  namesakes.set(model, counts);
  return counts;
}

/** File name without its folder, its hash and its ending. */
function shortName(baseline: string) {
  const file = baseline.slice(baseline.lastIndexOf("/") + 1);
  return file.replace(/(?:-[0-9a-f]{6,64})?\.json$/, "") || file || baseline;
}
