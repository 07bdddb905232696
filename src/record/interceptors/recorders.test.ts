import { expect, test } from "vitest";
import { otlpStyle, recordsOf, exportedRun } from "../../../test-support/trace-exports.ts";
import { tracedProject } from "../../../test-support/traced-agent.ts";
import { isArray } from "../../kernel/json/plain-data.ts";
import { refusingModels } from "./recorders.ts";

test("the command line replays models without a recorder of the project, and calls none", {
  tags: "deep",
}, async () => {
  const project = tracedProject();
  project.write("traces.jsonl", otlpStyle.file(recordsOf(exportedRun("aa01"), otlpStyle).map(({ record }) => record)));
  // In processes of their own: a recorder that this one installed would be there.
  await project.spawned(["import", "otlp", "traces.jsonl"]);
  await project.spawned(["accept", "--all"]);
  expect(await project.spawned(["replay"])).toMatchObject({ code: 0 });
  const called = 'async () => { console.log("the model was called"); throw new Error("called"); }';
  const steps = project
    .read("steps/index.ts")
    .replace("\nrecordAiSdk();", "")
    .replace("doGenerate: never", `doGenerate: ${called}`);
  project.write("steps/index.ts", steps);
  const { code, out } = await project.spawned(["replay"]);
  expect(out).toContain("1 baseline, 1 clean");
  expect(out).not.toContain("the model was called");
  expect(code).toBe(0);
  // One that the run itself installs replays it, too.
  project.write("steps/index.ts", steps.replace("const { system", "recordAiSdk(); const { system"));
  expect(await project.spawned(["replay"])).toMatchObject({ code: 0 });
});

test("without its recorder, a recorded model isn't called, and the error says what to install", async () => {
  let calls = 0;
  const callModel = async (): Promise<unknown> => {
    const integrations: unknown = Reflect.get(globalThis, "AI_SDK_TELEMETRY_INTEGRATIONS");
    const call: unknown = Reflect.get(Object(isArray(integrations) && integrations[0]), "executeLanguageModelCall");
    if (typeof call !== "function") throw new Error("no integration is registered");
    return Reflect.apply(call, undefined, [{ execute: async () => (calls += 1) }]);
  };
  const message =
    "it was recorded by the recorder of models, which isn't active here. With the AI SDK in Vitest, use " +
    "veritest({ aiSdk: true }); elsewhere, call recordAiSdk() of veritest/ai-sdk in a setup file or next to the " +
    "step, or wrap the model with recordModel()";
  await expect(refusingModels(callModel)).rejects.toThrow(message);
  await expect(refusingModels(async () => callModel().catch(() => "handled"))).rejects.toThrow(message);
  expect(calls).toBe(0);
});
