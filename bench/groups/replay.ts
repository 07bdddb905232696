import { type AdapterCall, recordAdapters, replayAdapters } from "../../src/index.ts";
import type { Contender } from "../bench-case.ts";
import type { BenchGroup, Row } from "../bench-group.ts";
import { documentOf } from "../data/entities.ts";
import { withFactor } from "../machine-factor.ts";
import { measureRow } from "../measure.ts";
import { medianOf } from "../timing.ts";

const CALLS = 100;

/** An adapter as a step has one. */
interface Adapters {
  readonly llm: { readonly complete: (request: object) => Promise<object> };
}

/** Serves and records adapter calls. */
export const replay: BenchGroup = {
  name: "replay",
  question: "What does a served or recorded adapter call with a 1 KB answer cost beside a direct one?",
  run: async () => {
    const direct = adapters();
    const { calls } = await recorded(direct);
    const directly = contender("direct calls", "limit", async () => callAll(direct));
    const serve = contender("served calls", "ours", async () => callAll(served(calls)));
    const record = contender("recorded calls", "ours", async () => (await recorded(direct)).answers);
    const { result, factor } = await withFactor(async () => [
      await measureRow({ name: "100 served calls, index included", contenders: [serve, directly] }),
      await measureRow({ name: "100 recorded calls", contenders: [record, directly] }),
    ]);
    return result.map((row): Row => {
      const [ours] = row.timings;
      const perCall = (medianOf(row.timings, ours?.name ?? "") * 1000) / CALLS / factor;
      return { ...row, metrics: [...row.metrics, { name: "reference time per call", value: perCall, unit: "µs" }] };
    });
  },
};

function adapters(): Adapters {
  const answers = Array.from({ length: CALLS }, (_, index) => ({ index, ...documentOf(4) }));
  return { llm: { complete: async (request) => answers[Number(Reflect.get(request, "index"))] ?? {} } };
}

async function callAll({ llm }: Adapters): Promise<number> {
  let answers = 0;
  for (let index = 0; index < CALLS; index += 1) {
    const answer = await llm.complete({
      model: "small-1",
      index,
      prompt: "Read this receipt and list what was bought.",
    });
    if (Reflect.get(answer, "index") === index) answers += 1;
  }
  return answers;
}

async function recorded(
  direct: Adapters,
): Promise<{ readonly answers: number; readonly calls: readonly AdapterCall[] }> {
  const recorder = recordAdapters(direct);
  const answers = await callAll(recorder.adapters);
  const calls = recorder.calls();
  if (calls.length !== CALLS || recorder.problems().length > 0)
    throw new Error(`replay: ${calls.length} of ${CALLS} calls were recorded.`);
  return { answers, calls };
}

function served(calls: readonly AdapterCall[]): Adapters {
  const { adapters: found } = replayAdapters(calls);
  if (!isAdapters(found)) throw new Error("replay: the recording has no llm.complete.");
  return found;
}

function isAdapters(value: object): value is Adapters {
  return typeof Reflect.get(Object(Reflect.get(value, "llm")), "complete") === "function";
}

function contender(name: string, role: Contender["role"], run: () => Promise<number>): Contender {
  return {
    name,
    role,
    run,
    problemOf: (answers) => (answers === CALLS ? undefined : `answered ${String(answers)} of ${CALLS} calls`),
  };
}
