import { basename, relative, sep } from "node:path";
import { type Baseline, type Proposal, identityOf } from "../../baseline/baseline.ts";
import { type BaselineLibrary, type StoredCase, displayPath, openLibrary } from "../../baseline/library.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { readText } from "../../files/read.ts";
import type { Case, Check } from "../../check/check.ts";
import { reportCase } from "../../reporter/build-run-model.ts";
import { reportText } from "../../explain/report-value.ts";
import type { ReportCase, ReportSettled } from "../../explain/report-case.ts";
import { reportUsage } from "../../reporter/tally.ts";
import { TIMED_OUT, failedCheck, thrownError, timeoutError, withTimeout } from "./stay-alive.ts";
import type { SweepTarget } from "./find-targets.ts";
import { inParallel } from "./parallel.ts";
import type { SweepRequest } from "./sweep-request.ts";
import { WantedWords } from "./nearest-words.ts";

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

/** A sweep over stored cases. */
export interface Sweep {
  /** The project's root: baselines are named relative to it. */
  readonly root: string;
  /** The stored cases, whether they are asked for or not. */
  readonly cases: Iterable<SweptCase> | AsyncIterable<SweptCase>;
  readonly request: Pick<SweepRequest, "filter" | "names" | "labels" | "facts" | "concurrency">;
  readonly ask: AskCase;
  /** Milliseconds that asking of one case may take; 0 for any time. */
  readonly timeoutMs: number;
  /** When it is aborted no further case is begun. */
  readonly signal: AbortSignal;
  /** Keeps the change that a case proposes, where it is to be kept. Its case may come out differently for that. */
  readonly keep: (check: Check) => Promise<Check>;
  /** Hears of each file that is read, whether it is chosen or not. */
  readonly looked: () => void;
  /** Takes each case when it is known. */
  readonly take: (one: ReportCase, check: Check) => void;
}

/** How a sweep came to its end. */
export interface SweepEnd {
  /** What was asked for and is in no baseline, a sentence each. */
  readonly unknown: readonly string[];
  /** True where a case was given up while it ran on. */
  readonly lingering: boolean;
}

/** Asks of each chosen case, several at a time. Only those that are asked at the moment are in memory. */
export async function runSweep(sweep: Sweep): Promise<SweepEnd> {
  const { request, signal, root, ask, timeoutMs, keep, take } = sweep;
  const wanted = {
    names: new WantedWords(request.names),
    labels: new WantedWords(request.labels),
    facts: new WantedWords(request.facts),
  };
  let lingering = false;
  await inParallel(chosenCases(sweep, wanted), { concurrency: request.concurrency, signal }, async (swept) => {
    const { target, stored, place: put } = swept;
    const started = performance.now();
    const asked = await withTimeout(askSafely(ask, swept), timeoutMs);
    if (asked === TIMED_OUT) lingering = true;
    const found = asked === TIMED_OUT ? failedCheck(stored, timeoutError(timeoutMs)) : asked;
    const usage = found.costs === undefined ? null : reportUsage(found.costs);
    const { propose } = found;
    const placed = put === undefined || propose === undefined ? found : { ...found, propose: () => put(propose()) };
    const check = await keep(placed);
    const settled: ReportSettled = check.kept === "held" ? "review" : "none";
    const { baseline } = stored;
    const labels = baseline.ok ? baseline.value.labels.map(reportText) : [];
    const { name: step } = target.configured.step;
    const place = {
      step,
      root,
      labels,
      test: null,
      settled,
      durationMs: Math.round(performance.now() - started),
      usage,
    };
    take(isQuiet(check) ? quietCase(check, place) : reportCase(check, place), check);
  });
  const unknown = [
    ...wanted.names.problems("name"),
    ...wanted.labels.problems("label"),
    ...wanted.facts.problems("fact"),
  ];
  // What was not come to may have it.
  return { unknown: signal.aborted ? [] : unknown, lingering };
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

interface Wanted {
  readonly names: WantedWords;
  readonly labels: WantedWords;
  readonly facts: WantedWords;
}

/** The cases that the request is about. A file that cannot be read is one of them: nobody can tell what it holds. */
async function* chosenCases({ cases, request, looked }: Sweep, wanted: Wanted): AsyncGenerator<SweptCase, void> {
  for await (const swept of cases) {
    const { baseline } = swept.stored;
    looked();
    if (baseline.ok) see(wanted, baseline.value);
    if (!baseline.ok || request.filter(baseline.value)) yield swept;
  }
}

/** The baselines of targets, one after another. */
export function* filedCases(targets: readonly SweepTarget[]): Generator<SweptCase, void, undefined> {
  for (const target of targets) for (const stored of storedCases(target)) yield { target, stored };
}

function see({ names, labels, facts }: Wanted, { name, labels: own, meta }: Baseline): void {
  if (name !== undefined) names.see(name);
  for (const label of own) labels.see(label);
  for (const [key, value] of Object.entries(meta)) facts.see(`${key}=${value}`);
}

function* storedCases({ configured, root, only }: SweepTarget): Generator<StoredCase, void, undefined> {
  const { name } = configured.step;
  const library = openLibrary(root, new Map());
  if (only === undefined) yield* library.each(name);
  else yield oneCase(library, name, only);
}

/** By its identity, for a directory may hold very many; else, where it is not at its own place, among all. */
function oneCase(library: BaselineLibrary, step: string, path: string): StoredCase {
  const text = readText(path) ?? "";
  const file = displayPath(path);
  const baseline = parseBaseline(text, file);
  if (!baseline.ok) return { path, file, text, baseline };
  const { stored } = library.find(step, identityOf(baseline.value), basename(path, ".json"));
  if (stored?.path === path) return stored;
  for (const each of library.each(step)) if (each.path === path) return each;
  return { path, file, text, baseline };
}
