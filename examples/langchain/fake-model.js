// A model on this machine that speaks OpenAI's protocol: `node fake-model.js`. The committed baselines were recorded from it.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

/** Sorts a letter by its words, and writes the summary as the system prompt asks. */
function answer({ messages }) {
  const [{ content: system }, { content: letter }] = messages;
  const words = { billing: /bill/i, delivery: /come|arrive/i };
  const topic = Object.keys(words).find((name) => words[name].test(letter)) ?? "other";
  const summary = system.includes("formal") ? `The customer writes about ${topic}.` : `It's about ${topic}.`;
  return JSON.stringify({ topic, urgent: /!|now/.test(letter), summary });
}

let count = 0;
async function respond(request, response) {
  const body = await json(request);
  count += 1;
  const message = { role: "assistant", content: answer(body), refusal: null };
  response.setHeader("content-type", "application/json").end(
    JSON.stringify({
      id: `chatcmpl-${count}`,
      object: "chat.completion",
      created: 1_700_000_000 + count,
      model: body.model,
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: { prompt_tokens: 90, completion_tokens: 20, total_tokens: 110 },
    }),
  );
}

const server = createServer((request, response) => void respond(request, response));
server.listen(process.env.PORT ?? 4010, "127.0.0.1", () => {
  console.log(`OPENAI_BASE_URL=http://127.0.0.1:${server.address().port}/v1`);
});
