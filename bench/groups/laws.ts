import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { z } from "zod";
import { arbitraryOf } from "../../src/extras/properties/generate/arbitrary-of.ts";
import { StepPropertySubject } from "../../src/extras/properties/steps/step-subject.ts";
import { defineStep } from "../../src/kernel/step/define-step.ts";
import { run } from "../../src/kernel/step/run.ts";
import type { Contender } from "../bench-case.ts";
import type { BenchGroup } from "../bench-group.ts";
import { measureRow } from "../measure.ts";

const RUNS = 100;
const SEED = 1;

const Line = z.object({ sku: z.string().max(8), cents: z.number().int().min(0).max(1000) });
const total = defineStep({
  name: "total",
  input: z.object({ lines: z.array(Line) }),
  output: z.object({ lines: z.array(Line), cents: z.number() }),
  keyBy: { lines: "sku" },
  run: ({ lines }) => {
    const bySku = new Map(lines.map((line) => [line.sku, line]));
    return { output: { lines: [...bySku.values()], cents: lines.reduce((sum, { cents }) => sum + cents, 0) } };
  },
});

/** A step that its properties pass. */
export const laws: BenchGroup = {
  name: "laws",
  question: "What do the laws of a small step cost beside the same loop written by hand with fast-check?",
  run: async () => [
    await measureRow({
      name: "100 draws, all laws",
      contenders: [contender("toSatisfyProperties", "ours", held), contender("by hand", "limit", byHand)],
    }),
  ],
};

async function held(): Promise<boolean> {
  const book = new StepPropertySubject(total, { runs: RUNS }, []);
  return (await book.search({ seed: SEED })).failures.length === 0;
}

/** What somebody would write: it answers, repeats itself, leaves its input alone, and its keys and output are sound. */
async function byHand(): Promise<boolean> {
  const property = fc.asyncProperty(arbitraryOf(total.inputSchema), async (input) => {
    const before = structuredClone(input);
    const [first, again] = [await run(total, input), await run(total, input)];
    if (!first.ok || !again.ok) return false;
    const { output } = first.value;
    return (
      isDeepStrictEqual(output, again.value.output) &&
      isDeepStrictEqual(input, before) &&
      new Set(output.lines?.map(({ sku }) => sku)).size === output.lines?.length &&
      "value" in (await total.partialOutputSchema["~standard"].validate(output))
    );
  });
  return !(await fc.check(property, { numRuns: RUNS, seed: SEED })).failed;
}

function contender(name: string, role: Contender["role"], hold: () => Promise<boolean>): Contender {
  return { name, role, run: hold, problemOf: (holds) => (holds === true ? undefined : "a law is broken") };
}
