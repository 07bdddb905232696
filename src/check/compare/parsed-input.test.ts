import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { hashValueSync } from "../../kernel/json/hash.ts";
import { createSnapshot } from "../../record/snapshot.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import type { Schema } from "../../kernel/step/schema.ts";
import { type CapturedInput, capturedInput, parsedHash, parsedInputArtifact } from "./parsed-input.ts";
import { runCount } from "../../../test-support/run-count.ts";
import { jsonValue } from "../../../test-support/arbitraries.ts";

function stepOf(input: Schema): AnyStep {
  return defineStep({ name: "read", input, output: z.object({}), run: () => ({ output: {} }) });
}

async function kept(schema: Schema, input: unknown): Promise<Artifact | undefined> {
  return parsedInputArtifact(stepOf(schema), input, hashValueSync(input));
}

async function readBack(artifact: Artifact | undefined, input: unknown): Promise<CapturedInput | undefined> {
  return capturedInput(
    await createSnapshot({
      workflowId: "w",
      workflowVersion: "1",
      stepName: "read",
      input,
      artifacts: artifact === undefined ? [] : [artifact],
    }),
  );
}

test("stores one hash for an input that parsing doesn't change, and reads it back", async () => {
  const artifact = await kept(z.object({ text: z.string() }), { text: "a" });
  expect(artifact).toStrictEqual({ kind: "parsed-input", hash: hashValueSync({ text: "a" }) });
  expect((await readBack(artifact, { text: "a" }))?.value?.()).toStrictEqual({ text: "a" });
});

test("a transformed input is kept with its types, and made again for each run", async () => {
  const schema = z.object({ at: z.string().transform((text) => new Date(text)), tone: z.string().default("dry") });
  const input = { at: "2026-03-01" };
  const artifact = await kept(schema, input);
  const then = await readBack(artifact, input);
  const parsed = { at: new Date("2026-03-01"), tone: "dry" };
  expect(then?.value?.()).toStrictEqual(parsed);
  expect(then?.value?.()).not.toBe(then?.value?.());
  expect(then?.hash).toBe(parsedHash(parsed));
});

test("stores only the hash of a large transformed input", async () => {
  const artifact = await kept(z.object({ text: z.string().trim() }), { text: ` ${"a".repeat(20_000)}` });
  expect(artifact).toStrictEqual({ kind: "parsed-input", hash: parsedHash({ text: "a".repeat(20_000) }) });
  expect((await readBack(artifact, { text: ` ${"a".repeat(20_000)}` }))?.value).toBe(undefined);
});

test("stores no input that the schema refuses, or turns into something without a stored form", async () => {
  expect(await kept(z.object({ text: z.string() }), { text: 1 })).toBe(undefined);
  expect(
    await kept(
      z.string().transform((text) => () => text),
      "a",
    ),
  ).toBe(undefined);
  expect(await readBack(undefined, {})).toBe(undefined);
});

test("property: JSON that is parsed as it is comes back as it is", { tags: "deep" }, async () => {
  await fc.assert(
    fc.asyncProperty(jsonValue(), async (input) => {
      const then = await readBack(await kept(z.any(), input), input);
      expect(parsedHash(then?.value?.())).toBe(then?.hash);
    }),
    { numRuns: runCount(1000) },
  );
});
