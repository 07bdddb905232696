import { basename } from "node:path";
import { identityOf } from "../../baseline/baseline.ts";
import { type BaselineLibrary, type StoredCase, displayPath, openLibrary } from "../../baseline/library.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { checkAll } from "../../check-all/check-all.ts";
import { readText } from "../../kernel/files/read.ts";
import { type Asking, type SweepAnswer, type SweptCase, answerCase } from "./answer-case.ts";
import type { SweepTarget } from "./find-targets.ts";
import { Wanted } from "./nearest-words.ts";
import type { SweepRequest } from "./sweep-request.ts";

/** A sweep over stored cases. */
export interface Sweep extends Asking {
  /** The stored cases, whether they are asked for or not. */
  readonly cases: Iterable<SweptCase> | AsyncIterable<SweptCase>;
  readonly request: Pick<SweepRequest, "filter" | "names" | "labels" | "facts" | "concurrency">;
  /** When it is aborted no further case is begun. */
  readonly signal: AbortSignal;
  /** Hears of each file that is read, whether it is chosen or not. */
  readonly looked: () => void;
  /** Takes what came of each case, in the order of the cases. */
  readonly take: (answer: SweepAnswer) => void;
}

/** How a sweep came to its end. */
export interface SweepEnd {
  /** What was asked for and is in no baseline, a sentence each. */
  readonly unknown: readonly string[];
  /** True where a case was given up while it ran on. */
  readonly lingering: boolean;
}

/**
 * Asks of each chosen case, several at a time. Only those that are asked at the moment are in memory, and what came of
 * those that were faster than one before them.
 */
export async function runSweep(sweep: Sweep): Promise<SweepEnd> {
  const { request, signal, take } = sweep;
  const wanted = new Wanted(request);
  let lingering = false;
  const { concurrency } = request;
  const answers = checkAll(chosenCases(sweep, wanted), async (swept) => answerCase(swept, sweep), {
    concurrency,
    signal,
  });
  for await (const answer of answers) {
    if (answer.lingers === true) lingering = true;
    take(answer);
  }
  // What was not come to may have it.
  return { unknown: signal.aborted ? [] : wanted.problems(), lingering };
}

/** The cases that the request is about. A file that cannot be read is one of them: nobody can tell what it holds. */
async function* chosenCases({ cases, request, looked }: Sweep, wanted: Wanted): AsyncGenerator<SweptCase, void> {
  for await (const swept of cases) {
    const { baseline } = swept.stored;
    looked();
    if (baseline.ok) wanted.see(baseline.value);
    if (!baseline.ok || request.filter(baseline.value)) yield swept;
  }
}

/** The baselines of targets, one after another. */
export function* filedCases(targets: readonly SweepTarget[]): Generator<SweptCase, void, undefined> {
  for (const target of targets) {
    const { configured, root, only } = target;
    const { name } = configured.step;
    const library = openLibrary(root, new Map());
    const cases = only === undefined ? library.each(name) : [oneCase(library, name, only)];
    for (const stored of cases) yield { target, stored };
  }
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
