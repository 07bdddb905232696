import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recordGlobalFetch } from "../../record/interceptors/fetch-recorder.ts";
import { hasModelRecorder, registerRecorder } from "../../record/interceptors/recorders.ts";
import { installFetchRecorder, installModelRecorder, usedRecorders } from "./install-recorders.ts";

/** A project with a baseline of each of these adapters, each of its own step. */
function projectOf(...adapters: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), "veritest-recorders-"));
  for (const [index, adapter] of adapters.entries()) {
    const directory = join(root, "packages/a/__baselines__", `step-${index}`);
    mkdirSync(directory, { recursive: true });
    const text = JSON.stringify({ calls: [{ adapter }] }, undefined, 2);
    writeFileSync(join(directory, "a-0a1b2c3d.json"), text);
  }
  return root;
}

test.each([
  [["llm.complete", "fetchOrder", "db.fetch"], { fetch: false, models: false }],
  [["llm.complete", "fetch"], { fetch: true, models: false }],
  [["model.stream"], { fetch: false, models: true }],
  [["fetch", "model.generate"], { fetch: true, models: true }],
  [[], { fetch: false, models: false }],
])("baselines with calls of %j need the recorders %j", (adapters, recorders) => {
  expect(usedRecorders(projectOf(...adapters))).toStrictEqual(recorders);
});

test("installs the recorder of fetch once", async () => {
  const { fetch } = globalThis;
  await installFetchRecorder(projectOf());
  const installed = globalThis.fetch;
  expect(installed).not.toBe(fetch);
  await installFetchRecorder(projectOf());
  expect(globalThis.fetch).toBe(installed);
  const remove = recordGlobalFetch();
  for (let times = 0; times < 3; times += 1) remove();
});

test("installs a recorder of models unless the project's code has one", async () => {
  const remove = registerRecorder("model", {
    record: () => ({ handlers: {} }),
    replay: () => ({ handlers: {} }),
  });
  const registry = (): unknown => Reflect.get(globalThis, "AI_SDK_TELEMETRY_INTEGRATIONS");
  await installModelRecorder();
  expect(registry()).toBeUndefined();
  remove();
  onTestFinished(() => void Reflect.deleteProperty(globalThis, "AI_SDK_TELEMETRY_INTEGRATIONS"));
  await installModelRecorder();
  expect(registry()).toHaveLength(1);
  expect(hasModelRecorder()).toBe(true);
});
