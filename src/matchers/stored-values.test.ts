import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin(temporaryProject("stored-values")));

test("x", async () => {
  await expect({ m: new Map([["a", 1]]) }).toMatchBaseline({ name: "x" });
  console.log(stage.stagedText());
  stage.settle("none");
  await expect({ m: new Map([["a", 1]]) }).toMatchBaseline({ name: "x" });
  console.log(await stage.message(async () => expect({ m: new Map([["a", 2]]) }).toMatchBaseline({ name: "x" })));
});
test("y", async () => {
  const step = defineStep({ name: "measure", input: z.object({ document: z.instanceof(Uint8Array) }), output: z.object({ size: z.bigint(), at: z.date() }), run: ({ document }) => ({ output: { size: BigInt(document.length), at: new Date(5) } }) });
  const input = { document: new Uint8Array([37, 80, 68, 70]) };
  await expect(step).toMatchBaseline({ input });
  console.log(stage.stagedText());
  stage.settle("new");
  await expect(step).toMatchBaseline({ input });
  console.log(stage.checks);
});
