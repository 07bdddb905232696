import { formatPath } from "../../base/text.ts";
import type { Baseline } from "../../baseline/baseline.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import type { ChangeShape } from "../../check/change-shape.ts";
import { diff } from "../../diff/diff.ts";
import { generalPath, shapeOf } from "../../explain/change-shape.ts";
import { NO_FINDINGS, type ReportChange, type ReportPart } from "../../explain/report-case.ts";
import type { PendingChange } from "../../settle/pending/pending-change.ts";

/** What kind of change two texts of a baseline make, whatever is said of it. Arrays are compared by position. */
export function shapeOfTexts(
  { verdict, text, target, kind }: Pick<PendingChange, "verdict" | "text" | "target" | "kind">,
  before: string | undefined,
): ChangeShape {
  const sides = kind === "update" ? [before, text].map((side) => partsOf(side, target)) : [];
  const [old, now] = sides;
  if (old === undefined || now === undefined) return { kind: verdict, cause: null, lines: [] };
  const changes = diff(old, now).entries.map(({ path, ...values }): ReportChange<unknown> => {
    const [head, ...rest] = path;
    const part = PARTS.get(head);
    const below = part === undefined ? path : rest;
    const place = below.length === 0 ? "" : formatPath(below);
    return { part: part ?? "input", path: place, general: generalPath(below), ...values, cut: false };
  });
  return shapeOf({ kind: verdict, findings: { ...NO_FINDINGS, changes } });
}

const PARTS: ReadonlyMap<unknown, ReportPart> = new Map(
  (["output", "commands", "events", "calls"] as const).map((part) => [part, part]),
);

/** Everything that is written, but for what follows from the rest. */
function partsOf(text: string | undefined, file: string): object | undefined {
  const parsed = text === undefined ? undefined : parseBaseline(text, file);
  return parsed?.ok === true ? contentOf(parsed.value) : undefined;
}

function contentOf(baseline: Baseline): object {
  const { labels, meta } = baseline;
  if (baseline.kind === "value") return { output: baseline.value, labels, meta };
  const { input, output, commands, events, calls, workflow } = baseline;
  return { input, output, commands, events, calls, workflow, labels, meta };
}
