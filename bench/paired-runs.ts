import { machineFactor } from "./machine-factor.ts";
import type { ChildRun } from "./run-child.ts";
import { type Timing, median } from "./timing.ts";

/** The timings of some variants; round by round they ran after one another, so they can be subtracted. */
export interface Paired<Name extends string> {
  readonly of: (name: Name) => Timing;
  /** The machine's, over all rounds. */
  readonly factor: number;
}

/** Runs all variants in each round, another one first each time. `problemOf` says what is wrong with a run. */
export async function pairedRuns<Name extends string>(
  variants: ReadonlyMap<Name, () => Promise<ChildRun>>,
  {
    rounds,
    problemOf,
  }: { readonly rounds: number; readonly problemOf: (name: Name, run: ChildRun) => string | undefined },
): Promise<Paired<Name>> {
  const times = new Map<Name, number[]>([...variants.keys()].map((name) => [name, []]));
  const order = [...variants];
  const factors: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % order.length;
    factors.push(await machineFactor());
    for (const [name, run] of [...order.slice(first), ...order.slice(0, first)]) {
      const ended = await run();
      const problem = problemOf(name, ended);
      if (problem !== undefined) throw new Error(`${name}: ${problem}\n${ended.output.slice(-2000)}`);
      times.get(name)?.push(ended.cpu);
    }
  }
  return { of: (name) => ({ name, rounds: times.get(name) ?? [] }), factor: median(factors) };
}
