import { cpuUsage } from "node:process";
import type { BenchCase, Contender } from "./bench-case.ts";

const ROUNDS = 15;
const WARM_UP_CALLS = 3;
/** CPU time of one contender's turn, long enough to be above the clock's steps. */
const TURN_MILLISECONDS = 30;

/** CPU time of one call, in milliseconds. */
export interface Timing {
  readonly name: string;
  readonly median: number;
  /** The middle half of the rounds lies between these two. */
  readonly lower: number;
  readonly upper: number;
}

/** Checks each contender's answer, then times them in turns, so that a busy machine slows all of them alike. */
export function measure({ name, contenders }: BenchCase): readonly Timing[] {
  const turns = contenders.map((contender) => ({ contender, calls: prepare(name, contender), times: Array<number>() }));
  for (let round = 0; round < ROUNDS; round += 1) {
    // Another one begins each round: the first may pay for garbage that the last one left.
    const first = round % turns.length;
    for (const turn of [...turns.slice(first), ...turns.slice(0, first)]) turn.times.push(timeOf(turn.contender, turn.calls));
  }
  return turns.map(({ contender, times }) => {
    const sorted = times.toSorted((a, b) => a - b);
    return { name: contender.name, median: quantile(sorted, 0.5), lower: quantile(sorted, 0.25), upper: quantile(sorted, 0.75) };
  });
}

/** Checks and warms up a contender. Returns how many calls fill a turn. */
function prepare(caseName: string, contender: Contender): number {
  const problem = contender.problemOf(contender.run());
  if (problem !== undefined) throw new Error(`${caseName}: ${contender.name} answers wrongly: ${problem}`);
  const once = timeOf(contender, WARM_UP_CALLS);
  return Math.max(1, Math.ceil(TURN_MILLISECONDS / Math.max(once, 0.001)));
}

function timeOf({ run }: Contender, calls: number): number {
  const started = cpuUsage();
  for (let call = 0; call < calls; call += 1) run();
  const { user, system } = cpuUsage(started);
  return (user + system) / 1000 / calls;
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
}
