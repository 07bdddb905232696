import * as fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { type Snapshot, createSnapshot } from "../../../record/snapshot.ts";
import { withReplay } from "../../../record/with-replay.ts";
import { recompute } from "../../../check/recompute.ts";
import { replay } from "../../../check/replay.ts";
import { currentRedactor } from "../../../redact/current-redactor.ts";
import { emit } from "../../../kernel/step/command.ts";
import type { StepContext } from "../../../kernel/step/context.ts";
import { defineStep } from "../../../kernel/step/define-step.ts";
import { runCount } from "../../../../test-support/run-count.ts";
import { jsonValue } from "../../../../test-support/arbitraries.ts";

const RUNS = { numRuns: runCount(1000) };

const form = fc.constantFrom("value", "throws", "promise", "rejects", "stream", "cut");
const use = z.object({
  form: z.enum(["value", "throws", "promise", "rejects", "stream", "cut"]),
  request: z.unknown(),
  stopAfter: z.number(),
  emits: z.boolean(),
});
type Use = z.infer<typeof use>;

// Few requests, so that equal ones with different answers are frequent.
const uses: fc.Arbitrary<Use[]> = fc.array(
  fc.record({
    form,
    request: fc.constantFrom("a", "b", { q: [1] }),
    stopAfter: fc.nat({ max: 3 }),
    emits: fc.boolean(),
  }),
  { maxLength: 6 },
);
// A secret is replaced in a recorded response, and a replay of the kernel doesn't have the original.
const hasNoSecret = (value: unknown): boolean =>
  stableStringify(currentRedactor().redact(value).value) === stableStringify(value);
const answers = fc.array(jsonValue().filter(hasNoSecret), { minLength: 1, maxLength: 6 });

interface Client {
  value(request: unknown): unknown;
  throws(request: unknown): unknown;
  promise(request: unknown): Promise<unknown>;
  rejects(request: unknown): Promise<unknown>;
  stream(request: unknown): AsyncGenerator<unknown, void>;
  cut(request: unknown): AsyncGenerator<unknown, void>;
}

/** A client whose answers come from `answer`, which may take note of how often it was asked. */
function clientOf(answer: (request: unknown) => unknown): Client {
  async function* stream(request: unknown): AsyncGenerator<unknown, void> {
    for (let chunk = 0; chunk < 3; chunk += 1) yield answer(request);
  }
  const refuse = (request: unknown): never => {
    throw Object.assign(new Error(stableStringify(answer(request))), { status: 500 });
  };
  return {
    value: answer,
    throws: refuse,
    promise: async (request) => answer(request),
    rejects: async (request) => refuse(request),
    stream,
    async *cut(request) {
      yield answer(request);
      refuse(request);
    },
  };
}

/** No two calls answer alike, as with a model. */
function randomClient(tape: readonly unknown[]): Client {
  let asked = 0;
  return clientOf(() => [(asked += 1), Math.random(), tape[asked % tape.length]]);
}

/** The same answer to the same request, whenever it is asked. */
function steadyClient(tape: readonly unknown[]): Client {
  return clientOf((request) => tape[stableStringify(request).length % tape.length]);
}

/** A step that does what its input says and writes down everything it sees. */
const program = defineStep({
  name: "program",
  input: z.object({ uses: z.array(use), together: z.boolean() }),
  output: z.object({ seen: z.array(z.unknown()) }),
  run: async ({ uses: todo, together }, ctx: StepContext<{ deep: { client: Client } }>) => {
    const observed = (each: Use): Promise<unknown> => observe(ctx.adapters.deep.client, each);
    const seen: unknown[] = [];
    if (together) seen.push(...(await Promise.all(todo.map(observed))));
    else for (const each of todo) seen.push(await observed(each));
    for (const [index, { emits }] of todo.entries()) if (emits) ctx.emitEvent({ type: "saw", payload: seen[index] });
    return { output: { seen }, commands: seen.map((payload) => emit("saw", payload)), events: [{ type: "done" }] };
  },
});

async function observe(client: Client, { form: how, request, stopAfter }: Use): Promise<unknown> {
  try {
    if (how !== "stream" && how !== "cut") return { got: await client[how](request) };
    const chunks: unknown[] = [];
    for await (const chunk of client[how](request)) {
      chunks.push(chunk);
      if (chunks.length === stopAfter) break;
    }
    return { chunks };
  } catch (thrown) {
    return { thrown: thrown instanceof Error && [thrown.message, Object.entries(thrown)] };
  }
}

/** Records a run of the program and hands back its snapshot, as a file would hold it. */
async function record(client: Client, input: { readonly uses: Use[]; readonly together: boolean }): Promise<Snapshot> {
  const { result, artifacts } = await withReplay(program, input, { adapters: { deep: { client } } });
  if (!result.ok) throw new Error(result.error.message);
  const { stepName, workflowId, workflowVersion } = result.value;
  const snapshot = await createSnapshot({
    stepName,
    workflowId,
    workflowVersion,
    input: result.value.input,
    artifacts,
  });
  const stored: unknown = JSON.parse(JSON.stringify(snapshot));
  if (!isSnapshot(stored)) throw new Error("the snapshot lost its form");
  return stored;
}

function isSnapshot(value: unknown): value is Snapshot {
  return isPlainObject(value) && "artifacts" in value && "capturedAt" in value;
}

test("a recorded step replays to the same bytes for any responses", {
  tags: "deep",
}, async () => {
  await fc.assert(
    fc.asyncProperty(uses, answers, fc.boolean(), async (todo, tape, together) => {
      const snapshot = await record(randomClient(tape), { uses: todo, together });
      expect(await replay(snapshot, program)).toStrictEqual({ ok: true, value: { kind: "identical" } });
    }),
    RUNS,
  );
});

test("recomputing with the same deterministic adapters is clean", async () => {
  await fc.assert(
    fc.asyncProperty(uses, answers, fc.boolean(), async (todo, tape, together) => {
      const snapshot = await record(steadyClient(tape), { uses: todo, together });
      const again = await recompute(snapshot, program, { adapters: { deep: { client: steadyClient(tape) } } });
      expect(again.ok && [again.value.status, again.value.comparable, again.value.commandsDiff?.equal]).toStrictEqual([
        "clean",
        true,
        true,
      ]);
    }),
    RUNS,
  );
});

test("recomputing with other responses changes the value exactly if the step used any", { tags: "deep" }, async () => {
  await fc.assert(
    fc.asyncProperty(uses, answers, async (todo, tape) => {
      const snapshot = await record(randomClient(tape), { uses: todo, together: false });
      const again = await recompute(snapshot, program, { adapters: { deep: { client: randomClient(tape) } } });
      expect(again.ok && again.value.status).toBe(todo.length === 0 ? "clean" : "value_changed");
      expect(again.ok && again.value.commandsDiff?.equal).toBe(todo.length === 0);
    }),
    RUNS,
  );
});
