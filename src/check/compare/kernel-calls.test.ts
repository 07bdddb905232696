import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { tool } from "../../record/calls/tool.ts";
import { openLibrary } from "../../baseline/baseline-library.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { type Snapshot, createSnapshotFromResult } from "../../record/snapshot.ts";
import { withReplay } from "../../record/with-replay.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import { type AnyStep, type StepReturn, defineStep } from "../../kernel/step/define-step.ts";
import { checkStepResult } from "../check-step-result.ts";
import { recompute } from "../recompute.ts";
import { replay } from "../replay.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";

interface Adapters {
  readonly llm: { ask(prompt: string): Promise<string> };
  readonly crm: { find(city: string): Promise<number>; remove(id: number): Promise<void> };
}

const adapters: Adapters = {
  llm: { ask: async () => "done" },
  crm: { find: async (city) => city.length, remove: async () => undefined },
};
const imported = tool({ name: "imported", effect: "read", run: async ({ n }: { n: number }) => n + 1 });

type Does = (adapters: Adapters) => Promise<unknown>;

/** A step that always answers the same, whatever it does. */
function doing(does: Does, more: Partial<Pick<AnyStep, "calls" | "compare">> = {}): AnyStep {
  const step = defineStep({
    name: "tidy",
    input: z.object({}),
    output: z.object({ said: z.string() }),
    roles: { "crm.remove": "write" },
    run: async (_, { adapters: given }: StepContext<Adapters>): Promise<StepReturn<{ said: string }>> => {
      await does(given);
      return { output: { said: "done" } };
    },
  });
  return { ...step, ...more };
}

const tidy: Does = async ({ llm, crm }) => {
  await llm.ask("Tidy up.");
  await crm.find("Oslo");
  await crm.remove(1);
  await imported({ n: 1 });
};

async function recorded(): Promise<Snapshot> {
  const { result } = await withReplay(doing(tidy), {}, { adapters });
  if (!result.ok) throw new Error(result.error.message);
  return createSnapshotFromResult(result.value);
}

async function callsDiffOf(does: Does, more?: Parameters<typeof doing>[1]) {
  const recomputed = await recompute(await recorded(), doing(does, more), { adapters });
  if (!recomputed.ok) throw new Error(recomputed.error.message);
  expect(recomputed.value).toMatchObject({ status: "clean", outputDiff: { equal: true } });
  return recomputed.value.callsDiff;
}

describe("recompute", () => {
  test("reports equal calls, including imported tools", async () => {
    expect(await callsDiffOf(tidy)).toStrictEqual({ equal: true, entries: [], changes: [], rows: [], tolerated: [] });
  });

  test("reports a new write, another argument and a call that is gone", async () => {
    const diff = await callsDiffOf(async ({ llm, crm }) => {
      await llm.ask("Tidy up!");
      await crm.find("Bergen");
      await crm.remove(1);
      await crm.remove(7);
    });
    expect(diff?.equal).toBe(false);
    expect(diff?.changes.map(({ kind, adapter, role }) => `${kind} ${adapter} ${role}`)).toStrictEqual([
      "removed tools.imported read",
      "added crm.remove write",
      "changed crm.find read",
    ]);
  });

  test("tolerates what the step or the check allows", async () => {
    const other: Does = async ({ crm }) => {
      await crm.find("Bergen");
      await crm.remove(1);
    };
    expect((await callsDiffOf(other, { calls: "writes" }))?.equal).toBe(true);
    expect(await callsDiffOf(other, { calls: "none" })).toBeUndefined();
    const told = await callsDiffOf(
      async (given) => tidy({ ...given, crm: { ...given.crm, find: async () => given.crm.find("Bergen") } }),
      { compare: { "calls.crm.find": () => true } },
    );
    expect([told?.equal, told?.tolerated.length]).toStrictEqual([true, 1]);
  });

  test("returns no diff of calls if none are stored", async () => {
    const { result } = await withReplay(doing(tidy), {}, { adapters });
    if (!result.ok) throw new Error(result.error.message);
    const bare = await createSnapshotFromResult({ ...result.value, artifacts: [] });
    const recomputed = await recompute(
      bare,
      doing(async ({ crm }) => crm.remove(9)),
      { adapters },
    );
    expect(recomputed).toMatchObject({ ok: true, value: { status: "clean", callsDiff: undefined } });
  });
});

describe("a recorded result against its baseline", () => {
  const resultOf = async (does: Does) => {
    const { result } = await withReplay(doing(does), {}, { adapters });
    if (!result.ok) throw new Error(result.error.message);
    return result.value;
  };

  test("is reported by what its step did, where both sides were recorded", async () => {
    const root = join(temporaryProject("result"), "__baselines__");
    const library = openLibrary(root);
    const question = { details: { name: "tidy" }, label: "tidy" };
    const captured = await checkStepResult(await resultOf(tidy), question, library);
    putBaseline(captured.path, captured.update?.propose().after ?? "");
    expect((await checkStepResult(await resultOf(tidy), question, library)).verdict).toStrictEqual({ kind: "clean" });
    const other = await resultOf(async (given) => {
      await tidy(given);
      await given.crm.remove(7);
    });
    expect(await checkStepResult(other, question, library)).toMatchObject({
      verdict: {
        kind: "calls_changed",
        changes: [{ part: "calls", diff: { changes: [{ kind: "added", adapter: "crm.remove" }] } }],
      },
    });
    const unrecorded = { ...other, artifacts: [] };
    expect((await checkStepResult(unrecorded, question, library)).verdict).toStrictEqual({ kind: "clean" });
  });
});

describe("replay", () => {
  test("is different if a recorded call is missing, although the bytes are the same", async () => {
    const replayed = await replay(
      await recorded(),
      doing(async ({ llm, crm }) => {
        await llm.ask("Tidy up.");
        await crm.find("Oslo");
        await imported({ n: 1 });
      }),
    );
    expect(replayed).toMatchObject({
      ok: true,
      value: {
        kind: "different",
        changedParts: ["calls"],
        diffs: { calls: { changes: [{ kind: "removed", adapter: "crm.remove" }] } },
      },
    });
  });

  test("is identical if a model call is missing, or reads have another order", async () => {
    const replayed = await replay(
      await recorded(),
      doing(async ({ crm }) => {
        await imported({ n: 1 });
        await crm.find("Oslo");
        await crm.remove(1);
      }),
    );
    expect(replayed).toStrictEqual({ ok: true, value: { kind: "identical" } });
  });
});
