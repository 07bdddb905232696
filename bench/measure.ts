import { cpuUsage } from "node:process";
import type { BenchCase, Contender } from "./bench-case.ts";
import type { Row } from "./bench-group.ts";
import { type Timing, ratioOf } from "./timing.ts";

const ROUNDS = 11;
/** CPU time of one contender's turn, long enough to be above the clock's steps. */
const TURN_MILLISECONDS = 20;
/** Long enough for the compiler to have seen what a contender does. */
const WARM_UP_MILLISECONDS = 60;

/** Checks each contender's answer, then times them in turns, so that a busy machine slows all of them alike. */
export async function measure({ name, contenders, rounds = ROUNDS }: BenchCase): Promise<readonly Timing[]> {
  const turns = [];
  for (const contender of contenders)
    turns.push({ contender, calls: await prepare(name, contender), times: Array<number>() });
  for (let round = 0; round < rounds; round += 1) {
    // Another one begins each round: the first may pay for garbage that the last one left.
    const first = round % turns.length;
    for (const turn of [...turns.slice(first), ...turns.slice(0, first)])
      turn.times.push(await timeOf(turn.contender, turn.calls));
  }
  return turns.map(({ contender, times }) => ({ name: contender.name, rounds: times }));
}

/** Measures a case and adds the ratio of our time to each other contender's, named `÷ contender`. */
export async function measureRow(benchCase: BenchCase): Promise<Row> {
  const timings = await measure(benchCase);
  const [ours, ...others] = timings;
  if (ours === undefined) throw new Error(`${benchCase.name} has no contender.`);
  const metrics = others.map((other) => ({ name: `÷ ${other.name}`, value: ratioOf(ours, other), unit: "×" }));
  return { name: benchCase.name, timings, metrics, notes: [] };
}

/** Checks and warms up a contender. Returns how many calls fill a turn. */
async function prepare(caseName: string, contender: Contender): Promise<number> {
  const problem = contender.problemOf(await contender.run());
  if (problem !== undefined) throw new Error(`${caseName}: ${contender.name} answers wrongly: ${problem}`);
  let calls = 1;
  let perCall = await timeOf(contender, calls);
  for (let spent = perCall; spent < WARM_UP_MILLISECONDS; spent += perCall * calls) {
    calls *= 2;
    perCall = await timeOf(contender, calls);
  }
  return Math.max(1, Math.ceil(TURN_MILLISECONDS / Math.max(perCall, 0.0001)));
}

async function timeOf({ run }: Contender, calls: number): Promise<number> {
  const started = cpuUsage();
  for (let call = 0; call < calls; call += 1) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  const { user, system } = cpuUsage(started);
  return (user + system) / 1000 / calls;
}
