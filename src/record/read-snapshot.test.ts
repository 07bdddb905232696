import { expect, test } from "vitest";
import type { Artifact } from "../kernel/step/artifact.ts";
import { emit, invoke } from "../kernel/step/command.ts";
import { type Snapshot, captureArtifactSync, createSnapshot } from "./snapshot.ts";
import { artifactProblem, firstArtifact, loadOutput, outputContent, storedCommands } from "./read-snapshot.ts";

async function snapshotWith(...artifacts: readonly Artifact[]): Promise<Snapshot> {
  return createSnapshot({ workflowId: "w", workflowVersion: "1", stepName: "measure", input: {}, artifacts });
}

const content = { output: { n: 1 }, events: [] };
const output = captureArtifactSync("step-output", content);
const verify = invoke("verify", { id: 1 });
const found = emit("found", 1);

test("loads the stored output with its events", async () => {
  expect(await loadOutput(await snapshotWith(output))).toStrictEqual({ ok: true, value: content });
});

test("takes the first of several artifacts of a kind", async () => {
  const later = captureArtifactSync("step-output", { output: { n: 2 }, events: [] });
  const snapshot = await snapshotWith(captureArtifactSync("note", 1), output, later);
  expect(firstArtifact(snapshot, "step-output")).toBe(output);
  expect(await loadOutput(snapshot)).toStrictEqual({ ok: true, value: content });
  expect(
    storedCommands(
      await snapshotWith(
        output,
        captureArtifactSync("step-commands", [found]),
        captureArtifactSync("step-commands", [verify]),
      ),
    ),
  ).toStrictEqual([found]);
});

test.each([
  [[], "has no stored output. Capture it again."],
  [[captureArtifactSync("step-output", content, { hashOnly: true })], "only has the hash of its output (hashOnly)."],
])("returns undefined without a stored output", async (artifacts, problem) => {
  expect(await loadOutput(await snapshotWith(...artifacts))).toStrictEqual({
    ok: false,
    error: { code: "missing_output", message: `The snapshot of step "measure" ${problem}`, retryable: false },
  });
});

test("reports content that doesn't match its hash as corrupted", async () => {
  const edited = { ...output, content: { output: { n: 2 }, events: [] } };
  const actual = captureArtifactSync("step-output", edited.content).hash;
  expect(await loadOutput(await snapshotWith(edited))).toStrictEqual({
    ok: false,
    error: {
      code: "output_corrupted",
      message: `Output of step "measure": hash mismatch of step-output: expected ${output.hash}, got ${actual}`,
      retryable: false,
    },
  });
});

test("reports content without an output as corrupted", async () => {
  expect(await loadOutput(await snapshotWith(captureArtifactSync("step-output", { n: 1 })))).toStrictEqual({
    ok: false,
    error: {
      code: "output_corrupted",
      message: 'The stored output of step "measure" has no "output" key, so it can\'t be read. Capture the case again.',
      retryable: false,
    },
  });
});

test("reports content that can't be hashed as a problem", () => {
  expect(artifactProblem({ ...output, content: { n: 1n } })).toBe(
    'step-output can\'t be hashed: JSON cannot represent a bigint at "n". Convert it to plain data first',
  );
  expect(artifactProblem(output)).toBeUndefined();
  expect(artifactProblem({ hash: "sha256:0", kind: "note" })).toBeUndefined();
});

test("prefers commands of step-commands to those in the output, and normalizes both", async () => {
  const embedding = captureArtifactSync("step-output", { ...content, commands: [verify, { ...found, offset: 9 }] });
  const own = captureArtifactSync("step-commands", [verify, { ...verify, commandId: "c1" }, found]);
  expect(storedCommands(await snapshotWith(embedding, own))).toStrictEqual([found, verify, verify]);
  expect(storedCommands(await snapshotWith(embedding))).toStrictEqual([found, verify]);
});

test("reads hash-only commands from the output if it has them, otherwise can't compare them", async () => {
  const hashed = captureArtifactSync("step-commands", [verify], { hashOnly: true });
  const embedding = captureArtifactSync("step-output", { ...content, commands: [verify] });
  expect(storedCommands(await snapshotWith(embedding, hashed))).toStrictEqual([verify]);
  expect(storedCommands(await snapshotWith(output, hashed))).toBeUndefined();
});

test("an output without commands has none, even if only its hash is kept", async () => {
  expect(storedCommands(await snapshotWith(output))).toStrictEqual([]);
  expect(
    storedCommands(await snapshotWith(captureArtifactSync("step-output", content, { hashOnly: true }))),
  ).toStrictEqual([]);
});

test("can't compare commands without any output", async () => {
  expect(storedCommands(await snapshotWith())).toBeUndefined();
});

test("can't compare a list with a command of an unknown type", async () => {
  const foreign = [{ type: "delete", step: "x" }];
  expect(storedCommands(await snapshotWith(output, captureArtifactSync("step-commands", foreign)))).toBeUndefined();
  expect(
    storedCommands(await snapshotWith(captureArtifactSync("step-output", { ...content, commands: foreign }))),
  ).toBeUndefined();
});

test("reads the content for a comparison unverified if its form is valid", async () => {
  expect(outputContent(await snapshotWith(output))).toBe(content);
  expect(outputContent(await snapshotWith(captureArtifactSync("step-output", [1])))).toBeUndefined();
  expect(outputContent(await snapshotWith())).toBeUndefined();
});
