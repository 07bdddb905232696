import { relative, sep } from "node:path";
import { messageOf } from "../../kernel/thrown.ts";
import type { Proposal } from "../../baseline/baseline.ts";
import type { StoredCase } from "../../baseline/library.ts";
import type { Case, Check } from "../../check/check.ts";
import type { ChangedPart } from "../../check/compare.ts";
import { type KeptProposal, keep } from "../../check/keep.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { reportText } from "../../explain/report-value.ts";
import { reportCase } from "../../reporter/build-run-model.ts";
import { reportUsage } from "../../explain/tally.ts";
import { keeperOf } from "./command-run.ts";
import type { SweepTarget } from "./find-targets.ts";
import { TIMED_OUT, failedCheck, thrownError, timeoutError, withTimeout } from "./stay-alive.ts";

/** What a sweep asks about: a stored case, and the step it is of. */
export interface SweptCase {
  readonly target: Pick<SweepTarget, "configured" | "root">;
  readonly stored: StoredCase;
  /** The input itself, of a case that is no file; else what is stored of it is run. */
  readonly input?: Case["input"];
  /** Turns what would be proposed for the case into a change of its file, of a case that is none. */
  readonly place?: (proposal: Proposal) => Proposal;
}

/** A question that a sweep asks of each stored case. */
export type AskCase = (swept: SweptCase) => Promise<Check>;

/** How a case is asked, and told of. */
export interface Asking {
  /** The project's root: baselines are named relative to it. */
  readonly root: string;
  readonly ask: AskCase;
  /** Milliseconds that asking of one case may take; 0 for any time. */
  readonly timeoutMs: number;
  /** Whether what differs is kept for review. */
  readonly holds: boolean;
}

/** Outcome of one case. */
export interface SweepAnswer {
  /** Absolute path of the baseline. */
  readonly path: string;
  /** Told as if `kept` were kept. */
  readonly one: ReportCase;
  /** The parts that differ. */
  readonly parts: readonly ChangedPart[];
  /** What is to be kept for review; absent where nothing is. */
  readonly kept?: KeptProposal;
  /** One sentence on why what differs cannot be kept for review. */
  readonly refused?: string;
  /** True where the case was given up while it ran on. */
  readonly lingers?: true;
}

/** Asks of one case, and words what came out. Never rejects: what throws is a case that failed. */
export async function answerCase(swept: SweptCase, { ask, timeoutMs, root, holds }: Asking): Promise<SweepAnswer> {
  const { stored, place } = swept;
  const started = performance.now();
  const asked = await withTimeout(askSafely(ask, swept), timeoutMs);
  const found = asked === TIMED_OUT ? failedCheck(stored, timeoutError(timeoutMs)) : asked;
  const { propose, proposeAsCame: came } = found;
  const placed =
    place === undefined || propose === undefined
      ? found
      : { ...found, propose: () => place(propose()), ...(came && { proposeAsCame: () => place(came()) }) };
  const { check, kept, refused } = await keepSafely(placed, holds);
  return {
    ...tellCheck(check, swept, { root, durationMs: Math.round(performance.now() - started) }),
    ...(kept !== undefined && { kept }),
    ...(refused !== undefined && { refused: `${check.file} is not kept for review. ${refused}` }),
    ...(asked === TIMED_OUT && { lingers: true }),
  };
}

/** Words a check that is at hand. */
function tellCheck(
  check: Check,
  { target, stored }: SweptCase,
  { root, durationMs }: { readonly root: string; readonly durationMs: number | null },
): SweepAnswer {
  const { verdict, costs, path } = check;
  const place = {
    step: target.configured.step.name,
    root,
    labels: stored.baseline.ok ? stored.baseline.value.labels.map(reportText) : [],
    test: null,
    settled: check.kept === "held" ? ("review" as const) : ("none" as const),
    durationMs,
    usage: costs === undefined ? null : reportUsage(costs),
  };
  return {
    path,
    one: isQuiet(check) ? quietCase(check, place) : reportCase(check, place),
    parts: "changes" in verdict ? verdict.changes.map(({ part }) => part) : [],
  };
}

/** Whether there is nothing to tell of a check: as of most of most sweeps. */
function isQuiet({ verdict, unused = [], trials }: Check): boolean {
  return (
    verdict.kind === "clean" &&
    (verdict.tolerated ?? []).length === 0 &&
    verdict.cause === undefined &&
    unused.length === 0 &&
    trials === undefined
  );
}

/** The same as `reportCase` makes of a check with nothing to tell, at a tenth of its price. */
function quietCase({ path, source }: Check, { root, ...place }: Parameters<typeof reportCase>[1]): ReportCase {
  const inside = path.startsWith(root + sep) ? path.slice(root.length + 1) : relative(root, path);
  return {
    ...place,
    baseline: sep === "/" ? inside : inside.split(sep).join("/"),
    kind: "clean",
    source: source ?? null,
    findings: null,
  };
}

/** A step that throws is a case that failed; so is a question that does. */
async function askSafely(ask: AskCase, swept: SweptCase): Promise<Check> {
  try {
    return await ask(swept);
  } catch (thrown) {
    return failedCheck(swept.stored, thrownError(thrown));
  }
}

interface Kept extends Pick<SweepAnswer, "kept"> {
  readonly check: Check;
  readonly refused?: string;
}

/** Writes nothing: the caller stages what is kept. */
async function keepSafely(check: Check, holds: boolean): Promise<Kept> {
  const staged: KeptProposal[] = [];
  try {
    const settled = await keep(check, { writes: "none", holds }, keeperOf({ stage: (kept) => staged.push(kept) }));
    const [kept] = staged;
    const refused = typeof settled.kept === "object" ? settled.kept.refused.message : undefined;
    return { check: settled, ...(kept !== undefined && { kept }), ...(refused !== undefined && { refused }) };
  } catch (thrown) {
    return { check, refused: messageOf(thrown) };
  }
}
