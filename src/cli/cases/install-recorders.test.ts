import { once } from "node:events";
import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkProject } from "../../../test-support/check-project.ts";
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

test("replays and calls live what a step fetches, without a recorder in the configuration", {
  tags: "deep",
}, async () => {
  let requests = 0;
  const server = createServer((_request, response) => void response.end(`answer ${(requests += 1)}`));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
  const project = checkProject();
  const source = join(import.meta.dirname, "../..");
  const step = `import { z } from "zod";
import { defineStep } from "${source}/kernel/step/define-step.ts";
const { fetch: own } = globalThis;
export const answer = defineStep({
  name: "answer", input: z.object({ text: z.string() }), output: z.object({ answer: z.string() }),
  run: async ({ text }) => ({ output: { answer: await (await own("${url}" + text)).text() } }),
});
`;
  project.write("steps/index.ts", step);
  const config = 'export default { steps: () => import("./steps/index.ts") };\n';
  const capturing = config.replace('import("./steps/index.ts")', "[{ step: answer, adapters: {} }]");
  const imports = `import "${source}/fetch-setup.ts";\nimport { answer } from "./steps/index.ts";\n`;
  project.write("veritest.config.ts", `${imports}${capturing}`);
  project.write("in/a.json", '{"text":"a"}');
  const captured = await project.spawned(["capture", "--step", "answer", "--input", "in/a.json"]);
  expect(captured).toMatchObject({ code: 0 });
  project.write("veritest.config.ts", config);
  expect(await project.spawned(["test"])).toMatchObject({ code: 0, out: expect.stringContaining("1 clean") });
  expect(requests).toBe(1);
  const live = await project.spawned(["test", "--live"]);
  expect(live).toMatchObject({ code: 1, out: expect.stringContaining('answer: "answer 1" → "answer 2"') });
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
