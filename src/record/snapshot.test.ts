import { expect, test } from "vitest";
import { z } from "zod";
import { hashValueSync } from "../kernel/json/hash.ts";
import { type Command, emit, invoke } from "../kernel/step/command.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import { run } from "../kernel/step/run.ts";
import type { StepResult } from "../kernel/step/step-result.ts";
import { captureArtifact, createSnapshot, createSnapshotFromResult } from "./snapshot.ts";

const commands = [invoke("verify", { id: 1 }), emit("found", 1)];

/** The result of a run with the commands given. */
async function resultWith(returned?: readonly Command[]): Promise<StepResult> {
  const step = defineStep({
    name: "measure",
    input: z.object({ text: z.string().trim() }),
    output: z.object({ length: z.number() }),
    run: ({ text }) => ({
      output: { length: text.length },
      events: [{ type: "measured" }],
      ...(returned === undefined ? {} : { commands: returned }),
    }),
  });
  const result = await run(step, { text: " abc " }, { workflowId: "w", workflowVersion: "1.0.0" });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const outputContent = { output: { length: 3 }, events: [{ type: "measured" }] };
const outputArtifact = { hash: hashValueSync(outputContent), kind: "step-output", content: outputContent };
const normalized = [emit("found", 1), invoke("verify", { id: 1 })];
const commandsArtifact = { hash: hashValueSync(normalized), kind: "step-commands", content: normalized };

test("an artifact has a value under the hash of its canonical JSON", async () => {
  const content = { b: 2, a: 1 };
  const hash = "sha256:43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777";
  expect(await captureArtifact("llm-output", content)).toStrictEqual({ hash, kind: "llm-output", content });
  expect(await captureArtifact("llm-output", content, { hashOnly: true })).toStrictEqual({ hash, kind: "llm-output" });
});

test("a value that isn't JSON makes no artifact", async () => {
  await expect(captureArtifact("llm-output", { when: new Map() })).rejects.toThrow(
    new TypeError('JSON cannot represent a Map at "when". Convert it to plain data first'),
  );
});

test("a snapshot has the input with its hash, the artifacts, and its time", async () => {
  const config = { workflowId: "w", workflowVersion: "1", stepName: "s", input: { a: 1 }, artifacts: [outputArtifact] };
  const before = Date.now();
  const { capturedAt, ...rest } = await createSnapshot(config);
  expect(rest).toStrictEqual({ ...config, inputHash: hashValueSync({ a: 1 }) });
  expect(capturedAt >= before && capturedAt <= Date.now()).toBe(true);
});

test("the snapshot of a result keeps the unparsed input, the output with events, and sorted commands", async () => {
  const { capturedAt, ...rest } = await createSnapshotFromResult(await resultWith(commands));
  expect(Number.isInteger(capturedAt)).toBe(true);
  expect(rest).toStrictEqual({
    workflowId: "w",
    workflowVersion: "1.0.0",
    stepName: "measure",
    input: { text: " abc " },
    inputHash: hashValueSync({ text: " abc " }),
    artifacts: [outputArtifact, commandsArtifact],
  });
});

test("puts extra artifacts after the kernel's", async () => {
  const extra = [await captureArtifact("llm-input", 1), await captureArtifact("adapter-call", { any: "metadata" })];
  const { artifacts } = await createSnapshotFromResult(await resultWith(commands), { artifacts: extra });
  expect(artifacts).toStrictEqual([outputArtifact, commandsArtifact, ...extra]);
});

test.each(["step-output", "step-commands"])("refuses an extra artifact of kind %s", async (kind) => {
  const extra = await captureArtifact(kind, 1);
  await expect(createSnapshotFromResult(await resultWith(), { artifacts: [extra] })).rejects.toThrow(
    new TypeError(`Artifact kind "${kind}" is reserved for veritest. Use a different kind, e.g. "llm-output".`),
  );
});

test.each([
  ["no commands", undefined],
  ["an empty list", []],
])("%s make no artifact", async (_what, returned) => {
  const snapshot = await createSnapshotFromResult(await resultWith(returned));
  expect(snapshot.artifacts).toStrictEqual([outputArtifact]);
  expect("commandsCaptured" in snapshot).toBe(false);
});

test("hash-only keeps no content of the output", async () => {
  const result = await resultWith(commands);
  const { hash } = outputArtifact;
  const withoutOutput = await createSnapshotFromResult(result, { hashOnly: true });
  expect(withoutOutput.artifacts).toStrictEqual([{ hash, kind: "step-output" }, commandsArtifact]);
});

test("keeps a result's own artifacts unless others are given", async () => {
  const own = await captureArtifact("llm-output", { text: "hello" });
  const result = { ...(await resultWith()), artifacts: [own] };
  expect((await createSnapshotFromResult(result)).artifacts).toStrictEqual([outputArtifact, own]);
  expect((await createSnapshotFromResult(result, { artifacts: [] })).artifacts).toStrictEqual([outputArtifact]);
});
