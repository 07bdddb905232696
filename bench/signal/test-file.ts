import type { RunnerKind } from "../runner-project.ts";

const NAMES = "defineStep, fail, anything, matches, oneOf, similar, within";

const IMPORTS: Readonly<Record<RunnerKind, string>> = {
  vitest: `import { readFileSync } from "node:fs";
import { ${NAMES} } from "veritest";
import { run } from "veritest/kernel";
import { z } from "zod";
`,
  jest: `const { readFileSync } = require("node:fs");
const { ${NAMES} } = require("veritest");
const { run } = require("veritest/kernel");
const { z } = require("zod");
`,
};

/** A test file that does what the plan in the file says: `PHASE` is `capture`, `same` or `after`. */
export function testFile(kind: RunnerKind, plan: string): string {
  return `${IMPORTS[kind]}
const plan = JSON.parse(readFileSync(${JSON.stringify(plan)}, "utf8"));
${BODY}`;
}

const BODY = `const PHASE = process.env.PHASE;
const RULES = {
  near: { total: within(0.05) },
  alike: { summary: similar({ atLeast: 0.8 }) },
  among: { state: oneOf("accepted", "rejected") },
  pattern: { date: matches(/^\\d{4}-\\d\\d-\\d\\d/) },
  skip: { date: anything() },
  "all near": { "**": within(0.05) },
  texts: { "entities.text": anything() },
  "event times": { "events.payload.at": anything() },
  "request ids": { "calls.tools.find.requestId": anything() },
};
const fields = { total: z.number(), company: z.string(), state: z.enum(["accepted", "rejected"]) };
const OUTPUTS = {
  any: z.looseObject({}),
  typed: z.looseObject(fields),
  named: z.object({ ...fields, characters: z.number(), known: z.boolean() }),
  dated: z.looseObject({ date: z.string() }),
  tight: z.looseObject({ ...fields, total: z.number().max(0.5) }),
};
const document = { id: z.string(), text: z.string() };
const INPUTS = {
  any: z.object(document),
  trimmed: z.object({ ...document, text: z.string().transform((text) => text.slice(0, 5)) }),
  needs: z.object({ ...document, page: z.number() }),
};
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class ServiceError extends Error {
  constructor(status) {
    super(status + " from the service");
    this.status = status;
  }
}

function keysOf({ ordered }) {
  return { entities: ordered ? { by: "id", ordered } : "id" };
}

function adaptersOf({ answer, stamp, tool, ends, twist, failing }) {
  let asked = 0;
  let toFail = failing;
  const answerOf = (name) => async () => {
    if (toFail === name) {
      toFail = null;
      throw new Error("1 check failed");
    }
    if (ends === "tool") throw new Error("503 Service Unavailable");
    // Reads that are asked at once are answered the other way round.
    if (twist === "slow" && name === "find") await pause(4);
    return tool;
  };
  return {
    llm: {
      ask: async () => {
        if (typeof ends === "number") throw new ServiceError(ends);
        if (ends === "model") throw new Error("503 Service Unavailable");
        asked += 1;
        return asked === 1 ? { ...stamp, found: answer } : { ...stamp, found: { receipt: true } };
      },
    },
    tools: Object.fromEntries(["find", "price", "post", "notify"].map((name) => [name, answerOf(name)])),
  };
}

function madeOf({ answer, edit, output, twist }) {
  const made = { ...(output ?? answer), ...edit };
  if (twist === "undefined") made.absent = undefined;
  if (twist === "negative zero") made.total = -0;
  if (twist === "ISO date") made.date = new Date(made.date).toISOString();
  if (twist === "map") made.typed = new Map(Object.entries(made.typed));
  if (twist === "set") made.typed = new Set(made.typed);
  if (twist === "instant") made.typed = new Date(made.typed);
  if (twist === "date") made.date = new Date(made.date);
  return made;
}

async function askTools({ calls, twist, failing, collects }, tools, completed) {
  const ask = async ({ tool, request }) => {
    if (collects === "started") completed.push(tool);
    try {
      const answer = await tools[tool](request);
      if (collects === "completed" && tool === "find") await pause(4);
      return answer;
    } catch (error) {
      if (failing === null) throw error;
      return { failed: error.message };
    } finally {
      if (collects === "completed") completed.push(tool);
    }
  };
  if (twist === "slow") return [...(await Promise.all(calls.slice(0, 2).map(ask))), ...(await inTurn(calls.slice(2), ask))];
  return inTurn(calls, ask);
}

async function inTurn(calls, ask) {
  const answers = [];
  for (const call of calls) answers.push(await ask(call));
  return answers;
}

function questionsOf({ questions, today }) {
  if (today === null) return questions;
  const date = today === "now" ? new Date().toISOString().slice(0, 10) : today;
  return questions.map((question, index) => (index === 0 ? { ...question, prompt: question.prompt + " Today: " + date } : question));
}

function stepOf(name, now, compare) {
  return defineStep({
    name,
    input: INPUTS[now.input],
    output: OUTPUTS[now.schema],
    keyBy: keysOf(now),
    compare,
    ...(now.order && { order: { "tools.post": { after: ["tools.find"] } } }),
    roles: { "tools.post": "write", "tools.notify": "write" },
    run: async ({ text }, { adapters }) => {
      if (now.ends === "throw") throw new Error("cannot read the document");
      if (now.ends === "fail") return fail("unreadable", "The document cannot be read.");
      const [answer] = await inTurn(questionsOf(now), (question) => adapters.llm.ask(question));
      const completed = [];
      const [told] = await askTools(now, adapters.tools, completed);
      const output = { ...madeOf({ ...now, answer: answer.found }), characters: text.length, known: told?.known };
      if (now.collects !== null) output.completed = completed;
      return { output, events: now.events, commands: now.commands };
    },
  });
}

// For each frame of a failure Vitest reads the frame's file to find a source map: half of the time of a run.
async function withoutFrames(check) {
  try {
    await check();
  } catch (error) {
    error.stack = error.name + ": " + error.message;
    throw error;
  }
}

async function refuses({ matcher, name, pattern, part }, { step, input, adapters }) {
  const target = pattern === undefined ? name : new RegExp(pattern);
  if (matcher === "toCall") return expect(step).not.toCall(target, part, { input, adapters, mode: "live" });
  expect(await run(step, input, { adapters })).not[matcher](target, ...(part === undefined ? [] : [part]));
}

async function check({ step: name, input: document, matcher, mode, rules, options, before, after }) {
  const now = PHASE === "after" ? after : before;
  const compare = RULES[rules] ?? {};
  const step = stepOf(name, now, compare);
  const adapters = adaptersOf(now);
  const keyBy = keysOf(now);
  const input = { ...document, ...now.more };
  const asked = { input, adapters, mode: PHASE === "capture" ? "live" : mode, effects: "run", ...options };
  if (matcher === "key") expect(madeOf(now)).toEqualByKey(madeOf(before), keyBy);
  else if (matcher === "value") await expect(madeOf(now)).toMatchBaseline({ name, keyBy, compare });
  else if (matcher === "not") await refuses(options, { step, input, adapters });
  else if (matcher === "result") await expect(await run(step, input, { adapters })).toMatchBaseline();
  else if (matcher === "replay" && PHASE !== "capture") await expect(step).toReplay();
  else await expect(step).toMatchBaseline(asked);
}

for (const planned of plan) test(planned.title, () => withoutFrames(() => check(planned)));
`;
