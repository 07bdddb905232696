// @module-tag deep
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import * as z from "zod";
import { checkInputCase, checkStoredCase } from "../../../test-support/check-stored-case.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { openLibrary } from "../../baseline/baseline-library.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import { defineStep } from "../../kernel/step/define-step.ts";
import { causeLine } from "../../explain/cause-line.ts";
import { withLocalSettings } from "./local-settings.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";

interface Adapters {
  readonly llm: { ask(request: { prompt: string }): Promise<string> };
}

/** Stops the thread as other processes on its processor do: time passes, and it neither computes nor waits. */
function stopThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("doesn't explain the order of live responses by a time zone", async () => {
  const root = join(temporaryProject("cause"), "__baselines__");
  const library = openLibrary(root);
  const step = defineStep({
    name: "report",
    input: z.object({}),
    output: z.object({ names: z.string() }),
    run: async (_, { adapters }: StepContext<Adapters>) => {
      const names: string[] = [];
      const ask = async (prompt: string): Promise<void> => {
        names.push(await adapters.llm.ask({ prompt }));
      };
      await Promise.all([ask("job 1"), ask("job 2")]);
      return { output: { names: names.join() } };
    },
  });
  const adaptersOf = (slow: string): Adapters => ({
    llm: { ask: async ({ prompt }) => setTimeout(prompt === slow ? 30 : 0, prompt) },
  });
  const first = await checkInputCase(
    step,
    { input: {}, label: "case", mayCapture: true, adapters: adaptersOf("job 2") },
    library,
  );
  putBaseline(first.path, first.update?.propose().after ?? "");
  const [stored] = library.all("report");
  if (stored === undefined) throw new Error("nothing is stored");
  const { verdict } = await checkStoredCase(step, stored, { root, adapters: adaptersOf("job 1") });
  const cause = "cause" in verdict ? verdict.cause : undefined;
  expect(cause === undefined ? "none" : causeLine(cause, verdict)).toBe(
    "cause: code (differs from run to run with the same responses)",
  );
});

test.each([
  ["finds the time zone on a busy machine", async () => stopThread(300), "environment"],
  ["doesn't try every time zone with a slow step", async () => setTimeout(300), "code"],
] as const)("%s", async (_what, pause, expected) => {
  const root = join(temporaryProject("cause"), "__baselines__");
  const library = openLibrary(root);
  let isCapture = true;
  const step = defineStep({
    name: "report",
    input: z.object({}),
    output: z.object({ at: z.string() }),
    run: async (_, { adapters }: StepContext<Adapters>) => {
      if (!isCapture) await pause();
      await adapters.llm.ask({ prompt: "Greet." });
      return { output: { at: new Date(1_772_442_000_000).toLocaleString() } };
    },
  });
  const adapters: Adapters = { llm: { ask: async () => "Hello." } };
  // The last one of the list, so that ten others are tried before.
  const first = await withLocalSettings({ timeZone: "America/Sao_Paulo" }, async () =>
    checkInputCase(step, { input: {}, label: "case", mayCapture: true, adapters }, library),
  );
  putBaseline(first.path, first.update?.propose().after ?? "");
  isCapture = false;
  const [stored] = library.all("report");
  if (stored === undefined) throw new Error("nothing is stored");
  const { verdict } = await checkStoredCase(step, stored, { root });
  expect("cause" in verdict ? verdict.cause?.kind : verdict).toBe(expected);
});
