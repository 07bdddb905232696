import { join } from "node:path";
import { build } from "esbuild";
import { REPOSITORY } from "../harness/install.ts";
import type { Project } from "../harness/project.ts";

/** The instructions and the model of the five steps. */
export const PROMPTS = `
export const MODEL = "gpt-4o";
export const PROMPTS = {
  invoice: "Invoice: read vendor, total and lines.",
  room: "Room: find one and book it.",
  tone: "Tone: say in one word how the letter sounds.",
  answer: "Answer: from the passages alone.",
  triage: "Triage: high or low?",
  decide: "Decide: pay or refuse?",
};
`;

/** Five steps as they are written: structured output, a tool loop, the AI SDK, retrieval and answer, a workflow. */
export const STEPS = `
import { defineStep, defineWorkflow, fail } from "veritest";
import { invoke, review } from "veritest/commands";
import { generateText } from "sdks";
import { z } from "zod";
import { MODEL, PROMPTS } from "./prompts.js";

const says = async (client, system, user, more = {}) => {
  const answer = await client.chat.completions.create({
    model: MODEL,
    messages: [{ role: "system", content: system }, { role: "user", content: user }],
    ...more,
  });
  return answer.choices[0].message.content;
};

const line = z.object({ sku: z.string(), price: z.number() });
export const invoice = defineStep({
  name: "invoice",
  input: z.object({ text: z.string() }),
  output: z.object({ vendor: z.string(), total: z.number(), lines: z.array(line) }),
  keyBy: { lines: "sku" },
  run: async ({ text }, { adapters }) => {
    const schema = z.toJSONSchema(z.object({ vendor: z.string(), total: z.number(), lines: z.array(line) }));
    const response_format = { type: "json_schema", json_schema: { name: "invoice", strict: true, schema } };
    return { output: JSON.parse(await says(adapters.openai, PROMPTS.invoice, text, { response_format })) };
  },
});

const tools = ["findRoom", "book"].map((name) => ({ name, input_schema: { type: "object" } }));
export const room = defineStep({
  name: "room",
  input: z.object({ wish: z.string() }),
  output: z.object({ said: z.string() }),
  roles: { "tools.book": "write" },
  run: async ({ wish }, { adapters }) => {
    const messages = [{ role: "user", content: wish }];
    for (let turn = 0; turn < 5; turn += 1) {
      const asked = { model: MODEL, max_tokens: 200, system: PROMPTS.room, tools, messages: [...messages] };
      const answer = await adapters.anthropic.messages.create(asked);
      const uses = answer.content.filter(({ type }) => type === "tool_use");
      if (uses.length === 0) return { output: { said: answer.content[0].text } };
      messages.push({ role: "assistant", content: answer.content });
      const results = [];
      for (const { id, name, input } of uses)
        results.push({ type: "tool_result", tool_use_id: id, content: JSON.stringify(await adapters.tools[name](input)) });
      messages.push({ role: "user", content: results });
    }
    return fail("too_many_turns", "No end after five turns.");
  },
});

export const tone = defineStep({
  name: "tone",
  input: z.object({ letter: z.string() }),
  output: z.object({ tone: z.string() }),
  run: async ({ letter }, { adapters }) => {
    const { text } = await generateText({ model: adapters.model(MODEL), system: PROMPTS.tone, prompt: letter });
    return { output: { tone: text.toLowerCase() } };
  },
});

export const answer = defineStep({
  name: "answer",
  input: z.object({ question: z.string() }),
  output: z.object({ answer: z.string(), sources: z.array(z.string()) }),
  run: async ({ question }, { adapters }) => {
    const found = await adapters.search.query(question, { limit: 2 });
    const passages = found.map(({ id, text }) => id + ": " + text).join("\\n");
    const said = await adapters.llm.ask({ model: MODEL, system: PROMPTS.answer, prompt: passages + "\\n" + question });
    return { output: { answer: said, sources: found.map(({ id }) => id) } };
  },
});

const triage = defineStep({
  name: "triage",
  input: z.object({ claim: z.string() }),
  output: z.object({ risk: z.string() }),
  run: async ({ claim }, { adapters }) => {
    const risk = await says(adapters.openai, PROMPTS.triage, claim);
    return { output: { risk }, commands: [...(risk === "high" ? [review("A person decides.")] : []), invoke("decide", { claim, risk })] };
  },
});
const decide = defineStep({
  name: "decide",
  input: z.object({ claim: z.string(), risk: z.string() }),
  output: z.object({ decision: z.string() }),
  run: async ({ claim, risk }, { adapters }) => ({
    output: { decision: await says(adapters.openai, PROMPTS.decide, risk + ": " + claim) },
  }),
});
export const claims = defineWorkflow({ name: "claims", version: "1.0.0", steps: { triage, decide } });
`;

const ADAPTERS = `
import { Anthropic, OpenAI, createOpenAI } from "sdks";

const url = process.env.MODEL_URL;
const client = { apiKey: "none", maxRetries: 0 };
const passages = [
  { id: "harbour-3", text: "The Kestrel bridge was opened in 1932." },
  { id: "harbour-7", text: "The ferry stopped a year later." },
];

export const openai = new OpenAI({ ...client, baseURL: url + "/v1" });
export const anthropic = new Anthropic({ ...client, baseURL: url });
const provider = createOpenAI({ apiKey: "none", baseURL: url + "/v1" });
export const model = (name) => provider.chat(name);
export const search = { query: async (question, { limit }) => passages.slice(0, limit) };
export const llm = {
  ask: async ({ model, system, prompt }) => {
    const messages = [{ role: "system", content: system }, { role: "user", content: prompt }];
    const body = JSON.stringify({ model, messages });
    const response = await fetch(url + "/v1/chat/completions", { method: "POST", body });
    return (await response.json()).choices[0].message.content;
  },
};
export const tools = {
  findRoom: async ({ seats }) => [{ room: "Fjord", seats: seats + 2 }],
  book: async ({ room, hour }) => ({ booked: room + " at " + hour }),
};
`;

/** What is expected of each, and what else must hold of the recorded run. */
const CASES: Readonly<Record<string, string>> = {
  invoice:
    '{ input: { text: "Nordlys AS, 3 lamps" }, adapters: { openai }, assert: ({ result }) => { expect(result.output.total).toBe(450); } }',
  room: '{ input: { wish: "A room for six at ten." }, adapters: { anthropic, tools }, effects: "run", assert: (run) => { expect(run).toCallInOrder("tools.findRoom", "tools.book"); } }',
  tone: '{ input: { letter: "I am still waiting!" }, adapters: { model } }',
  answer: '{ input: { question: "When was the bridge opened?" }, adapters: { search, llm }, budget: { maxCalls: 1 } }',
  claims: '{ input: { claim: "A broken window." }, adapters: { openai }, resolve: { review: "approve" } }',
};

/** The names of the steps, each of which has a test file of its own. */
export const NAMES: readonly string[] = Object.keys(CASES);

/** Writes the project of the five steps. */
export async function writeRealSteps(project: Project): Promise<void> {
  await bundleSdks(project.folder);
  project.write({
    "prompts.js": PROMPTS,
    "real-steps.js": STEPS,
    "adapters.js": ADAPTERS,
    ...Object.fromEntries(Object.entries(CASES).map(([name, options]) => [`${name}.test.js`, testOf(name, options)])),
  });
}

function testOf(name: string, options: string): string {
  return `
import { expect, test } from "runner";
import { anthropic, llm, model, openai, search, tools } from "./adapters.js";
import { ${name} } from "./real-steps.js";

test("${name}", async () => {
  await expect(${name}).toMatchBaseline(${options});
});
`;
}

/** The SDKs as one CommonJS package: Jest reads no ES modules without a flag, and the AI SDK has nothing else. */
async function bundleSdks(folder: string): Promise<void> {
  const from = (name: string): string => JSON.stringify(join(REPOSITORY, "node_modules", name));
  await build({
    stdin: {
      contents: [
        `export { OpenAI } from ${from("openai")};`,
        `export { Anthropic } from ${from("@anthropic-ai/sdk")};`,
        `export { createOpenAI } from ${from("@ai-sdk/openai")};`,
        `export { generateText } from ${from("ai")};`,
      ].join("\n"),
      resolveDir: REPOSITORY,
    },
    outfile: join(folder, "node_modules", "sdks", "index.js"),
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    logLevel: "error",
  });
}
