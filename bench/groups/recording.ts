import { recordAdapters } from "../../src/index.ts";
import { type Redactor, createRedactor } from "../../src/redaction.ts";
import type { Contender } from "../bench-case.ts";
import type { BenchGroup, Row } from "../bench-group.ts";
import { withFactor } from "../machine-factor.ts";
import { measureRow } from "../measure.ts";
import { medianOf } from "../timing.ts";

const CALLS = 100;

const SENTENCES =
  "Read the receipt below and list what was bought, one item with its price for each line. Prices are in euros; a deposit is an item of its own. ";

/** 1 KB of prose, as prompts are: hardly anything in it looks like a secret. */
const PROMPT = SENTENCES.repeat(8).slice(0, 1000);

/** Keys that are found by their form, put together here so that no scanner takes this file for a leak. */
const KEY = ["sk", "ant", "api03", "a1B2c3D4e5".repeat(5)].join("-");

const ANSWER = {
  id: "c-1",
  choices: [
    {
      index: 0,
      finish_reason: "stop",
      message: { role: "assistant", content: "Bread 3.20, coffee 2.10, deposit 0.25: 5.55 in total." },
    },
  ],
  usage: { prompt_tokens: 250, completion_tokens: 42, total_tokens: 292 },
};

const llm = { complete: async (_request: object): Promise<object> => ANSWER };

/** What recording and hiding secrets add to a call of an adapter. */
export const recording: BenchGroup = {
  name: "recording",
  question: "What do recording and redaction add to an adapter call with a 1 KB request?",
  run: async () => {
    const redactor = createRedactor({ values: [{ name: "DB_PASSWORD", value: "p@ss/word1234" }] });
    const direct = contender("direct calls", "limit", async () => callAll(llm, PROMPT));
    const { result, factor } = await withFactor(async () => [
      await measureRow({
        name: "recorded",
        contenders: [contender("recorded calls", "ours", async () => record(false, PROMPT)), direct],
      }),
      await measureRow({
        name: "recorded and redacted",
        contenders: [contender("redacted calls", "ours", async () => record(redactor, PROMPT)), direct],
      }),
      await measureRow({
        name: "with a key in each request",
        contenders: [contender("redacted keys", "ours", async () => record(redactor, `${PROMPT} ${KEY}`)), direct],
      }),
    ]);
    return result.map((row): Row => {
      const [ours] = row.timings;
      const perCall = (medianOf(row.timings, ours?.name ?? "") * 1000) / CALLS / factor;
      return { ...row, metrics: [...row.metrics, { name: "reference time per call", value: perCall, unit: "µs" }] };
    });
  },
};

async function record(redact: Redactor | false, prompt: string): Promise<number> {
  const recorder = recordAdapters({ llm }, { redact });
  await callAll(recorder.adapters.llm, prompt);
  const calls = recorder.calls();
  if (redact !== false && JSON.stringify(calls[0]).includes(KEY)) throw new Error("recording: a key was written down.");
  return recorder.problems().length === 0 ? calls.length : 0;
}

async function callAll({ complete }: typeof llm, prompt: string): Promise<number> {
  let answers = 0;
  for (let index = 0; index < CALLS; index += 1) {
    const answer = await complete({
      model: "small-1",
      temperature: 0,
      messages: [{ role: "user", content: `${index} ${prompt}` }],
    });
    if (Reflect.has(answer, "choices")) answers += 1;
  }
  return answers;
}

function contender(name: string, role: Contender["role"], run: () => Promise<number>): Contender {
  return {
    name,
    role,
    run,
    problemOf: (answers) => (answers === CALLS ? undefined : `answered ${String(answers)} of ${CALLS} calls`),
  };
}
