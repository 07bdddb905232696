import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStepBaseline } from "../../src/baseline/create-baseline.ts";
import { caseFileName, caseHash, groupDirectory } from "../../src/baseline/baseline-paths.ts";
import { serializeBaseline } from "../../src/baseline/serialize-baseline.ts";
import { type AnyStep, defineStep } from "../../src/index.ts";
import { type Schema, run } from "../../src/kernel.ts";

/** Schemas that let everything through, so that no library's parsing is measured. */
const ANY: Schema = { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } };
const ANY_OBJECT: Schema<object, object> = {
  "~standard": {
    version: 1,
    vendor: "bench",
    validate: (value) =>
      typeof value === "object" && value !== null ? { value } : { issues: [{ message: "no object" }] },
  },
};

/** A small step that calls nothing. */
export const SMALL_STEP: AnyStep = defineStep({
  name: "small",
  input: ANY,
  output: ANY_OBJECT,
  run: (input) => ({ output: { answer: input, words: ["one", "two", "three"], total: "42.90" } }),
});

/** Writes as many baselines of the step, of some 0.8 KB each. */
export async function storeSteps(root: string, count: number): Promise<void> {
  const directory = join(root, groupDirectory(SMALL_STEP.name));
  mkdirSync(directory, { recursive: true });
  for (let index = 0; index < count; index += 1) {
    const result = await run(SMALL_STEP, { index, text: `Receipt number ${index} of the corner shop` });
    if (!result.ok) throw new Error(result.error.message);
    const baseline = createStepBaseline(result.value, [], {});
    const name = caseFileName(`case ${index}`, caseHash({ inputHash: baseline.inputHash }));
    writeFileSync(join(directory, name), serializeBaseline(baseline));
  }
}
