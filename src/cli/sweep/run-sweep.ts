import { basename } from "node:path";
import { identityOf } from "../../baseline/baseline.ts";
import {
  type BaselineLibrary,
  type GroupFiles,
  type StoredCase,
  displayPath,
  openLibrary,
} from "../../baseline/library.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { readText } from "../../kernel/files/read.ts";
import { type Asking, type SweepAnswer, type SweptCase, answerCase } from "./answer-case.ts";
import type { SweepTarget } from "./find-targets.ts";
import { InOrder } from "./in-order.ts";
import { Wanted } from "./nearest-words.ts";
import { inParallel } from "./parallel.ts";
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
  const answers = new InOrder(take);
  let lingering = false;
  let count = 0;
  await inParallel(chosenCases(sweep, wanted), { concurrency: request.concurrency, signal }, async (swept) => {
    const place = count;
    count += 1;
    const answer = await answerCase(swept, sweep);
    if (answer.lingers === true) lingering = true;
    answers.put(place, answer);
  });
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
    const files = filesOf(target);
    for (const name of files.names()) {
      const stored = files.read(name);
      if (stored !== undefined) yield { target, stored };
    }
  }
}

/** The files of a target's baselines, found and read one by one. */
function filesOf({ configured, root, only }: Pick<SweepTarget, "configured" | "root" | "only">): GroupFiles {
  const { name } = configured.step;
  const library = openLibrary(root, new Map());
  if (only === undefined) return library.files(name);
  return { names: () => [basename(only)], read: () => oneCase(library, name, only) };
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
