import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { newest } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/** Claims are read by a model, each is rated by a model, a person looks at the whole, and it is paid. */
const CLAIMS = `
import { defineStep, defineWorkflow, within } from "veritest";
import { emit, fanout, invoke, review, suspend } from "veritest/commands";
import { z } from "zod";

export const input = { text: "two claims" };
export const model = {
  list: async () => [{ id: "c2", sum: 5 }, { id: "c1", sum: 7 }],
  rate: async ({ id, sum }) => ({ risk: sum > 6 ? "high" : "low", confidence: id === "c1" ? 0.9 : 0.8 }),
};
const any = z.looseObject({});
const step = (name, run, more = {}) => defineStep({ name, input: any, output: any, run, ...more });

/** The workflow as it is today: what a test says differs from how it was captured. */
export function claimsOf({ enrich = false, event = "read", paid = (claims) => claims.length, waits = false, asks = "Pay these?" } = {}) {
  const extract = step("extract", async ({ text }, { adapters }) => {
    const claims = await adapters.llm.list(text);
    return {
      output: { claims },
      events: [{ type: event }],
      commands: [fanout("rate", claims), invoke("ask", { count: claims.length }), ...(enrich ? [invoke("enrich", {})] : [])],
    };
  }, { keyBy: { claims: "id" } });
  const rate = step("rate", async (claim, { adapters }) => ({ output: await adapters.llm.rate(claim) }), { compare: { confidence: within(0.05) } });
  const ask = step("ask", async ({ count }) => ({ output: { count }, commands: [waits ? suspend({ reason: "sign", checkpoint: { count }, resumeStep: "pay" }) : review(asks), ...(waits ? [] : [invoke("pay", { count })])] }));
  const pay = step("pay", async ({ count, resumeData }) => ({ output: {}, commands: [emit("claims.paid", { paid: paid([1, 2]), by: resumeData ?? null })] }));
  const more = step("enrich", async () => ({ output: { country: "NO" } }));
  return defineWorkflow({ name: "claims", version: "1.0.0", steps: { extract, rate, ask, pay, enrich: more } });
}
`;

const OPTIONS = `
const options = { runsBy: { rate: "id" }, resolve: { review: "approve" } };
const adapters = { llm: model };
const waiting = { ...options, resolve: { suspend: ({ count }) => "ann of " + count } };
`;
const IMPORTS = 'import { claimsOf, input, model } from "./claims.js";';

const CAPTURE = testFile(`
${IMPORTS}
${OPTIONS}
test("captured", async () => {
  await expect(claimsOf()).toMatchBaseline({ ...options, input, adapters, name: "paid" });
});
`);

/** A change, in what a test says; and the lines of its failure, all of them, below the name of the case. */
interface Row {
  readonly workflow?: string;
  readonly adapters?: string;
  readonly resolve?: string;
  readonly lines: readonly string[] | "clean";
}

const CODE = "cause: code (same requests, same responses, new output)";
const MODEL = "cause: model (same requests, different responses: llm.rate)";

const ROWS: Readonly<Record<string, Row>> = {
  "nothing, live": { lines: "clean" },
  "nothing, recorded": { adapters: "undefined", lines: "clean" },
  "the order in which claims are listed": {
    adapters: "{ llm: { ...model, list: async () => (await model.list()).reverse() } }",
    lines: "clean",
  },
  "a confidence within its tolerance": {
    adapters: "{ llm: { ...model, rate: async (claim) => ({ ...(await model.rate(claim)), confidence: 0.85 }) } }",
    lines: "clean",
  },
  "a confidence beyond it": {
    adapters: "{ llm: { ...model, rate: async (claim) => ({ ...(await model.rate(claim)), confidence: 0.8 }) } }",
    lines: ["value_changed", MODEL, "steps.rate.c1.confidence: 0.9 → 0.8"],
  },
  "a step that was added": {
    workflow: "claimsOf({ enrich: true })",
    lines: ["value_changed", CODE, '+ steps.enrich: {"1":{"country":"NO"}}'],
  },
  "a review that is resolved the other way, with what hung on it": {
    resolve: '{ review: "reject" }',
    lines: [
      "value_changed",
      CODE,
      'decisions.ask.1.answer: "approve" → "reject"',
      '- steps.pay: {"1":{}}',
      '- commands["emit claims.paid"]: {"payload":{"by":null,"paid":2},"topic":"claims.paid","type":"emit"}',
    ],
  },
  "a person who corrects what was computed": {
    resolve: "{ review: () => ({ override: { risk: 'low' } }) }",
    lines: ["value_changed", CODE, 'decisions.ask.1.answer: "approve" → {"override":{"risk":"low"}}'],
  },
  "what a person is asked": {
    workflow: 'claimsOf({ asks: "Really?" })',
    lines: ["value_changed", CODE, 'decisions.ask.1.review: "Pay these?" → "Really?"'],
  },
  "an effect": {
    workflow: "claimsOf({ paid: () => 9 })",
    lines: ["commands_changed", CODE, 'commands["emit claims.paid"].payload.paid: 2 → 9'],
  },
  "an event": {
    workflow: 'claimsOf({ event: "listed" })',
    lines: ["events_changed", CODE, 'events[0]: {"type":"read"} → {"type":"listed"}'],
  },
  "a block that nobody answers": {
    resolve: "undefined",
    lines: [
      "value_changed",
      CODE,
      '- decisions: {"ask":{"1":{"answer":"approve","review":"Pay these?"}}}',
      '- steps.pay: {"1":{}}',
      '- commands["emit claims.paid"]: {"payload":{"by":null,"paid":2},"topic":"claims.paid","type":"emit"}',
      '+ commands.review: {"reason":"Pay these?","type":"review"}',
    ],
  },
};

const CHANGED = testFile(
  [
    IMPORTS,
    OPTIONS,
    ...Object.entries(ROWS).map(
      ([title, { workflow = "claimsOf()", adapters = "adapters", resolve = "options.resolve" }]) =>
        `test(${JSON.stringify(title)}, async () => {
  const asked = { ...options, input, adapters: ${adapters}${adapters === "undefined" ? "" : ', mode: "live"'}, resolve: ${resolve}, name: "paid" };
  await expect(${workflow}).toMatchBaseline(asked);
});`,
    ),
  ].join("\n"),
);

/** The lines of a failure's one case: its class, its cause, its changes. */
function linesOf(message: string): readonly string[] {
  const [first = "", ...rest] = (message.split("\n\n")[1] ?? "").split("\n").map((line) => line.trim());
  return [first.split("  ").at(-1) ?? "", ...rest];
}

describe.each(newest)("$name: a whole workflow", (runner) => {
  test("is one baseline, and each change is reported with its path", async () => {
    const project = createProject(runner);
    project.write({ "claims.js": CLAIMS, "claims.test.js": CAPTURE });
    await project.capture();
    expect(project.cases()).toEqual(["__baselines__/claims/paid"]);
    project.write({ "claims.test.js": CHANGED });
    const { failures } = await project.run();
    const told = Object.fromEntries(Object.entries(failures).map(([title, message]) => [title, linesOf(message)]));
    const expected = Object.entries(ROWS).filter(([, { lines }]) => lines !== "clean");
    expect(told).toEqual(Object.fromEntries(expected.map(([title, { lines }]) => [title, lines])));
  });

  test("is replayed, recomputed and swept without a connection", async () => {
    const project = createProject(runner);
    project.write({
      "claims.js": CLAIMS,
      "claims.test.js": testFile(`
${IMPORTS}
${OPTIONS}
import { Socket } from "node:net";
test("captured", async () => {
  await expect(claimsOf({ waits: true })).toMatchBaseline({ ...waiting, input, adapters, name: "waits" });
});
test("swept", async () => {
  Socket.prototype.connect = () => { throw new Error("a connection was opened"); };
  await expect(claimsOf({ waits: true })).toRecomputeClean(waiting);
  await expect(claimsOf({ waits: true })).toRecomputeClean();
  await expect(claimsOf({ waits: true })).toReplay();
  await expect(claimsOf({ waits: true })).toRecomputeClean({ ...waiting, adapters, mode: "live", trials: 3 });
  await expect(claimsOf({ waits: true })).toBePure({ ...waiting, input, adapters });
  await expect(claimsOf({ waits: true, paid: () => Number(process.env.PAID ?? 2) })).toRecomputeClean(waiting);
});
`),
      "veritest.config.js": `
import { defineConfig } from "veritest";
import { workflowStep } from "veritest/runner";
export default defineConfig({ steps: async () => {
  const { claimsOf } = await import("./claims.js");
  const resolve = { suspend: ({ count }) => "ann of " + count };
  return [workflowStep(claimsOf({ waits: true }), { runsBy: { rate: "id" }, resolve })];
} });
`,
    });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    expect(await project.run([], { env: { CI: "1" } })).toMatchObject({ exitCode: 0, failures: {} });
    expect(await project.cli(["test"])).toMatchObject({ exitCode: 0 });
    const changed = await project.run(["-t", "swept"], { env: { CI: "1", PAID: "9" } });
    expect(linesOf(changed.failures["swept"] ?? "")).toEqual([
      "commands_changed",
      CODE,
      'commands["emit claims.paid"].payload.paid: 2 → 9',
    ]);
  });
});
