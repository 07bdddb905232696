import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { defineStep } from "../../kernel/step/define-step.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import "../../vitest-types.ts";
import { recordTools } from "./record-tools.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin());

const done: number[] = [];
/** Wraps its tools when it runs: the first in this process to wrap any. */
const step = defineStep({
  name: "late",
  input: z.object({ n: z.number() }),
  output: z.object({ found: z.number() }),
  run: async ({ n }) => {
    const double = async (value: number): Promise<number> => {
      done.push(value);
      return 2 * value;
    };
    const tools = recordTools({ double }, { effects: { double: "read" } });
    return { output: { found: await tools.double(n) } };
  },
});

test("records tools wrapped in the step in its first run, and replays them afterwards", async () => {
  await expect(step).toMatchBaseline({ input: { n: 2 }, adapters: {} });
  stage.settle("none");
  expect(done).toStrictEqual([2]);
  await expect(step).toRecomputeClean();
  await Promise.all([expect(step).toReplay(), expect(step).toMatchBaseline({ input: { n: 2 } })]);
  expect(done).toStrictEqual([2]);
});
