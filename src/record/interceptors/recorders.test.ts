// @module-tag deep
import { expect, test } from "vitest";
import { otlpStyle, recordsOf, exportedRun } from "../../../test-support/trace-exports.ts";
import { tracedProject } from "../../../test-support/traced-agent.ts";

test("a replay without the recorder of its model calls no model, and says what to install", async () => {
  const project = tracedProject();
  project.write("traces.jsonl", otlpStyle.file(recordsOf(exportedRun("aa01"), otlpStyle).map(({ record }) => record)));
  // In processes of their own: a tape that this one installed would be there.
  await project.spawned(["import", "otlp", "traces.jsonl"]);
  await project.spawned(["accept", "--all"]);
  expect(await project.spawned(["replay"])).toMatchObject({ code: 0 });
  const asked = 'async () => { console.log("the model was asked"); throw new Error("asked"); }';
  const steps = project
    .read("steps/index.ts")
    .replace("\nrecordAiSdk();", "")
    .replace("doGenerate: never", `doGenerate: ${asked}`);
  project.write("steps/index.ts", steps);
  const { code, out } = await project.spawned(["replay"]);
  expect(out).not.toContain("the model was asked");
  expect(out.replaceAll(/\s+/g, " ")).toContain(
    "execution_failed: its model was recorded by a recorder that isn't installed here: call recordAiSdk() of " +
      "veritest/ai-sdk in a setup file or next to the step, or wrap the model with recordModel()",
  );
  expect(code).toBe(1);
  // Installed by the run itself, it answers.
  project.write("steps/index.ts", steps.replace("const { system", "recordAiSdk(); const { system"));
  expect(await project.spawned(["replay"])).toMatchObject({ code: 0 });
});
