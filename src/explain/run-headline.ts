import type { RunModel } from "./run-model.ts";
import { counted, formatCount } from "./wording.ts";

/** The run in plain words: `1 of 12 baselines changed`. */
export function runHeadline({ counts, problems }: Pick<RunModel, "counts" | "problems">): string {
  const { total, passed, changed, commandsChanged, callsChanged, obsolete, pending } = counts;
  const open = total - passed;
  const of = `${formatCount(open)} of ${counted(total, "baseline")}`;
  if (total === 0) return problems.length > 0 ? "The run had a problem" : "No baselines were checked";
  if (open === 0 && problems.length > 0) return "The baselines passed, but the run had a problem";
  if (open === 0 && pending > 0) return counted(pending, "change is pending", "changes are pending");
  if (open === 0) return total === 1 ? "1 baseline passed" : `All ${formatCount(total)} baselines passed`;
  if (open === changed + commandsChanged + callsChanged) return `${of} changed`;
  if (open === obsolete) return `${of} ${open === 1 ? "is" : "are"} obsolete`;
  return `${of} ${open === 1 ? "needs" : "need"} a look`;
}
