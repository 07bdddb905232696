import * as fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { storedItems } from "../../../record/encode/encode.ts";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { hashValueSync } from "../../../kernel/json/hash.ts";
import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { type Snapshot, captureArtifactSync, createSnapshotFromResult } from "../../../record/snapshot.ts";
import { loadOutput, storedCommands } from "../../../record/read-snapshot.ts";
import { compareSnapshots } from "../../../check/compare/compare-snapshots.ts";
import { recompute } from "../../../check/recompute.ts";
import { type Command, emit, invoke, normalizeCommands, review } from "../../../kernel/step/command.ts";
import { defineStep } from "../../../kernel/step/define-step.ts";
import type { StepResult } from "../../../kernel/step/step-result.ts";
import { runCount } from "../../../../test-support/run-count.ts";
import { propertyName } from "../../../../test-support/arbitraries.ts";

const RUNS = { numRuns: runCount(1000) };

// With what JSON turns into something else or leaves out: dates, undefined, NaN, -0, lone surrogates, awkward keys.
const data = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.double(),
      fc.boolean(),
      fc.constantFrom(undefined, null, NaN, -0, "\ud800"),
    ),
    fc.date({ noInvalidDate: true }),
    fc.array(tie("value"), { maxLength: 4 }),
    fields(tie("value")),
  ),
})).value;

function fields(value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  const key = fc.oneof(propertyName(), fc.constantFrom("__proto__", "constructor", "toJSON2", "output"));
  return fc.dictionary(key, value, { maxKeys: 4 });
}

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.tuple(fc.string({ minLength: 1 }), data).map(([step, input]) => invoke(step, input)),
  fc.tuple(fc.constantFrom("a", "b"), data).map(([topic, payload]) => emit(topic, payload)),
  fc.tuple(fc.string({ minLength: 1 }), data).map(([reason, payload]) => review(reason, payload)),
);

const result: fc.Arbitrary<StepResult> = fc
  .record({
    input: data,
    output: fields(data),
    events: fc.array(fc.record({ type: fc.string(), payload: data }), { maxLength: 3 }),
    commands: fc.option(fc.array(command, { maxLength: 4 }), { nil: undefined }),
  })
  .map(({ commands, ...rest }) => ({
    ...rest,
    ...(commands === undefined ? {} : { commands }),
    artifacts: [],
    stepName: "any",
    workflowId: "w",
    workflowVersion: "1.0.0",
    runId: "r",
  }));

const extra = fc
  .array(data, { maxLength: 2 })
  .map((contents) => contents.map((content) => captureArtifactSync("llm-output", content)));

/** A snapshot as a file would hold it. */
function throughJson(snapshot: Snapshot): Snapshot {
  const stored: unknown = JSON.parse(JSON.stringify(snapshot));
  if (!isSnapshot(stored)) throw new Error("the snapshot lost its form");
  return stored;
}

function isSnapshot(value: unknown): value is Snapshot {
  return isPlainObject(value) && ["stepName", "inputHash", "artifacts", "capturedAt"].every((key) => key in value);
}

test("a snapshot survives a JSON round trip: its hashes verify, and its output is the same", async () => {
  await fc.assert(
    fc.asyncProperty(result, extra, async (made, artifacts) => {
      const snapshot = await createSnapshotFromResult(made, { artifacts });
      const stored = throughJson(snapshot);
      expect(hashValueSync(stored.input)).toBe(stored.inputHash);
      for (const { hash, content } of stored.artifacts)
        expect(content === undefined || hashValueSync(content) === hash).toBe(true);
      const [live, loaded] = [await loadOutput(snapshot), await loadOutput(stored)];
      expect(loaded.ok).toBe(true);
      expect(stableStringify(loaded)).toBe(stableStringify(live));
      expect(loaded.ok && stableStringify(loaded.value.output)).toBe(stableStringify(made.output));
    }),
    RUNS,
  );
});

test("a snapshot from JSON equals itself, and keeps its commands", async () => {
  await fc.assert(
    fc.asyncProperty(result, async (made) => {
      const snapshot = await createSnapshotFromResult(made);
      const stored = throughJson(snapshot);
      const same = { equal: true, entries: [] };
      expect(compareSnapshots(snapshot, stored)).toStrictEqual({
        inputDiff: same,
        outputDiff: same,
        commandsDiff: same,
      });
      expect(stableStringify(storedCommands(stored))).toBe(
        stableStringify(normalizeCommands(storedItems(made.commands ?? [], "commands"))),
      );
    }),
    RUNS,
  );
});

test("an unchanged result is clean against a baseline that is a result, a snapshot or JSON", {
  tags: "deep",
}, async () => {
  await fc.assert(
    fc.asyncProperty(result, async (made) => {
      const { output, events, commands = [] } = made;
      const step = defineStep({
        name: "any",
        input: z.unknown(),
        output: z.looseObject({}),
        run: () => ({ output, events, commands: commands.toReversed() }),
      });
      const snapshot = await createSnapshotFromResult(made);
      for (const baseline of [made, snapshot, throughJson(snapshot)]) {
        const again = await recompute(baseline, step, { validate: false });
        expect(again.ok && [again.value.status, again.value.comparable, again.value.commandsDiff?.equal]).toStrictEqual(
          ["clean", true, true],
        );
      }
    }),
    RUNS,
  );
});

test("detects any edit of the stored output or input", async () => {
  await fc.assert(
    fc.asyncProperty(result, data, async (made, edit) => {
      const stored = throughJson(await createSnapshotFromResult(made));
      const step = defineStep({
        name: "any",
        input: z.unknown(),
        output: z.looseObject({}),
        run: () => ({ output: {} }),
      });
      const edited = { output: edit, events: [] };
      const artifacts = stored.artifacts.map((artifact) =>
        artifact.kind === "step-output" ? { ...artifact, content: edited } : artifact,
      );
      const isEdit = stableStringify(edited) !== stableStringify({ output: made.output, events: made.events });
      const loaded = await loadOutput({ ...stored, artifacts });
      expect(loaded.ok ? "ok" : loaded.error.code).toBe(isEdit ? "output_corrupted" : "ok");
      const ofInput = await recompute({ ...stored, input: edit }, step);
      const isOther = stableStringify(edit) !== stableStringify(made.input);
      expect(ofInput.ok ? "ok" : ofInput.error.code).toBe(isOther ? "input_hash_mismatch" : "ok");
    }),
    RUNS,
  );
});
