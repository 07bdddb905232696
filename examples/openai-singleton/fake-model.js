// A model on this machine that speaks OpenAI's protocol: `node fake-model.js`. The baselines were recorded from it.
const { createServer } = require("node:http");
const { json } = require("node:stream/consumers");

/** Reads an order by rule. The prompt may ask for the singular, and another model takes a dozen for one. */
function answer({ model, messages }) {
  const [{ content: system }, { content: letter }] = messages;
  const dozen = model === "gpt-4.1-mini" ? 12 : 1;
  const lines = [...letter.matchAll(/(\d+|a dozen) (\w+)/g)].map(([, count, item]) => ({
    item: system.includes("singular") ? item.replace(/s$/, "") : item,
    quantity: count === "a dozen" ? dozen : Number(count),
  }));
  return JSON.stringify({ lines });
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
      usage: { prompt_tokens: 60, completion_tokens: 15, total_tokens: 75 },
    }),
  );
}

const server = createServer((request, response) => void respond(request, response));
server.listen(process.env.PORT ?? 4012, "127.0.0.1", () => {
  console.log(`OPENAI_BASE_URL=http://127.0.0.1:${server.address().port}/v1`);
});
